"""Holes in a layer's function: unknowns with logits of their own, learnt together with the network.

The choice of a hole is one more input of the program. Its distribution is the softmax of its logits, so a
layer gives the exact marginal over all fillings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from anc.language.source import Source
from anc.layers.places import Place
from anc.program import Program
from anc.python.function import Function, read
from anc.python.sketch_function import OpenFunction, OpenHole, filled_text, offsets
from anc.python.source import parse
from anc.support.diagnostics import AncError

CERTAIN = 0.01  # the largest doubt about a program that is certain


@dataclass(frozen=True)
class Filled:
    """A function whose holes have their most likely choices, and how likely every choice is."""

    text: str
    module: str  # the text that it is a part of
    words: tuple[tuple[str, ...], ...]  # the choices of each hole
    probabilities: tuple[tuple[float, ...], ...]
    compile: Callable[[str], Program] | None

    @property
    def choices(self) -> tuple[str, ...]:
        """The most likely choice of each hole."""
        pairs = zip(self.words, self.probabilities, strict=True)
        return tuple(words[int(np.argmax(each))] for words, each in pairs)

    @property
    def doubt(self) -> float:
        """The probability that it is another program."""
        return 1 - prod(max(each) for each in self.probabilities)

    @property
    def is_certain(self) -> bool:
        return self.doubt <= CERTAIN

    @property
    def program(self) -> Program:
        """The compiled program."""
        if self.compile is None:
            raise AncError("a layer that was saved no longer has the module of its function")
        return self.compile(self.module)

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "choices": list(self.choices),
            "words": [list(words) for words in self.words],
            "probabilities": [list(each) for each in self.probabilities],
            "doubt": self.doubt,
            "is_certain": self.is_certain,
        }

    def __str__(self) -> str:
        lines = []
        for number, (words, each) in enumerate(zip(self.words, self.probabilities, strict=True), 1):
            likely = sorted(zip(each, words, strict=True), key=lambda pair: -pair[0])
            shown = [f"{word} ({p:.1%})" for p, word in likely if p >= CERTAIN or p == likely[0][0]]
            lines.append(f"hole {number}: {' or '.join(shown)}")
        state = "certain" if self.is_certain else "not certain yet"
        return "\n".join([*lines, f"{state}: a doubt of {self.doubt:.2%}", "", self.text])


@dataclass(frozen=True)
class Holes:
    """The holes of a function, and their places among the inputs of its program."""

    module: str
    begin: int  # of the function in the text of its module
    end: int
    holes: tuple[OpenHole, ...]
    places: tuple[Place, ...] = ()
    compile: Callable[[str], Program] | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of choices of each hole."""
        return tuple(len(hole.words) for hole in self.holes)

    def filled(self, probabilities: Sequence[Sequence[float]]) -> Filled:
        """The function with the most likely choices."""
        rows = tuple(tuple(map(float, each)) for each in probabilities)
        chosen = [
            hole.words[int(np.argmax(row))] for hole, row in zip(self.holes, rows, strict=True)
        ]
        module = filled_text(self.module, self.holes, chosen)
        text = module[self.begin : self.end + len(module) - len(self.module)]
        words = tuple(hole.words for hole in self.holes)
        return Filled(text, module, words, rows, self.compile)

    def check(self, given: Sequence[Any]) -> None:
        """Refuse logits of another shape."""
        shapes = [tuple(each.shape) for each in given]
        if [shape[-1:] for shape in shapes] != [(size,) for size in self.sizes]:
            wanted = ", ".join(f"(..., {size})" for size in self.sizes)
            raise AncError(
                f"'holes' has the shapes {shapes}, expected {wanted}: the logits of each hole",
                help="begin with layer.logits()",
            )

    def __getstate__(self) -> dict[str, Any]:
        holes = tuple(replace(hole, node=None) for hole in self.holes)  # type: ignore[arg-type]
        return vars(replace(self, holes=holes, compile=None))


def opened(function: OpenFunction) -> tuple[Function, tuple[str, ...], Holes]:
    """A function with holes as one in which they are arguments, the names of these, and the holes."""

    def compiled(text: str) -> Function:
        module = parse(Source(text, function.module.source.name), function.module.outside)
        known = function.M, function.wrap, None, function.instructions
        return read(module, module.functions[function.name], *known)

    text, names = function.with_arguments()
    definition = function.definition
    first = min([definition, *definition.decorator_list], key=lambda node: node.lineno)
    begin = function.text.rfind("\n", 0, offsets(function.text, first)[0]) + 1
    holes = Holes(
        function.text,
        begin,
        offsets(function.text, definition)[1],
        function.holes,
        compile=lambda text: compiled(text).program,
    )
    return compiled(text), names, holes

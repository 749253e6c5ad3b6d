"""The program loader: whatever a user names becomes a program or weights, with the compiler's warnings.

A name is a listing or a JSON file, a .safetensors file of weights, a function in a Python file
(``file.py:name``), a shipped program, or - for standard input; from Python also a Program, a Function,
weights, or the text of a listing. A shipped program's name always means that program, even if the current
folder has a file or a folder of that name, which is ``./listk``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from anc.compiler import compile_source, to_text
from anc.data import programs
from anc.isa import InstructionSet
from anc.language import Source, read_source
from anc.language.source import MAX_BYTES, read_typed
from anc.language.tree import Example
from anc.machine.tapes import fill
from anc.program import Program
from anc.python.recording.recorder import behind
from anc.support import limits
from anc.support.diagnostics import AncError, close_match, quoted

if TYPE_CHECKING:
    from anc.data.tasks.data import Call
    from anc.machine.weights import Weights
    from anc.python.function import Function
    from anc.python.recording.recorder import Recorded

FUNCTION = re.compile(r"(?s).+\.py(:[^:/\\]*)?")  # a Python file, optionally with a function


@dataclass(frozen=True)
class Loaded:
    """A loaded program or weights, with its source text, warnings and examples."""

    name: str
    thing: Program | Weights
    source: Source | None = None  # of a listing
    warnings: str = ""
    examples: tuple[Example, ...] = ()
    function: Function | None = None  # the Python function that was compiled

    @cached_property
    def program(self) -> Program:
        """The program; for weights, the most likely one."""
        if isinstance(self.thing, Program):
            return self.thing
        from anc.machine.weights import harden

        return harden(self.thing)

    @property
    def weights(self) -> Weights | None:
        """The weights, if weights were loaded."""
        return None if isinstance(self.thing, Program) else self.thing

    @property
    def text(self) -> str:
        """The listing as it was written, or one printed from the program."""
        return to_text(self.program) if self.source is None else self.source.text

    @property
    def summary(self) -> str:
        """The summary in its leading comment or docstring, if any."""
        said = self.function or self.source
        return "" if said is None else said.summary

    @property
    def facts(self) -> tuple[str, ...]:
        """A Python function's assumptions about its arguments, as facts about the tape."""
        return () if self.function is None else self.function.facts

    @property
    def call(self) -> Call | None:
        """How to convert arguments to a case, for a Python function of arguments."""
        return None if self.function is None else self.function.call_fields

    @property
    def real_call(self) -> Call | None:
        """How to convert the arguments of a recorded call to a case."""
        return None if self.function is None else self.function.real_call_fields

    def filled(self, tape: Sequence[int]) -> tuple[int, ...]:
        """The tape, filled up to the memory of the program or the weights."""
        return fill(tape, self.weights.M if self.weights else self.program.memory)

    def softened(self, M: int | None, sharpness: float | None = None, seed: int = 0) -> Weights:
        """The loaded weights, or the softened program; without a sharpness, as good as exact."""
        if self.weights is not None:
            return self.weights
        from anc.machine.weights import soften

        return soften(self.program, M, limits.SHARP if sharpness is None else sharpness, seed)


def load(
    what: Program | Weights | Function | Recorded | Source | str | Path,
    memory: int | None = None,
    instructions: InstructionSet | None = None,
) -> Loaded:
    """Load whatever a user names; `memory` and `instructions` override a program's own."""
    if memory is not None:
        limits.MEMORY.check(memory)
    if isinstance(what, Source):
        return compiled(what, memory, instructions)
    if not isinstance(what, str | Path):
        function = function_in(what)
        if function is not None:
            return of_function(function.with_instructions(instructions), memory)
        if not hasattr(what, "registers"):  # an attribute of programs and of weights
            help = "give the function that it wraps" if hasattr(what, "__wrapped__") else None
            raise AncError(
                f"expected a program, weights or what names them, found {quoted(what)}", help=help
            )
        return _fitted(Loaded("program", what), memory)  # type: ignore[arg-type]
    if is_function(what):
        from anc.python.files import read_function

        return of_function(read_function(str(what), memory, instructions), memory)
    path = Path(what)
    if path.suffix == ".safetensors":
        from anc.machine.files import load_weights

        return _fitted(Loaded(str(path), load_weights(path, instructions)), memory)
    return compiled(listing_source(what), memory, instructions)


def is_function(what: object) -> bool:
    """Whether it is a Python function, or names one."""
    if isinstance(what, str | Path):
        return FUNCTION.fullmatch(str(what)) is not None
    return function_in(what) is not None


def is_folder(what: object) -> bool:
    """Whether it names a result folder; a shipped program's name never does."""
    return isinstance(what, str | Path) and what not in programs.names() and os.path.isdir(what)


def listing_source(what: str | Path) -> Source:
    """The listing in a file, of a shipped program, from standard input, or in the text itself."""
    if what == "-":
        return read_typed()
    if isinstance(what, str) and what in programs.names():
        return programs.source(what)
    path = Path(what)
    if isinstance(what, str) and not os.path.exists(what):
        if "(" in what:  # every listing has a parenthesis, and no name does
            return Source(what)
        match = close_match(what, programs.names())
        hint = f"did you mean the shipped program '{match}'?" if match else "see: anc programs"
        raise AncError(f"{quoted(what)} is neither a file nor a shipped program", help=hint)
    return read_source(path)


def function_in(what: object) -> Function | None:
    """The Function itself, or the one inside a recorder; None for anything else."""
    while what is not None and not hasattr(
        type(what), "with_memory"
    ):  # a method that only functions have
        what = behind(what)
    return what  # type: ignore[return-value]


def compiled(
    source: Source, memory: int | None = None, instructions: InstructionSet | None = None
) -> Loaded:
    """Compile a text: a listing, or JSON."""
    if len(source.text) > MAX_BYTES:
        raise AncError(f"{source.name} is too long: a program has at most {MAX_BYTES:,} characters")
    if source.name.endswith(".jsonl") or source.text.lstrip().startswith("["):
        raise AncError(
            f"{source.name} holds cases or calls, not a program",
            help="name a program here, and give such a file with --data where a command takes it",
        )
    if source.name.endswith(".json") or source.text.lstrip().startswith("{"):
        return _fitted(Loaded(source.name, Program.from_json(source.text, instructions)), memory)
    found = compile_source(source, memory, instructions)
    return Loaded(source.name, found.program, source, found.rendered_warnings(), found.examples)


def of_function(function: Function, memory: int | None = None) -> Loaded:
    """Compile a Python function."""
    fitting = function.with_memory(memory)
    fitting.check_names()
    return Loaded(
        fitting.module.source.name,
        fitting.program,
        warnings=fitting.warnings,
        examples=fitting.examples,
        function=fitting,
    )


def _fitted(loaded: Loaded, memory: int | None) -> Loaded:
    """The program or weights for another memory, if it fits."""
    if memory is None and isinstance(loaded.thing, Program):
        if loaded.thing.memory is not None:
            limits.MEMORY.check(loaded.thing.memory)
        loaded.thing.check_fits(limits.MAX_MEMORY)
    if memory is None:
        return loaded
    if isinstance(loaded.thing, Program):
        loaded.thing.check_fits(memory)
        return replace(loaded, thing=replace(loaded.thing, memory=memory))
    if memory != loaded.thing.M:
        raise AncError(f"{loaded.name} is for a memory of {loaded.thing.M} cells, not {memory}")
    return loaded

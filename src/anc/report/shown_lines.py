"""The lines of a listing as the pages show them: labels, text, and how sure each choice is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from anc import isa
from anc.compiler import listing
from anc.diagnostics import AncError
from anc.language.parser import parse
from anc.language.printer import print_tree
from anc.language.tree import Listing, Statement
from anc.machine.weights import Array, softmax
from anc.program import Program

if TYPE_CHECKING:
    from anc.language import Source
    from anc.machine.weights import Weights

_NEUTRAL = 0.5  # a choice that is less likely than this is shown as '-'


@dataclass(frozen=True)
class ShownLine:
    """One line; `choices` are (what, most likely, probability), empty where everything is exact."""

    number: int
    labels: tuple[str, ...]
    text: str
    choices: tuple[tuple[str, str, float], ...] = ()
    is_spare: bool = False  # a row after the program's last line


def program_lines(program: Program, source: Source | None = None) -> tuple[ShownLine, ...]:
    """The lines of a program: as its source has them, or as the printer would write them."""
    return tuple(
        ShownLine(number, tuple(name.text for name in statement.labels), _text(statement))
        for number, statement in enumerate(_statements(program, source))
    )


def _statements(program: Program, source: Source | None) -> tuple[Statement, ...]:
    if source is not None:
        try:
            found = parse(source).statements
        except AncError:
            found = ()
        if len(found) == program.L:
            return found
    return listing(program).statements


def _text(statement: Statement) -> str:
    return print_tree(Listing(statements=(replace(statement, labels=()),))).strip()


def weights_lines(
    weights: Weights,
    registers: tuple[str, ...],
    program: Program | None = None,
    source: Source | None = None,
) -> tuple[ShownLine, ...]:
    """One line for each row of the weights, the most likely choices, with their probabilities."""
    known = program_lines(program, source) if program is not None else ()
    lines = []
    for number in range(weights.M):
        choices = tuple(
            (what, *_choice(getattr(weights, what)[number], names))
            for what, names in (
                ("out", registers),
                ("op", isa.NAMES),
                ("first", registers),
                ("second", registers),
            )
        )
        if number < len(known):
            lines.append(replace(known[number], choices=choices))
        else:
            spare = number >= (len(known) or weights.lines)
            lines.append(ShownLine(number, (), _spelled(choices), choices, spare))
    return tuple(lines)


def _choice(logits: Array, names: tuple[str, ...]) -> tuple[str, float]:
    probabilities = softmax(np.asarray(logits, np.float64))
    best = int(probabilities.argmax())
    return names[best], round(float(probabilities[best]), 4)


def _spelled(choices: tuple[tuple[str, str, float], ...]) -> str:
    """The line in words of the language; what is not likely is '-', as in the paper's figures.

    Nothing at all where no choice is likely.
    """
    by_what = {what: (name, p) for what, name, p in choices}
    if all(p <= _NEUTRAL for _, p in by_what.values()):
        return ""
    op, p = by_what["op"]
    taken = isa.instruction(op).operands
    names = [_likely(*by_what[what]) for what in ("first", "second")][:taken]
    return f"{_likely(*by_what['out'])} = {op if p > _NEUTRAL else '-'}({', '.join(names)})"


def _likely(name: str, probability: float) -> str:
    return name if probability > _NEUTRAL else "-"

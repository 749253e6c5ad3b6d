"""The lines of a listing for pages: labels, text, and the probability of each choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anc import isa
from anc.compiler.pipeline import listing
from anc.language.parser import parse
from anc.language.tree import Listing, Statement, print_tree
from anc.machine.text import NEUTRAL, likeliest
from anc.machine.weights import Array
from anc.program import Program
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.language import Source
    from anc.machine.weights import Weights


@dataclass(frozen=True)
class ShownLine:
    """One line; `choices` are (what, most likely, probability), empty for an exact program."""

    number: int
    labels: tuple[str, ...]
    text: str
    choices: tuple[tuple[str, str, float], ...] = ()
    is_spare: bool = False  # a row after the program's last line


def program_lines(program: Program, source: Source | None = None) -> tuple[ShownLine, ...]:
    """The lines of a program, as in its source or with the names of its registers."""
    written = _statements(program, source)
    texts = map(_text, written) if written else _commands(program)
    both = zip(written or listing(program).statements, texts, strict=True)
    return tuple(
        ShownLine(number, tuple(name.text for name in statement.labels), text)
        for number, (statement, text) in enumerate(both)
    )


def _statements(program: Program, source: Source | None) -> tuple[Statement, ...]:
    """The statements of the source, one for each line; none if the source is of another program."""
    if source is None:
        return ()
    try:
        found = parse(source).statements
    except AncError:
        return ()
    return found if len(found) == program.L else ()


def _text(statement: Statement) -> str:
    return print_tree(Listing(statements=(replace(statement, labels=()),))).strip()


def _commands(program: Program) -> Iterator[str]:
    for line in program.lines:
        operands = ", ".join(program.name_of(register) for register in line.operands)
        yield f"{program.name_of(line.out)} = {line.op}({operands})"


def weights_lines(
    weights: Weights, program: Program | None = None, source: Source | None = None
) -> tuple[ShownLine, ...]:
    """The lines of weights: the most likely choices, with their probabilities."""
    registers = weights.register_names
    instructions = weights.instructions
    known = program_lines(program, source) if program is not None else ()
    lines = []
    for number in range(weights.M):
        choices = tuple(
            (what, *_choice(getattr(weights, what)[number], names))
            for what, names in (
                ("out", registers),
                ("op", instructions.names),
                ("first", registers),
                ("second", registers),
            )
        )
        if number < len(known):
            lines.append(replace(known[number], choices=choices))
        else:
            spare = number >= (len(known) or weights.lines)
            lines.append(ShownLine(number, (), _spelled(choices, instructions), choices, spare))
    return tuple(lines)


def _choice(logits: Array, names: tuple[str, ...]) -> tuple[str, float]:
    best, probability = likeliest(logits)
    return names[best], round(probability, 4)


def _spelled(choices: tuple[tuple[str, str, float], ...], instructions: isa.InstructionSet) -> str:
    """The line as text; '-' stands for an unlikely choice, as in the paper's figures.

    The text is empty if no choice is likely.
    """
    if all(p <= NEUTRAL for _, _, p in choices):
        return ""
    out, op, *operands = (name if p > NEUTRAL else "-" for _, name, p in choices)
    taken = instructions[choices[1][1]].operands  # also of an unlikely instruction
    return f"{out} = {op}({', '.join(operands[:taken])})"

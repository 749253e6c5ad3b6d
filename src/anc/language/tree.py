"""The syntax tree of a listing, with source locations, and its printer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from anc.isa import PAPER, InstructionSet
from anc.support.diagnostics import Span

NOWHERE = Span(1, 1)


@dataclass(frozen=True)
class Number:
    value: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Name:
    text: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class HoleSyntax:
    """A hole of a sketch: ``?``, or ``? in (a, 3)`` with its choices."""

    choices: tuple[Number | Name, ...] | None
    span: Span = field(default=NOWHERE, compare=False)


Operand = Number | Name | HoleSyntax


@dataclass(frozen=True)
class Call:
    """An instruction with its operands, such as ``READ(k)``.

    In an unknown line, ``x = ?``, the hole stands for all of them.
    """

    op: Name | HoleSyntax
    operands: tuple[Operand, ...]
    span: Span = field(default=NOWHERE, compare=False)
    is_unknown: bool = False


@dataclass(frozen=True)
class Statement:
    """One program line: labels, the output variable (if any), the call.

    Learning and search do not change a frozen line.
    """

    labels: tuple[Name, ...]
    out: Name | None
    call: Call
    frozen: bool = False


@dataclass(frozen=True)
class Declaration:
    """``var name`` or ``var name = value``."""

    name: Name
    value: Operand | None


@dataclass(frozen=True)
class Example:
    """A ``# run: input -> output`` line."""

    input: tuple[int, ...]
    output: tuple[int, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Listing:
    """A whole source text; `file` is the instruction file that it names."""

    memory: Number | None = None
    start: Operand | None = None
    declarations: tuple[Declaration, ...] = ()
    statements: tuple[Statement, ...] = ()
    examples: tuple[Example, ...] = field(default=(), compare=False)
    instructions: InstructionSet = PAPER
    file: str | None = None

    @property
    def frozen(self) -> tuple[int, ...]:
        """The numbers of the frozen lines."""
        return tuple(n for n, statement in enumerate(self.statements) if statement.frozen)

    def holes(self) -> Iterator[HoleSyntax]:
        """All holes: those of initial values, then line by line."""
        for declaration in self.declarations:
            if isinstance(declaration.value, HoleSyntax):
                yield declaration.value
        for statement in self.statements:
            for part in (statement.call.op, *statement.call.operands):
                if isinstance(part, HoleSyntax):
                    yield part


def print_tree(listing: Listing) -> str:
    """The canonical text of a listing; parsing it gives an equal tree."""
    lines = []
    if listing.file is not None:
        lines.append(f"instructions {listing.file}")
    if listing.memory is not None:
        lines.append(f"memory {listing.memory.value}")
    if listing.start is not None:
        lines.append(f"start {_operand(listing.start)}")
    for declaration in listing.declarations:
        value = "" if declaration.value is None else f" = {_operand(declaration.value)}"
        lines.append(f"var {declaration.name.text}{value}")
    if lines:
        lines.append("")
    lines += [_statement(statement) for statement in listing.statements]
    if listing.examples:
        lines.append("")
    lines += map(print_example, listing.examples)
    return "\n".join(lines) + "\n"


def print_example(example: Example) -> str:
    before, after = (" ".join(map(str, side)) for side in (example.input, example.output))
    return f"# run: {before} -> {after}"


def _statement(statement: Statement) -> str:
    labels = "".join(f"{label.text}: " for label in statement.labels)
    out = "" if statement.out is None else f"{statement.out.text} = "
    operands = ", ".join(map(_operand, statement.call.operands))
    frozen = "@frozen " if statement.frozen else ""
    called = "" if statement.call.is_unknown else f"({operands})"
    return f"{labels}{frozen}{out}{_operand(statement.call.op)}{called}"


def _operand(operand: Operand) -> str:
    if isinstance(operand, HoleSyntax):
        if operand.choices is None:
            return "?"
        return f"? in ({', '.join(map(_operand, operand.choices))})"
    return str(operand.value) if isinstance(operand, Number) else operand.text

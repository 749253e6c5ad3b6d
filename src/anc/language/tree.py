"""The syntax tree of a listing: what was written, and where."""

from __future__ import annotations

from dataclasses import dataclass, field

from anc.diagnostics import Span

NOWHERE = Span(1, 1)


@dataclass(frozen=True)
class Number:
    value: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Name:
    text: str
    span: Span = field(default=NOWHERE, compare=False)


Operand = Number | Name


@dataclass(frozen=True)
class Call:
    """An instruction with its operands, such as ``READ(k)``."""

    op: Name
    operands: tuple[Operand, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Statement:
    """One program line: labels, the variable that takes the output (if any), the call."""

    labels: tuple[Name, ...]
    out: Name | None
    call: Call


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
    """A whole source text."""

    memory: Number | None = None
    start: Operand | None = None
    declarations: tuple[Declaration, ...] = ()
    statements: tuple[Statement, ...] = ()
    examples: tuple[Example, ...] = field(default=(), compare=False)

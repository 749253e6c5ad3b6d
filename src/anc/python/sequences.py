"""Bounded sequences: the one notion of lists, tuples, text, bytes, slices and tables.

A sequence has a length that is known or bounded. A `Row` holds its elements as operands: a tuple, a
literal, a table of constants. `Cells` are on the tape: an argument, a local list behind the arguments,
a slice of one of these. Text is a sequence of codes; its elements are texts of one character.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anc.compiler.graph import Constant, Operand

TEXT = "str"
CHANGING_KINDS = ("list", "bytearray")  # of which elements may be assigned
KINDS = ("list", "tuple", TEXT, "bytes", "bytearray")


@dataclass(frozen=True)
class Row:
    """A sequence of known length, whose elements are operands or sequences.

    A `whole` one is bound to a name.
    """

    items: tuple[Binding, ...]
    kind: str = "tuple"
    whole: bool = False


@dataclass(frozen=True)
class Cells:
    """A sequence of at most `most` numbers, one every `step` cells from `begin` on.

    Its length is in the operand `count`, or in the cell `counted`; without both it is `most`. `home`
    identifies the memory that it lies in. A `whole` one is a list itself and not a part or a copy; a
    `fresh` one has been made just now, so that no name is bound to it. Elements of a `changing` one are
    assigned somewhere.
    """

    begin: Operand
    most: int
    count: Operand | None = None
    counted: int | None = None
    step: int = 1
    kind: str = "list"
    home: int = 0
    whole: bool = False
    fresh: bool = False
    changing: bool = False
    own: bool = False  # whether it belongs to a local name, and may become longer

    def part(self, begin: Operand, most: int, count: Operand | None, step: int) -> Cells:
        """A part of it, such as a slice."""
        return replace(
            self, begin=begin, most=most, count=count, counted=None, step=step, whole=False, own=False
        )  # fmt: skip


Sequence = Row | Cells
Binding = Operand | Row | Cells


def known_length(values: Sequence) -> int | None:
    """The length, if it is fixed."""
    if isinstance(values, Row):
        return len(values.items)
    if isinstance(values.count, Constant):
        return values.count.value
    return values.most if values.count is None and values.counted is None else None


def bound(values: Sequence) -> int:
    """The largest length."""
    return len(values.items) if isinstance(values, Row) else values.most


def is_shared(values: Sequence, is_changed: bool) -> bool:
    """Whether a second name for a list could be told from a copy, as one of them changes."""
    changes = is_changed or (isinstance(values, Cells) and values.changing)
    return values.whole and values.kind in CHANGING_KINDS and changes


def wrapped(values: Sequence, code: Operand) -> Binding:
    """An element from its number: in text, a text of one character."""
    return Row((code,), TEXT) if values.kind == TEXT else code


def numbers_of(values: Row) -> tuple[Operand, ...] | None:
    """The numbers of a row, or the codes of a text; None if it holds other sequences."""
    if any(isinstance(each, Row | Cells) for each in values.items):
        return None
    return values.items  # type: ignore[return-value]


def in_words(values: Sequence) -> str:
    return {TEXT: "text"}.get(values.kind, f"a {values.kind}")

"""The truth of a fact by plain evaluation of its text, without any of the project's own code.

A fact is Python but for three things: addresses go round, a remainder by 0 holds of nothing, and there
are `implies` and lists that go on `while` something holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any


class Number(int):
    """A number whose sums and products are such numbers again."""

    def __add__(self, other: int) -> Number:
        return Number(int(self) + int(other))

    def __sub__(self, other: int) -> Number:
        return Number(int(self) - int(other))

    def __rsub__(self, other: int) -> Number:
        return Number(int(other) - int(self))

    def __mul__(self, other: int) -> Number:
        return Number(int(self) * int(other))

    def __neg__(self) -> Number:
        return Number(-int(self))

    def __mod__(self, other: int) -> Any:
        return Number(int(self) % int(other)) if other else _Undefined()

    def __rmod__(self, other: int) -> Any:
        return Number(int(other) % int(self)) if self else _Undefined()

    __radd__, __rmul__ = __add__, __mul__


class _Undefined:
    """A remainder by 0: it is equal to nothing, and different from nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


class _Cells(tuple[Number, ...]):
    """Cells side by side, which are no number: Python takes ((0, 1)) for two numbers, not for a pair."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            raise TypeError("cells are no number")
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]


class _Tape:
    def __init__(self, cells: Sequence[int]) -> None:
        self.cells = tuple(map(Number, cells))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return _Cells(self.cells[place])
        return self.cells[place % len(self.cells)]


def _flat(terms: Iterable[Any]) -> Iterator[int]:
    for term in terms:
        if isinstance(term, int):
            yield term
        else:
            yield from term


def _in_order(*terms: Any) -> bool:
    values = list(_flat(terms))
    return all(a <= b for a, b in pairwise(values))


def _different(*terms: Any) -> bool:
    values = list(_flat(terms))
    return len(set(values)) == len(values)


def as_python(text: str) -> str:
    """The text with lists and implications as Python writes them.

    >>> as_python("tape[0] == 1 implies (tape[1] == 2 implies tape[2] == 3)")
    '(not (tape[0] == 1 ) or ( ((not (tape[1] == 2 ) or ( tape[2] == 3)))))'
    """
    text, _ = _without_implies(text, 0)
    while (match := re.search(r"for i in (range\([^()]*\)) while ", text)) is not None:
        depth, end = 0, match.end()
        while depth >= 0:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[end], 0)
            end += 1
        going = text[match.end() : end - 1]
        along = f"for i in takewhile(lambda i: {going}, numbers({match[1]}))"
        text = text[: match.start()] + along + text[end - 1 :]
    return re.sub(r"for i in (range\([^()]*\))", r"for i in numbers(\1)", text)


def _without_implies(text: str, begin: int) -> tuple[str, int]:
    """What stands in brackets that open before `begin`, and where they close.

    Nothing binds less than `implies`, but for the `for` behind what is said of all numbers.
    """
    parts, along, place = [""], "", begin
    while place < len(text) and text[place] not in ")]":
        if text[place] in "([":
            inside, end = _without_implies(text, place + 1)
            piece, place = text[place] + inside + text[end : end + 1], end + 1
        else:
            match = re.compile(r"\w+|.", re.DOTALL).match(text, place)
            assert match is not None
            piece, place = match[0], match.end()
        if piece == "for" or along:
            along += piece
        elif piece == "implies":
            parts.append("")
        else:
            parts[-1] += piece
    said = parts.pop()
    while parts:
        said = f"(not ({parts.pop()}) or ({said}))"
    return f"{said} {along}" if along else said, place


def truth(text: str, tape: Sequence[int]) -> bool:
    """Whether a fact holds on a tape.

    >>> truth("(tape[0] == 1) implies (tape[tape[0] + 1] in (2, 3))", (1, 3))
    False
    >>> truth("all(tape[i] < 3 for i in range(0, 3) while tape[i] != 0)", (1, 0, 7))
    True
    """
    names = {
        "tape": _Tape(tape),
        "sorted": _in_order,
        "different": _different,
        "takewhile": takewhile,
        "numbers": lambda numbers: map(Number, numbers),
        "range": range,
        "all": all,
        "sum": sum,
        "__builtins__": {},
    }
    return bool(eval(as_python(text), names))

"""Terms: the numbers that facts compare, such as ``tape[3] - 2 * tape[1] + 2``.

They are plain integers and do not wrap around at M, unlike the machine's numbers. Only an address does:
``tape[tape[3] + 1]`` is the cell that the machine would read there. Cells are always 0..M-1.

A term is evaluated by interval arithmetic over the known cells. The value of a known cell is a number, or an
array with one number per tape; an unknown cell is anything from 0 to M-1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Known = Mapping[int, Any]  # cell -> number, or array of numbers
Tape = Sequence[int] | Known
# The least and the greatest value of a term, numbers or arrays; the same object twice if it is exact.
Bounds = tuple[Any, Any]


class Columns(Mapping[int, Any]):
    """The columns of a batch of fully known tapes (n, M)."""

    def __init__(self, tapes: np.ndarray) -> None:
        self.tapes = tapes

    def __getitem__(self, place: int | np.ndarray) -> np.ndarray:
        """The values of one cell; with an array, of a different cell on each tape."""
        rows = slice(None) if isinstance(place, int) else np.arange(len(self.tapes))
        return self.tapes[rows, place].astype(np.int64, copy=False)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return self.tapes.shape[1]


@dataclass(frozen=True)
class Sum:
    """A linear combination of cells plus a constant; a cell is given by its number or by an address."""

    cells: tuple[tuple[int, int | At], ...] = ()  # (factor, cell)
    constant: int = 0

    def bounds(self, known: Known, M: int) -> Bounds:
        """The interval of values that the sum can have."""
        low = high = self.constant
        is_known = True
        for times, place in self.collected.cells:
            if isinstance(place, At):
                least, most = place.bounds(known, M)
            elif (value := known.get(place)) is None:
                least, most = 0, M - 1
            else:
                least = most = value
            is_known = is_known and least is most
            low = low + times * (least if times > 0 else most)
            high = low if is_known else high + times * (most if times > 0 else least)
        return low, high

    def column(self, tapes: np.ndarray) -> np.ndarray:
        """The values on many tapes (n, M) at once."""
        value, _ = self.bounds(Columns(tapes), tapes.shape[1])
        return np.broadcast_to(value, len(tapes))

    @property
    def is_cell(self) -> bool:
        """Whether the sum is a single cell."""
        match self:
            case Sum(((1, int()),), 0):
                return True
        return False

    def plus(self, other: Sum, times: int = 1) -> Sum:
        cells = tuple((times * t, place) for t, place in other.cells)
        return Sum(self.cells + cells, self.constant + times * other.constant)

    @cached_property
    def collected(self) -> Sum:
        """The same sum with each cell at most once."""
        times = Counter[int | At]()
        for number, place in self.cells:
            times[place] += number
        return Sum(tuple((t, place) for place, t in times.items() if t), self.constant)

    def replaced(self, by: Mapping[int | At, Sum]) -> Sum:
        """Substitute terms for cells or for i, also inside addresses."""
        cells, constant = [], self.constant
        for times, place in self.cells:
            found = by.get(place) or (
                at(place.address.replaced(by)) if type(place) is At else Sum(((1, place),))
            )
            cells += [(times * t, p) for t, p in found.cells]
            constant += times * found.constant
        return Sum(tuple(cells), constant)

    def numbered(self, number: int) -> Sum:
        """The sum with i replaced by a number."""
        return self.replaced({Index(): Sum((), number)})

    @cached_property
    def read(self) -> frozenset[int]:
        """The cells that are read on every tape."""
        found: set[int] = set()
        for _, place in self.cells:
            found |= {place} if isinstance(place, int) else place.address.read
        return frozenset(found)

    @cached_property
    def pointers(self) -> tuple[At, ...]:
        """The computed cells, including those inside addresses."""
        found: list[At] = []
        for _, place in self.cells:
            if isinstance(place, At):
                found += [*place.address.pointers, place]
        return tuple(found)

    @cached_property
    def size(self) -> int:
        """How many numbers and cells its text has."""
        cells = sum(
            (abs(times) != 1) + (1 if isinstance(place, int) else place.size)
            for times, place in self.cells
        )
        return cells + (self.constant != 0 or not self.cells)

    def spelt(self, several: Callable[[int, int | At], str]) -> str:
        """The text of the sum; `several` prints a cell with its factor."""
        parts = [("-" if t < 0 else "+", several(abs(t), place)) for t, place in self.cells]
        number = ("-" if self.constant < 0 else "+", str(abs(self.constant)))
        if not parts or (self.constant and parts[0][0] == "-"):
            parts.insert(0, number)
        elif self.constant:
            parts.append(number)
        text = "".join(f" {sign} {term}" for sign, term in parts)
        return text[3:] if text.startswith(" +") else "-" + text[3:]

    def __str__(self) -> str:
        return self.spelt(_several)


def _several(times: int, place: int | At) -> str:
    text = f"tape[{place}]" if isinstance(place, int) else str(place)
    return text if times == 1 else f"{times} * {text}"


@dataclass(frozen=True)
class At:
    """The cell at a computed address, which wraps around at M: ``tape[tape[3] + 1]``."""

    address: Sum

    def place(self, known: Known, M: int) -> int | None:
        """The number of the cell, if the known cells determine it."""
        low, high = self.address.bounds(known, M)
        return low % M if low == high else None

    def bounds(self, known: Known, M: int) -> Bounds:
        low, high = self.address.bounds(known, M)
        if isinstance(known, Columns):
            values = known[low % M]
            return values, values
        least, most = M - 1, 0
        for address in range(low, min(high + 1, low + M)):
            value = known.get(address % M)
            if value is None:
                return 0, M - 1
            least, most = min(least, value), max(most, value)
        return least, most

    @property
    def size(self) -> int:
        return 1 + self.address.size

    def __str__(self) -> str:
        return f"tape[{self.address}]"


@dataclass(frozen=True)
class Index(At):
    """The index i of a list; it must be replaced by a number before anything is evaluated."""

    address: Sum = Sum()
    size = 1

    def __str__(self) -> str:
        return "i"


def cell(number: int, plus: int = 0) -> Sum:
    """The value of a cell, plus a constant."""
    return Sum(((1, number),), plus)


def times(number: int, term: Sum) -> Sum:
    """A multiple of a term.

    >>> print(times(2, cell(3, plus=1)))
    2 * tape[3] + 2
    """
    return Sum().plus(term, number)


def index(plus: int = 0) -> Sum:
    """The index of a list, plus a constant.

    >>> print(at(index(plus=1)))
    tape[i + 1]
    """
    return Sum(((1, Index()),), plus)


def at(address: Sum | int) -> Sum:
    """The value of the cell at an address.

    >>> print(at(cell(3, plus=1)))
    tape[tape[3] + 1]
    """
    if isinstance(address, Sum):
        return Sum(((1, At(address) if address.cells else address.constant),))
    return cell(address)


def term(value: Sum | int) -> Sum:
    """The term of a number, or the term itself."""
    return Sum((), value) if isinstance(value, int) else value

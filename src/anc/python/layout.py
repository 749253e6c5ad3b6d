"""The layout of a function's arguments and result on the tape."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.limits import MAX_MEMORY, as_whole


@dataclass(frozen=True)
class Size:
    """How many elements a list has: `Size(8)` exactly, `Size(up_to=8)` at most.

    >>> Size(8), Size(up_to=8)
    (Size(8), Size(up_to=8))
    """

    exactly: int | None = None
    up_to: int | None = None

    def __post_init__(self) -> None:
        given = {name: size for name, size in vars(self).items() if size is not None}
        name, size = next(((name, as_whole(size)) for name, size in given.items()), ("", None))
        if len(given) != 1 or size is None or not 1 <= size <= MAX_MEMORY:
            raise AncError(
                f"a size is one whole number from 1 to {MAX_MEMORY}",
                help="write Size(8) for eight elements, Size(up_to=8) for at most eight",
            )
        object.__setattr__(self, name, size)  # a numpy integer becomes a Python int

    def __repr__(self) -> str:
        return f"Size({self.exactly})" if self.up_to is None else f"Size(up_to={self.up_to})"

    @property
    def most(self) -> int:
        return self.exactly or self.up_to or 0


@dataclass(frozen=True)
class Parameter:
    """An argument: a number in one cell, or a list in `size` cells from there on.

    A list that may be shorter than its size has its length in the cell `length`; the cells after its
    last element hold 0. A `written` list is changed in place. `truths` are bools, not integers.
    """

    name: str
    cell: int
    size: int | None = None
    length: int | None = None
    written: bool = False
    truths: bool = False
    kind: str = "list"  # the type of a sequence
    default: int | bool | str | tuple | None = None  # its value if a call leaves it out

    @property
    def filled_name(self) -> str:
        """The name of the list, padded with zeros."""
        return f"{self.name}_filled"

    @property
    def length_name(self) -> str:
        """The name of the list's length in C."""
        return f"{self.name}_length"

    @property
    def all_names(self) -> tuple[str, ...]:
        """Its name, and the names derived from it."""
        made = () if self.size is None else (self.filled_name, self.length_name)
        return (self.name, *made)

    def named(self, name: str) -> Parameter:
        return replace(self, name=name)

    @property
    def is_list(self) -> bool:
        """Whether its elements can be assigned."""
        return self.size is not None and self.kind in ("list", "bytearray")

    @property
    def cells(self) -> range:
        """The cell of the number, or the cells of the list's elements."""
        return range(self.cell, self.cell + (1 if self.size is None else self.size))

    @property
    def all_cells(self) -> tuple[int, ...]:
        """Its cells, including that of the length."""
        return (*([] if self.length is None else [self.length]), *self.cells)

    def numbers(self, tape: Sequence[int]) -> list[int]:
        """The numbers of this argument on a tape."""
        cells = self.cells if self.length is None else self.cells[: tape[self.length]]
        return [tape[cell] for cell in cells]

    def value_of(self, tape: Sequence[int]) -> Any:
        """The argument on a tape as a caller passes it, of its declared type."""
        found = [bool(n) if self.truths and n < 2 else n for n in self.numbers(tape)]
        return found[0] if self.size is None else sequence_of(self.kind, found)

    def check_type(self, value: Any) -> None:
        """Refuse a bool where an int is declared, and an int where a bool is."""
        if self.size is not None and self.kind != "list":
            if type(value).__name__ != self.kind and not (
                self.kind == "tuple" and type(value) is list
            ):
                raise AncError(f"'{self.name}' is given {_kind(value)}, expected {self.kind}")
            if self.kind != "tuple":
                return
        for each in value if self.size is not None else [value]:
            if isinstance(each, bool) is not self.truths:
                wanted = "True or False" if self.truths else "a number, as its type says"
                raise AncError(f"'{self.name}' is given {each}, expected {wanted}")


def sequence_of(kind: str, numbers: Sequence[int]) -> Any:
    """Numbers as a sequence of Python."""
    if kind == "str":
        return "".join(map(chr, numbers))
    if kind in ("bytes", "bytearray"):
        made = bytes if kind == "bytes" else bytearray
        return made(number % 256 for number in numbers)
    return tuple(numbers) if kind == "tuple" else list(numbers)


@dataclass(frozen=True)
class Several:
    """A result of several numbers: its type, and how many there are; at most, if the first cell has the length."""

    kind: str
    size: int
    has_length: bool = False

    @property
    def cells(self) -> int:
        return self.size + self.has_length

    @property
    def type(self) -> str:
        """Its type, as an annotation."""
        if self.kind == "tuple":
            return f"tuple[{', '.join(['int'] * self.size)}]"
        return "list[int]" if self.kind == "list" else self.kind

    def value_of(self, numbers: Sequence[int]) -> Any:
        """The result, from its cells."""
        if self.has_length:
            return sequence_of(self.kind, numbers[1 : 1 + numbers[0]])
        return sequence_of(self.kind, numbers)

    def numbers_of(self, value: Any) -> list[int]:
        """The cells of a result."""
        found = list(map(ord, value)) if isinstance(value, str) else list(map(int, value))
        first = [len(found)] if self.has_length else []
        return [*first, *found, *(0,) * (self.size - len(found))]


@dataclass(frozen=True)
class Layout:
    """The cells of a function: arguments in order, then the result.

    A function of the whole `tape` has no parameters here, and no result.
    """

    parameters: tuple[Parameter, ...] = ()
    result: int | None = None
    is_bool: bool = False  # whether the result is True or False
    tape: str | None = None
    several: Several | None = None  # the type of a result that is no number
    same: str | None = None  # the list that is returned itself, with no cells of its own

    @property
    def result_cells(self) -> tuple[int, ...]:
        """The cells of the result, with that of its length first."""
        if self.result is None:
            return ()
        many = 1 if self.several is None else self.several.cells
        return tuple(range(self.result, self.result + many))

    @property
    def cells(self) -> int:
        """The number of cells that the arguments and the result take."""
        ends = [parameter.cells.stop for parameter in self.parameters]
        return max([0, *ends, *(cell + 1 for cell in self.result_cells)])

    @property
    def counts(self) -> tuple[int, ...] | None:
        """The cells that the caller can see after a call: lists and the result. None: all."""
        if self.tape is not None:
            return None
        lists = [p for p in self.parameters if p.is_list]
        found = [cell for p in lists for cell in p.all_cells]
        return (*found, *self.result_cells)

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that hold on every tape: no list is longer than its maximum size."""
        return tuple(
            f"tape[{p.length}] <= {p.size}" for p in self.parameters if p.length is not None
        )

    def with_tape_as_list(self, M: int) -> Layout:
        """The layout for a larger tape, on which the old tape is a list of M elements."""
        if self.tape is None:
            return self
        return Layout((Parameter(self.tape, 0, M),))

    def tape_of(self, arguments: Sequence[Any], M: int) -> tuple[int, ...]:
        """The tape of a call; an argument that does not fit is an error that names it.

        Missing elements of a list of fixed size are 0, as are all unused cells.
        """
        if self.tape is not None:
            if len(arguments) != 1:
                raise AncError(f"expected one argument, the tape, found {len(arguments)}")
            cells = _list(self.tape, arguments[0], M, M)
            return tuple(cells) + (0,) * (M - len(cells))
        names = ", ".join(parameter.name for parameter in self.parameters)
        arguments = self.completed(arguments)
        if len(arguments) != len(self.parameters):
            wanted = f"{len(self.parameters)} ({names})" if names else "none"
            raise AncError(f"expected {wanted} arguments, found {len(arguments)}")
        tape = [0] * M
        for parameter, value in zip(self.parameters, arguments, strict=True):
            if parameter.size is None:
                tape[parameter.cell] = _number(f"'{parameter.name}'", value, M)
                continue
            cells = _list(parameter.name, _codes(parameter, value), parameter.size, M)
            tape[parameter.cell : parameter.cell + len(cells)] = cells
            if parameter.length is not None:
                tape[parameter.length] = len(cells)
        return tuple(tape)

    def completed(self, arguments: Sequence[Any]) -> list[Any]:
        """The arguments of a call, with the default values of those that it leaves out."""
        left_out = [parameter.default for parameter in self.parameters[len(arguments) :]]
        return [*arguments, *(each for each in left_out if each is not None)]

    def check_lengths(self, arguments: Sequence[Any], M: int) -> None:
        """Refuse lists that are shorter than declared, which would be padded with zeros."""
        stated = [(p.name, p.size if p.length is None else None) for p in self.parameters]
        if self.tape is not None:
            stated = [(self.tape, M)]
        for (name, length), value in zip(stated, arguments, strict=True):
            if length is not None and len(value) < length:
                raise AncError(f"'{name}' has {len(value)} elements, expected {length}")

    def result_of(self, tape: Sequence[int]) -> Any:
        """The result of a call, read from its final tape."""
        if self.same is not None:
            return next(p.numbers(tape) for p in self.parameters if p.name == self.same)
        if self.result is None:
            return None
        if len(tape) <= self.result_cells[-1]:
            raise AncError(
                f"the tape has {len(tape)} cells, but the result is in cell {self.result}",
                help="give the whole tape that a run leaves",
            )
        if self.several is not None:
            return self.several.value_of([int(tape[cell]) for cell in self.result_cells])
        return bool(tape[self.result]) if self.is_bool else int(tape[self.result])

    def changed(self, tape: Sequence[int]) -> tuple[list[str], list[list[int]]]:
        """The names of all lists and their elements; the tape is one of a function of the tape."""
        lists = self.lists_of(tape) if self.tape is None else {self.tape: list(tape)}
        return list(lists), list(lists.values())

    def tape_after(
        self,
        before: Sequence[int],
        result: Any,
        lists: Sequence[Sequence[int]],
        M: int,
    ) -> list[int]:
        """The final tape of a call with this result and these final lists, modulo M."""
        cells = list(before)
        firsts = [p.cell for p in self.parameters if p.is_list]
        for first, numbers in zip(firsts if self.tape is None else [0], lists, strict=True):
            cells[first : first + len(numbers)] = [number % M for number in numbers]
        if self.several is not None and result is not None:
            numbers = self.several.numbers_of(result)
            for cell, number in zip(self.result_cells, numbers, strict=False):
                cells[cell] = number % M
        elif self.result is not None and result is not None:
            cells[self.result] = result % M
        return cells

    def arguments_of(self, tape: Sequence[int]) -> list[Any]:
        """The arguments of the call that a tape represents, as a Python caller passes them."""
        if self.tape is not None:
            return [list(tape)]
        return [p.value_of(tape) for p in self.parameters]

    def lists_of(self, tape: Sequence[int]) -> dict[str, list[int]]:
        """The lists on a tape, by name; what a caller cannot see change is not among them."""
        return {p.name: p.numbers(tape) for p in self.parameters if p.is_list}


def _codes(parameter: Parameter, value: Any) -> Any:
    """Text as the codes of its characters; bytes as numbers."""
    if parameter.kind == "str":
        if not isinstance(value, str):
            raise AncError(f"'{parameter.name}' is {_kind(value)}, expected text")
        return list(map(ord, value))
    is_bytes = isinstance(value, bytes | bytearray)
    return list(value) if is_bytes else value


def _list(name: str, value: Any, most: int, M: int) -> list[int]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise AncError(f"'{name}' is {_kind(value)}, expected a list of numbers")
    if len(value) > most:
        raise AncError(f"'{name}' has {len(value)} elements, at most {most} fit")
    return [_number(f"'{name}[{i}]'", element, M) for i, element in enumerate(value)]


def _number(name: str, value: Any, M: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise AncError(f"{name} is {_kind(value)}, expected a whole number") from None
    if not 0 <= number < M:
        raise AncError(
            f"{name} is {number}, which does not fit: numbers go from 0 to {M - 1}",
            help=f"use a memory of at least {number + 1}" if number >= M else None,
        )
    return number


def _kind(value: Any) -> str:
    return f"of type {type(value).__name__}"


# -- facts in terms of the arguments --------------------------------------------------


_ALONG = re.compile(r"for i in range\((\d+), (\d+)(?:, (\d+))?\)")
_AT_I = re.compile(r"tape\[i(?: ([+-]) (\d+))?\]")


def in_words_of(layout: Layout, fact: str) -> str:
    """A fact about the tape, rewritten with the names of the arguments.

    >>> layout = Layout((Parameter("n", 0), Parameter("values", 1, 3)))
    >>> in_words_of(layout, "sorted(tape[1:4])"), in_words_of(layout, "tape[0] < tape[2]")
    ('sorted(values)', 'n < values[1]')
    >>> in_words_of(layout, "all(tape[i] < 3 for i in range(2, 4))")
    'all(values[i - 1] < 3 for i in range(2, 4))'
    """
    words: dict[int, str] = {}
    for p in layout.parameters:
        for i, cell in enumerate(p.cells):
            words[cell] = p.name if p.size is None else f"{p.name}[{i}]"
        if p.length is not None:
            words[p.length] = f"len({p.name})"
    fact = _along(layout, fact)
    fact = re.sub(r"tape\[(\d+):(\d+)\]", lambda m: _part(layout, m, words), fact)
    return re.sub(r"tape\[(\d+)\]", lambda m: words.get(int(m[1]), m[0]), fact)


def _list_with(layout: Layout, first: int, last: int) -> Parameter | None:
    """The list that contains both cells."""
    lists = (p for p in layout.parameters if p.size is not None)
    return next((p for p in lists if first in p.cells and last in p.cells), None)


def _part(layout: Layout, found: re.Match[str], words: dict[int, str]) -> str:
    """Consecutive cells: a list, a slice of one, or the names of all."""
    begin, end = int(found[1]), int(found[2])
    p = _list_with(layout, begin, end - 1)
    if p is not None:
        whole = range(begin, end) == p.cells
        return p.name if whole else f"{p.name}[{begin - p.cell}:{end - p.cell}]"
    if all(cell in words for cell in range(begin, end)):
        return f"[{', '.join(words[cell] for cell in range(begin, end))}]"
    return found[0]


def _along(layout: Layout, fact: str) -> str:
    """Rewrites a fact that iterates over the elements of one list."""
    numbers = [range(*(int(n or 1) for n in found)) for found in _ALONG.findall(fact)]
    more = [int(f"{sign or '+'}{number or 0}") for sign, number in _AT_I.findall(fact)]
    if len(numbers) != 1 or not numbers[0] or not more:
        return fact
    p = _list_with(layout, numbers[0][0] + min(more), numbers[0][-1] + max(more))
    if p is None:
        return fact

    def element(found: re.Match[str]) -> str:
        place = int(f"{found[1] or '+'}{found[2] or 0}") - p.cell
        behind = f" {'-' if place < 0 else '+'} {abs(place)}" if place else ""
        return f"{p.name}[i{behind}]"

    return _AT_I.sub(element, fact)

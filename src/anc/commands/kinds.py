"""Kinds of values: each parses command-line text and validates Python values.

Both give the same representation: plain Python numbers, tuples and paths. Kinds of numbers are in
`anc.support.limits`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc import isa
from anc.isa import InstructionSet
from anc.support import limits
from anc.support.diagnostics import AncError, quoted


class Read:
    """A kind that click parses as an option's type; `word` names the type in the help."""

    word = "text"

    def read(self, text: str) -> Any:
        """Parse the text; raises an AncError if it is invalid."""
        raise NotImplementedError


class ReadLater:
    """A kind whose text is parsed when the request is created."""

    def read(self, text: Any) -> Any:
        """Parse click's value: a text, or a tuple of texts."""
        raise NotImplementedError


@dataclass(frozen=True)
class OneOf:
    """One of these words."""

    words: tuple[str, ...]

    def check(self, value: object, name: str) -> str:
        limits.check_word(name, value, self.words)
        return str(value)


class Instructions(Read):
    """An instruction set, its name, or the name of a Python file that defines one."""

    word = "file"

    def read(self, text: str) -> InstructionSet:
        return isa.load(text)

    def check(self, value: Any, name: str) -> InstructionSet:
        if isinstance(value, str | Path):
            return isa.load(str(value))
        if not isinstance(value, InstructionSet):
            raise AncError(
                f"{name} is {quoted(value)}, expected an anc.InstructionSet or the name of a file"
            )
        return value


class FunctionKind:
    """A function."""

    def check(self, value: object, name: str) -> object:
        if not callable(value):
            raise AncError(f"{name} is {quoted(value)}, expected a function")
        return value


class File:
    """The path of a file or a folder, which need not exist."""

    def check(self, value: object, name: str) -> Path:
        if not isinstance(value, str | Path):
            raise AncError(f"expected the name of a file, found {quoted(value)}")
        try:
            os.lstat(value)
        except ValueError:  # a zero byte, or half a character
            raise AncError(f"{quoted(str(value))} cannot be the name of a file") from None
        except OSError as problem:
            if problem.errno == errno.ENAMETOOLONG:
                raise AncError(f"{quoted(str(value))} is too long for the name of a file") from None
        return Path(value)


@dataclass(frozen=True)
class FileOr(File):
    """The name of a file, or the object itself, if `allows` accepts it."""

    allows: Callable[[Any], bool] = lambda thing: True
    expected: str = ""

    def check(self, value: Any, name: str) -> Any:
        if isinstance(value, str | Path):
            return super().check(value, name)
        if not self.allows(value):
            raise AncError(f"{name} is {self.expected}")
        return value


class Seconds(Read):
    """A duration such as 90, 60s or 2m; in Python, seconds."""

    word = "time"

    def check(self, value: object, name: str) -> float:
        return limits.BUDGET.check(value, name)

    def read(self, text: str) -> float:
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(s|sec|m|min|h)?", text.strip())
        if not match or float(match[1]) <= 0:
            raise AncError(f"{quoted(text)} is not a time; write 60s or 2m")
        seconds = float(match[1]) * {"m": 60, "min": 60, "h": 3600}.get(match[2] or "s", 1)
        try:
            return limits.BUDGET.check(seconds)
        except AncError:
            raise AncError(f"{quoted(text)} is not {limits.BUDGET}.") from None


class LineNumbers(Read):
    """Program lines such as 3-7,12; in Python, a list of numbers."""

    word = "lines"

    def check(self, value: object, name: str) -> tuple[int, ...]:
        expected = "a list of line numbers"
        found = [limits.as_whole(line) for line in each_of(name, value, expected)]
        if None in found:
            raise AncError(f"{name} is {quoted(value)}, expected {expected}")
        return tuple(line for line in found if line is not None)

    def read(self, text: str) -> tuple[int, ...]:
        found: set[int] = set()
        for part in text.split(","):
            match = re.fullmatch(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6})\s*)?", part)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if last < first:
                raise AncError(f"{quoted(part.strip())} is no line or range of lines; write 3-7,12")
            if last >= limits.MAX_MEMORY:
                raise AncError(
                    f"line {last} is not possible: a program has at most {limits.MAX_MEMORY} lines"
                )
            found.update(range(first, last + 1))
        return tuple(sorted(found))


class CellNumbers(LineNumbers):
    """Cells such as 0,3-7; in Python, a list of numbers.

    >>> CellNumbers().check(range(3), "counts"), CellNumbers().read("0-2")
    ((0, 1, 2), (0, 1, 2))
    """

    word = "cells"

    def check(self, value: object, name: str) -> tuple[int, ...]:
        return cells_of(name, value)

    def read(self, text: str) -> tuple[int, ...]:
        try:
            return super().read(text)
        except AncError:
            raise AncError(f"'{text}' names no cells; write 0,3-7") from None


class Tape(ReadLater):
    """The contents of a tape: numbers separated by spaces; in Python, a list of numbers."""

    def check(self, value: Any, name: str) -> Any:
        return value  # the machine validates tapes

    def read(self, text: str) -> tuple[int, ...]:
        from anc.machine.tapes import parse_tape

        return parse_tape(text)


class CheckedTape(Tape):
    """A tape that is validated before anything is loaded."""

    def check(self, value: object, name: str) -> tuple[int, ...]:
        return cells_of(name, value)


class TapeList(ReadLater):
    """Several tapes."""

    def check(self, value: object, name: str) -> tuple[tuple[int, ...], ...]:
        return tuple(cells_of(f"a tape of {name}", tape) for tape in each_of(name, value))

    def read(self, texts: Iterable[str]) -> tuple[tuple[int, ...], ...]:
        return tuple(map(Tape().read, texts))


@dataclass(frozen=True)
class Texts:
    """Several texts; a single string is one text, not a sequence of letters.

    >>> Texts().check("tape[0] == 3", "assume")
    ('tape[0] == 3',)
    """

    expected: str = "a list of texts"
    help: str | None = None

    def check(self, value: object, name: str) -> tuple[str, ...]:
        texts = (value,) if isinstance(value, str) else value
        if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
            raise AncError(f"{name} is {quoted(value)}, expected {self.expected}", help=self.help)
        return tuple(texts)


@dataclass(frozen=True)
class Names(ReadLater):
    """Names separated by commas; in Python, a non-empty list. `known` lists the valid ones."""

    known: Callable[[], Iterable[str]] = tuple

    def check(self, value: object, name: str) -> tuple[str, ...]:
        names = Texts().check(value, name)
        if not names and (known := ", ".join(self.known())):
            raise AncError(f"{name} is empty", help=f"there are: {known}")
        return names

    def read(self, text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split(","))


class CostsByName(ReadLater):
    """The costs of instructions, lines and registers by name: NAME=COST."""

    def check(self, value: object, name: str) -> Mapping[str, float]:
        if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value):
            raise AncError(
                f"{name} is {quoted(value)}, expected numbers by name",
                help='write {"READ": 3, "lines": 0.1}',
            )
        return value

    def read(self, words: Iterable[str]) -> dict[str, float]:
        values: dict[str, float] = {}
        for word in words:
            name, _, number = (part.strip() for part in word.partition("="))
            if name in values:
                raise AncError(f"--weight {word}: {name} has a weight already")
            try:
                values[name] = float(number)
            except ValueError:
                raise AncError(
                    f"--weight {quoted(word)}: expected NAME=COST, such as READ=3"
                ) from None
        return values


def each_of(name: str, values: Any, expected: str = "a list") -> Iterable[Any]:
    """The elements of a caller's list."""
    if not limits.is_listed(values):
        raise AncError(f"{name} is {quoted(values)}, expected {expected}")
    return values


def cells_of(name: str, values: object) -> tuple[int, ...]:
    """Cell numbers or cell values from a caller's list."""
    numbers = each_of(name, values, "a list of whole numbers")
    return tuple(limits.CELL.check(value, f"a number of {name}") for value in numbers)

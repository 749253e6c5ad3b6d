"""Limits of numbers that users give, declared once for the command line and for Python.

A limit is not a recommendation but the largest number that works, given enough memory and time
(`anc.support.resources` checks the memory).
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from anc.support.diagnostics import AncError, quoted

MAX_MEMORY = 65_536  # the largest M: cells and values have two bytes in the batched machines
_UNITS = ("", "K", "M", "G", "T")
_SIZE = r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([kKmMgGtT]?)(?:i?[bB])?"
_LARGE = 1e30  # well within what 32-bit floats hold, in both directions


N = TypeVar("N", int, float)


@dataclass(frozen=True)
class _Range(Generic[N]):
    """Numbers from `least` to `most`."""

    name: str
    least: N
    most: N

    def number(self, value: object) -> N | None:
        """The number that a value stands for; None if it is not of this kind."""
        raise NotImplementedError

    def check(self, value: object, name: str | None = None) -> N:
        """The number; refuses anything else, with this name in the message."""
        number = self.number(value)
        if number is None or not self.least <= number <= self.most:
            raise AncError(f"{name or self.name} is {quoted(value)}, expected {self}")
        return number


class Whole(_Range[int]):
    """Whole numbers."""

    def __str__(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def number(self, value: object) -> int | None:
        return as_whole(value)


@dataclass(frozen=True)
class Real(_Range[float]):
    """Real numbers, with a unit."""

    unit: str = ""

    def __str__(self) -> str:
        return f"a number{self.unit} from {self.least:g} to {self.most:g}"

    def number(self, value: object) -> float | None:
        return as_real(value)


class ByteSize(_Range[int]):
    """Bytes of memory, as a number or as text such as 4GB; a GB is 1024 MB."""

    def __str__(self) -> str:
        return "a size of memory from 1GB to 1024TB, such as 4GB or 1500MB"

    def number(self, value: object) -> int | None:
        match = re.fullmatch(_SIZE, value.strip()) if isinstance(value, str) else None
        if match is not None:
            return round(float(match[1]) * 1024 ** _UNITS.index(match[2].upper()))
        return as_whole(value)


@dataclass(frozen=True)
class Flag:
    """True or False, of Python or numpy, or 1 or 0; words are refused, since 'no' would count as true."""

    name: str = "flag"

    def check(self, value: object, name: str | None = None) -> bool:
        """The flag; refuses anything else, with this name in the message."""
        is_numpy = type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
        if isinstance(value, bool) or is_numpy or as_whole(value) in (0, 1):
            return bool(value)
        raise AncError(f"{name or self.name} is {quoted(value)}, expected True or False")


def as_whole(value: object) -> int | None:
    """A whole number of Python or numpy; None for anything else, including True and False."""
    if type(value) is int:
        return value  # the fast path for long lists
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def is_listed(value: object) -> bool:
    """Whether a value is a list, an array or similar; texts and zero-dimensional arrays are not."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return not isinstance(value, str | bytes)


def has_length(value: object) -> bool:
    """Whether a value is listed and has a length; a generator does not."""
    return is_listed(value) and hasattr(value, "__len__")


def as_real(value: object) -> float | None:
    """A finite number; None for anything else."""
    whole = as_whole(value)
    number = value if whole is None else whole
    if not isinstance(number, int | float) and getattr(number, "shape", None) != ():
        return None  # numpy's scalars have an empty shape; a list of one number is not a number
    try:
        found = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and type(number).__name__ != "bool" else None


MEMORY = Whole("memory", 1, MAX_MEMORY)
_ADAPTED = "the memory of a program that is adapted"
LEARNT = Whole(_ADAPTED, 2, MAX_MEMORY)  # with a single value there is nothing to choose
INDUCED = Whole("the memory of a proof by induction", 1, 4_096)  # whole tapes are stored
CELL = Whole("cell", 0, MAX_MEMORY - 1)
REGISTERS = Whole("registers", 0, 10_000)
SEED = Whole("seed", 0, 2**32 - 1)  # accepted by numpy, JAX and the kernels, with room to count on
SEEDS = Whole("seeds", 1, 1_000_000)
ADAPTED_SEEDS = Whole("seeds", 1, 10_000)  # each one is a complete adaptation
JOBS = Whole("jobs", 1, 1_000)
EVALUATIONS = Whole("evaluations", 1, 10**12)  # in one budget: four months of a typical core
COUNT = Whole("n", 1, 1_000_000)
MAX_STEPS = Whole("max_steps", 1, 10**9)  # step numbers have 32 bits
TRACED_STEPS = Whole("max_steps", 1, 1_000_000)  # every step is kept
ITERATIONS = Whole("iterations", 1, 10**9)
PROPOSALS = Whole("proposals", 1, 10**12)
PRUNED = Whole("prune", 1, 1_000_000)
SHARPNESS = Real("sharpness", 1 / _LARGE, _LARGE)  # distinguishable from 0 in 32 bits
SHARP = 20.0  # for soft runs of a program: as good as exact
SOFT = 5.0  # for weights that are shown or trained: room for gradient descent to move
WEIGHT = Real("weight", 0, _LARGE)
THRESHOLD = Real("threshold", 0, 1)
BUDGET = Real("budget", 0.001, 366 * 24 * 3600, " of seconds")
MEMORY_LIMIT = ByteSize(
    "memory_limit", 2**30, 2**50
)  # the libraries alone need a good part of the least
FLAG = Flag()


def check_word(name: str, value: object, words: tuple[str, ...]) -> None:
    """Refuse an argument that is not one of these words."""
    if not isinstance(value, str) or value not in words:
        expected = " or ".join(filter(None, (", ".join(map(repr, words[:-1])), repr(words[-1]))))
        raise AncError(f"{name} is {quoted(value)}, expected {expected}")

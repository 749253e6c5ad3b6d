"""What the numbers that users give may be: each kind once, for the command line and for Python.

A limit is not what is sensible but what the parts can take: everything works up to it, as far as
there is memory and time (`anc.support.resources` says whether there is memory).
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from anc.support.diagnostics import AncError, quoted

MAX_MEMORY = 65_536  # the largest M: cells and values are two bytes in the batched machines
_UNITS = ("", "K", "M", "G", "T")
_SIZE = r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([kKmMgGtT]?)(?:i?[bB])?"
_LARGE = 1e30  # far from what 32 bits can hold, in both directions


N = TypeVar("N", int, float)


@dataclass(frozen=True)
class _Range(Generic[N]):
    """Numbers from `least` to `most`."""

    name: str
    least: N
    most: N

    def number(self, value: object) -> N | None:
        """The number that a value stands for, if it is one of this kind."""
        raise NotImplementedError

    def check(self, value: object, name: str | None = None) -> N:
        """The number; anything else is refused under this name."""
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
    """Numbers, with what they count."""

    unit: str = ""

    def __str__(self) -> str:
        return f"a number{self.unit} from {self.least:g} to {self.most:g}"

    def number(self, value: object) -> float | None:
        return as_real(value)


class Size(_Range[int]):
    """Bytes of memory, as a number or such as 4GB; a GB is 1024 MB here, as for the system."""

    def __str__(self) -> str:
        return "a size of memory from 1GB to 1024TB, such as 4GB or 1500MB"

    def number(self, value: object) -> int | None:
        match = re.fullmatch(_SIZE, value.strip()) if isinstance(value, str) else None
        if match is not None:
            return round(float(match[1]) * 1024 ** _UNITS.index(match[2].upper()))
        return as_whole(value)


@dataclass(frozen=True)
class Flag:
    """True or False, Python's or numpy's, or 1 or 0; a word such as 'no' would count as true."""

    name: str = "flag"

    def check(self, value: object, name: str | None = None) -> bool:
        """The flag; anything else is refused under this name."""
        is_numpy = type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
        if isinstance(value, bool) or is_numpy or as_whole(value) in (0, 1):
            return bool(value)
        raise AncError(f"{name or self.name} is {quoted(value)}, expected True or False")


def as_whole(value: object) -> int | None:
    """A whole number, Python's or numpy's; None for anything else, also for true and false."""
    if type(value) is int:
        return value  # of long lists, soon
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def is_listed(value: object) -> bool:
    """Whether something is a list, an array or the like; texts and arrays without a dimension are not."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return not isinstance(value, str | bytes)


def has_length(value: object) -> bool:
    """The same, and it says how many things it has: a generator does not."""
    return is_listed(value) and hasattr(value, "__len__")


def as_real(value: object) -> float | None:
    """A number that is not infinite; None for anything else."""
    whole = as_whole(value)
    number = value if whole is None else whole
    if not isinstance(number, int | float) and getattr(number, "shape", None) != ():
        return None  # numpy's numbers have a shape of nothing; a list of one number is none
    try:
        found = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and type(number).__name__ != "bool" else None


MEMORY = Whole("memory", 1, MAX_MEMORY)
_ADAPTED = "the memory of a program that is adapted"
LEARNT = Whole(_ADAPTED, 2, MAX_MEMORY)  # with one value, there is nothing to choose
SEARCHED = Whole(_ADAPTED, 2, 8_192)  # annealing keeps a program of each length
PROVED = Whole(
    "the memory of programs that are compared", 1, 4_096
)  # all values of all cells are kept
CELL = Whole("cell", 0, MAX_MEMORY - 1)
REGISTERS = Whole("registers", 0, 10_000)
SEED = Whole(
    "seed", 0, 2**32 - 1
)  # what numpy, JAX and the kernels all take, with room to count on
SEEDS = Whole("seeds", 1, 1_000_000)
ADAPTED_SEEDS = Whole("seeds", 1, 10_000)  # each of them a whole adaptation
JOBS = Whole("jobs", 1, 1_000)
EVALUATIONS = Whole("evaluations", 1, 10**12)  # of one budget: four months of a usual core
COUNT = Whole("n", 1, 1_000_000)
MAX_STEPS = Whole("max_steps", 1, 10**9)  # step numbers have 32 bits
TRACED_STEPS = Whole("max_steps", 1, 1_000_000)  # each of them is kept
ITERATIONS = Whole("iterations", 1, 10**9)
PROPOSALS = Whole("proposals", 1, 10**12)
PRUNED = Whole("prune", 1, 1_000_000)
SHARPNESS = Real("sharpness", 1 / _LARGE, _LARGE)  # so that 32 bits hold it, and tell it from 0
SHARP = 20.0  # of a program that is run softly: as good as exact
SOFT = 5.0  # of weights that are looked at or trained: room for gradient descent to move
WEIGHT = Real("weight", 0, _LARGE)
THRESHOLD = Real("threshold", 0, 1)
BUDGET = Real("budget", 0.001, 366 * 24 * 3600, " of seconds")
MEMORY_LIMIT = Size(
    "memory_limit", 2**30, 2**50
)  # what is loaded alone takes a good part of the least
FLAG = Flag()


def check_word(name: str, value: object, words: tuple[str, ...]) -> None:
    """Refuse an argument that is none of these words."""
    if not isinstance(value, str) or value not in words:
        expected = " or ".join(filter(None, (", ".join(map(repr, words[:-1])), repr(words[-1]))))
        raise AncError(f"{name} is {quoted(value)}, expected {expected}")

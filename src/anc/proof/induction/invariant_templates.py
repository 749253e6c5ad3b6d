"""Templates of invariants over the registers of both programs at a cut point.

Registers are numbered: first those of the generic program, then those of the adapted one, then the ghosts
(input cells that are treated like registers).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from anc.proof.semantics import Truth, Word, Words, negated

_MOST_SUMMED = 12  # registers that are searched for sums
_LIMITS = 2  # bounds on either side of the observed values


class RegisterRelation(ABC):
    """A relation between registers."""

    @property
    @abstractmethod
    def registers(self) -> frozenset[int]:
        """The registers of the relation."""

    @abstractmethod
    def holds(self, states: np.ndarray, M: int) -> np.ndarray:
        """Whether it holds in each state (n, R)."""

    @abstractmethod
    def truth(self, words: Words, registers: Mapping[int, Word]) -> Truth:
        """The relation as a condition on words."""


@dataclass(frozen=True)
class Linear(RegisterRelation):
    """A register is the sum of others and a constant, modulo M, minus further registers."""

    of: int
    others: tuple[int, ...]
    constant: int
    minus: tuple[int, ...] = ()

    @property
    def registers(self) -> frozenset[int]:
        return frozenset((self.of, *self.others, *self.minus))

    def holds(self, states: np.ndarray, M: int) -> np.ndarray:
        total = states[:, list(self.others)].sum(axis=1) + self.constant
        total -= states[:, list(self.minus)].sum(axis=1)
        return (states[:, self.of] - total) % M == 0

    def value(self, words: Words, registers: Mapping[int, Word]) -> Word:
        """The value of the register by this relation."""
        total: Word = self.constant
        for other in self.others:
            total = words.sum(total, registers[other])
        for other in self.minus:
            total = words.difference(total, registers[other])
        return total

    def truth(self, words: Words, registers: Mapping[int, Word]) -> Truth:
        return words.equal(registers[self.of], self.value(words, registers))


@dataclass(frozen=True)
class Bound(RegisterRelation):
    """A register has an upper or a lower bound."""

    of: int
    limit: int
    upper: bool

    @property
    def registers(self) -> frozenset[int]:
        return frozenset((self.of,))

    def holds(self, states: np.ndarray, M: int) -> np.ndarray:
        column = states[:, self.of]
        return column <= self.limit if self.upper else column >= self.limit

    def truth(self, words: Words, registers: Mapping[int, Word]) -> Truth:
        value = registers[self.of]
        return words.at_most(value, self.limit) if self.upper else words.at_most(self.limit, value)


@dataclass(frozen=True)
class Unequal(RegisterRelation):
    """A register does not hold a constant."""

    of: int
    constant: int

    @property
    def registers(self) -> frozenset[int]:
        return frozenset((self.of,))

    def holds(self, states: np.ndarray, M: int) -> np.ndarray:
        return states[:, self.of] != self.constant

    def truth(self, words: Words, registers: Mapping[int, Word]) -> Truth:
        return negated(words.equal(registers[self.of], self.constant))


@dataclass(frozen=True)
class OrderRelation(RegisterRelation):
    """A register is at most another one, or less than it."""

    of: int
    other: int
    strict: bool = False

    @property
    def registers(self) -> frozenset[int]:
        return frozenset((self.of, self.other))

    def holds(self, states: np.ndarray, M: int) -> np.ndarray:
        return states[:, self.of] + self.strict <= states[:, self.other]

    def truth(self, words: Words, registers: Mapping[int, Word]) -> Truth:
        low, high = registers[self.of], registers[self.other]
        return negated(words.at_most(high, low)) if self.strict else words.at_most(low, high)


def candidates(
    states: np.ndarray,
    registers: Sequence[int],
    steering: Sequence[int],
    limits: Sequence[int],
    M: int,
) -> list[RegisterRelation]:
    """The relations of some registers that hold in all states (n, R).

    Only *steering* registers get bounds: their least and largest value, and the nearest of `limits`.
    """
    found: list[RegisterRelation] = []
    constants: dict[int, list[int]] = {}
    varying: list[int] = []
    leaders: list[int] = []  # one of each group with constant differences
    apart_here: list[int] = []  # others: a constant (difference) that is not 0, maybe only here
    for register in registers:
        column = states[:, register]
        constant = _constant(column)
        if constant is not None:
            found.append(Linear(register, (), constant))
            found += [Linear(register, (other,), 0) for other in constants.get(constant, ())]
            constants.setdefault(constant, []).append(register)
            if constant:
                apart_here.append(register)
            continue
        alone = True
        is_equal = False
        for other in varying:
            apart = _constant((column - states[:, other]) % M)
            if apart is not None:
                found.append(Linear(register, (other,), apart))
                alone = False
                is_equal |= apart == 0
        varying.append(register)
        if alone:
            leaders.append(register)
        elif not is_equal:
            apart_here.append(register)
    found += _sums(states, [*leaders, *apart_here][:_MOST_SUMMED], M)
    leaders = [register for register in leaders if register in steering]
    return found + _ordered(states, steering, leaders, limits, M)


def _ordered(
    states: np.ndarray,
    steering: Sequence[int],
    leaders: Sequence[int],
    limits: Sequence[int],
    M: int,
) -> list[RegisterRelation]:
    """Bounds of registers and orders of two registers."""
    found: list[RegisterRelation] = []
    for register in steering:
        column = states[:, register]
        low, high = int(column.min()), int(column.max())
        uppers = {high, *[limit for limit in limits if limit > high][:_LIMITS]}
        lowers = {low, *[limit for limit in limits if limit < low][-_LIMITS:]}
        found += [Bound(register, limit, True) for limit in sorted(uppers) if limit < M - 1]
        found += [Bound(register, limit, False) for limit in sorted(lowers) if limit > 0]
    orders = (
        OrderRelation(a, b, strict) for a, b in permutations(leaders, 2) for strict in (False, True)
    )
    return found + [order for order in orders if order.holds(states, M).all()]


def _constant(values: np.ndarray) -> int | None:
    """The value of a constant column."""
    return int(values[0]) if (values == values[0]).all() else None


def _sums(states: np.ndarray, registers: Sequence[int], M: int) -> Iterator[RegisterRelation]:
    for c in registers:
        for a, b in combinations([r for r in registers if r != c], 2):
            apart = _constant((states[:, c] - states[:, a] - states[:, b]) % M)
            if apart is not None:
                yield Linear(c, (a, b), apart)


def solved(
    relations: Sequence[RegisterRelation],
    registers: Sequence[int],
    words: Words,
    known: Callable[[int], Word | None],
) -> dict[int, Word]:
    """Words for registers that satisfy the linear relations, with few variables; some may be known."""
    found: dict[int, Word] = {}
    for register in registers:
        for relation in relations:
            if (
                isinstance(relation, Linear)
                and relation.of == register
                and all(other in found for other in (*relation.others, *relation.minus))
            ):
                found[register] = relation.value(words, found)
                break
        else:
            word = known(register)
            found[register] = words.variable(f"r{register}") if word is None else word
    return found

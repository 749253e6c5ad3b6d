"""Addition chains: linear combinations such as 10 * x + y in few ADDs and SUBs.

Their number depends only on the factors. A state is the set of remaining factors, one value each; a move makes a
new value out of one or two values so that the factors become smaller, until one value with factor 1 is left. A
best-first search minimises the moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import count
from math import gcd
from typing import Generic, NamedTuple, TypeVar

from anc.support.clock import look

MOST_STATES = 250
MOST_WAITING = 1_200_000  # factors in queued states: sums of many values have many moves
Factors = tuple[int, ...]  # distinct, above 0, in order


class Move(NamedTuple):
    """A move on the values with some factors.

    double: factor * x = factor / 2 * (x + x)
    join: first * x + second * y = (first - second) * x + second * (x + y)
    part: factor * x = (factor - second) * x + second * x, with second 1 or -1
    times: factor * x = factor / second * (second * x), with second 2 ** n + 1 or 2 ** n - 1
    all: first * (the sum of the rest)
    """

    name: str
    first: int
    second: int = 0


Way = tuple[int, tuple[Move, ...]]  # instructions, and the moves


@cache
def fewest(factors: Factors) -> Way:
    """Moves from these factors to a single 1, with the fewest instructions found."""
    order = count()
    queue: list[tuple[int, int, int, Factors, tuple[Move, ...]]] = []
    heappush(queue, (_at_least(factors), next(order), 0, factors, ()))
    done: set[Factors] = set()
    while queue and len(done) < MOST_STATES and len(queue) * len(factors) < MOST_WAITING:
        look()
        _, _, cost, state, way = heappop(queue)
        if state == (1,):
            return cost, way
        if state in done:
            continue
        done.add(state)
        for more, move, new in _moves(state):
            if new not in done:
                least = cost + more + _at_least(new)
                heappush(queue, (least, next(order), cost + more, new, (*way, move)))
    return _plain(factors)


def _at_least(factors: Factors) -> int:
    return len(factors) - 1 + (factors[-1] - 1).bit_length()


def _plain(factors: Factors) -> Way:
    """The fallback: halve the largest factor, made even first."""
    cost, way, state = 0, list[Move](), factors
    while state != (1,):
        look()
        *rest, largest = state
        move, more, new = "join", 1, [largest - 1]
        if largest % 2 == 0:
            move, new = "double", [largest // 2]
        elif 1 not in rest:
            move, more, new = "part", 0, [largest - 1, 1]
        found, state = _put(tuple(rest), *new)
        cost += more + found
        way.append(Move(move, largest) if move == "double" else Move(move, largest, 1))
    return cost, tuple(way)


def _moves(state: Factors) -> Iterator[tuple[int, Move, Factors]]:
    """Possible moves: instructions, move, remaining factors."""
    shared = gcd(*state)
    if shared > 1 and len(state) > 1:
        yield fewest((shared,))[0], Move("all", shared), tuple(f // shared for f in state)
    for place, factor in enumerate(state):
        rest = state[:place] + state[place + 1 :]
        if factor % 2 == 0:
            more, new = _put(rest, factor // 2)
            yield 1 + more, Move("double", factor), new
        elif factor > 1:
            for one in (1, -1) if 1 not in state else (-1,):
                more, new = _put(rest, factor - one, 1)
                yield more, Move("part", factor, one), new
        for n in range(1, factor.bit_length()):
            for times in ((1 << n) - 1, (1 << n) + 1):
                if times > 2 and factor % times == 0:
                    more, new = _put(rest, factor // times)
                    yield n + 1 + more, Move("times", factor, times), new
        for other in state[:place]:
            more, new = _put(tuple(f for f in rest if f != other), factor - other, other)
            yield 1 + more, Move("join", factor, other), new


def _put(factors: Factors, *new: int) -> tuple[int, Factors]:
    """Add factors: one instruction for each that is there already, and the new set."""
    found, cost = set(factors), 0
    for factor in new:
        cost += factor in found
        found.add(factor)
    return cost, tuple(sorted(found))


V = TypeVar("V")
Operation = Callable[[V, V], V]


def cost_of(factors: Sequence[int]) -> int:
    """The instructions of a sum with these factors (at least one)."""
    distinct = tuple(sorted({abs(factor) for factor in factors}))
    return len(factors) - len(distinct) + fewest(distinct)[0]


def summed(
    terms: Sequence[tuple[int, V]], add: Operation[V], subtract: Operation[V]
) -> tuple[int, V]:
    """The sum of (factor, value) terms as a sign and a value; the sign is -1 only if no factor is positive."""
    sum_ = _Sum(add, subtract)
    for factor, value in sorted(terms, key=lambda term: term[0] < 0):
        sum_.put(factor, value)
    sum_.done(fewest(tuple(sorted(sum_.terms)))[1])
    return sum_.terms[1]


class _Sum(Generic[V]):
    """Signed values by the size of their factors, while moves are made."""

    def __init__(self, add: Operation[V], subtract: Operation[V]) -> None:
        self.add, self.subtract = add, subtract
        self.terms: dict[int, tuple[int, V]] = {}

    def put(self, factor: int, value: V) -> None:
        size, term = abs(factor), (1 if factor > 0 else -1, value)
        if size in self.terms:
            term = self.both(self.terms.pop(size), term)
        self.terms[size] = term

    def both(self, first: tuple[int, V], second: tuple[int, V]) -> tuple[int, V]:
        """The sum of two signed values; positive if one of them is."""
        if first[0] == second[0]:
            return first[0], self.add(first[1], second[1])
        plus, minus = (first, second) if first[0] > 0 else (second, first)
        return 1, self.subtract(plus[1], minus[1])

    def done(self, way: Sequence[Move]) -> None:
        for place, (name, first, second) in enumerate(way):
            if name == "all":
                self.terms = {factor // first: term for factor, term in self.terms.items()}
                self.done(way[place + 1 :])
                self.terms = {first: self.terms[1]}
                self.done(fewest((first,))[1])
                return
            sign, value = self.terms.pop(first)
            if name == "double":
                self.put(sign * first // 2, self.add(value, value))
            elif name == "part":
                self.put(sign * (first - second), value)
                self.put(sign * second, value)
            elif name == "times":
                self.put(sign * first // second, self.multiple(value, second))
            else:
                other, it = self.both((sign, value), self.terms.pop(second))
                self.put(sign * (first - second), value)
                self.put(other * second, it)

    def multiple(self, value: V, times: int) -> V:
        """2 ** n + 1 or 2 ** n - 1 times a value."""
        grows = (times - 1).bit_count() == 1
        power = value
        for _ in range((times - 1).bit_length() - grows):
            power = self.add(power, power)
        return (self.add if grows else self.subtract)(power, value)

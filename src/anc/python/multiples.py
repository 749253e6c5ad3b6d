"""Multiples by a known factor: the shortest row of additions and subtractions."""

from __future__ import annotations

from functools import lru_cache

Step = tuple[str, int, int]  # + or -, and the places of two earlier values; 0 and x come first
DEEPEST = 4  # so many steps are tried in all ways


@lru_cache(maxsize=1_000)
def multiples(factor: int, M: int) -> tuple[Step, ...]:
    """The steps from 0 and x to factor * x modulo M.

    >>> multiples(3, 64)
    (('+', 1, 1), ('+', 1, 2))
    >>> multiples(63, 64)
    (('-', 0, 1),)
    """
    for depth in range(DEEPEST + 1):
        found = _searched((0, 1 % M), factor, M, depth)
        if found is not None:
            return found
    return _by_digits(factor)


def _searched(held: tuple[int, ...], factor: int, M: int, depth: int) -> tuple[Step, ...] | None:
    if depth == 0:
        return () if held[-1] == factor else None
    for one, a in enumerate(held):
        for two, b in enumerate(held):
            for sign, value in (("+", a + b), ("-", a - b)):
                if (sign == "-" or one <= two) and value % M not in held:
                    rest = _searched((*held, value % M), factor, M, depth - 1)
                    if rest is not None:
                        return (sign, one, two), *rest
    return None


def _by_digits(factor: int) -> tuple[Step, ...]:
    """Doubling, and one more x for each binary digit that is 1."""
    steps: list[Step] = []
    last = 1
    for digit in bin(factor)[3:]:
        steps.append(("+", last, last))
        last = len(steps) + 1
        if digit == "1":
            steps.append(("+", last, 1))
            last += 1
    return tuple(steps)

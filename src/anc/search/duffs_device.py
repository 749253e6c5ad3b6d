"""Repetition by a computed jump: the same instruction as often as a column says.

What is base + times * x takes times additions. They stand one below the other, and a jump to
END - times leaves as many to do as there should be: a SUB, the jump, and the additions themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anc.compiler.graph import ADD, SUB, Operand, Variable
from anc.machine.compiled import compiled
from anc.search.meet_in_the_middle import occurring
from anc.search.plans import Step

MOST_TIMES = 15
MOST = 10  # columns that may say how often
FEW = 4  # ways to have the same column


@compiled
def _all_repeated(columns, wanted, reached, times, M, occurs, salt, hashes, order, found):
    """found[w, i] = (is SUB, base, x, times), where base is a column or -1 - constant."""
    n = columns.shape[1]
    for w in range(len(wanted)):
        goal, count = columns[wanted[w]], 0
        for t in times:
            for x in reached:
                for minus in range(2):
                    if count == found.shape[1]:
                        break
                    total, constant, first = np.int64(0), True, np.int64(0)
                    possible = True  # that it is a column
                    for i in range(n):
                        product = columns[t, i] * columns[x, i]
                        base = (goal[i] + (product if minus else -product)) % M
                        total += base * salt[i]
                        if i == 0:
                            first = base
                        elif base != first:
                            constant = False
                        if not occurs[i, base]:
                            possible = False
                        if not constant and not possible:
                            break
                    if not constant and not possible:
                        continue
                    at = np.searchsorted(hashes, total)
                    is_there = at < len(hashes) and hashes[at] == total and order[at] != wanted[w]
                    if constant or is_there:
                        found[w, count, 0] = minus
                        found[w, count, 1] = -1 - first if constant else order[at]
                        found[w, count, 2], found[w, count, 3] = x, t
                        count += 1


@dataclass(frozen=True)
class Repeated:
    """How a column comes out of others: (base, x, times)."""

    op: str
    operands: tuple[int, int, int]
    cost: float

    def result(self, columns: Sequence[np.ndarray], M: int) -> np.ndarray:
        base, x, times = columns
        return (base + (x if self.op == ADD else -x) * times) % M


def repetitions(
    columns: np.ndarray,
    wanted: Sequence[int],
    reached: Sequence[int],
    M: int,
    lookup: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> list[list[Repeated]]:
    """For each wanted column (by its number) the repetitions of reached ones that it comes out of.

    `lookup` is the salt that columns are hashed with, the sorted hashes, and their columns.
    """
    times = [v for v in reached if 0 < np.ptp(columns[v]) <= columns[v].max() <= MOST_TIMES][:MOST]
    if not wanted or not times:
        return [[] for _ in wanted]
    found = np.full((len(wanted), FEW, 4), -1)
    numbers = (np.array(some, np.int64) for some in (wanted, reached, times))
    _all_repeated(columns, *numbers, M, occurring(columns, M), *lookup, found)
    means = columns.mean(axis=1)
    return [
        [
            Repeated(SUB if minus else ADD, (base, x, t), 2.0 + float(means[t]))
            for minus, base, x, t in ways
            if t >= 0
        ]
        for ways in found.tolist()
    ]


@dataclass
class Repetition(Step):
    """A step that stands for a repetition; its operands are (base, x, times)."""

    times: np.ndarray  # in all cases
    chances: tuple[float, ...] = ()  # that the first, the second, ... repetition is done
    copies: bool = True  # whether base is needed afterwards

    @property
    def cost(self) -> float:
        return 2.0 + sum(self.chances) + self.copies

    @property
    def lines(self) -> int:
        return 2 + len(self.chances) + self.copies


def fitted(
    steps: Sequence[Step], chosen: np.ndarray, counts: np.ndarray, later: Collection[Operand] | None
) -> list[Step] | None:
    """The steps with as many repetitions as the chosen cases need; None if that is too many.

    `later` is what is needed behind them (None: it might be anything).
    """
    found: list[Step] = []
    weights = counts[chosen] / counts[chosen].sum()
    for number, step in enumerate(steps):
        if isinstance(step, Repetition):
            times = step.times[chosen]
            if times.max() > MOST_TIMES:
                return None
            chances = (float(weights[times >= i].sum()) for i in range(1, times.max() + 1))
            base, x, _ = step.operands
            users = [operand for other in steps[number + 1 :] for operand in other.operands]
            needed = later is None or base in (x, *users, *later)
            copies = isinstance(base, Variable) and needed
            step = replace(step, chances=tuple(chances), copies=copies)
        found.append(step)
    return found

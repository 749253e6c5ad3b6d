"""The enumerator's engine for one decision: straight-line code, one JEZ, then WRITEs on both sides.

The condition is the newest value (anything computed after it could move behind the JEZ). The cases
fall into those where it is 0 and the others; on each side every cell that must change takes a value
that is there already, or a constant. A side with nothing to write stops at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anc.machine.cases import Cases
from anc.machine.compiled import lean, lean_inner
from anc.search.straight import EXHAUSTED, PAUSED, candidate, is_new, value_in

NOTHING, IMPOSSIBLE = -1_000_000, -1_000_001  # a cell that a side need not write, or cannot


class Decision(NamedTuple):
    """What t cells must be in K cases, and the cheapest decision so far that writes it; and room.

    Sources stand for every cell: first where the condition is not 0, then where it is.
    """

    targets: np.ndarray  # (t, K) int16
    care: np.ndarray  # (t, K): where they matter
    change: np.ndarray  # (t, K): where they change
    counts: np.ndarray  # (K,): how often each case occurs
    steps: np.ndarray  # (1,): in the mean
    code: np.ndarray  # (depth, 3)
    sources: np.ndarray  # (2, t)
    tried: np.ndarray  # (2, t): the sources of another decision
    side: np.ndarray  # (2, K): the cases on both sides of it

    @classmethod
    def of(cls, examples: Cases, cells: np.ndarray, steps: float, depth: int) -> Decision:
        """None yet that takes fewer steps."""
        parts = (examples.outputs.astype(np.int16), examples.masks != 0, examples.change)
        targets, care, change = (part[:, cells].T.copy() for part in parts)
        best, code = np.array([steps]), np.zeros((depth, 3), np.int64)
        sources, tried = np.zeros((2, 2, len(cells)), np.int64)
        side = np.zeros((2, examples.C), np.bool_)
        return cls(targets, care, change, examples.counts, best, code, sources, tried, side)


@lean_inner
def source_of(n, side, vectors, target, care, change):
    """What to write on one side: a number below n of a value, -1 - constant, NOTHING or IMPOSSIBLE."""
    K = vectors.shape[1]
    needed = False
    for case in range(K):
        if side[case] and care[case] and change[case]:
            needed = True
            break
    if not needed:
        return NOTHING
    constant = np.int64(-1)
    for case in range(K):
        if side[case] and care[case]:
            if constant < 0:
                constant = np.int64(target[case])
            elif constant != target[case]:
                constant = np.int64(-2)
                break
    if constant >= 0:
        return -1 - constant
    for value in range(n):
        same = True
        for case in range(K):
            if side[case] and care[case] and vectors[value, case] != target[case]:
                same = False
                break
        if same:
            return np.int64(value)
    return IMPOSSIBLE


@lean
def walk_branches(trail, terrain, best, nodes):
    """Walk all codes of the best decision's length; keep the cheapest decision on the last value.

    Pauses and goes on as `anc.search.straight.walk` does.
    """
    values, code, place, depth = trail.values, trail.code, trail.place, best.code.shape[0]
    targets, care, change, counts = best.targets, best.care, best.change, best.counts
    K, total = values.shape[1], counts.sum()
    side, sources = best.side, best.tried
    n = place[-1]
    while n >= 0:
        here = place[n]
        last = n == depth - 1
        if last and n > 0:  # everything must lead to the condition
            here = max(here, terrain.ends[n - 1])
        advanced = False
        while here < terrain.ends[n] and not advanced:
            op, a, b = candidate(terrain, here)
            here += 1
            nodes -= 1
            zeros, count = 0.0, 0
            for case in range(K):
                value = value_in(op, a, b, case, values, terrain)
                values[n, case] = value
                side[1, case] = value == 0
                side[0, case] = value != 0
                if value == 0:
                    zeros += counts[case]
                    count += 1
            code[n, 0], code[n, 1], code[n, 2] = op, a, b
            if not last:
                advanced = is_new(values, n)
                continue
            if count == 0 or count == K:
                continue
            mean = depth + 2.0
            for which in range(2):
                share = (zeros if which == 1 else total - zeros) / total
                for i in range(targets.shape[0]):
                    if mean >= best.steps[0] - 1e-9:
                        break
                    source = source_of(n + 1, side[which], values, targets[i], care[i], change[i])
                    sources[which, i] = source
                    if source == IMPOSSIBLE:
                        mean = np.inf
                    elif source != NOTHING:
                        mean += share
            if mean < best.steps[0] - 1e-9:
                best.steps[0] = mean
                for line in range(depth):
                    for part in range(3):
                        best.code[line, part] = code[line, part]
                for which in range(2):
                    for i in range(targets.shape[0]):
                        best.sources[which, i] = sources[which, i]
        place[n] = here
        if advanced:
            n += 1
            place[n] = here
        else:
            n -= 1
        if nodes < 0 and n >= 0:
            place[-1] = n
            return PAUSED
    return EXHAUSTED

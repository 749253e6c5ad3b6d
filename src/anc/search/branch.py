"""The enumerator's engine for one decision: straight-line code, one JEZ, then WRITEs on both sides.

The condition is the newest value (anything computed after it could move behind the JEZ). The cases
fall into those where it is 0 and the others; on each side every cell that must change takes a value
that is there already, or a constant. A side with nothing to write stops at once.
"""

from __future__ import annotations

import numpy as np

from anc.machine.batch import compiled
from anc.search.straight import (
    EXHAUSTED,
    PAUSED,
    block_size,
    candidate,
    is_new,
    value_in,
)

NOTHING = -1_000_000  # a cell that this side need not write


@compiled
def source_of(n, side, vectors, target, care, change):
    """What to write on one side: a value's number, -1 - constant, NOTHING; or n + 1 if impossible."""
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
    return np.int64(n + 1)


@compiled
def walk_branches(
    depth,
    vectors,
    code,
    place,
    tapes,
    cells,
    constants,
    targets,
    care,
    change,
    counts,
    best,
    best_code,
    best_writes,
    nodes,
):
    """Walk all codes of `depth` instructions; keep the cheapest decision on the last value.

    best[0] is its mean number of steps; best_writes (2, t) its sources where the condition is not 0
    and where it is. Pauses and goes on as `anc.search.straight.walk` does.
    """
    K, t = tapes.shape[0], targets.shape[0]
    total = counts.sum()
    side = np.empty((2, K), np.bool_)
    writes = np.empty((2, t), np.int64)
    n = place[-1, 0]
    while n >= 0:
        block, offset = place[n, 0], place[n, 1]
        last = n == depth - 1
        advanced = False
        while True:
            if offset >= block_size(block, cells, constants):
                block += 1
                offset = 0
                if block >= n:
                    break
                continue
            if last and block < n - 1 and n > 0:  # everything must lead to the condition
                block += 1
                offset = 0
                continue
            op, a, b = candidate(block, offset, cells, constants)
            offset += 1
            nodes -= 1
            zeros = 0.0
            count = 0
            for case in range(K):
                value = value_in(op, a, b, case, vectors, tapes)
                vectors[n, case] = value
                side[1, case] = value == 0
                side[0, case] = value != 0
                if value == 0:
                    zeros += counts[case]
                    count += 1
            if last:
                if count == 0 or count == K:
                    continue
                mean = depth + 2.0
                possible = True
                for which in range(2):
                    share = (zeros if which == 1 else total - zeros) / total
                    for i in range(t):
                        found = source_of(
                            n + 1, side[which], vectors, targets[i], care[i], change[i]
                        )
                        if found > n + 1:
                            possible = False
                            break
                        writes[which, i] = found
                        if found != NOTHING:
                            mean += share
                    if not possible or mean >= best[0] - 1e-9:
                        possible = False
                        break
                if possible:
                    best[0] = mean
                    code[n, 0], code[n, 1], code[n, 2] = op, a, b
                    best_code[: n + 1] = code[: n + 1]
                    best_writes[:] = writes
                continue
            if not is_new(vectors, n):
                continue
            code[n, 0], code[n, 1], code[n, 2] = op, a, b
            place[n, 0], place[n, 1] = block, offset
            advanced = True
            break
        if advanced:
            place[n + 1, 0], place[n + 1, 1] = block, offset
            n += 1
        else:
            n -= 1
        if nodes < 0 and n >= 0:
            place[-1, 0] = n
            return PAUSED
    return EXHAUSTED

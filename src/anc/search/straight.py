"""The enumerator's engine: straight-line code as a growing set of value vectors.

A value is the vector of what a register holds in each example case. A state of the depth-first walk
is a list of values, each made by one instruction from earlier ones and constants; constants are free
because registers have initial values. Two codes with the same vectors are the same to the examples
(observational equivalence): a value that is constant or already there is never added.

Candidates are ordered by their newest operand, and a code's instructions are tried in ascending
order only: every set of instructions is visited once.
"""

from __future__ import annotations

import numpy as np

from anc.machine.batch import ADD, MAX, MIN, READ, SUB, compiled

FOUND, EXHAUSTED, PAUSED = 0, 1, 2


@compiled
def block_size(block, cells, constants):
    """How many candidates have this newest operand (-1: none, READs of fixed cells)."""
    if block < 0:
        return cells.shape[0]
    return 2 + 4 * constants.shape[0] + 5 * block


@compiled
def candidate(block, offset, cells, constants):
    """The instruction at a place: operation and operands; a constant c is written -1 - c."""
    if block < 0:
        return READ, -1 - cells[offset], np.int64(0)
    if offset == 0:
        return READ, np.int64(block), np.int64(0)
    if offset == 1:
        return ADD, np.int64(block), np.int64(block)
    offset -= 2
    if offset < 5 * block:
        other, kind = offset // 5, offset % 5
        if kind == 0:
            return ADD, np.int64(other), np.int64(block)
        if kind == 1:
            return SUB, np.int64(block), np.int64(other)
        if kind == 2:
            return SUB, np.int64(other), np.int64(block)
        if kind == 3:
            return MIN, np.int64(other), np.int64(block)
        return MAX, np.int64(other), np.int64(block)
    offset -= 5 * block
    constant, kind = -1 - constants[offset // 4], offset % 4
    if kind == 0:
        return ADD, np.int64(block), constant
    if kind == 1:
        return SUB, constant, np.int64(block)
    if kind == 2:
        return MIN, np.int64(block), constant
    return MAX, np.int64(block), constant


@compiled
def value_in(op, a, b, case, vectors, tapes):
    """The output of an instruction in one case."""
    M = tapes.shape[1]
    first = np.int64(vectors[a, case]) if a >= 0 else -1 - a
    if op == READ:
        return np.int64(tapes[case, first])
    second = np.int64(vectors[b, case]) if b >= 0 else -1 - b
    if op == ADD:
        value = first + second
        return value - M if value >= M else value
    if op == SUB:
        value = first - second
        return value + M if value < 0 else value
    if op == MIN:
        return min(first, second)
    return max(first, second)


@compiled
def is_new(vectors, n):
    """Whether vector n is neither constant nor among the earlier ones."""
    K = vectors.shape[1]
    constant = True
    for case in range(1, K):
        if vectors[n, case] != vectors[n, 0]:
            constant = False
            break
    if constant:
        return False
    for other in range(n):
        same = True
        for case in range(K):
            if vectors[other, case] != vectors[n, case]:
                same = False
                break
        if same:
            return False
    return True


@compiled
def hits(op, a, b, vectors, tapes, target, care):
    """Whether an instruction gives a target in every case where it matters."""
    for case in range(tapes.shape[0]):
        if care[case] and value_in(op, a, b, case, vectors, tapes) != target[case]:
            return False
    return True


@compiled
def walk(base, depth, vectors, code, place, left, tapes, cells, constants, targets, care, nodes):
    """Look for `depth` instructions behind `base` ones that give all targets.

    vectors (base + depth, K), code (base + depth, 3) and place (base + depth, 2), left (depth + 1, t)
    hold the walk itself: a paused one (after so many nodes) goes on where it was when called again
    with place[-1] as it was left; place[base - 1, 0] < -1 (or a fresh array of -2) means a new walk.
    Returns the reason to return.
    """
    K, t = tapes.shape[0], targets.shape[0]
    n = base + place[-1, 0]  # instructions chosen now
    while True:
        if n < base:
            return EXHAUSTED
        d = n - base
        block, offset = place[n, 0], place[n, 1]
        open_targets = 0
        for i in range(t):
            open_targets += left[d, i]
        must_hit = depth - d <= open_targets
        advanced = False
        while True:
            if offset >= block_size(block, cells, constants):
                block += 1
                offset = 0
                if block >= n:
                    break
                continue
            op, a, b = candidate(block, offset, cells, constants)
            offset += 1
            nodes -= 1
            if must_hit:
                hit = -1
                for i in range(t):
                    if left[d, i] and hits(op, a, b, vectors, tapes, targets[i], care[i]):
                        hit = i
                        break
                if hit < 0:
                    continue
            for case in range(K):
                vectors[n, case] = value_in(op, a, b, case, vectors, tapes)
            if not must_hit and not is_new(vectors, n):
                continue
            code[n, 0], code[n, 1], code[n, 2] = op, a, b
            place[n, 0], place[n, 1] = block, offset
            still = 0
            for i in range(t):
                left[d + 1, i] = left[d, i]
                if left[d, i]:
                    same = True
                    for case in range(K):
                        if care[i, case] and vectors[n, case] != targets[i, case]:
                            same = False
                            break
                    if same:
                        left[d + 1, i] = 0
                still += left[d + 1, i]
            if still == 0:
                place[-1, 0] = d
                return FOUND
            if still > depth - d - 1:
                continue
            advanced = True
            break
        if advanced:
            place[n + 1, 0], place[n + 1, 1] = block, offset
            n += 1
        else:
            n -= 1
        if nodes < 0:
            place[-1, 0] = n - base
            return EXHAUSTED if n < base else PAUSED

"""The engine of exhaustive search for shortest straight-line code, compiled with numba.

A value is the vector of its contents on K samples. A program is a set of values, each the output of one instruction
on earlier values; the base values (inputs and constants) cost nothing. A depth-first search visits every set of
distinct values once: the values that can be computed next form a list without duplicates, a value that was passed over
is not taken later, and each value that is taken adds the outputs that have it as an operand. The search prunes only
sets that no program of the given length extends to a shortest one:

- Two instructions with the same output on all samples are one (observational equivalence): where a program that is
  right on the samples has a value twice, a shorter one is right on them, too.
- In a shortest program every value is used, whichever instruction computes it. An instruction uses at most two, so
  that u unused values, with r instructions left of which m compute targets, need u <= r + m. The same holds for
  inputs on which some target depends.
- A target that can be computed is taken at once: every right program has it.

The last instruction must use the newest value, so it is not enumerated from lists but compared with the target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anc.machine.compiled import lean, lean_inner

FOUND, EXHAUSTED, PAUSED = 0, 1, 2
FREE = -1
MANY = 64  # values, at most
ONE = np.uint64(1)


class Ground(NamedTuple):
    """What does not change during a search: the outputs of instructions, and the targets."""

    table: np.ndarray  # (N * M * M,) uint8: the outputs, by instruction and operands
    operands: np.ndarray  # (N,) their number: 1 or 2
    commutes: np.ndarray  # (N,) whether the order of the operands matters not
    targets: np.ndarray  # (T, W) uint64
    target_cells: np.ndarray  # (T, K) uint8: the same memory
    sizes: np.ndarray  # M, B (base values), n (instructions)
    needed: np.ndarray  # (1,) uint64: the base values that every program uses


class Walk(NamedTuple):
    """The position of a search, which resumes here, and its lists."""

    cells: np.ndarray  # (C, K) uint8: base values, then the list of values that can be computed
    words: np.ndarray  # (C, W) uint64: the same memory
    origin: np.ndarray  # (C, 3): instruction and operands, as numbers of values
    slot: np.ndarray  # (C,): its place in the hash table
    taken: np.ndarray  # (C,) bool
    hashed: np.ndarray  # (H,): the candidate in each place, or FREE
    chosen: np.ndarray  # (V,): the candidate that is each value
    begin: np.ndarray  # (n + 1,) by depth: the first candidate that may still be taken
    here: np.ndarray  # (n + 1,): the next one
    end: np.ndarray  # (n + 1,): the end of the list
    used: np.ndarray  # (n + 1,) uint64: the values that are used
    plain: np.ndarray  # (n + 1,) uint64: the values that must be used
    missing: np.ndarray  # (n + 1,): the number of missing targets
    at: np.ndarray  # (T,): the candidate that is each target, or FREE
    place: np.ndarray  # (2,): the depth, and whether the search has begun
    counts: np.ndarray  # (n + 1,): programs visited by length


@lean_inner
def _bits(mask):
    """The number of ones."""
    count = 0
    while mask != 0:
        mask &= mask - ONE
        count += 1
    return count


@lean_inner
def _bit(number):
    return ONE << np.uint64(number)


@lean_inner
def _hash(words, row):
    found = np.uint64(0x9E3779B97F4A7C15)
    for w in range(words.shape[1]):
        found = (found ^ words[row, w]) * np.uint64(0xD6E8FEB86659FD93)
        found ^= found >> np.uint64(32)
    return found


@lean_inner
def _enter(walk, row):
    """Put a candidate into the hash table; False if its value is there already."""
    mask = np.uint64(walk.hashed.shape[0] - 1)
    place = _hash(walk.words, row) & mask
    while True:
        other = walk.hashed[place]
        if other == FREE:
            walk.hashed[place] = row
            walk.slot[row] = place
            return True
        same = True
        for w in range(walk.words.shape[1]):
            if walk.words[other, w] != walk.words[row, w]:
                same = False
                break
        if same:
            return False
        place = (place + ONE) & mask


@lean_inner
def _compute(walk, ground, row, op, a, b):
    """Compute the value of a candidate."""
    M = ground.sizes[0]
    first, second = walk.chosen[a], walk.chosen[b]
    offset = op * M * M
    for k in range(walk.cells.shape[1]):
        at = offset + np.int64(walk.cells[first, k]) * M + np.int64(walk.cells[second, k])
        walk.cells[row, k] = ground.table[at]


@lean_inner
def _is_target(walk, ground, row, t):
    same = True
    for w in range(walk.words.shape[1]):
        same = same and walk.words[row, w] == ground.targets[t, w]
    return same


@lean_inner
def _offer(walk, ground, end, op, a, b):
    """Add an output to the list unless its value is there; the new end."""
    _compute(walk, ground, end, op, a, b)
    if not _enter(walk, end):
        return end
    walk.origin[end, 0], walk.origin[end, 1], walk.origin[end, 2] = op, a, b
    walk.taken[end] = False
    for t in range(walk.at.shape[0]):
        if walk.at[t] == FREE and _is_target(walk, ground, end, t):
            walk.at[t] = end
    return end + 1


@lean_inner
def _extend(walk, ground, end, newest, unused, may_be_unused):
    """Add all outputs that have this value as an operand; the new end.

    Those that leave more values unused are left out.
    """
    for other in range(newest + 1):
        left = unused & ~(_bit(newest) | _bit(other))
        if _bits(left) > may_be_unused:
            continue
        for op in range(ground.operands.shape[0]):
            if ground.operands[op] == 1:
                if other == newest:
                    end = _offer(walk, ground, end, op, newest, newest)
                continue
            end = _offer(walk, ground, end, op, newest, other)
            if other != newest and not ground.commutes[op]:
                end = _offer(walk, ground, end, op, other, newest)
    return end


@lean_inner
def _retract(walk, begin, end):
    """Remove the last candidates of the list."""
    for back in range(end - begin):
        walk.hashed[walk.slot[end - 1 - back]] = FREE
    for t in range(walk.at.shape[0]):
        if walk.at[t] >= begin:
            walk.at[t] = FREE


@lean_inner
def _hits(walk, ground, op, a, b, t):
    """Whether an instruction computes a target."""
    M = ground.sizes[0]
    first, second = walk.chosen[a], walk.chosen[b]
    offset = op * M * M
    for k in range(walk.cells.shape[1]):
        at = offset + np.int64(walk.cells[first, k]) * M + np.int64(walk.cells[second, k])
        if ground.table[at] != ground.target_cells[t, k]:
            return False
    return True


@lean_inner
def _last(walk, ground, newest, unused, t, row):
    """Whether one instruction that uses the newest value computes the missing target; it becomes this candidate."""
    left = unused & ~_bit(newest)
    count = _bits(left)
    if count > 1:
        return False
    for other in range(newest + 1):
        if count == 1 and left != _bit(other):
            continue
        for op in range(ground.operands.shape[0]):
            if ground.operands[op] == 1:
                found = other == newest and _hits(walk, ground, op, newest, newest, t)
                first, second = newest, newest
            else:
                first, second = newest, other
                found = _hits(walk, ground, op, first, second, t)
                if not found and other != newest and not ground.commutes[op]:
                    first, second = other, newest
                    found = _hits(walk, ground, op, first, second, t)
            if found:
                walk.origin[row, 0], walk.origin[row, 1], walk.origin[row, 2] = op, first, second
                walk.chosen[newest + 1] = row
                return True
    return False


@lean_inner
def _take(walk, ground, d, row):
    """Take a candidate as the next value; the values that must be used and are not."""
    value = ground.sizes[1] + d
    walk.chosen[value] = row
    operands = _bit(walk.origin[row, 1]) | _bit(walk.origin[row, 2])
    walk.used[d + 1] = walk.used[d] | operands
    plain, missing = walk.plain[d] | _bit(value), walk.missing[d]
    for t in range(walk.at.shape[0]):
        if walk.at[t] == row:
            plain, missing = walk.plain[d], missing - 1
    walk.plain[d + 1], walk.missing[d + 1] = plain, missing
    return plain & ~walk.used[d + 1]


@lean_inner
def _is_completed(walk, ground, newest, unused, row, free):
    """Whether the last instruction computes the last missing target; it becomes a value."""
    for t in range(walk.at.shape[0]):
        at = walk.at[t]
        if at != FREE and (walk.taken[at] or at == row):
            continue
        if at == FREE:
            return _last(walk, ground, newest, unused, t, free)
        walk.chosen[newest + 1] = at
        return unused & ~(_bit(walk.origin[at, 1]) | _bit(walk.origin[at, 2])) == 0
    return False


@lean
def walk_on(walk, ground, budget):
    """Search on, for about this many visits; returns the reason to stop."""
    base, n = ground.sizes[1], ground.sizes[2]
    T = walk.at.shape[0]
    if walk.place[1] == 0:
        walk.place[1] = 1
        walk.used[0], walk.plain[0], walk.missing[0] = 0, ground.needed[0], T
        end = base
        for value in range(base):
            walk.chosen[value] = value
            _enter(walk, value)
            if n == 1:
                walk.counts[1] += 1
                if _last(walk, ground, value, ground.needed[0] | _bit(value), 0, end):
                    walk.chosen[base] = end
                    return FOUND
            else:
                most = 1 if n == 2 and T == 1 else MANY
                end = _extend(walk, ground, end, value, ground.needed[0], most)
        if n == 1:
            return EXHAUSTED
        walk.begin[0], walk.here[0], walk.end[0] = base, base, end
    d = walk.place[0]
    while d >= 0:
        left = n - d - 1  # instructions after the next one
        row = np.int64(FREE)
        is_forced = False
        if walk.here[d] == walk.begin[d]:  # a new node
            for t in range(T):
                at = walk.at[t]
                if at != FREE and not walk.taken[at]:
                    row, is_forced = at, True
                    break
        if is_forced:
            walk.here[d] = walk.end[d] + 1
        else:
            here = walk.here[d]
            if walk.missing[d] <= left:
                while here < walk.end[d] and row == FREE:
                    if not walk.taken[here]:
                        row = here
                    here += 1
            walk.here[d] = here
        if row == FREE:  # go back
            d -= 1
            if d >= 0:
                _retract(walk, walk.end[d], walk.end[d + 1])
                walk.taken[walk.chosen[base + d]] = False
            continue
        budget -= 1
        walk.counts[d + 1] += 1
        unused = _take(walk, ground, d, row)
        missing = walk.missing[d + 1]
        if missing == 0 and unused == 0:
            walk.place[0] = d
            return FOUND
        if missing == 0 or missing > left or _bits(unused) > left + missing:
            continue
        value = base + d
        if left == 1:
            walk.counts[n] += 1
            if _is_completed(walk, ground, value, unused, row, walk.end[d]):
                walk.place[0] = d
                return FOUND
            if budget < 0:
                walk.place[0] = d
                return PAUSED
            continue
        walk.taken[row] = True
        d += 1
        # the children of a node with two instructions left and one target are leaves, which use up all values
        most = 1 if left == 2 and missing == 1 else MANY
        walk.end[d] = _extend(walk, ground, walk.end[d - 1], value, unused, most)
        walk.begin[d] = walk.begin[d - 1] if is_forced else row + 1
        walk.here[d] = walk.begin[d]
        if budget < 0:
            walk.place[0] = d
            return PAUSED
    return EXHAUSTED

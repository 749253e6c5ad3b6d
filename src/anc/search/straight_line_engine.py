"""The engines of enumeration: straight-line code, and one decision between WRITEs.

A value is the vector of a register's contents in the example cases. A state of the depth-first search is a list of
values, each computed by one instruction from earlier ones and constants, which are free because registers have initial
values. Values that are constant or already present are never added (observational equivalence). Candidates are
ordered by their newest operand and tried in ascending order, so that every set of instructions is visited once.

A decision is straight-line code, one JEZ, then WRITEs on both sides. The condition is the newest value (later ones
could move after the JEZ). It splits the cases; on each side, every cell that must change takes an available value or
a constant. A side without WRITEs stops at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anc.isa import InstructionSet
from anc.machine.batch import output, outputs_for
from anc.machine.compiled import lean, lean_inner
from anc.machine.encoded import Cases
from anc.search.instruction_shapes import forms

FOUND, EXHAUSTED, PAUSED = 0, 1, 2


class Terrain(NamedTuple):
    """The search space: the examples' tapes, the outputs of instructions, the candidates."""

    tapes: np.ndarray  # (K, M) int16
    table: np.ndarray | None  # see `anc.machine.batch.Rules`
    candidates: np.ndarray  # (n, 3), see `anc.search.instruction_shapes`
    ends: np.ndarray
    read: int  # the number of READ

    @classmethod
    def of(
        cls,
        examples: Cases,
        instructions: InstructionSet,
        values: int,
        constants: Sequence[int],
    ) -> Terrain:
        """The space for these many values; constant cells are not READ."""
        M = examples.M
        vary = (examples.inputs != examples.inputs[:1]).any(axis=0)
        found = forms(instructions, M).candidates(values, np.flatnonzero(vary).tolist(), constants)
        return cls(
            examples.inputs.astype(np.int16),
            outputs_for(instructions, M),
            *found,
            instructions.READ,
        )


class SearchPosition(NamedTuple):
    """The position of a search, which resumes here when called again."""

    values: np.ndarray  # (n + 1, K) int16
    code: np.ndarray  # (n + 1, 3)
    place: np.ndarray  # (n + 2,): the next candidate at each depth; last, the number of values

    @classmethod
    def of(cls, code: np.ndarray, values: np.ndarray, depth: int) -> SearchPosition:
        """The start of a search for `depth` instructions after these."""
        base, n = len(code), len(code) + depth + 1
        trail = cls(
            np.zeros((n, values.shape[1]), np.int16), np.zeros((n, 3), np.int64),
            np.zeros(n + 1, np.int64),
        )  # fmt: skip
        trail.values[:base], trail.code[:base], trail.place[-1] = values, code, base
        return trail


class Targets(NamedTuple):
    """t vectors to compute, where they matter, and which are still missing."""

    values: np.ndarray  # (t, K) int16
    care: np.ndarray  # (t, K)
    missing: np.ndarray  # (depth + 1, t): by number of instructions


@lean_inner
def candidate(terrain, here):
    """The operation and the operands of a candidate."""
    rows = terrain.candidates
    return rows[here, 0], rows[here, 1], rows[here, 2]


@lean_inner
def value_in(op, a, b, case, values, terrain):
    """The output of an instruction in one case."""
    first = np.int64(values[a, case]) if a >= 0 else -1 - a
    if op == terrain.read:
        return np.int64(terrain.tapes[case, first])
    second = np.int64(values[b, case]) if b >= 0 else -1 - b
    return output(op, first, second, terrain.tapes.shape[1], terrain.table)


@lean_inner
def is_new(values, n):
    """Whether vector n is neither constant nor among the earlier ones."""
    constant = True
    for case in range(1, values.shape[1]):
        if values[n, case] != values[n, 0]:
            constant = False
            break
    if constant:
        return False
    for other in range(n):
        same = True
        for case in range(values.shape[1]):
            if values[other, case] != values[n, case]:
                same = False
                break
        if same:
            return False
    return True


@lean_inner
def hits(op, a, b, values, terrain, targets, i):
    """Whether an instruction computes target i in every case where it matters."""
    for case in range(values.shape[1]):
        value = value_in(op, a, b, case, values, terrain)
        if targets.care[i, case] and value != targets.values[i, case]:
            return False
    return True


@lean_inner
def agrees(values, n, targets, i):
    for case in range(values.shape[1]):
        if targets.care[i, case] and values[n, case] != targets.values[i, case]:
            return False
    return True


@lean_inner
def still_missing(values, n, targets, d):
    """How many targets are missing when this value is added after d instructions."""
    still = 0
    for i in range(targets.values.shape[0]):
        missing = targets.missing[d, i]
        if missing and agrees(values, n, targets, i):
            missing = 0
        targets.missing[d + 1, i] = missing
        still += missing
    return still


@lean
def walk(trail, terrain, targets, nodes):
    """Search for instructions that compute all targets, for about `nodes` nodes; returns the reason to stop."""
    values, code, place, missing = trail.values, trail.code, trail.place, targets.missing
    depth, t = missing.shape[0] - 1, missing.shape[1]
    base = values.shape[0] - 1 - depth
    n = place[-1]
    while n >= base:
        d = n - base
        must_hit = depth - d <= missing[d].sum()
        here = place[n]
        advanced = False
        while here < terrain.ends[n] and not advanced:
            op, a, b = candidate(terrain, here)
            here += 1
            nodes -= 1
            hit = not must_hit
            for i in range(t):
                if not hit and missing[d, i]:
                    hit = hits(op, a, b, values, terrain, targets, i)
            if not hit:
                continue
            for case in range(values.shape[1]):
                values[n, case] = value_in(op, a, b, case, values, terrain)
            if not must_hit and not is_new(values, n):
                continue
            code[n, 0], code[n, 1], code[n, 2] = op, a, b
            still = still_missing(values, n, targets, d)
            if still == 0:
                place[-1] = n + 1
                return FOUND
            advanced = still < depth - d
        place[n] = here
        if advanced:
            n += 1
            place[n] = here
        else:
            n -= 1
        if nodes < 0 and n >= base:
            place[-1] = n
            return PAUSED
    return EXHAUSTED


NOTHING, IMPOSSIBLE = -1_000_000, -1_000_001  # a side need not write a cell, or cannot


class Decision(NamedTuple):
    """The targets of t cells in K cases, the cheapest decision so far, and buffers.

    Sources by cell: first those where the condition is not 0, then those where it is.
    """

    targets: np.ndarray  # (t, K) int16
    care: np.ndarray  # (t, K): where they matter
    change: np.ndarray  # (t, K): where they change
    counts: np.ndarray  # (K,): how often each case occurs
    steps: np.ndarray  # (1,): the mean
    code: np.ndarray  # (depth, 3)
    sources: np.ndarray  # (2, t)
    tried: np.ndarray  # (2, t): buffer for sources
    side: np.ndarray  # (2, K): the cases on both sides

    @classmethod
    def of(cls, examples: Cases, cells: np.ndarray, steps: float, depth: int) -> Decision:
        """No decision yet with fewer steps than this."""
        parts = (examples.outputs.astype(np.int16), examples.masks != 0, examples.change)
        targets, care, change = (part[:, cells].T.copy() for part in parts)
        best, code = np.array([steps]), np.zeros((depth, 3), np.int64)
        sources, tried = np.zeros((2, 2, len(cells)), np.int64)
        side = np.zeros((2, examples.C), np.bool_)
        return cls(targets, care, change, examples.counts, best, code, sources, tried, side)


@lean_inner
def source_of(n, side, vectors, target, care, change):
    """The source of a cell on one side: a value below n, -1 - constant, NOTHING or IMPOSSIBLE."""
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
    """Search all codes of this length for the cheapest decision on the last value; pauses as `walk` does."""
    values, code, place, depth = trail.values, trail.code, trail.place, best.code.shape[0]
    targets, care, change, counts = best.targets, best.care, best.change, best.counts
    K, total = values.shape[1], counts.sum()
    side, sources = best.side, best.tried
    n = place[-1]
    while n >= 0:
        here = place[n]
        last = n == depth - 1
        if last and n > 0:  # everything must contribute to the condition
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

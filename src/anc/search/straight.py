"""The enumerator's engine: straight-line code as a growing set of value vectors.

A value is the vector of what a register holds in each example case. A state of the depth-first walk
is a list of values, each made by one instruction from earlier ones and constants; constants are free
because registers have initial values. Two codes with the same vectors are the same to the examples
(observational equivalence): a value that is constant or already there is never added.

Candidates are ordered by their newest operand, and a code's instructions are tried in ascending
order only: every set of instructions is visited once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anc.isa import InstructionSet
from anc.machine.batch import Rules, output
from anc.machine.cases import Cases
from anc.machine.compiled import lean, lean_inner
from anc.search.forms import forms

FOUND, EXHAUSTED, PAUSED = 0, 1, 2


class Terrain(NamedTuple):
    """What a walk goes over: the examples' tapes, the outputs of instructions, the candidates."""

    tapes: np.ndarray  # (K, M) int16
    table: np.ndarray | None  # see `anc.machine.batch.Rules`
    candidates: np.ndarray  # (n, 3), see `anc.search.forms`
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
        """For so many values; cells that do not vary are not worth a READ."""
        M = examples.M
        vary = (examples.inputs != examples.inputs[:1]).any(axis=0)
        found = forms(instructions, M).candidates(values, np.flatnonzero(vary).tolist(), constants)
        return cls(
            examples.inputs.astype(np.int16), Rules.of(M, 0).table, *found, instructions.READ
        )


class Trail(NamedTuple):
    """Where a walk is: it goes on from here when called again."""

    values: np.ndarray  # (n + 1, K) int16
    code: np.ndarray  # (n + 1, 3)
    place: np.ndarray  # (n + 2,): the next candidate at each place; then, how many values there are

    @classmethod
    def of(cls, code: np.ndarray, values: np.ndarray, depth: int) -> Trail:
        """The beginning of a walk over `depth` instructions behind these."""
        base, n = len(code), len(code) + depth + 1
        trail = cls(
            np.zeros((n, values.shape[1]), np.int16), np.zeros((n, 3), np.int64),
            np.zeros(n + 1, np.int64),
        )  # fmt: skip
        trail.values[:base], trail.code[:base], trail.place[-1] = values, code, base
        return trail


class Targets(NamedTuple):
    """t vectors that must be there in the end, where they matter, and whether they are still missing."""

    values: np.ndarray  # (t, K) int16
    care: np.ndarray  # (t, K)
    missing: np.ndarray  # (depth + 1, t): after so many instructions


@lean_inner
def candidate(terrain, here):
    """The operation and the operands at a place."""
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
    """Whether an instruction gives target i in every case where it matters."""
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
    """How many targets are missing when this value comes to those after d instructions."""
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
    """Look for instructions that give all targets, for about so many nodes; the reason to return."""
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

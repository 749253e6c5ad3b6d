"""The engines of enumeration: straight-line code, and one decision between WRITEs.

A value is the vector of a register's contents in the example cases. A state of the depth-first search is a list of
values, each computed by one instruction from earlier ones and constants, which are free because registers have initial
values. Values that are constant or already present are never added (observational equivalence). Candidates are
ordered by their newest operand and tried in ascending order, so that every set of instructions is visited once.
A search has a budget, in prices of instructions; what is still missing costs at least the cheapest one each.

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
from anc.search.cost import Prices
from anc.search.instruction_shapes import cheapest_first, forms, number_type, prices_of

FOUND, EXHAUSTED, PAUSED = 0, 1, 2
TINY = 1e-9


class Terrain(NamedTuple):
    """The search space: the examples' tapes, the outputs of instructions, the candidates."""

    tapes: np.ndarray  # (K, M), as `number_type`
    table: np.ndarray | None  # see `anc.machine.batch.Rules`
    candidates: np.ndarray  # (n, 3), see `anc.search.instruction_shapes`
    ends: np.ndarray
    read: int  # the number of READ
    prices: np.ndarray  # (n,): of the candidates
    least: float  # the lowest

    @classmethod
    def of(
        cls,
        examples: Cases,
        instructions: InstructionSet,
        values: int,
        constants: Sequence[int],
        prices: Prices,
        least: float,
    ) -> Terrain:
        """The space for these many values; constant cells are not READ, and `least` is the lowest price."""
        M = examples.M
        vary = (examples.inputs != examples.inputs[:1]).any(axis=0)
        cells = np.flatnonzero(vary).tolist()
        found = forms(instructions, M, cheapest_first(instructions, prices)).candidates(
            values, cells, constants
        )
        paid = prices_of(found[0], instructions, M, prices)
        return cls(
            examples.inputs.astype(number_type(M)),
            outputs_for(instructions, M),
            *found,
            instructions.READ,
            np.maximum(paid, least),
            least,
        )


class SearchPosition(NamedTuple):
    """The position of a search, which resumes here when called again."""

    values: np.ndarray  # (n + 1, K)
    code: np.ndarray  # (n + 1, 3)
    place: np.ndarray  # (n + 2,): the next candidate at each depth; last, the number of values
    spent: np.ndarray  # (n + 2,): the price of the instructions before each depth

    @classmethod
    def of(cls, code: np.ndarray, values: np.ndarray, depth: int) -> SearchPosition:
        """The start of a search for up to `depth` instructions after these, which are paid for."""
        base, n = len(code), len(code) + depth + 1
        trail = cls(
            np.zeros((n, values.shape[1]), values.dtype), np.zeros((n, 3), np.int64),
            np.zeros(n + 1, np.int64), np.zeros(n + 1),
        )  # fmt: skip
        trail.values[:base], trail.code[:base], trail.place[-1] = values, code, base
        return trail


class Targets(NamedTuple):
    """t vectors to compute, where they matter, and which are still missing."""

    values: np.ndarray  # (t, K)
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
def walk(trail, terrain, targets, budget, nodes):
    """Search for instructions that compute all targets, for about `nodes` nodes; returns the reason to stop."""
    values, code, place, missing = trail.values, trail.code, trail.place, targets.missing
    spent, prices, least = trail.spent, terrain.prices, terrain.least
    depth, t = missing.shape[0] - 1, missing.shape[1]
    base = values.shape[0] - 1 - depth
    n = place[-1]
    while n >= base:
        d = n - base
        most = depth - d  # instructions
        needed = missing[d].sum()
        here = place[n]
        advanced = False
        while here < terrain.ends[n] and not advanced:
            op, a, b = candidate(terrain, here)
            here += 1
            nodes -= 1
            left = budget - spent[n] - prices[here - 1]
            if left < -TINY:
                continue
            must_hit = most <= needed or left < needed * least - TINY
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
            advanced = still < most and still * least <= left + TINY
            spent[n + 1] = budget - left
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

    targets: np.ndarray  # (t, K)
    care: np.ndarray  # (t, K): where they matter
    change: np.ndarray  # (t, K): where they change
    counts: np.ndarray  # (K,): how often each case occurs
    prices: np.ndarray  # (2,): of the jump and STOP, and of a WRITE
    cost: np.ndarray  # (1,): the mean
    length: np.ndarray  # (1,): the number of instructions
    code: np.ndarray  # (depth, 3)
    sources: np.ndarray  # (2, t)
    tried: np.ndarray  # (2, t): buffer for sources
    side: np.ndarray  # (2, K): the cases on both sides

    @classmethod
    def of(
        cls, examples: Cases, cells: np.ndarray, below: float, depth: int, ends: float, write: float
    ) -> Decision:
        """No decision yet that costs less than this."""
        parts = (
            examples.outputs.astype(number_type(examples.M)),
            examples.masks != 0,
            examples.change,
        )
        targets, care, change = (part[:, cells].T.copy() for part in parts)
        best, length = np.array([below]), np.zeros(1, np.int64)
        code, prices = np.zeros((depth, 3), np.int64), np.array([ends, write])
        sources, tried = np.zeros((2, 2, len(cells)), np.int64)
        side = np.zeros((2, examples.C), np.bool_)
        return cls(
            targets, care, change, examples.counts, prices, best, length, code, sources, tried, side
        )


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
def walk_branches(trail, terrain, best, budget, nodes):
    """Search codes for the cheapest decision on the last value; pauses as `walk` does.

    Codes that another instruction fits behind are only continued: smaller budgets have tried them.
    """
    values, code, place, depth = trail.values, trail.code, trail.place, best.code.shape[0]
    targets, care, change, counts = best.targets, best.care, best.change, best.counts
    K, total = values.shape[1], counts.sum()
    side, sources = best.side, best.tried
    spent, prices, least = trail.spent, terrain.prices, terrain.least
    n = place[-1]
    while n >= 0:
        here = place[n]
        if (
            n > 0 and spent[n] + 2 * least > budget + TINY
        ):  # everything must contribute to the condition
            here = max(here, terrain.ends[n - 1])
        advanced = False
        while here < terrain.ends[n] and not advanced:
            op, a, b = candidate(terrain, here)
            here += 1
            nodes -= 1
            paid = spent[n] + prices[here - 1]
            last = paid + least > budget + TINY
            if paid > budget + TINY or (last and n > 0 and here <= terrain.ends[n - 1]):
                continue
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
                advanced = n + 1 < depth and is_new(values, n)
                spent[n + 1] = paid
                continue
            if count == 0 or count == K:
                continue
            mean = paid + best.prices[0]
            for which in range(2):
                share = (zeros if which == 1 else total - zeros) / total
                for i in range(targets.shape[0]):
                    if mean >= best.cost[0] - TINY:
                        break
                    source = source_of(n + 1, side[which], values, targets[i], care[i], change[i])
                    sources[which, i] = source
                    if source == IMPOSSIBLE:
                        mean = np.inf
                    elif source != NOTHING:
                        mean += share * best.prices[1]
            if mean < best.cost[0] - TINY:
                best.cost[0] = mean
                best.length[0] = n + 1
                for line in range(n + 1):
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

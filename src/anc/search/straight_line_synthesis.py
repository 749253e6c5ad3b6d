"""Synthesis of straight-line code: deriving columns (one number per case) from each other.

All single instructions are tried on all pairs of available columns (cells, hints, constants); a result that is
another column is a derivation. The wanted columns are then derived with the cheapest distinct instructions.
What is base + times * x takes `times` additions, one below the other, that a computed jump enters (Duff's device).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from anc.compiler.graph import ADD, READ, SUB
from anc.isa import InstructionSet
from anc.machine.batch import output
from anc.machine.compiled import compiled
from anc.search.cost import PLAIN, Prices
from anc.search.meet_in_the_middle import bridges, computing, numbers_of, occurring, salt
from anc.search.plans import MOST_TIMES
from anc.search.single_instructions import beyond_paper
from anc.support.clock import look

MOST_BRIDGED = 80  # columns to find bridges between
MOST_DERIVATIONS = 16  # of one column
MOST_COUNTS = 10  # columns that may be repeat counts
FEW_REPEATED = 4  # repetitions for the same column
MOST_NUMBERS = 4_096  # that are tried as operands
_ROUNDS = 12

Operand = int  # the number of a column, or -1 - constant


@compiled
def _all_single(columns, V, M, these, k, occurs, salt, hashes, order, free, found, counts):
    """found[v, i] = (instruction, first, second): derivations of column v by the k-th instruction.

    The first V columns are given, the others are constants; at least one operand is given.
    """
    for a in range(columns.shape[0]):
        begin = a if these.turns[k] else 0
        end = columns.shape[0] if a < V else V
        if these.alone[k]:  # the second operand does not matter
            begin, end = a, a + (a < V)
        for b in range(begin, end):
            total = np.int64(0)
            possible = True
            for i in range(columns.shape[1]):
                value = output(these.ops[k], columns[a, i], columns[b, i], M, these.table)
                if not occurs[i, value]:
                    possible = False
                    break
                total += value * salt[i]
            if not possible:
                continue
            at = np.searchsorted(hashes, total)
            if at < len(hashes) and hashes[at] == total:
                v = order[at]
                count = counts[v]
                if v >= free and v != a and v != b and count < found.shape[1]:
                    found[v, count, 0], found[v, count, 1], found[v, count, 2] = k, a, b
                    counts[v] += 1


@dataclass(frozen=True)
class Derivation:
    """One instruction that computes a column from others; a repeated one takes (base, x, times)."""

    op: str
    operands: tuple[Operand, ...]
    cost: float = 1.0
    is_repeated: bool = False


@dataclass
class Derivations:
    """Columns with their derivations; the first `free` ones are available."""

    columns: np.ndarray  # (V, n)
    inputs: np.ndarray  # (n, M) the tapes that READ sees
    free: int  # the first columns, which cost nothing
    set: InstructionSet
    prices: Prices = PLAIN
    numbers: Collection[int] = ()  # that are tried as operands where all are too many
    ways: list[list[Derivation]] = field(default_factory=list)

    def __post_init__(self) -> None:
        V, n = self.columns.shape
        self.M = self.inputs.shape[1]
        self.ways = [[] for _ in range(V)]
        self.salt = salt(n)
        hashes = self.columns @ self.salt
        self.order = np.argsort(hashes, kind="stable")
        self.hashes = hashes[self.order]
        self._reads()
        self._computed()
        self._settle()

    # -- all single instructions -------------------------------------------------

    def _reads(self) -> None:
        """Cells at fixed addresses, and at addresses that are columns."""
        rows = np.arange(len(self.inputs))
        for cell, at in enumerate(self._places(self.inputs.T @ self.salt)):
            self._add(at, READ, (-1 - cell,))
        found = self.inputs[rows, self.columns]
        for address, at in enumerate(self._places(found @ self.salt)):
            self._add(at, READ, (address,))

    def _computed(self) -> None:
        """Instructions on two columns, or on a column and a constant."""
        V = len(self.columns)
        numbers = numbers_of(self.M, self.numbers, MOST_NUMBERS)
        constants = np.repeat(numbers[:, None], self.columns.shape[1], axis=1)
        everything = np.concatenate([self.columns, constants])
        these = computing(self.set, self.M)
        found = np.zeros((V, MOST_DERIVATIONS, 3), np.int64)
        counts = np.zeros(V, np.int64)
        lookup = occurring(self.columns, self.M), self.salt, self.hashes, self.order
        for k in range(len(these.ops)):
            look()
            _all_single(everything, V, self.M, these, k, *lookup, self.free, found, counts)
        for v in range(V):
            for k, first, second in found[v, : counts[v]].tolist():
                row = self.set[int(these.ops[k])]
                operands = (first, second)[: row.operands]
                places = tuple(o if o < V else -1 - int(numbers[o - V]) for o in operands)
                self.ways[v].append(Derivation(row.name, places, self.prices[row.name]))

    def repeat(self) -> None:
        """Try repeated instructions for columns without a derivation."""
        missing = [v for v, need in enumerate(self.need) if need < 0]
        reached = [v for v, need in enumerate(self.need) if need >= 0]
        reached.sort(key=lambda v: self.cost(self.need[v]))
        lookup = self.salt, self.hashes, self.order
        found = repetitions(self.columns, missing, reached, self.M, lookup, self.prices)
        for v, ways in zip(missing, found, strict=True):
            self.ways[v] += ways
        if any(found):
            self._settle()

    def _places(self, hashes: np.ndarray) -> np.ndarray:
        """For each hash its column, or -1."""
        if not len(self.hashes):
            return np.full(len(hashes), -1)
        at = np.searchsorted(self.hashes, hashes).clip(max=len(self.hashes) - 1)
        return np.where(self.hashes[at] == hashes, self.order[at], -1)

    def _add(self, at: int, op: str, operands: tuple[Operand, ...]) -> None:
        if at >= self.free and at not in operands and len(self.ways[at]) < MOST_DERIVATIONS:
            self.ways[at].append(Derivation(op, operands, self.prices[op]))

    # -- intermediate columns ----------------------------------------------------

    def bridged(self, wanted: Sequence[np.ndarray]) -> Derivations:
        """The same with intermediate columns, until all wanted ones have a derivation or nothing helps.

        The paper's machine repeats additions; where other instructions may do the same at once, repetitions
        come last.
        """
        found: Derivations = self
        repeats_last = bool(beyond_paper(self.set))
        for _ in range(_ROUNDS):
            if found.has(wanted):
                break
            if not repeats_last:
                found.repeat()
                if found.has(wanted):
                    break
            reached = [v for v, need in enumerate(found.need) if need >= 0]
            missing = [v for v, need in enumerate(found.need) if need < 0]
            if len(reached) > MOST_BRIDGED:
                break
            missed = found.columns[missing]
            new = bridges(found.columns[reached], missed, self.set, found.M, self.numbers)
            known = {column.tobytes() for column in found.columns}
            extra = {c.tobytes(): c for c in new if c.tobytes() not in known}
            if not extra:
                break
            columns = np.concatenate([found.columns, list(extra.values())])
            same = self.free, self.set, self.prices, self.numbers
            more = Derivations(columns, self.inputs, *same)
            if sum(need < 0 for need in more.need) >= len(missing):
                break
            found = more
        if repeats_last and not found.has(wanted):
            found.repeat()
        return found

    def has(self, wanted: Sequence[np.ndarray]) -> bool:
        return all(self.place(column) is not None for column in wanted)

    # -- the cheapest derivations ---------------------------------------------------

    def _settle(self) -> None:
        """Choose for each column the derivation that needs the cheapest columns, as bit masks."""
        V = len(self.columns)
        self.need = [0 if v < self.free else -1 for v in range(V)]
        self.chosen: list[Derivation | None] = [None] * V
        self.extra: dict[int, float] = {}  # the cost of repeated columns beyond one usual step
        self.dear = 0  # those columns as bits
        self.unusual: dict[float, int] = {}  # other columns as bits, by their cost beyond a step
        costs = [0.0] * V
        ways = [[(way, [o for o in way.operands if o >= 0]) for way in some] for some in self.ways]
        for _ in range(_ROUNDS):
            look()
            changed = False
            for v in range(self.free, V):
                for way, operands in ways[v]:
                    need = self.needed(operands)
                    if need is None or need >> v & 1:
                        continue
                    cost = self.cost(need) + way.cost
                    if self.need[v] < 0 or cost < costs[v]:
                        self.need[v], self.chosen[v], changed = need | 1 << v, way, True
                        costs[v] = cost
                        self._price(v, way)
            if not changed:
                break

    def _price(self, v: int, way: Derivation) -> None:
        """Note what a column costs beyond a usual step."""
        more, bit = way.cost - self.prices.step, 1 << v
        for other, members in self.unusual.items():
            self.unusual[other] = members & ~bit
        if way.is_repeated or v in self.extra:
            self.extra[v] = more
            self.dear |= bit
        elif more:
            self.unusual[more] = self.unusual.get(more, 0) | bit

    def cost(self, need: int) -> float:
        """The mean cost of some columns (as bits)."""
        total = self.prices.step * need.bit_count()
        for more, members in self.unusual.items():
            total += more * (need & members).bit_count()
        if need & self.dear:
            total += sum(more for v, more in self.extra.items() if need >> v & 1)
        return total

    def needed(self, columns: Sequence[int]) -> int | None:
        """All columns that these need, as bits; None if one has no derivation."""
        total = 0
        for column in columns:
            if self.need[column] < 0:
                return None
            total |= self.need[column]
        return total

    def place(self, column: np.ndarray) -> Operand | None:
        """The number of a column, or -1 - constant; None if it has no derivation."""
        if (column == column[0]).all():
            return -1 - int(column[0])
        at = int(self._places(np.array([column @ self.salt]))[0])
        return at if at >= 0 and (self.need[at] >= 0) else None

    def instructions(self, columns: Sequence[int]) -> list[tuple[int, Derivation]] | None:
        """The instructions of these columns in order; None if derivations are circular."""
        done: dict[int, Derivation] = {}
        on_the_way: set[int] = set()

        def visit(v: int) -> bool:
            if v < self.free or v in done:
                return True
            way = self.chosen[v]
            if v in on_the_way or way is None:
                return False
            on_the_way.add(v)
            if not all(visit(o) for o in way.operands if o >= 0):
                return False
            done[v] = way
            return True

        return list(done.items()) if all(map(visit, columns)) else None


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


def repetitions(
    columns: np.ndarray,
    wanted: Sequence[int],
    reached: Sequence[int],
    M: int,
    lookup: tuple[np.ndarray, np.ndarray, np.ndarray],
    prices: Prices = PLAIN,
) -> list[list[Derivation]]:
    """For each wanted column (by number) the repetitions of reached ones that compute it.

    `lookup` is the salt that columns are hashed with, the sorted hashes, and their columns.
    """
    times = [v for v in reached if 0 < np.ptp(columns[v]) <= columns[v].max() <= MOST_TIMES][
        :MOST_COUNTS
    ]
    if not wanted or not times:
        return [[] for _ in wanted]
    found = np.full((len(wanted), FEW_REPEATED, 4), -1)
    numbers = (np.array(some, np.int64) for some in (wanted, reached, times))
    _all_repeated(columns, *numbers, M, occurring(columns, M), *lookup, found)
    means = columns.mean(axis=1)
    entry = prices[SUB] + prices.jump

    def repeated(minus: int, base: int, x: int, t: int) -> Derivation:
        op = SUB if minus else ADD
        return Derivation(op, (base, x, t), entry + float(means[t]) * prices[op], True)

    return [[repeated(*way) for way in ways if way[-1] >= 0] for ways in found.tolist()]

"""Decision trees with straight-line code at the leaves, synthesised from hints.

If no straight line is right on all cases, or a branch is cheaper, a decision or a jump to the line of a value splits
the cases, and each part has a plan of its own, which can use the values that were computed before. Candidate decisions
are the program's own branches, and questions about cells: a number? equal cells? an order of two?
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, permutations

import numpy as np

from anc.compiler.graph import READ, SUB
from anc.isa import PAPER, InstructionSet
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.block_placement import lines_for, program_of
from anc.search.cost import PLAIN, STEPS, Cost, Prices
from anc.search.observed_values import Hints
from anc.search.planner import SplitColumn, StraightLines, spread
from anc.search.plans import Branch, Plan, SplitTest, Value, hoisted
from anc.search.single_instructions import telling

DEEPEST = 10  # decisions on one path
MOST_RESULTS = 24  # that questions distinguish
MAX_STEPS = 5_000
REPEATED = 3  # mean number of cases for each result, where results count as few
UNKNOWN = 60.0  # assumed cost of a side without a straight line
TESTS = 8  # decisions that are tried on the same cases
FAR = 4  # instructions of a column to jump by
COMMON = 6  # values of a cell that questions compare with
PAIRED = 12  # cells that are compared with each other
ASKED = 4  # questions that are tried
HALVING = 3.0  # steps per bit of information
MOST_VALUES = 24
FEWEST = 3  # cases of each value: with fewer, a plan may be right by chance
MOST_COLUMNS = 3  # columns that are tried
COMPUTED = 4.0  # assumed steps of a result that is neither constant nor available

TRIED = 2  # of them, while splits are optional

Pauses = Generator[None, None, Plan | None]


@dataclass(frozen=True, eq=False)
class Split:
    """A split of some cases: a column, and a key for each case."""

    column: SplitColumn
    keys: np.ndarray
    is_switch: bool
    jump: float = 1.0  # the price of its jump

    @property
    def cost(self) -> float:
        return sum(step.cost for step in self.column.steps) + self.jump

    def parts(self, chosen: np.ndarray) -> list[np.ndarray]:
        return [chosen[self.keys == key] for key in np.unique(self.keys)]


def planned(program: Program, cases: Cases, cost: Cost = STEPS) -> Iterator[Program | None]:
    """Programs for these cases, built from the program's own values; None now and then, as a pause."""
    hints = Hints.of(program, cases, MAX_STEPS)
    if hints is None:
        return
    instructions, prices = program.instructions, Prices.of(cost, program.instructions)
    for plan in Branching(hints, prices).plans():
        yield None if plan is None else program_of(plan, instructions, cases.M, prices)


class Branching(StraightLines):
    """Plans with branches between straight lines."""

    def __init__(self, hints: Hints, prices: Prices = PLAIN) -> None:
        super().__init__(hints, prices)
        self.gaining = False  # whether cases with a straight line are also split
        # The least cost of each case: WRITEs, STOP.
        self.least = self.cases.change.sum(axis=1) * prices.write + prices.stop
        self.unknown = UNKNOWN * prices.step

    def plans(self) -> Iterator[Plan | None]:
        """Ever cheaper plans for all cases; None now and then, as a pause.

        First the cases are split only where they must be, or by one jump.
        """
        everything = np.arange(self.cases.C)
        best = self.straight(everything, [])
        must = best is None
        yield best
        for self.gaining in (False, True):
            splits = (
                self.promising(everything, [], must) if self.gaining else self.first(everything)
            )
            for split in splits:
                plan = yield from self.parted(split, everything, [], 0, best)
                if plan is not None and (best is None or plan.cost < best.cost):
                    yield plan
                    best = plan
                if plan is not None and not self.gaining:
                    break

    def best(self, chosen: np.ndarray, known: list[Value], depth: int) -> Pauses:
        """The cheapest plan for these cases (a generator that pauses, and returns it)."""
        yield None
        best = self.straight(chosen, known)
        if depth >= DEEPEST or len(chosen) < 2 or not (best is None or self.gaining):
            return best
        for number, split in enumerate(self.promising(chosen, known, best is None)):
            if best is not None and number >= (TRIED if depth < 2 else 1):
                break
            plan = yield from self.parted(split, chosen, known, depth, best)
            if plan is not None and (best is None or plan.cost < best.cost):
                best = plan
        return best

    def promising(self, chosen: np.ndarray, known: list[Value], must: bool = True) -> list[Split]:
        """Splits with a straight line for at least one part, cheapest first.

        Decisions are the program's own; where the cases must be split, also the most informative questions
        about results. The most informative one about sums comes second in any case; if there is none of
        these, the first split is tried.
        """
        whole = self.straight(chosen, known)
        splits = self.splits(chosen, known, must)
        ranked: list[tuple[float, int, Split]] = []
        for split in splits:
            parts = split.parts(chosen)
            values = known + [step.value for step in split.column.steps]
            sides = [self.straight(part, values) for part in parts]
            costs = [
                min(line.cost if (line := side or whole) else self.unknown, self.guessed(part))
                for side, part in zip(sides, parts, strict=True)
            ]
            if any(sides) or max(costs) < self.unknown:
                total = sum(c * len(p) for c, p in zip(costs, parts, strict=True))
                cost = split.cost + total / len(chosen)
                if must or whole is None or cost < whole.cost:
                    ranked.append((cost, len(ranked), split))
        ranked.sort(key=lambda each: each[:2])
        best = [split for *_, split in ranked]
        if must or self.prices.differ:  # a branch may cost less than an instruction
            tests = self.telling(chosen, self.kinds(chosen))
            best[1:1] = list(self.decisions(tests, chosen, known))[:1]
        return best or (splits[:1] if must else [])

    def splits(self, chosen: np.ndarray, known: list[Value], must: bool) -> list[Split]:
        """All splits of the cases."""
        tests = [SplitTest(jumps) for jumps in self.hints.tests(chosen)[:TESTS]]
        if must:
            tests += self.telling(chosen, self.results(chosen))
        return [*self.decisions(tests, chosen, known), *self.switches(chosen, known)]

    def telling(self, chosen: np.ndarray, kinds: np.ndarray) -> list[SplitTest]:
        """The most informative questions about the classes of cases, if these are few."""
        few = 1 < kinds.max() + 1 <= MOST_RESULTS
        if not few:
            return []
        return questions(self.hints.inputs, chosen, kinds, self.prices, self.instructions)

    def decisions(
        self, tests: Iterable[SplitTest], chosen: np.ndarray, known: list[Value]
    ) -> Iterator[Split]:
        for test in tests:
            tested = self.tested(test, chosen, known)
            if tested is not None:
                keys = (tested.value.column[chosen] != 0).astype(np.int64)
                yield Split(tested, keys, False, self.prices.jump)

    def switches(self, chosen: np.ndarray, known: list[Value]) -> Iterator[Split]:
        """Splits by the values of a column, the most promising first."""
        rows = spread(chosen)
        found = self.derivations(rows, known, [])
        far = FAR * self.prices.step
        near = [v for v, need in enumerate(found.need) if need >= 0 and found.cost(need) <= far]
        columns = (self.column(v, found, known, rows, chosen) for v in near)
        at_hand = [column for column in columns if column is not None]
        results = np.array([c for pair in self.wanted(chosen) for c in pair])
        for column in promising_columns(at_hand, results, chosen, self.cases.counts, self.prices):
            yield Split(column, column.value.column[chosen], True, self.prices.jump)

    def first(self, chosen: np.ndarray) -> Iterator[Split]:
        """Quick splits: switches between straight lines, then any."""
        for split in self.switches(chosen, []):
            values = [step.value for step in split.column.steps]
            if all(self.straight(part, values) for part in split.parts(chosen)):
                yield split
        if self.straight(chosen, []) is None:
            yield from self.promising(chosen, [])

    def results(self, chosen: np.ndarray) -> np.ndarray:
        """A class for each case, by its result."""
        results = (self.cases.outputs * (self.cases.masks != 0))[chosen][:, self.cells]
        return np.unique(results, axis=0, return_inverse=True)[1].ravel()

    def guessed(self, chosen: np.ndarray) -> float:
        """The estimated cost of cases without a straight line: questions up to one of few results."""
        results = self.results(chosen)
        if results.max() + 1 > min(MOST_RESULTS, max(2, len(chosen) // REPEATED)):
            return self.unknown
        halving = HALVING * self.prices.step
        return min(self.unknown, float(self.least[chosen].mean()) + halving * entropy(results))

    def parted(
        self,
        split: Split,
        chosen: np.ndarray,
        known: list[Value],
        depth: int,
        below: Plan | None,
    ) -> Pauses:
        """A plan that begins with this split (a generator that returns it)."""
        steps, variable, keys = split.column.steps, split.column.value.variable, split.keys
        values = known + [step.value for step in steps]
        weights = self.cases.counts[chosen] / self.cases.counts[chosen].sum()
        least = weights * self.least[chosen]
        cost = split.cost + float(least.sum())
        sides, shares = dict[int, Plan](), dict[int, float]()
        for key in np.unique(keys).tolist():
            mine = keys == key
            side = yield from self.best(chosen[mine], values, depth + 1)
            if side is None:
                return None
            sides[key], shares[key] = side, float(weights[mine].sum())
            cost += side.cost * shares[key] - float(least[mine].sum())
            if below is not None and cost >= below.cost:
                return None
        shared, parts = hoisted(list(sides.values()))
        sides = dict(zip(sides, parts, strict=True))
        branch = Branch(variable, sides, shares, split.is_switch)
        plan = Plan(steps + shared, [], branch, cost)
        if split.is_switch:
            sizes = [side.size for side in sides.values()]
            free = np.zeros(self.M, np.bool_)
            lines = lines_for(list(sides), sizes, list(shares.values()), free, self.prices)
            if lines is None:
                return None
            plan.cost += lines.cost
        return plan if plan.lines <= self.M else None


def questions(
    inputs: np.ndarray,
    chosen: np.ndarray,
    kinds: np.ndarray,
    prices: Prices = PLAIN,
    instructions: InstructionSet = PAPER,
) -> list[SplitTest]:
    """The most informative questions about the classes of the chosen cases, for their cost."""
    best: dict[bytes, tuple[float, int, SplitTest]] = {}
    more = ((prices[READ] + prices[op], c) for op, c in telling(inputs, chosen, instructions))
    left: dict[bytes, float] = {}
    for number, (price, column) in enumerate(chain(_questions(inputs, chosen, prices), more)):
        jumps = column[chosen] == 0
        if jumps.all() or not jumps.any():
            continue
        key = jumps.tobytes()
        if key not in left:
            left[key] = sum(part.mean() * entropy(kinds[part]) for part in (jumps, ~jumps))
        rank = HALVING * prices.step * left[key] + price
        if key not in best or rank < best[key][0]:
            best[key] = rank, number, SplitTest(jumps, column)
    return [test for *_, test in sorted(best.values(), key=lambda each: each[:2])[:ASKED]]


def _questions(
    inputs: np.ndarray, chosen: np.ndarray, prices: Prices
) -> Iterator[tuple[float, np.ndarray]]:
    """Questions: their price, and a column over all cases that is 0 for yes."""
    read, less = prices[READ], prices[SUB]
    M = inputs.shape[1]
    mine = inputs[chosen]
    cells = np.flatnonzero((mine != mine[0]).any(axis=0)).tolist()
    for cell in cells:
        values, counts = np.unique(mine[:, cell], return_counts=True)
        for value in values[np.argsort(-counts)][:COMMON].tolist():
            yield read + less, (inputs[:, cell] - value) % M
    for a, b in combinations(cells[:PAIRED], 2):
        yield 2 * read + less, (inputs[:, a] - inputs[:, b]) % M
    for a, b in permutations(cells[:PAIRED], 2):
        yield 2 * read + prices.step + less, np.maximum(inputs[:, a], inputs[:, b]) - inputs[:, b]


def entropy(kinds: np.ndarray) -> float:
    """The entropy of the classes in bits."""
    shares = np.bincount(kinds) / len(kinds)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def promising_columns(
    at_hand: Iterable[SplitColumn],
    results: np.ndarray,
    chosen: np.ndarray,
    counts: np.ndarray,
    prices: Prices = PLAIN,
) -> list[SplitColumn]:
    """The columns with few values that make most results constant; of equivalent ones, the cheapest."""
    columns = list(at_hand)
    weights = counts[chosen] / counts[chosen].sum()
    results = results.reshape(-1, len(counts))[:, chosen]
    least: dict[bytes, tuple[float, int, SplitColumn]] = {}
    whole = _estimate(results, np.zeros(len(chosen), int), weights, columns, chosen, prices)
    for number, column in enumerate(columns):
        _, group = np.unique(column.value.column[chosen], return_inverse=True)
        sizes = np.bincount(group, counts[chosen])
        if not 1 < len(sizes) <= MOST_VALUES or sizes.min() < FEWEST:
            continue
        cost = sum(step.price for step in column.steps) + prices.jump
        cost += _estimate(results, group, weights, columns, chosen, prices)
        first = np.unique(group, return_index=True)[1]
        key = np.argsort(np.argsort(first))[group].tobytes()
        if cost < whole and (key not in least or cost < least[key][0]):
            least[key] = cost, number, column
    ranked = sorted(least.values(), key=lambda each: each[:2])
    return [column for *_, column in ranked[:MOST_COLUMNS]]


def _estimate(
    results: np.ndarray,
    group: np.ndarray,
    weights: np.ndarray,
    columns: list[SplitColumn],
    chosen: np.ndarray,
    prices: Prices,
) -> float:
    """The estimated cost of the results within each group."""
    cost = 0.0
    for number in range(group.max() + 1):
        mine = group == number
        at_hand = {column.value.column[chosen[mine]].tobytes() for column in columns}
        parts = results[:, mine]
        varying = parts[(parts != parts[:, :1]).any(axis=1)]
        steps = sum(1.0 if part.tobytes() in at_hand else COMPUTED for part in varying)
        cost += float(weights[mine].sum()) * steps * prices.step
    return cost

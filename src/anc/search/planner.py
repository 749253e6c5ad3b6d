"""Programs from hints: straight lines that compute what all cases need, parted where they cannot.

For some cases a straight line is derived from the columns that the generic program computed. Where
there is none, or where parting the cases is cheaper, a decision of the generic program parts them;
what was computed before it serves both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import numpy as np

from anc import isa
from anc.compiler.graph import Constant, Operand, Variable
from anc.machine.cases import Cases
from anc.machine.outputs import outputs_of
from anc.program import Program
from anc.search.derive import Derivation, Derivations
from anc.search.hints import Hints
from anc.search.plans import Plan, Step, Test, Value, program_of

ROWS = 24  # cases that columns are compared on
DEEPEST = 10  # decisions on one way
RETRIES = 4  # with cases added on which a line was wrong
ADDED = 8
MOST_RESULTS = 24  # that questions are asked to tell apart
UNKNOWN = 60.0  # what a side is taken to cost for which there is no straight line
COMMON = 6  # values of a cell that are asked for
ASKED = 4  # questions that are tried
TESTS = 8  # decisions that are tried to part the same cases
TRIED = 2  # of them, as long as cases are parted to gain and not because they must
MAX_STEPS = 5_000

Pauses = Generator[None, None, Plan | None]


def planned(program: Program, cases: Cases) -> Iterator[Program | None]:
    """Programs for these cases, built from what the program itself computes; None now and then."""
    hints = Hints.of(program, cases, MAX_STEPS)
    if hints is None:
        return
    planner = _Planner(hints)
    everything = np.arange(cases.C)
    straight = planner.straight(everything, [])
    if straight is not None:
        yield program_of(straight, cases.M)
    best = straight
    for test in planner.promising(everything, []):
        plan = yield from planner.parted(test, everything, [], 0, best)
        if plan is not None and (best is None or plan.cost < best.cost):
            best = plan
            yield program_of(plan, cases.M)


class _Planner:
    def __init__(self, hints: Hints) -> None:
        self.hints, self.cases = hints, hints.cases
        self.M = hints.cases.M
        self.names = 0
        change = self.cases.change.any(axis=0)
        self.cells = np.flatnonzero(change)

    def best(self, chosen: np.ndarray, known: list[Value], depth: int) -> Pauses:
        """The cheapest plan for these cases (a generator that pauses and returns it)."""
        yield None
        best = self.straight(chosen, known)
        if depth >= DEEPEST or len(chosen) < 2:
            return best
        for number, test in enumerate(self.promising(chosen, known, best is None)):
            if best is not None and number >= (TRIED if depth < 2 else 1):
                break
            plan = yield from self.parted(test, chosen, known, depth, best)
            if plan is not None and (best is None or plan.cost < best.cost):
                best = plan
        return best

    def promising(self, chosen: np.ndarray, known: list[Value], must: bool = True) -> list[Test]:
        """Decisions of which at least one side is a straight line, cheapest first; else the first.

        They are the program's own; where the cases must be parted, also those that tell best which
        of few results is wanted.
        """
        tests = [Test(jumps) for jumps in self.hints.tests(chosen)[:TESTS]]
        if must:
            tests += self.telling(chosen)
        whole = self.straight(chosen, known)
        unknown = UNKNOWN if whole is None else whole.cost
        ranked: list[tuple[float, int, Test]] = []
        for test in tests:
            parts = chosen[test.jumps], chosen[~test.jumps]
            sides = [self.straight(part, known) for part in parts]
            if any(sides):
                costs = [side.cost if side is not None else unknown for side in sides]
                cost = sum(c * len(part) for c, part in zip(costs, parts, strict=True))
                ranked.append((cost, len(ranked), test))
        ranked.sort(key=lambda each: each[:2])
        return [test for *_, test in ranked] or tests[:1]

    def telling(self, chosen: np.ndarray) -> list[Test]:
        """Is a cell this number? The questions that say most about which result is wanted."""
        results = (self.cases.outputs * (self.cases.masks != 0))[chosen][:, self.cells]
        _, kinds = np.unique(results, axis=0, return_inverse=True)
        if not 1 < kinds.max() + 1 <= MOST_RESULTS:
            return []
        found: list[tuple[float, int, Test]] = []
        inputs = self.hints.inputs[chosen]
        for place in np.flatnonzero((inputs != inputs[0]).any(axis=0)).tolist():
            values, counts = np.unique(inputs[:, place], return_counts=True)
            for value in values[np.argsort(-counts)][:COMMON].tolist():
                jumps = inputs[:, place] == value
                left = sum(
                    part.mean() * _entropy(kinds[part]) for part in (jumps, ~jumps) if part.any()
                )
                column = (self.hints.inputs[:, place] - value) % self.M
                found.append((left, len(found), Test(jumps, column)))
        found.sort(key=lambda each: each[:2])
        return [test for *_, test in found[:ASKED] if not test.jumps.all()]

    def parted(
        self,
        test: Test,
        chosen: np.ndarray,
        known: list[Value],
        depth: int,
        below: Plan | None,
    ) -> Pauses:
        """A plan that begins with this decision (a generator that returns it)."""
        tested = self.tested(test, chosen, known)
        if tested is None:
            return None
        steps, variable = tested
        values = known + [step.value for step in steps]
        parts = test.jumps, ~test.jumps
        shares = [float(self.cases.counts[chosen[part]].sum()) for part in parts]
        cost, sides = len(steps) + 1.0, list[Plan]()
        for part, share in zip(parts, shares, strict=True):
            side = yield from self.best(chosen[part], values, depth + 1)
            if side is None:
                return None
            sides.append(side)
            cost += side.cost * share / sum(shares)
            if below is not None and cost >= below.cost:
                return None
        return Plan(steps, [], variable, sides[0], sides[1], cost)

    # -- straight lines -------------------------------------------------------

    def straight(self, chosen: np.ndarray, known: list[Value]) -> Plan | None:
        """The shortest line found that does what all of these cases need."""
        wanted = self.wanted(chosen)
        rows = _spread(chosen)
        for _ in range(RETRIES):
            found = self.line(rows, known, wanted)
            if found is None:
                return None
            plan, columns = found
            wrong = np.zeros(len(chosen), np.bool_)
            for column, goal in zip(columns, (c for pair in wanted for c in pair), strict=True):
                wrong |= column[chosen] != goal[chosen]
            if not wrong.any():
                return plan
            rows = np.union1d(rows, chosen[wrong][:ADDED])
        return None

    def line(
        self, rows: np.ndarray, known: list[Value], wanted: list[tuple[np.ndarray, np.ndarray]]
    ) -> tuple[Plan, list[np.ndarray]] | None:
        """A line that is right on these cases, and what its WRITEs write where, on all cases."""
        goals = [column[rows] for pair in wanted for column in pair]
        found = self.derivations(rows, known, goals).bridged(goals)
        places = [found.place(goal) for goal in goals]
        if any(place is None for place in places):
            return None
        needed = [place for place in places if place is not None]
        instructions = found.instructions([place for place in needed if place >= 0])
        if instructions is None:
            return None
        steps, value = self.steps(instructions, found, known, rows)
        operands, columns = zip(*map(value, needed), strict=True) if needed else ((), ())
        writes = list(zip(operands[::2], operands[1::2], strict=True))
        return Plan(steps, writes, cost=len(steps) + len(writes) + 1.0), list(columns)

    def wanted(self, chosen: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """The WRITEs that the cases need: columns of addresses and of values, over all cases."""
        inputs, outputs = (part[chosen].astype(np.int64) for part in self.cases[:2])
        masks = self.cases.masks[chosen] != 0
        tape, found = inputs.copy(), []
        for address, value in self.hints.writes(chosen):
            tape[np.arange(len(chosen)), address] = value
            found.append((self.wide(address, chosen), self.wide(value, chosen)))
        spoilt = (tape != outputs) & (inputs == outputs) & masks
        if spoilt.any():  # these WRITEs make wrong what was right
            found, tape = [], inputs.copy()
        for cell in self.cells.tolist():
            wrong = (tape[:, cell] != outputs[:, cell]) & masks[:, cell]
            if wrong.any():
                found.append((np.full(self.cases.C, cell), self.wide(outputs[:, cell], chosen)))
        return found

    def wide(self, column: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """A column over the chosen cases as one over all of them."""
        whole = np.zeros(self.cases.C, np.int64)
        whole[chosen] = column
        return whole

    def derivations(
        self, rows: np.ndarray, known: list[Value], wanted: list[np.ndarray]
    ) -> Derivations:
        """How columns follow from each other on these cases; known values come first, and free."""
        free = [value.column[rows] for value in known]
        inputs = self.hints.inputs[rows]
        cells = [c for c in inputs.T if (c != c[0]).any()]
        distinct = {c.tobytes(): c for c in free}
        number = len(distinct)
        for column in (*cells, *self.hints.columns(rows), *wanted):
            if (column != column[0]).any():
                distinct.setdefault(column.tobytes(), column)
        columns = np.array(list(distinct.values()), np.int64).reshape(-1, len(rows))
        return Derivations(columns, inputs, number)

    def tested(
        self, test: Test, chosen: np.ndarray, known: list[Value]
    ) -> tuple[list[Step], Variable] | None:
        """The cheapest value at hand that is 0 exactly for the cases that jump."""
        rows, jumps = _spread(chosen), test.jumps
        there = jumps[np.searchsorted(chosen, rows)]
        found = self.derivations(rows, known, [] if test.column is None else [test.column[rows]])
        fits = np.flatnonzero(((found.columns == 0) == there).all(axis=1))
        if len(fits) and not any(found.need[v] >= 0 for v in fits):
            found = found.bridged([found.columns[fits[0]]])
            fits = np.flatnonzero(((found.columns == 0) == there).all(axis=1))
        reached = [int(v) for v in fits if found.need[v] >= 0]
        for v in sorted(reached, key=lambda v: found.need[v].bit_count())[:4]:
            instructions = found.instructions([v])
            if instructions is None:
                continue
            steps, value = self.steps(instructions, found, known, rows)
            variable, column = value(v)
            if isinstance(variable, Variable) and ((column[chosen] == 0) == jumps).all():
                return steps, variable
        return None

    def steps(
        self,
        instructions: list[tuple[int, Derivation]],
        found: Derivations,
        known: list[Value],
        rows: np.ndarray,
    ) -> tuple[list[Step], Callable[[int], tuple[Operand, np.ndarray]]]:
        """Derivations as steps with variables; and, for each column, what stands for it in all cases."""
        sources = {value.column[rows].tobytes(): value for value in reversed(known)}
        at = {v: sources[found.columns[v].tobytes()] for v in range(found.free)}

        def value(number: int) -> tuple[Operand, np.ndarray]:
            if number < 0:
                return Constant(-1 - number), np.full(self.cases.C, -1 - number)
            return at[number].variable, at[number].column

        steps = []
        for number, way in instructions:
            row = isa.INSTRUCTIONS[way.op]
            operands, columns = zip(*map(value, way.operands), strict=True)
            if row.effect is isa.Effect.READ:
                result = self.hints.inputs[np.arange(self.cases.C), columns[0]]
            else:
                result = outputs_of(way.op, self.M)[columns[0], columns[-1]]
            self.names += 1
            at[number] = Value(Variable(f"v{self.names}"), result)
            steps.append(Step(row.name, operands, at[number]))
        return steps, value


def _entropy(kinds: np.ndarray) -> float:
    shares = np.bincount(kinds) / len(kinds)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def _spread(chosen: np.ndarray) -> np.ndarray:
    """A few of the cases, evenly."""
    if len(chosen) <= ROWS:
        return chosen
    return chosen[np.linspace(0, len(chosen) - 1, ROWS).astype(int)]

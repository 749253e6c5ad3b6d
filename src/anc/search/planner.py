"""Straight lines from hints: the cheapest instructions that compute the results of some cases.

A line is derived on a sample of the cases from the columns that the generic program computed; cases on which it is
wrong are added to the sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anc.compiler.graph import ADD, SUB, Constant, Operand, Variable
from anc.isa import Effect
from anc.machine.batch import outputs
from anc.search.cost import PLAIN, Prices
from anc.search.observed_values import Hints, addressed
from anc.search.plans import Plan, PlannedStep, Repetition, SplitTest, Value, fitted
from anc.search.reassociation import Regrouping
from anc.search.single_instructions import deciding
from anc.search.straight_line_synthesis import Derivation, Derivations

ROWS = 24  # cases in the sample
RETRIES = 4  # with cases added
ADDED = 8
MOST_ASKED = 4  # single cells that decide which cases jump


@dataclass(frozen=True, eq=False)
class SplitColumn:
    """A value to split cases by, and the steps that compute it."""

    steps: list[PlannedStep]
    value: Value


_Key = tuple[bytes, tuple[str, ...]]  # some cases, and the known values


class StraightLines:
    """The cheapest straight lines for some cases, and values that split the cases."""

    def __init__(self, hints: Hints, prices: Prices = PLAIN) -> None:
        self.hints, self.cases, self.M = hints, hints.cases, hints.cases.M
        self.prices = prices
        self.cells = np.flatnonzero(self.cases.change.any(axis=0))
        self.instructions, self.names = hints.program.instructions, 0
        self.regrouping = Regrouping(hints, prices)
        self.values: dict[tuple[str, tuple[Operand, ...]], Value] = {}  # by instruction
        self.lines: dict[_Key, Plan | None] = {}  # memoised
        self.tests: dict[tuple[bytes, *_Key], SplitColumn | None] = {}
        self.hinted: dict[bytes, np.ndarray] = {}

    # -- straight lines -------------------------------------------------------

    def straight(self, chosen: np.ndarray, known: list[Value]) -> Plan | None:
        """The cheapest line found that is right on all of these cases."""
        key = _key(chosen, known)
        if key not in self.lines:
            self.lines[key] = self.line_for(chosen, known)
        return self.lines[key]

    def line_for(self, chosen: np.ndarray, known: list[Value]) -> Plan | None:
        wanted = self.wanted(chosen)
        rows = spread(chosen)
        for _ in range(RETRIES):
            found = self.line(rows, known, wanted)
            if found is None:
                return None
            plan, columns = found
            wrong = np.zeros(len(chosen), np.bool_)
            for column, goal in zip(columns, (c for pair in wanted for c in pair), strict=True):
                wrong |= column[chosen] != goal[chosen]
            if not wrong.any():
                return self.weighed(plan, chosen)
            rows = np.union1d(rows, chosen[wrong][:ADDED])
        return None

    def line(
        self, rows: np.ndarray, known: list[Value], wanted: list[tuple[np.ndarray, np.ndarray]]
    ) -> tuple[Plan, list[np.ndarray]] | None:
        """A line that is right on these cases, and the operands of its WRITEs on all cases."""
        goals = [column[rows] for pair in wanted for column in pair]
        forms = self.regrouping.forms(rows, wanted)
        others = [goal for goal, form in zip(goals, forms, strict=True) if form is None]
        found = self.derivations(rows, known, goals).bridged(others)
        line = self.regrouping.line(rows, found, goals, forms)
        if line is None:
            return None
        steps, value = self.steps(line.instructions, found, known, rows)
        operands, columns = zip(*map(value, line.numbers), strict=True) if goals else ((), ())
        writes = list(zip(operands[::2], operands[1::2], strict=True))
        return Plan(steps, writes), list(columns)

    def weighed(self, plan: Plan, chosen: np.ndarray) -> Plan | None:
        """The line with its cost on these cases."""
        later = {operand for pair in plan.writes for operand in pair}
        steps = fitted(plan.steps, chosen, self.cases.counts, later)
        if steps is None:
            return None
        cost = sum(step.cost for step in steps)
        cost += len(plan.writes) * self.prices.write + self.prices.stop
        found = Plan(steps, plan.writes, cost=cost)
        return found if found.lines <= self.M else None

    def wanted(self, chosen: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """The WRITEs that the cases need: columns of addresses and of values, over all cases."""
        inputs, outputs = (part[chosen].astype(np.int64) for part in self.cases[:2])
        masks = self.cases.masks[chosen] != 0
        tape, found = inputs.copy(), []
        for address, value in self.hints.writes(chosen):
            tape[np.arange(len(chosen)), address] = value
            found.append((self.wide(address, chosen), self.wide(value, chosen)))
        spoilt = (tape != outputs) & (inputs == outputs) & masks
        if spoilt.any():  # these WRITEs spoil a right cell
            found, tape = [], inputs.copy()
        for cell in self.cells.tolist():
            wrong = (tape[:, cell] != outputs[:, cell]) & masks[:, cell]
            if wrong.any():
                found.append((np.full(self.cases.C, cell), self.wide(outputs[:, cell], chosen)))
        return found

    def kinds(self, chosen: np.ndarray) -> np.ndarray:
        """Classes of cases by the sums that they need."""
        return self.regrouping.kinds(chosen, self.wanted(chosen))

    def wide(self, column: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """A column over the chosen cases as one over all of them."""
        whole = np.zeros(self.cases.C, np.int64)
        whole[chosen] = column
        return whole

    def derivations(
        self, rows: np.ndarray, known: list[Value], wanted: list[np.ndarray]
    ) -> Derivations:
        """Derivations of columns on these cases; known values come first, and are free."""
        free = [value.column[rows] for value in known]
        inputs = self.hints.inputs[rows]
        cells = inputs[:, (inputs != inputs[0]).any(axis=0)].T
        distinct = {c.tobytes(): c for c in free}
        number = len(distinct)
        found = addressed(self.hints, rows, np.array([*distinct.values(), *cells]))
        if rows.tobytes() not in self.hinted:
            self.hinted[rows.tobytes()] = self.hints.columns(rows)
        for column in (*cells, *self.hinted[rows.tobytes()], *wanted, *found):
            if (column != column[0]).any():
                distinct.setdefault(column.tobytes(), column)
        columns = np.array(list(distinct.values()), np.int64).reshape(-1, len(rows))
        known_columns = columns, inputs, number
        return Derivations(*known_columns, self.instructions, self.prices, self.hints.numbers)

    def column(
        self,
        number: int,
        found: Derivations,
        known: list[Value],
        rows: np.ndarray,
        chosen: np.ndarray,
    ) -> SplitColumn | None:
        """A derived column over all cases, if it fits the chosen ones."""
        instructions = found.instructions([number])
        if instructions is None:
            return None
        steps, value = self.steps(instructions, found, known, rows)
        variable, column = value(number)
        fit = fitted(steps, chosen, self.cases.counts, None)
        if fit is None or not isinstance(variable, Variable):
            return None
        return SplitColumn(fit, Value(variable, column))

    def tested(self, test: SplitTest, chosen: np.ndarray, known: list[Value]) -> SplitColumn | None:
        """The cheapest value that is 0 exactly for the cases that jump, or for the others."""
        key = test.jumps.tobytes(), *_key(chosen, known)
        if key not in self.tests:
            self.tests[key] = self.test_for(test, chosen, known)
        return self.tests[key]

    def test_for(
        self, test: SplitTest, chosen: np.ndarray, known: list[Value]
    ) -> SplitColumn | None:
        rows, jumps = spread(chosen), test.jumps
        there = jumps[np.searchsorted(chosen, rows)]
        asked = [] if test.column is None else [test.column]
        asked += [(self.hints.inputs[:, c] - v) % self.M for c, v in self.asking(chosen, jumps)]
        at_hand = [value.column for value in known], self.hints.inputs
        asked += deciding(*at_hand, rows, there, self.instructions)
        found = self.derivations(rows, known, [column[rows] for column in asked])
        fits = _telling(found.columns, there)
        if len(fits) and not any(found.need[v] >= 0 for v in fits):
            found = found.bridged([found.columns[fits[0]]])
            fits = _telling(found.columns, there)
        reached = [v for v in fits if found.need[v] >= 0]
        for v in sorted(reached, key=lambda v: found.cost(found.need[v]))[:4]:
            column = self.column(v, found, known, rows, chosen)
            if column is not None and _telling(column.value.column[None, chosen], jumps):
                return column
        return None

    def asking(self, chosen: np.ndarray, jumps: np.ndarray) -> list[tuple[int, int]]:
        """Cells and numbers whose equality decides which cases jump."""
        inputs = self.hints.inputs[chosen]
        found = []
        for some in (jumps, ~jumps):
            value = inputs[some.argmax()]
            same = ((inputs == value) == some[:, None]).all(axis=0)
            found += [(cell, int(value[cell])) for cell in np.flatnonzero(same).tolist()]
        return found[:MOST_ASKED]

    def steps(
        self,
        instructions: list[tuple[int, Derivation]],
        found: Derivations,
        known: list[Value],
        rows: np.ndarray,
    ) -> tuple[list[PlannedStep], Callable[[int], tuple[Operand, np.ndarray]]]:
        """Derivations as steps with variables, and the operand and values of each column in all cases."""
        sources = {value.column[rows].tobytes(): value for value in reversed(known)}
        at = {v: sources[found.columns[v].tobytes()] for v in range(found.free)}

        def value(number: int) -> tuple[Operand, np.ndarray]:
            if number < 0:
                return Constant(-1 - number), np.full(self.cases.C, -1 - number)
            return at[number].variable, at[number].column

        steps: list[PlannedStep] = []
        prices = self.prices
        for number, way in instructions:
            row, price = self.instructions[way.op], prices[way.op]
            operands, columns = zip(*map(value, way.operands), strict=True)
            if way.is_repeated:
                base, x, times = columns
                at[number] = self.value((base + (x if way.op == ADD else -x) * times) % self.M)
                entry, copy = prices[SUB] + prices.jump, prices[ADD]
                repeated = row.name, operands, at[number], times
                steps.append(Repetition(*repeated, entry=entry, copy=copy, price=price))
                continue
            key = row.name, operands
            if key not in self.values:
                if row.effect is Effect.READ:
                    result = self.hints.inputs[np.arange(self.cases.C), columns[0]]
                else:
                    op = self.instructions.code[way.op]
                    result = outputs(self.instructions, op, columns[0], columns[-1], self.M)
                self.values[key] = self.value(result)
            at[number] = self.values[key]
            steps.append(PlannedStep(row.name, operands, at[number], price=price))
        return steps, value

    def value(self, column: np.ndarray) -> Value:
        """A new value."""
        self.names += 1
        return Value(Variable(f"v{self.names}"), column)


def _key(chosen: np.ndarray, known: list[Value]) -> _Key:
    return chosen.tobytes(), tuple(value.variable.name for value in known)


def _telling(columns: np.ndarray, jumps: np.ndarray) -> list[int]:
    """The columns that are 0 exactly for the cases that jump, or for the others."""
    same = (columns == 0) == jumps
    return np.flatnonzero(same.all(axis=1) | ~same.any(axis=1)).tolist()


def spread(chosen: np.ndarray) -> np.ndarray:
    """An evenly spaced sample of the cases."""
    if len(chosen) <= ROWS:
        return chosen
    return chosen[np.linspace(0, len(chosen) - 1, ROWS).astype(int)]

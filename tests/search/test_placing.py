"""Plans as programs: every case goes the way that the plan says, in as many steps as it says."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from anc import isa
from anc.compiler.graph import Constant, Operand, Variable
from anc.machine import exact
from anc.machine.exact import Stop
from anc.search.block_placement import lines_for, program_of
from anc.search.plans import Branch, Plan, PlannedStep, Repetition, Value, fitted

M = 64
RESULT = 60  # cells from here on are written


class Planning:
    """Random plans for some tapes, together with what they write for each of them."""

    def __init__(self, random: Random, tapes: np.ndarray) -> None:
        self.random, self.tapes = random, tapes
        self.counts = np.array([random.randint(1, 3) for _ in tapes], np.float64)
        self.outputs = tapes.copy()
        self.names = 0

    def value(self, column: np.ndarray) -> Value:
        self.names += 1
        return Value(Variable(f"v{self.names}"), column)

    def read(self) -> PlannedStep:
        cell = self.random.randrange(4)
        return PlannedStep("READ", (Constant(cell),), self.value(self.tapes[:, cell]))

    def plan(self, chosen: np.ndarray, depth: int) -> Plan:
        steps = [self.read() for _ in range(self.random.randint(1, 4))]
        steps += [self.repetition(steps) for _ in range(self.random.randint(0, 2))]
        values = [step.value for step in steps]
        kind = self.random.choice(["end", "test", "switch", "switch"]) if depth else "end"
        if kind == "end" or len(chosen) < 2:
            return self.ending(chosen, steps)
        value = self.random.choice(values[:2])
        fit = fitted(steps, chosen, self.counts, None)
        assert fit is not None
        keys = value.column[chosen]
        weights = self.counts[chosen] / self.counts[chosen].sum()
        if kind == "switch":
            ways = {k: self.plan(chosen[keys == k], depth - 1) for k in np.unique(keys).tolist()}
            shares = {k: float(weights[keys == k].sum()) for k in ways}
            return Plan(fit, [], Branch(value.variable, ways, shares, True))
        if (keys == 0).all() or (keys != 0).all():
            return self.ending(chosen, steps)
        sides = [self.plan(chosen[part], depth - 1) for part in (keys == 0, keys != 0)]
        share = float(weights[keys == 0].sum())
        return Plan(
            fit, [], Branch(value.variable, dict(enumerate(sides)), {0: share, 1: 1 - share}, False)
        )

    def repetition(self, steps: list[PlannedStep]) -> PlannedStep:
        """A sum of the last value (or a number) and another one, as often as a third one says."""
        base, x = steps[-1].value, self.random.choice(steps).value
        times = next(step.value for step in steps if step.op == "READ")
        number = self.random.randrange(M)
        first: tuple[Operand, np.ndarray] = self.random.choice(
            [(base.variable, base.column), (Constant(number), np.full(len(self.tapes), number))]
        )
        op, sign = self.random.choice([("ADD", 1), ("SUB", -1)])
        result = self.value((first[1] + sign * x.column * times.column) % M)
        operands = (first[0], x.variable, times.variable)
        return Repetition(op, operands, result, times.column)

    def ending(self, chosen: np.ndarray, steps: list[PlannedStep]) -> Plan:
        writes: list[tuple[Operand, Operand]] = []
        for cell in range(RESULT, RESULT + self.random.randint(0, 3)):
            number, value = self.random.randrange(M), self.random.choice(steps).value
            of_number = self.random.random() < 0.3
            writes.append((Constant(cell), Constant(number) if of_number else value.variable))
            self.outputs[chosen, cell] = number if of_number else value.column[chosen]
        later = {operand for pair in writes for operand in pair}
        fit = fitted(steps, chosen, self.counts, later)
        assert fit is not None
        return Plan(fit, writes)


def expected_steps(plan: Plan) -> float:
    """The mean steps that a plan says; jumps that cut the blocks of switches come on top."""
    straight = sum(step.cost for step in plan.steps) + len(plan.writes) + 1
    if plan.branch is None:
        return straight
    ways, shares = plan.branch.ways, plan.branch.shares
    return straight + sum(shares[value] * expected_steps(way) for value, way in ways.items())


def has_switch(plan: Plan) -> bool:
    ways = plan.branch.ways.values() if plan.branch is not None else ()
    return (plan.branch is not None and plan.branch.is_switch) or any(map(has_switch, ways))


@pytest.mark.parametrize(("depth", "n"), [(0, 12), (1, 12), (2, 6)])
def test_random_plans_do_what_they_say_in_as_many_steps_as_they_say(depth: int, n: int) -> None:
    random, placed_ones, switches, wrong = Random(depth), 0, 0, []
    for _ in range(40):
        tapes = np.zeros((n, M), np.int64)
        tapes[:, :4] = [[random.choice([0, 1, 2, 4]) for _ in range(4)] for _ in tapes]
        planning = Planning(random, tapes)
        plan = planning.plan(np.arange(len(tapes)), depth)
        program = program_of(plan, isa.PAPER, M)
        if program is None:
            assert plan.lines > 0.8 * M
            continue
        placed_ones += 1
        switches += plan.branch is not None and plan.branch.is_switch
        assert program.L <= M
        runs = [exact.run(program, tuple(tape), 200) for tape in tapes.tolist()]
        assert all(run.stop is Stop.STOPPED for run in runs)
        wrong += [
            (run.tape, wanted)
            for run, wanted in zip(runs, planning.outputs.tolist(), strict=True)
            if list(run.tape) != wanted
        ]
        steps = np.average([run.steps for run in runs], weights=planning.counts)
        assert steps == pytest.approx(expected_steps(plan)) or (
            has_switch(plan) and steps > expected_steps(plan)
        )
    assert not wrong
    assert placed_ones > 20
    assert switches > 10 or depth == 0


def test_blocks_stand_at_the_lines_that_are_jumped_to() -> None:
    x = Variable("x")
    ways = {v: Plan([], [(Constant(0), Constant(v))]) for v in (4, 5, 9)}
    switch = Branch(x, ways, {4: 0.5, 5: 0.25, 9: 0.25}, True)
    step = PlannedStep("READ", (Constant(1),), Value(x, np.zeros(1)))
    program = program_of(Plan([step], [], switch), isa.PAPER, 16)
    assert program is not None
    for value in ways:  # READ, JEZ, WRITE, STOP; a jump behind line 4, which is 5 already
        run = exact.run(program, (0, value, *[0] * 14), 99)
        assert (run.tape[0], run.steps) == (value, 5 if value == 4 else 4)


def test_a_plan_that_needs_more_lines_than_there_are_is_no_program() -> None:
    writes: list[tuple[Operand, Operand]] = [(Constant(0), Constant(1))] * 8
    assert program_of(Plan([], writes), isa.PAPER, 9) is not None
    assert program_of(Plan([], writes), isa.PAPER, 8) is None


def test_lines_that_are_taken_are_kept_clear_of() -> None:
    taken = np.zeros(16, np.bool_)
    taken[[3, 10]] = True
    found = lines_for([3, 5], [3, 3], [0.5, 0.5], taken)
    assert found is not None
    assert not taken[list(found.at)].any()
    assert {(line - found.added) % 16 for line in found.at} == {3, 5}
    assert lines_for([3, 5], [1, 1], [0.5, 0.5], np.ones(16, np.bool_)) is None

"""Plans that compute where they jump: to the line of a value, or into a row of additions."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from search.planning import best_plan, compiled, first_cell_of

from anc import isa
from anc.machine.encoded import Cases
from anc.program import Program
from anc.proof import Claim, Outcome, parse_fact, prove
from anc.search.decision_tree import promising_columns
from anc.search.planner import SplitColumn
from anc.search.plans import PlannedStep, Value
from anc.search.straight_line_synthesis import Derivations

M = 32
PRICES = """
var c; var test; var price = 0
c = READ(1)
test = SUB(c, 3)
JEZ(test, l_three)
test = SUB(c, 9)
JEZ(test, l_nine)
test = SUB(c, 14)
JEZ(test, l_fourteen)
WRITE(0, 17)
STOP()
l_three: WRITE(0, 5)
STOP()
l_nine: WRITE(0, 2)
STOP()
l_fourteen: WRITE(0, 11)
STOP()
"""
PRODUCT = """
var total; var k; var x
total = READ(1)
k = READ(2)
x = READ(3)
l_next: JEZ(k, l_end)
total = ADD(total, x)
k = DEC(k)
JEZ(0, l_next)
l_end: WRITE(0, total)
STOP()
"""


def cases_of(program: Program, n: int, cells: list[list[int]]) -> Cases:
    """Cases whose cells 1, 2, ... hold one of these numbers."""
    random = Random(n)
    starts = [[0, *(random.choice(some) for some in cells)] for _ in range(n)]
    return first_cell_of(program, starts, M)


def test_a_value_is_the_line_to_jump_to() -> None:
    program, values = compiled(PRICES, M), [3, 9, 14, 20]
    cases, fresh = (cases_of(program, n, [values, [0, 1]]) for n in (60, 61))
    steps, plan = best_plan(program, cases, fresh)
    assert steps == 4  # READ, JEZ, WRITE, STOP
    mask = [True, *[False] * (M - 1)]
    facts = [parse_fact("tape[1] in (3, 9, 14, 20)", M)]
    assert prove(Claim(program, plan, M, mask, facts)).outcome is Outcome.PROVED
    assert prove(Claim(program, plan, M, mask, [])).outcome is Outcome.REFUTED


def test_additions_are_repeated_as_often_as_a_cell_says() -> None:
    program = compiled(PRODUCT, M)
    numbers = list(range(M))
    cases, fresh = (cases_of(program, n, [numbers, [0, 1, 2, 3], numbers]) for n in (80, 81))
    steps, plan = best_plan(program, cases, fresh)
    times = np.average(fresh.inputs[:, 2], weights=fresh.counts)
    assert steps == pytest.approx(7 + times)  # three READs, SUB, JEZ, the additions, WRITE, STOP
    mask = [True, *[False] * (M - 1)]
    facts = [parse_fact("tape[2] <= 3", M)]
    assert prove(Claim(program, plan, M, mask, facts)).outcome is Outcome.PROVED


def test_a_repetition_costs_as_many_steps_as_it_takes() -> None:
    random = np.random.default_rng(0)
    base, x, times = random.integers(M, size=20), random.integers(M, size=20), np.arange(20) % 4
    wanted = (base - times * x) % M
    inputs = np.zeros((20, M), np.int64)
    inputs[:, :3] = np.array([base, x, times]).T
    found = Derivations(np.array([base, x, times, wanted]), inputs, 0, isa.PAPER)
    found.repeat()
    assert found.cost(found.need[3]) == 3 + 2 + times.mean()
    assert [way.op for _, way in found.instructions([3]) or ()][-1] == found.ways[3][0].op


def test_columns_with_few_cases_of_a_value_are_not_jumped_by() -> None:
    few, many = np.array([0, 1, 2, 3] * 5), np.array([5] * 10 + [7] * 9 + [8])
    results = np.array([few * 3])
    columns = [
        SplitColumn([PlannedStep("READ", (), value)], value)
        for value in (Value(None, few), Value(None, many))  # type: ignore[arg-type]
    ]
    found = promising_columns(columns, results, np.arange(20), np.ones(20))
    assert found == columns[:1]

"""Plans: the values that a program computes, had in fewer steps."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from search.planning import best_plan, compiled, first_cell_of

from anc import isa
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.cost import score
from anc.search.decision_tree import planned
from anc.search.meet_in_the_middle import bridges
from anc.search.straight_line_synthesis import Derivations

M = 16
LARGEST = """
var p = 1; var best = 0; var value; var more
l_next: value = READ(p)
JEZ(value, l_end)
p = INC(p)
more = MAX(value, best)
more = SUB(more, best)
JEZ(more, l_next)
best = ADD(value, 0)
JEZ(0, l_next)
l_end: WRITE(0, best)
STOP()
"""
DIGIT_SUM = """
var p = 1; var total = 0; var value; var test
l_next: value = READ(p)
JEZ(value, l_end)
p = INC(p)
total = ADD(total, value)
test = MIN(total, 4)
test = SUB(total, test)
JEZ(test, l_next)
total = SUB(total, 5)
JEZ(0, l_next)
l_end: WRITE(0, total)
STOP()
"""  # modulo 5, of numbers below 5


def cases_of(program: Program, n: int, lengths: list[int], below: int) -> Cases:
    random, starts = Random(n), []
    for _ in range(n):
        starts.append([0, *(random.randrange(1, below) for _ in range(random.choice(lengths)))])
    return first_cell_of(program, starts, M)


def test_a_loop_with_a_decision_becomes_a_straight_line() -> None:
    program = compiled(LARGEST, M)
    cases, fresh = cases_of(program, 80, [4], M), cases_of(program, 300, [4], M)
    steps, plan = best_plan(program, cases, fresh)
    assert steps == 9  # four READs, three MAX, a WRITE and STOP
    assert {line.op for line in plan.lines} == {"READ", "MAX", "WRITE", "STOP"}


def test_lists_of_a_few_lengths_are_told_apart_by_their_end() -> None:
    program = compiled(LARGEST, M)
    cases, fresh = cases_of(program, 120, [2, 3, 4], M), cases_of(program, 300, [2, 3, 4], M)
    steps, _ = best_plan(program, cases, fresh)
    generic = score(program, fresh, 999).steps
    assert steps < generic / 2
    assert steps <= 11


def test_values_in_between_are_found() -> None:
    program = compiled(DIGIT_SUM, M)
    cases, fresh = cases_of(program, 80, [3], 5), cases_of(program, 300, [3], 5)
    steps, plan = best_plan(program, cases, fresh)
    assert steps <= 11  # three READs, two sums, each made smaller by SUB and MIN, a WRITE and STOP
    assert "MIN" in {line.op for line in plan.lines}


def test_bridges_are_one_instruction_away_from_both_sides() -> None:
    a, b, c = (np.array(row) for row in ([1, 5, 9, 12], [2, 2, 7, 3], [6, 1, 1, 15]))
    wanted = (a + b - c) % M
    found = bridges(np.array([a, b, c]), np.array([wanted]), isa.PAPER, M)
    assert any((w == (a + b) % M).all() for w in found) or found
    columns = np.array([a, b, c, wanted, *found])
    inputs = np.zeros((4, M), np.int64)
    inputs[:, :3] = np.array([a, b, c]).T
    derivations = Derivations(columns, inputs, 0, isa.PAPER)
    place = derivations.place(wanted)
    assert place == 3
    assert len(derivations.instructions([3]) or ()) == 5  # three READs and two sums


@pytest.mark.parametrize("lengths", [[3], [2, 3]])
def test_a_run_that_does_not_stop_gives_no_plans(lengths: list[int]) -> None:
    program = compiled(LARGEST, M)
    cases = cases_of(program, 20, lengths, M)
    endless = compiled("l: JEZ(0, l)", M)
    assert not list(planned(endless, cases))

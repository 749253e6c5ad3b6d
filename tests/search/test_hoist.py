"""What all ways behind a branch compute stands before it: the same steps in fewer lines."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from anc import isa
from anc.compiler.graph import Constant, Operand, Variable
from anc.machine import exact
from anc.search.block_placement import program_of
from anc.search.plans import Branch, Plan, PlannedStep, Value, hoisted

M = 64


@cache
def step(op: str, *operands: Operand | int) -> PlannedStep:
    """The same instruction computes the same value, wherever it stands."""
    found = tuple(Constant(o) if isinstance(o, int) else o for o in operands)
    return PlannedStep(op, found, Value(Variable("v"), np.zeros(0)))


def sum_of(cells: list[int], first: Variable | None = None) -> Plan:
    """Cell 0 becomes the sum of some cells (and of something that is there)."""
    steps, total = list[PlannedStep](), first
    for cell in cells:
        read = step("READ", cell)
        steps += [read] if read not in steps else []
        value = read.value.variable
        if total is not None:
            steps.append(step("ADD", total, value))
            value = steps[-1].value.variable
        total = value
    assert total is not None
    return Plan(steps, [(Constant(0), total)], cost=len(steps) + 2.0)


def decided(asked: int, sides: list[Plan]) -> tuple[Plan, Plan]:
    """A decision between two plans, as they are and with what they share before it."""
    found = []
    for shared, parts in (([], sides), hoisted(sides)):
        test = step("READ", asked)
        branch = Branch(test.value.variable, dict(enumerate(parts)), {0: 0.5, 1: 0.5}, False)
        cost = 2.0 + len(shared) + (parts[0].cost + parts[1].cost) / 2
        found.append(Plan([test, *shared], [], branch, cost))
    return found[0], found[1]


def assert_same(before: Plan, after: Plan) -> None:
    """They do the same in as many steps."""
    assert after.cost == before.cost
    one, other = (program_of(plan, isa.PAPER, M) for plan in (before, after))
    assert one is not None and other is not None
    random = Random(1)
    for _ in range(30):
        tape = tuple(random.randrange(3) for _ in range(M))
        first, second = (exact.run(program, tape, 99) for program in (one, other))
        assert (first.tape, first.steps) == (second.tape, second.steps)


def test_sums_that_begin_alike_share_their_beginning() -> None:
    before, after = decided(9, [sum_of([1, 2, 3]), sum_of([1, 2, 4])])
    assert_same(before, after)
    assert before.lines - after.lines == 3  # two READs and their sum
    assert [each.op for each in after.steps] == ["READ", "READ", "READ", "ADD"]


def test_what_differs_stays_where_it_is() -> None:
    before, after = decided(9, [sum_of([1, 2]), sum_of([3, 4])])
    assert_same(before, after)
    assert len(after.steps) == 1
    assert before.lines == after.lines


def test_what_is_shared_goes_up_through_several_branches() -> None:
    sides = [
        decided(asked, [sum_of([1, 2, cell]), sum_of([1, 2, cell + 1])])
        for asked, cell in ((7, 3), (8, 5))
    ]
    before, after = decided(9, [side[1] for side in sides])
    assert_same(before, after)
    assert len(after.steps) == 4
    assert before.lines - after.lines == 3
    assert_same(decided(9, [side[0] for side in sides])[0], after)


def test_the_same_step_twice_on_one_side_is_shared_once() -> None:
    once, twice = sum_of([1, 2]), sum_of([1, 1, 2])
    before, after = decided(9, [once, twice])
    assert_same(before, after)
    assert sum(each.op == "READ" for each in after.steps) == 3  # the test, cells 1 and 2


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_do_the_same(seed: int) -> None:
    random = Random(seed)

    def tree(depth: int) -> tuple[Plan, Plan]:
        if depth == 0:
            plan = sum_of(sorted(random.sample(range(1, 6), random.randint(2, 4))))
            return plan, plan
        sides = [tree(depth - 1) for _ in range(2)]
        asked = random.randrange(6, 12)
        return decided(asked, [a for a, _ in sides])[0], decided(asked, [b for _, b in sides])[1]

    before, after = tree(2)
    assert_same(before, after)
    assert after.lines <= before.lines

"""A specialised program is right wherever its assumption holds."""

from __future__ import annotations

from random import Random

import pytest
from search.random_programs import random_program, random_tape

from anc.data import tasks
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.search.clean import constant_cells, specialise
from anc.search.cost import score


def test_random_programs_on_tapes_that_satisfy_the_assumption() -> None:
    random = Random(8)
    unrolled = 0
    for _ in range(1_200):
        M = random.randint(2, 9)
        program = random_program(random, M)
        cells = {cell: random.randrange(M) for cell in range(M) if random.random() < 0.6}
        found = specialise(program, cells, M)
        unrolled += all(line.op != "JEZ" for line in found.lines)
        for _ in range(3):
            tape = tuple(cells.get(c, v) for c, v in enumerate(random_tape(random, M)))
            before, after = exact.run(program, tape, 150), exact.run(found, tape, 300)
            if before.stop is exact.Stop.STEP_LIMIT:
                assert after.stop is exact.Stop.STEP_LIMIT
            else:
                assert (after.tape, after.stop) == (before.tape, before.stop)
    assert unrolled > 600


@pytest.mark.parametrize(
    ("name", "steps"), [("access", 3), ("swap", 5), ("permutation", 7), ("walkbst", 6)]
)
def test_what_specialisation_alone_can_do(name: str, steps: int) -> None:
    task = tasks.get(name)
    cases = Cases.of(task.draw(True, 300, seed=0))
    found = specialise(task.program, constant_cells(cases), task.M)
    assert score(found, cases, 1_000).cost == steps


def test_loops_are_kept_where_there_is_no_room_to_unroll_them() -> None:
    task = tasks.get("increment")
    found = specialise(task.program, {6: 0}, task.M)
    assert found.L <= task.M
    for case in task.draw(True, 50, seed=0):
        assert exact.run(found, case.input, 1_000).tape == case.output

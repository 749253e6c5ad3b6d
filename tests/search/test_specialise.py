"""A specialised program is right wherever its assumption holds."""

from __future__ import annotations

from random import Random

import pytest
from search.random_programs import random_program, random_tape

from anc import tasks
from anc.machine import exact
from anc.machine.batch import pack_cases
from anc.search.cost import score
from anc.search.specialise import constant_cells, specialise


def test_random_programs_on_tapes_that_satisfy_the_assumption() -> None:
    random = Random(8)
    unrolled = 0
    for _ in range(1_200):
        M = random.randint(2, 9)
        program = random_program(random, M)
        cells = {cell: random.randrange(M) for cell in range(M) if random.random() < 0.6}
        found = specialise(program, cells, M)
        unrolled += found.note == "loops unrolled"
        assert found.assumption.items() <= cells.items()
        for _ in range(3):
            tape = tuple(found.assumption.get(c, v) for c, v in enumerate(random_tape(random, M)))
            before, after = exact.run(program, tape, 150), exact.run(found.program, tape, 300)
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
    cases = pack_cases(task.draw(True, 300, seed=0))
    found = specialise(task.program, constant_cells(cases), task.M)
    assert score(found.program, cases, task.max_steps).cost == steps
    assert found.note == "loops unrolled"


def test_it_says_why_it_gave_up() -> None:
    task = tasks.get("increment")
    found = specialise(task.program, {6: 0}, task.M)
    assert "more than 7 lines" in found.note
    assert "loops kept" in found.note

"""The puzzles: their solutions against their oracles."""

from __future__ import annotations

import pytest
from puzzles import measured, puzzles, shown
from puzzles.puzzle import END, OUTBOX, Puzzle

from anc.machine.batch import judge
from anc.machine.encoded import Cases

ALL = puzzles()


def test_there_are_forty_and_a_third_is_held_out() -> None:
    assert len({puzzle.name for puzzle in ALL}) == len(ALL) == 40
    assert sum(puzzle.held_out for puzzle in ALL) == 13


@pytest.mark.parametrize("puzzle", ALL, ids=lambda puzzle: puzzle.name)
def test_the_solution_does_what_the_sentence_says(puzzle: Puzzle) -> None:
    cases = puzzle.cases(300, "test")
    assert len(set(cases)) > 30, "the inboxes vary"
    assert len({case.output[OUTBOX:] for case in cases}) > 2, "the outboxes do, too"
    wrong, steps = judge(puzzle.program, Cases.of(cases), 20_000)
    assert not wrong.any() and steps.mean() < 1_000


def test_an_inbox_that_does_not_fit_is_refused() -> None:
    for numbers in ([1] * 200, [3, END]):
        with pytest.raises(ValueError, match="does not fit"):
            ALL[0].case(numbers)


def test_a_row_is_measured_on_cases_that_the_adaptation_never_saw() -> None:
    (drop,) = (puzzle for puzzle in ALL if puzzle.name == "drop_negatives")
    row = measured(drop, evaluations=20_000)
    assert row.proved is not None and row.proved < row.generic
    assert row.wrong_proved == 0 and row.covered == row.judged
    assert drop.name in shown(row)

"""`anc.trace`: every step of a run, exact or soft, as words and as numbers."""

from typing import Annotated

import pytest

import anc
from anc.support.diagnostics import AncError

Two = Annotated[list[int], anc.Size(2)]
Some = Annotated[list[int], anc.Size(up_to=2)]


@anc.function(memory=20)
def largest(values: Two, rest: Some, x: int) -> int:
    return max(values[0], values[1], x)


def test_a_trace_is_the_run_with_a_row_for_each_step():
    tape = largest.tape([3, 9], [1], 4)
    trace, run = anc.trace(largest, tape), anc.run(largest, tape, trace=True)
    assert trace.run == run and run.tape[6] == 9
    assert len(trace) == run.steps == len(str(trace).splitlines()) - 1
    assert trace.rows[0] == ("step", "line", "command", "register", "cell")
    assert any("tape[6] <- 9" in row[4] for row in trace.rows)


def test_a_soft_trace_says_how_likely_each_choice_is():
    trace = anc.trace("access", [3, 1, 2, 3, 4], machine="soft", sharpness=4)
    assert len(trace) == trace.run.steps >= 5 and trace.run.confidence < 1
    assert trace.rows[0][-1] == "stopped" and "READ (0.7" in trace.rows[1][2]
    weights = anc.soften("access", sharpness=4)
    assert str(anc.trace(weights, [3, 1, 2, 3, 4])) == str(trace)


def test_a_trace_ends_with_its_limit():
    assert len(anc.trace("listk", [3, 2, 2, 5, 4, 7, 5], max_steps=7)) == 7
    with pytest.raises(AncError, match="machine is 'fuzzy', expected 'exact' or 'soft'"):
        anc.trace("access", [3], machine="fuzzy")


def test_facts_speak_of_arguments():
    named = largest.in_words
    assert named("tape[0] + tape[1] <= 2 * tape[5]") == "values[0] + values[1] <= 2 * x"
    assert named("tape[2] < 2 or tape[4] == 3") == "len(rest) < 2 or rest[1] == 3"
    assert named("tape[6] == 0 and sorted(tape[0:2])") == "tape[6] == 0 and sorted(values)"
    assert named("sorted(tape[0:1]) or tape[4:6] in ((1, 2),)") == (
        "sorted(values[0:1]) or [rest[1], x] in ((1, 2),)"
    )
    assert named("all(tape[i] < tape[i + 1] for i in range(3, 4))") == (
        "all(rest[i - 3] < rest[i - 2] for i in range(3, 4))"
    )
    assert (
        named("all(tape[i] == 0 for i in range(0, 9))") == "all(tape[i] == 0 for i in range(0, 9))"
    )

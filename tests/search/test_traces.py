"""What is recorded of runs is what the exact machine does."""

from __future__ import annotations

from random import Random

from search.loops import cases_of, random_loops
from search.random_programs import random_program, random_tape

from anc.isa import PAPER
from anc.machine import exact
from anc.search.traces import record


def test_steps_jumps_and_cells_are_those_of_the_exact_machine() -> None:
    random = Random(1)
    steps = 0
    for number in range(60):
        M = random.randint(14, 20)
        program = (random_loops if number % 2 else random_program)(random, M)
        cases = cases_of(program, [random_tape(random, M) for _ in range(6)], 300)
        if cases.C == 0:
            continue
        traces = record(program, cases, 300)
        assert traces is not None
        for case, tape in enumerate(cases.inputs.tolist()):
            trace = exact.run(program, tape, 300, trace=True).trace
            length = int((traces.lines[:, case] >= 0).sum())
            steps += length
            assert traces.lines[:length, case].tolist() == [step.line for step in trace]
            assert traces.jumped[:length, case].tolist() == [step.jumped for step in trace]
            touches = [
                s.first if s.op in (PAPER.names[PAPER.READ], PAPER.names[PAPER.WRITE]) else -1
                for s in trace
            ]
            assert traces.cells[:length, case].tolist() == touches
    assert steps > 1_000


def test_a_cell_is_wanted_until_it_is_read_for_the_last_time_or_changed() -> None:
    random = Random(2)
    wanted_at_all = 0
    for _ in range(60):
        M = random.randint(14, 20)
        program = random_loops(random, M)
        cases = cases_of(program, [random_tape(random, M)], 300)
        traces = record(program, cases, 300) if cases.C else None
        if traces is None:
            continue
        trace = exact.run(program, cases.inputs[0].tolist(), 300, trace=True).trace
        tapes = [tuple(cases.inputs[0].tolist()), *(step.tape for step in trace)]
        wanted: set[int] = set()
        for number in reversed(range(len(trace))):
            step = trace[number]
            if step.op == PAPER.names[PAPER.READ]:
                wanted |= {step.first}
            elif step.op == PAPER.names[PAPER.WRITE]:
                changes = tapes[number][step.first] != step.second
                wanted = wanted - {step.first} if changes else wanted | {step.first}
            bits = int.from_bytes(traces.wanted[number, 0].tobytes(), "little")
            assert {cell for cell in range(M) if bits >> cell & 1} == wanted
        wanted_at_all += bool(wanted)
    assert wanted_at_all > 10


def test_a_run_that_does_not_stop_in_time_leaves_nothing_to_follow() -> None:
    random = Random(3)
    program = random_loops(random, 14)
    cases = cases_of(program, [random_tape(random, 14) for _ in range(20)])
    assert cases.C
    longest = max(exact.run(program, tape, 1_000).steps for tape in cases.inputs.tolist())
    assert record(program, cases, longest) is not None
    assert record(program, cases, longest - 1) is None

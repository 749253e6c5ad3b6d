"""Where runs go: the flow of a program holds every line that comes after another."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
from proof.random_programs import branching_program, random_program

from anc.compiler import compile_source
from anc.language import Source
from anc.machine import exact
from anc.proof.cfg import Flow

REPEATED = """
var total; var k; var x
total = READ(1)
x = READ(3)
k = READ(2)
k = SUB(l_end, k)
JEZ(0, k)
total = ADD(total, x)
total = ADD(total, x)
l_end: WRITE(0, total)
STOP()
"""


def test_every_run_is_in_the_flow() -> None:
    random, M, computed = Random(0), 8, 0
    for _ in range(1000):
        program = random_program(random, M)
        cells = [random.sample(range(M), random.randint(1, 3)) for _ in range(M)]
        flow = Flow(program, M, lambda cell, cells=cells: np.isin(np.arange(M), cells[cell]))
        for _ in range(5):
            tape = tuple(random.choice(values) for values in cells)
            lines = [step.line for step in exact.run(program, tape, 60, trace=True).trace]
            assert all(b in flow.after[a] for a, b in pairwise(lines))
        computed += any(2 < len(after) <= program.L for after in flow.after)
    assert computed > 10


def test_what_no_line_reads_any_more_changes_nothing() -> None:
    """Joined runs forget the registers that are not live: from any line on, all goes on as it would."""
    random = Random(1)
    seen = dict.fromkeys(("dead", "live", "changed"), 0)
    for number in range(1500):
        M = random.choice([4, 8, 12])
        program = (branching_program if M >= 8 and number % 2 else random_program)(random, M)
        cells = [random.sample(range(M), random.randint(1, 3)) for _ in range(M)]
        known = [np.isin(np.arange(M), values) for values in cells]
        flow = Flow(program, M, known.__getitem__)
        tape = tuple(random.choice(values) for values in cells)
        before = exact.run(program, tape, 40, trace=True).trace
        for last, step in pairwise(before[:12]):
            live, R = flow.live[step.line], range(program.R)
            dead = [random.randrange(M) if r not in live else last.registers[r] for r in R]
            other = [random.randrange(M) if r in live else last.registers[r] for r in R]
            wanted, found, changed = (
                exact.run(replace(program, start=step.line, registers=registers), last.tape, 60)
                for registers in (last.registers, tuple(dead), tuple(other))
            )
            assert (found.tape, found.stop, found.steps) == (wanted.tape, wanted.stop, wanted.steps)
            seen["dead"] += tuple(dead) != last.registers
            seen["live"] += tuple(other) != last.registers
            seen["changed"] += (changed.tape, changed.steps) != (wanted.tape, wanted.steps)
    assert min(seen.values()) > 500, seen


def test_runs_meet_after_a_row_of_additions_that_they_jump_into() -> None:
    program = compile_source(Source(REPEATED), memory=16).program
    few, anything = np.arange(16) <= 2, np.ones(16, np.bool_)
    known = Flow(program, 16, lambda cell: few if cell == 2 else anything)
    assert known.after[4] == {5, 6, 7}
    assert known.meeting[4] == 7
    assert Flow(program, 16, lambda cell: anything).meeting[4] == program.L

"""Loops with less to do: the same on every tape, in fewer steps."""

from __future__ import annotations

from random import Random

import numpy as np

from anc.compiler import compile_source
from anc.compiler.assemble import assemble, graph_of
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.unroll import differences, unrolled

M = 32
MAX_STEPS = 600
LONGEST_WORD = """
var p = 2; var length = 0; var longest = 0; var x
l: x = READ(p); JEZ(x, e); p = INC(p); x = SUB(x, 7); JEZ(x, blank)
length = INC(length); JEZ(0, l)
blank: longest = MAX(longest, length); length = ZERO(); JEZ(0, l)
e: longest = MAX(longest, length); WRITE(0, longest); STOP()
"""  # how long the longest part of a list from cell 2 on is, where a 7 parts it
COMMANDS = (
    "a = INC(a)", "b = INC(b)", "a = DEC(a)", "b = DEC(b)", "a = ZERO()", "b = ZERO()",
    "x = READ(a)", "x = READ(b)", "WRITE(0, a)", "WRITE(a, b)", "x = SUB(a, b)", "x = MAX(x, b)",
)  # fmt: skip


def compiled(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def words(random: Random) -> tuple[int, ...]:
    listed = [random.choice([7, *range(8, M)]) for _ in range(random.randrange(M - 4))]
    return (0, 0, *listed, *([0] * (M - 2 - len(listed))))


def after(program: Program, tape: tuple[int, ...]) -> tuple[exact.Stop, tuple[int, ...] | None]:
    run = exact.run(program, tape, MAX_STEPS)
    return run.stop, run.tape if run.stop is exact.Stop.STOPPED else None


def test_a_length_is_the_distance_of_two_places() -> None:
    program, random = compiled(LONGEST_WORD), Random(1)
    tapes = [words(random) for _ in range(80)]
    every = (True,) * M
    cases = Cases.of([Case(tape, after(program, tape)[1] or tape, every) for tape in tapes])
    found = unrolled(program, cases, MAX_STEPS)
    assert found is not None
    for tape in [words(random) for _ in range(80)]:
        assert after(found, tape) == after(program, tape)
    steps = [
        np.mean([exact.run(each, tape, MAX_STEPS).steps for tape in tapes])
        for each in (program, found)
    ]
    assert steps[1] < 0.8 * steps[0]  # of seven commands for each letter, five are left


def random_counting(random: Random) -> Program:
    """A loop around counters, with jumps to anywhere; a 0 on the tape means another round."""
    lines = [f"var a = {random.randrange(M)}; var b = {random.randrange(M)}; var x = 1"]
    for number in range(10):
        is_jump = random.random() < 0.3
        jump = f"JEZ({random.choice('abx')}, l{random.randrange(10)})"
        lines.append(f"l{number}: {jump if is_jump else random.choice(COMMANDS)}")
    return compiled(
        "\n".join([*lines, "x = READ(a); JEZ(x, l0); WRITE(1, a); WRITE(2, b); STOP()"])
    )


def test_a_difference_does_the_same_on_every_tape() -> None:
    random, compared = Random(2), 0
    for _ in range(600):
        program = random_counting(random)
        graph = graph_of(program, M)
        assert not isinstance(graph, str)
        for each in map(assemble, differences(graph)):
            for tape in [tuple(random.choices(range(4), k=M)) for _ in range(4)]:
                if (wanted := after(program, tape))[0] is exact.Stop.STOPPED:
                    assert after(each, tape) == wanted
                    compared += 1
    assert compared > 100

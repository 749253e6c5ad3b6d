"""Programs that follow samples are right wherever what they take for granted holds."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from search.loops import BY_HAND, by_hand, cases_of, list_tape, random_loops
from search.random_programs import random_tape

import anc
from anc.compiler import compile_source
from anc.language.source import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.clean import constant_cells
from anc.search.cost import score
from anc.search.trace_specialiser import assumptions, follow
from anc.search.traces import record

ANYWHERE, CONSTANT = "nothing", "constant cells"


def found(program: Program, cases: Cases) -> dict[str, list[Program]]:
    traces = record(program, cases, 1_000)
    assert traces is not None
    every = assumptions(traces, constant_cells(cases))
    return {name: list(assumption.programs()) for name, assumption in every.items()}


def agree(program: Program, other: Program, tapes: Iterable[tuple[int, ...]]) -> None:
    """Both do the same to these tapes and stop alike."""
    for tape in tapes:
        before = exact.run(program, tape, 2_000)
        endless = before.stop is exact.Stop.STEP_LIMIT
        after = exact.run(other, tape, 500 if endless else 2 * before.steps + 50)
        assert after.stop is before.stop
        assert endless or after.tape == before.tape


def check(program: Program, cases: Cases, tapes: list[tuple[int, ...]]) -> dict[str, float]:
    """Every candidate is right where it should be; the fewest steps of each kind on the cases."""
    cells = constant_cells(cases)
    fewest = {}
    for name, programs in found(program, cases).items():
        for each in programs:
            assert score(each, cases, 3_000).right
            if name == ANYWHERE:
                agree(program, each, tapes)
            if name == CONSTANT:
                agree(
                    program, each, [tuple(cells.get(c, v) for c, v in enumerate(t)) for t in tapes]
                )
        fewest[name] = min(score(each, cases, 3_000).steps for each in programs)
    return fewest


def test_random_programs() -> None:
    random = Random(4)
    faster = dict.fromkeys(("seen", ANYWHERE), 0)
    for _ in range(60):
        M = random.randint(14, 30)
        program = random_loops(random, M)
        fixed = {cell: random.randrange(M) for cell in range(M) if random.random() < 0.6}
        tapes = [random_tape(random, M) for _ in range(16)]
        tapes[:10] = [tuple(fixed.get(c, v) for c, v in enumerate(tape)) for tape in tapes[:10]]
        cases = cases_of(program, tapes[:8], 200)
        if cases.C:
            generic = score(program, cases, 1_000).steps
            fewest = check(program, cases, tapes)
            for name in faster:
                faster[name] += fewest[name] < generic
    assert min(faster.values()) > 20


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("M", [20, 36])
def test_loops_with_and_without_room(name: str, M: int) -> None:
    """Tapes that are not like the samples leave the tree: shorter and longer lists, anything."""
    random = Random(f"{name}/{M}")
    program = by_hand(name, M)
    if program.L > M:
        program = by_hand(name, M := 24)
    cases = cases_of(program, [list_tape(random, M, 2, 5) for _ in range(12)])
    tapes = [list_tape(random, M, 0, 8) for _ in range(25)]
    tapes += [random_tape(random, M) for _ in range(10)]
    check(program, cases, tapes)


FORGETTING = {
    "a WRITE anywhere": """
        var p; var x
        p = READ(0); x = READ(3); JEZ(x, zero); WRITE(1, 5)
        zero: WRITE(p, 7); x = READ(3); JEZ(x, e); WRITE(2, x)
        e: STOP()""",
    "a WRITE to a cell that was tested": """
        var x
        x = READ(3); JEZ(x, zero); WRITE(3, 0); JEZ(0, again)
        zero: WRITE(3, 9)
        again: x = READ(3); JEZ(x, e); WRITE(2, x)
        e: STOP()""",
    "a register that was changed after the test's operand was computed": """
        var x; var t
        x = READ(0); t = SUB(x, 3); x = INC(x); JEZ(t, three); WRITE(1, x); STOP()
        three: WRITE(2, x); STOP()""",
    "a register that was read from a cell that has changed": """
        var p; var x; var y
        p = READ(0); x = READ(3); WRITE(p, 6); JEZ(x, zero); WRITE(1, x)
        zero: y = READ(3); JEZ(y, e); WRITE(2, y)
        e: STOP()""",
    "a register that holds something else now": """
        var p; var x; var y
        p = READ(0); x = READ(3); x = ADD(x, p); JEZ(x, zero); WRITE(1, x)
        zero: y = READ(3); JEZ(y, e); WRITE(2, y)
        e: STOP()""",
    "an output that a jump leaves": """
        var p; var x = 1
        p = READ(0); x = READ(1); x = JEZ(p, zero); WRITE(2, x); STOP()
        zero: WRITE(3, x); STOP()""",
}


@pytest.mark.parametrize("name", FORGETTING)
def test_what_is_no_longer_known_is_not_used(name: str) -> None:
    random = Random(name)
    program = compile_source(Source(FORGETTING[name]), 16).program
    for samples in (2, 12):
        tapes = [(random.randrange(6), *random_tape(random, 16)[1:]) for _ in range(60)]
        tapes = [
            tuple(random.choice([0, v]) if c == 3 else v for c, v in enumerate(t)) for t in tapes
        ]
        check(program, cases_of(program, tapes[:samples]), tapes)


@pytest.mark.parametrize("n", [3, 7])
def test_the_steps_that_are_left_of_a_sum(n: int) -> None:
    """n elements; the first is not added to anything, and the end mark is a constant cell."""
    program = by_hand("sum", 256)
    random = Random(n)
    cases = cases_of(program, [list_tape(random, 256, n, n) for _ in range(40)])
    fewest = check(program, cases, [list_tape(random, 256, 0, 12) for _ in range(30)])
    assert score(program, cases, 1_000).steps == 5 * n + 4
    assert fewest["seen"] == 2 * n + 1  # READ, ADD; WRITE, STOP
    assert fewest["seen in all runs"] == 2 * n + 1
    assert fewest[CONSTANT] == 3 * n + 1  # READ, JEZ, ADD
    assert fewest[ANYWHERE] == 3 * n + 3  # the end mark is read and tested, too


def test_lists_of_several_lengths_are_told_apart_by_their_end_marks() -> None:
    program = by_hand("sum", 256)
    random = Random(6)
    tapes = [list_tape(random, 256, n, n) for n in (3, 4, 5, 6)]
    fewest = check(program, cases_of(program, tapes), tapes)
    # Cells 1 to 3 are never 0, cell 7 always is: 4, 5 and 6 are tested, as far as a run comes.
    reads, adds, tests = (4 + 5 + 6 + 6) / 4, (2 + 3 + 4 + 5) / 4, (1 + 2 + 3 + 3) / 4
    assert fewest["seen"] == reads + adds + tests + 2


def test_the_second_walk_over_a_list_needs_no_tests() -> None:
    """Each element once read and tested, and written; no pointer, no counter."""
    program = by_hand("copy", 256)
    random = Random(7)
    cases = cases_of(program, [list_tape(random, 256, 4, 4) for _ in range(20)])
    fewest = check(program, cases, [list_tape(random, 256, 0, 9) for _ in range(20)])
    generic = score(program, cases, 1_000).steps
    assert generic == 5 * 4 + 2 + 3 + 6 * 4 + 2 + 2
    assert fewest[CONSTANT] <= 3 * 4 + 2
    assert fewest[ANYWHERE] <= 3 * 4 + 5


def test_a_loop_that_does_not_fit_is_followed_as_far_as_lines_go() -> None:
    program = by_hand("sum", 64)
    random = Random(8)
    cases = cases_of(program, [list_tape(random, 64, 25, 40) for _ in range(20)])
    tapes = [list_tape(random, 64, 0, 62) for _ in range(40)]
    fewest = check(program, cases, tapes)
    generic = score(program, cases, 1_000).steps
    assert fewest[ANYWHERE] < 0.85 * generic
    assert fewest["seen"] < fewest[ANYWHERE]


def test_the_best_of_each_kind_is_offered_and_none_for_runs_that_do_not_stop() -> None:
    program = by_hand("count", 256)
    random = Random(9)
    cases = cases_of(program, [list_tape(random, 256, 3, 5) for _ in range(20)])
    offered = {each.program for each in follow(program, cases, 256)}
    best = [
        min(score(p, cases, 1_000).cost for p in each) for each in found(program, cases).values()
    ]
    assert sorted(score(p, cases, 1_000).cost for p in offered) == sorted(set(best))
    assert not list(follow(program, cases, 256, max_steps=5))


def test_a_way_that_no_run_takes_needs_no_line_to_go_on() -> None:
    """By what the samples show the program itself is shorter, and ways of the tree end outside of it."""

    @anc.function(memory=256, instructions="paper")
    def even_parity(n: int) -> int:
        n ^= n >> 4
        n ^= n >> 2
        n ^= n >> 1
        return n & 1

    program = even_parity.program
    tapes = [even_parity.tape(number) for number in range(97, 123)]
    cases = cases_of(program, tapes)
    assert any(score(each, cases, 3_000).right for each, _ in follow(program, cases, 256))

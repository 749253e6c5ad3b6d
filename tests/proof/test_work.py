"""Proofs by work: the same verdict after the same work every time, and an end when the work is done."""

from __future__ import annotations

import gc
import itertools
from random import Random
from time import process_time

import numpy as np
import pytest
import z3

from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.proof import parse_fact, prove
from anc.proof.claim import Claim
from anc.proof.facts import Member, cell
from anc.proof.preconditions import prove_with_least
from anc.proof.presolve import Inputs
from anc.proof.space import Space
from anc.proof.term_to_smt import Lowered
from anc.proof.value_sets import Domains
from anc.proof.verdict import Outcome, Undecided, Verdict
from anc.support.clock import PER_SECOND, Clock, Time

PRODUCT = """
memory 256
var a = READ(0); var b = READ(1); var sum
loop: JEZ(b, done)
sum = ADD(sum, a)
b = DEC(b)
JEZ(0, loop)
done: WRITE(2, sum)
STOP()
"""
TWO_STEPS = PRODUCT.replace("b = DEC(b)", "b = SUB(b, 1)")


def claim(*facts: str) -> Claim:
    generic, adapted = (compile_source(Source(text)).program for text in (PRODUCT, TWO_STEPS))
    return Claim(generic, adapted, 256, [True] * 256, [parse_fact(f, 256) for f in facts], 20_000)


def by_work(seconds: float, *facts: str, method: str = "auto") -> tuple[Verdict, float]:
    gc.collect()  # when terms are let go of changes the solver's own count by a thousandth
    time = Time(counts_work=True)
    return prove(claim(*facts), seconds, method, time=time), time.evaluations


def test_a_clock_that_counts_work_stands_still_until_something_is_done() -> None:
    clock = Clock.of(60.0, 2 * PER_SECOND, lambda: False)
    part = clock.part(0.5)
    assert (clock.left, part.left, clock.over) == (2.0, 0.5, False)
    clock.did(PER_SECOND)
    assert (clock.seconds, clock.left, part.over) == (1.0, 1.0, True)
    part.did(PER_SECOND)
    assert clock.over
    assert Clock.of(60.0, 5, lambda: True).over


def test_formulas_that_would_take_too_long_are_not_made() -> None:
    """A pointer to a pointer to a pointer in a large memory has thousands of parts."""
    M, clock = 256, Clock(0.05, time=Time(counts_work=True))
    inputs = Inputs([], M)
    space = Space(Domains(M, [inputs.domain(cell) for cell in range(M)]), clock)
    cells = {cell: space.cell(cell) for cell in range(M)}
    pointer = space.cell(0)
    for _ in range(9):
        pointer = space.select(pointer, cells)
    assert not clock.over
    with pytest.raises(Undecided, match="the time is over"):
        Lowered(space, inputs, z3.Context()).value(pointer)
    assert clock.seconds < 2 * clock.budget


@pytest.mark.parametrize("method", ["paths", "induction", "exhaustive"])
def test_the_same_proof_is_the_same_work(method: str) -> None:
    facts = [] if method == "induction" else ["tape[1] <= 3", "tape[0] <= 40"]
    first, work = by_work(20.0, *facts, method=method)
    assert first.proved and 0 < work < 20 * PER_SECOND
    assert by_work(20.0, *facts, method=method) == (first, work)
    assert first.seconds == pytest.approx(work / PER_SECOND)


@pytest.mark.parametrize("method", ["paths", "induction", "exhaustive"])
def test_a_proof_ends_when_the_work_is_done(method: str) -> None:
    verdict, work = by_work(0.02, method=method)
    assert not verdict.proved and not verdict.refuted
    assert work < 0.5 * PER_SECOND
    assert by_work(0.02, method=method) == (verdict, work)


def test_the_least_precondition_is_the_same_too() -> None:
    task = tasks.get("access")
    samples = [case.input for case in task.draw(True, 60, 1)]
    adapted = compile_source(Source("memory 10; var k = READ(4); WRITE(0, k); STOP()")).program
    wanted = Claim(task.program, adapted, 10, [True] * 10, [], 100)

    def found() -> tuple:
        time = Time(counts_work=True)
        return prove_with_least(wanted, [], samples, 5.0, time=time), time.evaluations

    first = found()
    assert first[0].verdict.proved and [str(fact) for fact in first[0].facts] == ["tape[0] == 3"]
    assert found() == first


def test_terms_that_take_too_long_to_build_are_given_up() -> None:
    clock = Clock.of(60.0, 1, lambda: False)
    space = Space(Domains(256, [np.ones(256, np.bool_)] * 256), clock)
    with pytest.raises(Undecided, match="the time is over"):
        for cell in range(1000):
            space.cell(cell % 256)
    assert clock.over


LARGEST = "var a; var b; var c; a = READ(0); b = READ(1); c = READ(2); {}; WRITE(5, a); STOP()"


def test_values_for_cells_and_tapes_that_are_drawn_are_work() -> None:
    """Nothing is done for long that does not count: few evaluations end a walk over many values."""
    random, M = Random(1), 256
    both = ("a = MAX(a, b); a = MAX(a, c)", "a = MAX(a, c); a = MAX(a, b)")
    programs = [compile_source(Source(LARGEST.format(lines)), memory=M).program for lines in both]
    words = ", ".join(str(tuple(random.randrange(M) for _ in range(3))) for _ in range(900))
    fact = parse_fact(f"(tape[0], tape[1], tape[4]) in ({words})", M)
    time, begun = Time(counts_work=True), process_time()
    verdict = prove(Claim(*programs, M, [True] * M, [fact], 99), 1.0, "exhaustive", time=time)
    assert verdict.outcome is Outcome.UNKNOWN
    assert process_time() - begun < 6 * time.evaluations / PER_SECOND + 1.0


def test_values_that_words_leave_to_a_cell() -> None:
    random = Random(2)
    for _ in range(200):
        words = {tuple(random.randrange(5) for _ in range(3)) for _ in range(random.randint(1, 9))}
        places = [random.randrange(5) for _ in range(3)]
        fact = Member(tuple(cell(place) for place in places), tuple(sorted(words)))
        known = {place: random.randrange(5) for place in range(5) if random.random() < 0.4}
        known.pop(place := random.choice(places), None)
        kept = fact.left_for(place, np.arange(5), known, 5)
        others = [p for p in range(5) if p not in known and p != place]
        for value in range(5):
            tapes = (
                known | {place: value} | dict(zip(others, rest, strict=True))
                for rest in itertools.product(range(5), repeat=len(others))
            )
            possible = any(fact.holds([tape[p] for p in range(5)]) for tape in tapes)
            assert value in kept or not possible
            assert value not in kept or possible or len(set(places)) < 3

"""A small problem, to copy a cell, with candidates of every kind and what is concluded from them."""

from __future__ import annotations

from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.extra_cases import Drawn
from anc.adaptation.gradient import Gradient
from anc.adaptation.result import Adapted
from anc.adaptation.select_answers import Asked, conclude
from anc.adaptation.warm_start import Earlier
from anc.compiler import compile_source
from anc.data.tasks import Case
from anc.language import Source
from anc.machine import exact
from anc.program import Program
from anc.proof import parse_fact
from anc.proof.verdict import proved, refuted, unknown
from anc.search import Cost, Found
from anc.support.clock import Clock
from anc.training.problem import Problem, from_cases

M = 8
GENERIC = "var x; x = READ(0); x = INC(x); x = INC(x); x = DEC(x); x = DEC(x); WRITE(1, x); STOP()"
MIDDLE = "var x; x = READ(0); x = INC(x); x = DEC(x); WRITE(1, x); STOP()"
FAST = "var x; x = READ(0); WRITE(1, x); STOP()"
WRONG = "WRITE(1, 3); STOP()"
WITHOUT_DEC = (
    "var x; var y; x = READ(0); x = INC(x); x = INC(x); x = SUB(x, 2); y = ZERO(); y = ZERO();"
    " WRITE(1, x); STOP()"
)


def compiled(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def problem(n: int = 400, repeats: int = 1) -> Problem:
    generic = compiled(GENERIC)
    numbers = [i // repeats for i in range(n)]
    tapes = [(i % 6, 0, i // 6 % 8, i // 48 % 8, i // 384, 0, 0, 0) for i in numbers]
    cases = [Case(tape, exact.run(generic, tape, 99).tape, (True,) * M) for tape in tapes]
    return from_cases("copying", generic, GENERIC, cases)


def found(text: str) -> Found:
    program = compiled(text)
    return Found(program, float(program.L), float(program.L), "plans", 0.5)


def concluded(
    candidates: list[tuple[str, Evidence]],
    trust: str = "proof",
    n: int = 400,
    repeats: int = 1,
    start: Earlier | None = None,
    **weights: float,
) -> Adapted:
    given, clock = problem(n, repeats), Clock(10)
    pairs = [(found(text), evidence) for text, evidence in candidates]
    history = {one.program: one for one, _ in pairs}
    gradient = Gradient(given, clock, 1.0, 0, lambda doing, steps: None)
    drawn = Drawn(given, Samples.of(given.looked_at), (), clock)
    cost = Cost.named(weights)
    return conclude(
        given,
        pairs,
        history,
        gradient,
        (),
        clock,
        drawn,
        Asked(trust=trust, cost=cost, start=start),
    )


FACTS = (parse_fact("tape[0] <= 5"),)
PROVED = Evidence(proved("paths", 3), FACTS, rejected=(7, *[0] * 7))
LATE = Evidence(unknown("the time is over"))
REFUTED = Evidence(refuted("test", 1, (7, *[0] * 7), "cell 1 is 0"), counterexample=None)

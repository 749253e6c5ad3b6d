"""Answer selection: chooses the answers among the programs found, and builds the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anc.adaptation.evidence import MAX_STEPS, Dropped, Evidence, Why
from anc.adaptation.extra_cases import Drawn
from anc.adaptation.gradient import Gradient
from anc.adaptation.result import Adapted, Answer
from anc.adaptation.warm_start import Earlier
from anc.machine.batch import judge
from anc.machine.encoded import Cases
from anc.program import Program
from anc.proof import Fact
from anc.proof.guards import Guarded, guard
from anc.proof.preconditions import at_least, cases_needed
from anc.proof.preconditions.support import holding
from anc.proof.verdict import proved
from anc.search import STEPS, Cost, Found, score
from anc.support.clock import PER_SECOND, Clock
from anc.support.diagnostics import counted
from anc.training.problem import Problem

TRAINED = ("all", "gradient")  # the methods that include gradient descent
BESIDES = 3  # other proved programs that may be deployed
SHOWN = 0.95  # a share that enough held-out cases would show
_PARTS = 5  # a fifth of the user's cases is held out
_MANY = 4  # times the needed cases: with this many distinct ones, more would repeat them
_GUARDED_ON = 200  # tapes on which the cost of the guard is measured


@dataclass(frozen=True)
class Asked:
    """What is asked of an adaptation, besides its problem and its budget.

    `trust` decides which answer comes first if there are two: the fastest with a "proof", or the one that is right
    on all "samples". `trade_off` also requests the Pareto front of steps and lines. The search begins with the
    programs of an earlier result if `start` is given.
    """

    method: str = "all"
    seed: int = 0
    assumed: Sequence[Fact] = ()
    cost: Cost = STEPS
    trade_off: bool = False
    trust: str = "proof"
    start: Earlier | None = None
    trusts_types: bool = False  # whether what is deployed leaves out the checks of types


def conclude(
    problem: Problem,
    candidates: Iterable[tuple[Found, Evidence] | Dropped],
    history: Mapping[Program, Found],
    gradient: Gradient,
    trade_off: tuple[Found, ...],
    clock: Clock,
    drawn: Drawn,
    asked: Asked,
    stop: str = "done",
    made: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
    known: Mapping[Program, Evidence] | None = None,
) -> Adapted:
    """Select the best proved program, and the best unproved one if it is better.

    Candidates come cheapest first. A candidate that is wrong on a test case is rejected; rejected candidates are
    recorded with their reasons. `made` is the provenance. The confidence bounds
    account for the number of candidates that were tried on the test cases, including those of an earlier result.
    `known` is what was found out about programs: others with a proof may be faster with their guards.
    """
    tests = Cases.of(problem.test)
    unchanged = Evidence(proved("", 0, "it is the generic program"))
    steps = float(judge(problem.program, tests, MAX_STEPS)[1].mean())
    fallback = Found(problem.program, steps, steps, "none", 0.0)
    generic = _answer(
        problem, fallback, unchanged, steps, _weighed(problem.program, tests, asked.cost)
    )
    answers: dict[bool, tuple[Found, Answer]] = {}
    dropped: list[Dropped] = []
    tried = asked.start.candidates if asked.start else 0
    for each in candidates:
        if isinstance(each, Dropped):
            dropped.append(each)
            continue
        found, evidence = each
        is_proved = evidence.verdict.proved
        if answers and not is_proved:
            dropped.append(Dropped.unproved(found, evidence))
            continue
        tried += 1
        wrong, taken = judge(found.program, tests, MAX_STEPS)
        if wrong.any():
            reason = f"right on all samples, but wrong on {wrong.sum()} of {len(wrong)} test cases"
            case = problem.test[int(np.argmax(wrong))]
            dropped.append(Dropped(found, Why.WRONG, reason, case.input))
            continue
        weighed = _weighed(found.program, tests, asked.cost)
        answer = _answer(problem, found, evidence, float(taken.mean()), weighed, tried)
        if answer.cost >= generic.cost:
            dropped.append(Dropped(found, Why.SLOWER, "no better than it on the test cases"))
        elif is_proved:
            answers[True] = found, answer
            break
        else:
            answers[False] = found, answer
    answers.setdefault(True, (fallback, generic))
    found, answer = answers[not (asked.trust == "samples" and False in answers)]
    unproved = answers[False][1] if False in answers else None
    best = min(each.steps for _, each in answers.values())
    samples = [case.input for case in problem.test[:_GUARDED_ON]]
    guarded = Guarded(None, reason="nothing is proved")
    if answer.verdict.proved:
        guarded = guard(problem.program, found.program, answer.facts, problem.M, samples, MAX_STEPS)
    besides: list[Answer] = []
    for other in sorted(history.values(), key=lambda each: each.rank):
        shown = (known or {}).get(other.program)
        if other is found or shown is None or not shown.verdict.proved:
            continue
        wrong, taken = judge(other.program, tests, MAX_STEPS)
        if not wrong.any() and len(besides) < BESIDES:
            weighed = _weighed(other.program, tests, asked.cost)
            answer = _answer(problem, other, shown, float(taken.mean()), weighed, max(1, tried))
            besides += [answer] if answer.cost < generic.cost else []
    return Adapted(
        problem=problem,
        also_proved=tuple(besides),
        trusts_types=asked.trusts_types,
        proved=answers[True][1],
        unproved=unproved,
        trust=asked.trust,
        steps_generic=steps,
        weighed_generic=generic.weighed,
        guarded=guarded,
        found=tuple(sorted(history.values(), key=lambda found: found.seconds)),
        trade_off=trade_off,
        soft=gradient.soft if gradient.soft and gradient.soft.steps < best else None,
        weights=gradient.weights_behind(found),
        notes=tuple(
            note
            for note in (
                gradient.note,
                problem.note,
                problem.not_fresh,
                _too_few(problem, max(1, tried)),
                _tried(drawn),
                *drawn.notes,
                *notes,
                repeatable(clock, asked.method),
            )
            if note
        ),
        seconds=clock.seconds,
        stop=clock.why_over if clock.asked_to_stop() else stop,
        tried=drawn.count,
        cost=asked.cost,
        dropped=tuple(dropped),
        candidates=tried,
        made=made or {},
        evaluations=clock.evaluations,
    )


def _weighed(program: Program, tests: Cases, cost: Cost) -> float | None:
    """The cost of a right program on the test cases; None if it is its steps."""
    return score(program, tests, MAX_STEPS, cost).cost if cost != STEPS else None


def _answer(
    problem: Problem,
    found: Found,
    evidence: Evidence,
    steps: float,
    weighed: float | None,
    candidates: int = 1,
) -> Answer:
    verdict = evidence.verdict
    facts = evidence.facts if verdict.proved else ()
    fresh = problem.fresh
    held = holding(facts, np.array([case.input for case in fresh], np.int64)).sum() if fresh else 0
    rejected = evidence.rejected if verdict.proved else None
    return Answer(
        found.program, found.method, steps, verdict, facts, rejected, len(fresh), int(held), weighed,
        candidates,
    )  # fmt: skip


def _too_few(problem: Problem, candidates: int) -> str:
    """The note for a user who has too few samples."""
    fresh, needed = len(problem.fresh), cases_needed(SHOWN)
    if fresh >= needed:
        return ""
    if len(set(problem.looked_at)) >= _MANY * needed:
        return ""  # more cases would repeat these
    most = at_least(fresh, fresh, candidates)
    shown = f"{counted(fresh, 'held-out case')} can show at most {most:.0%}"
    return (
        f"{shown if fresh else 'no case is held out'}; {needed} can show {SHOWN:.0%}: give about"
        f" {_PARTS * needed} distinct cases in all"
    )


def _tried(drawn: Drawn) -> str:
    """The note about extra cases."""
    if not drawn.count:
        return ""
    return f"answers were also tried on {drawn.count:,} cases that are not held out"


def is_trained(method: str, counts_work: bool) -> bool:
    """Whether gradient descent runs.

    Processors round its numbers differently, so a reproducible search excludes it unless it is the only method.
    """
    return method == "gradient" or (method in TRAINED and not counts_work)


def duration_on(clock: Clock, seconds: float) -> str:
    """A duration on this clock, in words."""
    return f"{seconds * PER_SECOND:,.0f} evaluations" if clock.counts_work else f"{seconds:.0f} s"


def repeatable(clock: Clock, method: str) -> str:
    """The note on reproducibility: whether it holds, or which number of evaluations would provide it."""
    if clock.counts_work and clock.asked_to_stop():
        return "without the interruption, the same seed and evaluations always give the same result"
    if clock.counts_work and method == "gradient":
        return "gradient descent: the same seed gives the same result on the same kind of processor"
    if clock.counts_work:
        left_out = "; gradient descent, which cannot, was left out" if method in TRAINED else ""
        return f"the same seed and evaluations give this result on any machine{left_out}"
    return (
        f"a budget of seconds depends on the machine; --evaluations {clock.worth}, at least as much work,"
        " gives the same result everywhere"
    )

"""What an adaptation gives back: an answer with a proof, and perhaps a faster one without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.adaptation.evidence import MAX_STEPS, Evidence
from anc.adaptation.gradient import Gradient, Soft
from anc.compiler import to_text
from anc.guards import Guarded, guard
from anc.learning.problem import Problem
from anc.machine.weights import Weights
from anc.preconditions import at_least, at_most, cases_needed
from anc.program import Program
from anc.search import Found
from anc.verify import Fact, Verdict, test_on
from anc.verify.clock import Clock
from anc.verify.verdict import proved

SHOWN = 0.95  # fewer fresh cases than it takes to show this are too few
_PARTS = 5  # of a user's cases, one is kept for the test
_MANY = 4  # times as many distinct cases: more would repeat these
_GUARDED_ON = 200  # tapes on which a guard's cost is measured


@dataclass(frozen=True)
class Answer:
    """A program, what it takes on the test cases, and what is known of where it is right.

    `fresh` are the distinct test cases that nothing has looked at; on `held` of them its facts hold,
    and on all of them it is right.
    """

    program: Program
    method: str
    steps: float
    verdict: Verdict
    facts: tuple[Fact, ...]
    rejected: tuple[int, ...] | None
    fresh: int
    held: int

    @property
    def precondition(self) -> tuple[str, ...]:
        """When the verdict holds, in words."""
        return tuple(fact.text for fact in self.facts)

    @property
    def wrong_at_most(self) -> float | None:
        """The highest share of wrong results that the fresh cases leave plausible; None: there are none."""
        return at_most(0, self.fresh) if self.fresh else None

    @property
    def tested(self) -> str:
        """What the tests say, in words."""
        if not self.fresh:
            return "no fresh case was left to test it on"
        share = 100 * at_most(0, self.fresh)
        return (
            f"0 wrong of {self.fresh} fresh cases: at most {share:.2g} % of such inputs at 95 %"
            " confidence"
        )

    @property
    def support(self) -> str:
        """How often the precondition will hold, in words."""
        if not self.fresh:
            return "no fresh case is left to say how often that will be"
        share = int(1000 * at_least(self.held, self.fresh)) / 10
        return (
            f"which held on {self.held} of {self.fresh} fresh cases: at least {share:g} % of such"
            " inputs at 95 % confidence"
        )


@dataclass(frozen=True)
class Adapted:
    """The answers of an adaptation; `proved` is the generic program if nothing faster was proved.

    `unproved` is a faster program that is right on every sample and every fresh case. The properties
    speak of the answer that is trusted: the proved one, or the other where `trust` is "samples".
    """

    problem: Problem
    proved: Answer
    unproved: Answer | None
    trust: str
    steps_generic: float  # mean over the test cases
    guarded: Guarded
    found: tuple[Found, ...]  # every improvement, with its method and time
    trade_off: tuple[Found, ...]  # right programs that no other beats in both steps and lines
    soft: Soft | None  # a soft program that is faster than the exact ones
    weights: Weights | None  # if gradient descent found the program
    notes: tuple[str, ...]
    seconds: float
    stop: str

    @property
    def answer(self) -> Answer:
        return self.unproved if self.trust == "samples" and self.unproved else self.proved

    @property
    def program(self) -> Program:
        return self.answer.program

    @property
    def method(self) -> str:
        return self.answer.method

    @property
    def steps_adapted(self) -> float:
        return self.answer.steps

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts under which the program is proved; none without a proof."""
        return self.answer.facts

    @property
    def precondition(self) -> tuple[str, ...]:
        return self.answer.precondition

    @property
    def cases_tested(self) -> int:
        return self.answer.fresh

    @property
    def improved(self) -> bool:
        """Whether the trusted answer is faster than the generic program."""
        return self.steps_adapted < self.steps_generic

    def save(self, folder: Path) -> None:
        """Write result.json, generic.anc, adapted.anc and, where there are any, the others."""
        from anc.adaptation.folder import save

        save(self, folder)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for result.json and --json."""
        answer, verdict = self.answer, self.verdict
        return {
            "problem": self.problem.name,
            "memory": self.problem.M,
            "improved": self.improved,
            "trust": self.trust,
            "steps_generic": round(self.steps_generic, 4),
            "steps_adapted": round(self.steps_adapted, 4),
            "cases_tested": self.cases_tested,
            "method": self.method,
            "verdict": verdict.outcome.value,
            "proof": {
                "how": verdict.how,
                "walked": verdict.walked,
                "reason": verdict.reason,
                "seconds": round(verdict.seconds, 3),
                "counterexample": list(verdict.tape) if verdict.tape else None,
            },
            "precondition": list(self.precondition),
            "support": self._support(answer),
            "proved": None
            if answer is self.proved
            else {
                "steps": round(self.proved.steps, 4),
                "file": "proved.anc",
                "method": self.proved.method,
                "verdict": self.proved.verdict.outcome.value,
                "how": self.proved.verdict.how,
                "walked": self.proved.verdict.walked,
                "reason": self.proved.verdict.reason,
                "seconds": round(self.proved.verdict.seconds, 3),
                "precondition": list(self.proved.precondition),
                "support": self._support(self.proved),
            },
            "unproved": self.unproved
            and {
                "steps": round(self.unproved.steps, 4),
                "file": "adapted.anc" if self.answer is self.unproved else "unproved.anc",
                "method": self.unproved.method,
                "verdict": self.unproved.verdict.outcome.value,
                "reason": self.unproved.verdict.reason,
                "counterexample": list(self.unproved.verdict.counterexample or ()) or None,
                "fresh": self.unproved.fresh,
                "wrong_at_most": _rounded(self.unproved.wrong_at_most),
            },
            "guard": str(self.guarded),
            "found": [
                {"method": f.method, "seconds": round(f.seconds, 3), "steps": round(f.steps, 4)}
                for f in self.found
            ],
            "trade_off": [
                {"steps": round(f.steps, 4), "lines": f.program.L, "program": to_text(f.program)}
                for f in self.trade_off
            ],
            "soft": self.soft
            and {"steps": round(self.soft.steps, 4), "confidence": round(self.soft.confidence, 4)},
            "example_tape": list(self.problem.test[0].input),
            "notes": list(self.notes),
            "lines": self.program.L,
            "registers": self.program.R,
            "seconds": round(self.seconds, 2),
            "stop": self.stop,
        }

    @property
    def accepted(self) -> tuple[int, ...] | None:
        """A test case's tape that the precondition accepts."""
        return self._accepted_by(self.facts)

    def _accepted_by(self, facts: tuple[Fact, ...]) -> tuple[int, ...] | None:
        for case in self.problem.test:
            if all(fact.holds(case.input) for fact in facts):
                return case.input
        return None

    def _support(self, answer: Answer) -> dict[str, Any] | None:
        """What result.json tells of an answer's precondition; None: it has none."""
        if not answer.facts:
            return None
        return {
            "held": answer.held,
            "fresh": answer.fresh,
            "at_least": round(at_least(answer.held, answer.fresh), 4),
            "accepts": list(self._accepted_by(answer.facts) or ()) or None,
            "rejects": list(answer.rejected) if answer.rejected else None,
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def conclude(
    problem: Problem,
    candidates: Iterable[tuple[Found, Evidence]],
    history: Mapping[Program, Found],
    gradient: Gradient,
    trade_off: tuple[Found, ...],
    trust: str,
    clock: Clock,
) -> Adapted:
    """The fastest program that is proved, and the fastest that is right on everything if it is faster.

    Candidates come fastest first. One that is wrong on a test case is no answer, and a note says so.
    """
    generic = test_on(problem.program, problem.test, MAX_STEPS)
    unchanged = Evidence(proved("", 0, "it is the generic program"))
    steps = generic.mean_steps
    fallback = Found(problem.program, steps, steps, "none", 0.0)
    answers: dict[bool, tuple[Found, Answer]] = {}
    dropped: list[str] = []
    for found, evidence in candidates:
        tested = test_on(found.program, problem.test, MAX_STEPS)
        if not tested.all_right:
            dropped.append(
                f"a program of {found.steps:.2f} steps was right on all samples, but wrong on"
                f" {tested.cases - tested.right} of {tested.cases} test cases: it is no answer"
            )
            continue
        if tested.mean_steps >= steps:
            continue
        is_proved = evidence.verdict.proved
        if is_proved or not answers:
            answer = _answer(problem, found, evidence, tested.mean_steps)
            answers.setdefault(is_proved, (found, answer))
        if is_proved:
            break
    if True not in answers:
        answers[True] = fallback, _answer(problem, fallback, unchanged, steps)
    found, answer = answers[not (trust == "samples" and False in answers)]
    unproved = answers[False][1] if False in answers else None
    best = min(each.steps for _, each in answers.values())
    samples = [case.input for case in problem.test[:_GUARDED_ON]]
    guarded = Guarded(None, reason="nothing is proved")
    if answer.verdict.proved:
        guarded = guard(problem.program, found.program, answer.facts, problem.M, samples, MAX_STEPS)
    return Adapted(
        problem=problem,
        proved=answers[True][1],
        unproved=unproved,
        trust=trust,
        steps_generic=steps,
        guarded=guarded,
        found=tuple(sorted(history.values(), key=lambda found: found.seconds)),
        trade_off=trade_off,
        soft=gradient.soft if gradient.soft and gradient.soft.steps < best else None,
        weights=gradient.weights_behind(found),
        notes=tuple(
            note for note in (gradient.note, problem.note, _too_few(problem), *dropped) if note
        ),
        seconds=clock.seconds,
        stop="interrupted" if clock.asked_to_stop() else "done",
    )


def _answer(problem: Problem, found: Found, evidence: Evidence, steps: float) -> Answer:
    verdict = evidence.verdict
    facts = evidence.facts if verdict.proved else ()
    fresh = problem.fresh
    held = sum(all(fact.holds(case.input) for fact in facts) for case in fresh)
    rejected = evidence.rejected if verdict.proved else None
    return Answer(found.program, found.method, steps, verdict, facts, rejected, len(fresh), held)


def _too_few(problem: Problem) -> str:
    """What to tell a user who has too few samples."""
    fresh, needed = len(problem.fresh), cases_needed(SHOWN)
    if fresh >= needed:
        return ""
    if len(set(problem.looked_at)) >= _MANY * needed:
        return f"inputs repeat: only {fresh} of the distinct test cases had not been seen before"
    shown = f"few fresh cases ({fresh}): all good, they show {at_least(fresh, fresh):.0%}"
    return (
        f"{shown if fresh else 'no fresh cases'}; {needed} would show {SHOWN:.0%} at 95 %"
        f" confidence: about {_PARTS * needed} distinct cases in all"
    )

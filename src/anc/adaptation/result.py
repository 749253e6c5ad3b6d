"""What an adaptation gives back: an answer with a proof, and perhaps a faster one without."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.adaptation.answer import Answer
from anc.adaptation.gradient import Soft
from anc.compiler import to_text
from anc.guards import Guarded
from anc.learning.problem import Problem
from anc.machine.weights import Weights
from anc.preconditions import at_least
from anc.program import Program
from anc.search import Found
from anc.verify import Fact, Verdict


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
    tried: int = 0  # cases beside the samples that answers were tried on; the test has none of them
    evaluations: int | None = (
        None  # done, where the budget was work; times are then work, as seconds
    )

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
            "function": self._function(),
            "improved": self.improved,
            "trust": self.trust,
            "steps_generic": round(self.steps_generic, 4),
            "steps_adapted": round(self.steps_adapted, 4),
            "cases_tested": self.cases_tested,
            "cases_tried": self.tried,
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
            "evaluations": self.evaluations,
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
            "accepts_call": self._call(self._accepted_by(answer.facts)),
            "rejects_call": self._call(answer.rejected),
        }

    def _call(self, tape: tuple[int, ...] | None) -> str | None:
        """The call of a Python function that a tape stands for."""
        function = self.problem.function
        return None if function is None or tape is None else function.call_text(tape)

    def _function(self) -> dict[str, Any] | None:
        """What result.json tells of a Python function: its name, and facts in words of its arguments."""
        function = self.problem.function
        if function is None:
            return None
        facts = (*self.precondition, *self.proved.precondition)
        words = {text: function.in_words(text) for text in facts}
        return {"name": function.name, "wrap": function.wrap, "words": words}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)

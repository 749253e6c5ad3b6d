"""What an adaptation gives back, and how it is written to a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.adaptation.evidence import MAX_STEPS, Evidence
from anc.adaptation.gradient import Learnt, Soft
from anc.compiler import to_text
from anc.files import write_atomically
from anc.guards import Guarded, guard
from anc.learning.problem import Problem
from anc.machine.files import save_weights
from anc.machine.weights import Weights
from anc.program import Program
from anc.search import Found
from anc.verify import Fact, Verdict, test_on
from anc.verify.clock import Clock
from anc.verify.verdict import proved


@dataclass(frozen=True)
class Adapted:
    """The adapted program with its evidence; the generic one if nothing faster was found."""

    problem: Problem
    program: Program
    method: str
    steps_generic: float  # means over the test cases
    steps_adapted: float
    cases_tested: int
    correct: bool
    verdict: Verdict
    facts: tuple[Fact, ...]
    guarded: Guarded
    found: tuple[Found, ...]  # every improvement, with its method and time
    trade_off: tuple[Found, ...]  # right programs that no other beats in both steps and lines
    soft: Soft | None  # a soft program that is faster than the exact one
    weights: Weights | None  # if gradient descent found the program
    notes: tuple[str, ...]
    seconds: float
    stop: str

    @property
    def improved(self) -> bool:
        return self.correct and self.steps_adapted < self.steps_generic

    @property
    def precondition(self) -> tuple[str, ...]:
        """When the verdict holds, in words."""
        return tuple(fact.text for fact in self.facts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for result.json and --json."""
        verdict = self.verdict
        return {
            "problem": self.problem.name,
            "memory": self.problem.M,
            "improved": self.improved,
            "steps_generic": round(self.steps_generic, 4),
            "steps_adapted": round(self.steps_adapted, 4),
            "cases_tested": self.cases_tested,
            "correct": self.correct,
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

    def save(self, folder: Path) -> None:
        """Write result.json, generic.anc, adapted.anc and, where there are any, the others."""
        write_atomically(folder / "generic.anc", self.problem.text.encode())
        write_atomically(folder / "adapted.anc", self._listing().encode())
        if self.guarded.program is not None:
            write_atomically(folder / "guarded.anc", to_text(self.guarded.program).encode())
        if self.weights is not None:
            save_weights(self.weights, folder / "weights.safetensors")
        if self.soft is not None:
            save_weights(self.soft.weights, folder / "soft.safetensors")
        text = json.dumps(self.to_dict(), indent=1) + "\n"
        write_atomically(folder / "result.json", text.encode())

    def _listing(self) -> str:
        head = [
            f"# {self.problem.name}, adapted: {self.steps_adapted:.2f} steps instead of"
            f" {self.steps_generic:.2f} (means over {self.cases_tested} cases)",
            f"# {str(self.verdict).splitlines()[0]}",
        ]
        if self.facts:
            head += ["# right whenever"] + [f"#   {text}" for text in self.precondition]
        return "\n".join(head) + "\n" + to_text(self.program)


def conclude(
    problem: Problem,
    candidates: Iterable[tuple[Found, Evidence]],
    history: list[Found],
    learnt: Learnt,
    trade_off: tuple[Found, ...],
    clock: Clock,
) -> Adapted:
    """Choose the first candidate that nothing speaks against, and test it on fresh cases.

    A program that is right on all cases but refuted by another tape is the second choice; the generic
    program is the last.
    """
    generic = test_on(problem.program, problem.test, MAX_STEPS)
    steps = generic.mean_steps
    unchanged = Found(problem.program, steps, steps, "none", 0.0)
    choice = (unchanged, Evidence(proved("", 0, "it is the generic program")), generic)
    for found, evidence in candidates:
        tested = test_on(found.program, problem.test, MAX_STEPS)
        if tested.all_right and not evidence.verdict.refuted:
            choice = (found, evidence, tested)
            break
        if tested.all_right and evidence.verdict.how != "test" and choice[0] is unchanged:
            choice = (found, evidence, tested)
    found, evidence, tested = choice
    samples = [case.input for case in problem.test[:200]]
    soft = learnt.soft if learnt.soft and learnt.soft.steps < tested.mean_steps else None
    return Adapted(
        problem=problem,
        program=found.program,
        method=found.method,
        steps_generic=generic.mean_steps,
        steps_adapted=tested.mean_steps,
        cases_tested=tested.cases,
        correct=tested.all_right,
        verdict=evidence.verdict,
        facts=evidence.facts,
        guarded=guard(
            problem.program, found.program, evidence.facts, problem.M, samples, MAX_STEPS
        ),
        found=tuple(history),
        trade_off=trade_off,
        soft=soft,
        weights=_weights(problem, found, learnt),
        notes=tuple(note for note in (learnt.note, problem.note) if note),
        seconds=clock.seconds,
        stop="interrupted" if clock.asked_to_stop() else "done",
    )


def _weights(problem: Problem, found: Found, learnt: Learnt) -> Weights | None:
    """The weights behind a program that gradient descent found, perhaps before it was cleaned."""
    if found.program in learnt.weights_of:
        return learnt.weights_of[found.program]
    if found.method != "observed":
        return None
    steps = test_on(found.program, problem.validation, MAX_STEPS).mean_steps
    for program, weights in learnt.weights_of.items():
        tested = test_on(program, problem.validation, 1000)
        if tested.all_right and tested.mean_steps == steps:
            return weights
    return None

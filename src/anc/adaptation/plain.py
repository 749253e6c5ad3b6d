"""An adaptation's result as plain data: what result.json and --json hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anc.adaptation.answer import Answer
from anc.adaptation.dropped import Dropped
from anc.compiler import to_text
from anc.learning.problem import Problem
from anc.search import Found

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted, OfSeed


def plain_data(result: Adapted) -> dict[str, Any]:
    """Everything that is known of a result; texts of programs are listings."""
    answer, verdict, other = result.answer, result.verdict, result.unproved
    guarded = result.guarded.program
    return {
        "problem": result.problem.name,
        "memory": result.problem.M,
        "counts": [cell for cell, does in enumerate(result.counts) if does],
        "function": _function(result),
        "provenance": dict(result.made),
        "improved": result.improved,
        "trust": result.trust,
        "steps_generic": round(result.steps_generic, 4),
        "steps_adapted": round(result.steps_adapted, 4),
        "weights": result.cost.named_weights or None,
        "cost_generic": round(result.cost_generic, 4),
        "cost_adapted": round(result.cost_adapted, 4),
        "cases_tested": result.cases_tested,
        "cases_to_report_on": _reported(result.problem),
        "cases_tried": result.tried,
        "method": result.method,
        "program": to_text(answer.program),
        "generic": result.problem.text,
        "guarded": None if guarded is None else to_text(guarded),
        "verdict": verdict.outcome.value,
        "proof": {
            "how": verdict.how,
            "walked": verdict.walked,
            "reason": result.in_words(verdict.reason),
            "seconds": round(verdict.seconds, 3),
            "counterexample": list(verdict.tape) if verdict.tape else None,
        },
        "precondition": list(result.precondition),
        "support": _support(result, answer),
        "proved": None if answer is result.proved else _proved(result),
        "unproved": None if other is None else _unproved(result, other),
        "guard": str(result.guarded),
        "found": [_found(found) for found in result.found],
        "candidates": result.candidates,
        "dropped": [_dropped(result, dropped) for dropped in result.dropped],
        "seeds": [_seed(of_seed) for of_seed in result.seeds],
        "trade_off": [
            {"steps": round(f.steps, 4), "lines": f.program.L, "program": to_text(f.program)}
            for f in result.trade_off
        ],
        "soft": result.soft
        and {"steps": round(result.soft.steps, 4), "confidence": round(result.soft.confidence, 4)},
        "example_tape": list(result.problem.test[0].input),
        "notes": list(result.notes),
        "lines": result.program.L,
        "registers": result.program.R,
        "seconds": round(result.seconds, 2),
        "evaluations": result.evaluations,
        "stop": result.stop,
    }


def _reported(problem: Problem) -> dict[str, int]:
    """What became of the cases that were kept to report on."""
    return {
        "all": len(problem.test),
        "looked_at": problem.looked_at_before,
        "repeats": problem.repeats,
        "fresh": len(problem.fresh),
    }


def _proved(result: Adapted) -> dict[str, Any]:
    """The proved answer, where it is not the trusted one."""
    answer = result.proved
    return {
        "steps": round(answer.steps, 4),
        "cost": round(answer.cost, 4),
        "file": "proved.anc",
        "program": to_text(answer.program),
        "method": answer.method,
        "verdict": answer.verdict.outcome.value,
        "how": answer.verdict.how,
        "walked": answer.verdict.walked,
        "reason": result.in_words(answer.verdict.reason),
        "seconds": round(answer.verdict.seconds, 3),
        "precondition": list(answer.precondition),
        "support": _support(result, answer),
    }


def _unproved(result: Adapted, answer: Answer) -> dict[str, Any]:
    tape, share = answer.verdict.counterexample, answer.wrong_at_most
    return {
        "steps": round(answer.steps, 4),
        "cost": round(answer.cost, 4),
        "file": "adapted.anc" if result.answer is answer else "unproved.anc",
        "program": to_text(answer.program),
        "method": answer.method,
        "verdict": answer.verdict.outcome.value,
        "reason": result.in_words(answer.verdict.reason),
        "counterexample": list(tape or ()) or None,
        "counterexample_call": result.call_of(tape),
        "fresh": answer.fresh,
        "candidates": answer.candidates,
        "wrong_at_most": None if share is None else round(share, 5),
    }


def _found(found: Found) -> dict[str, Any]:
    return {
        "method": found.method,
        "seconds": round(found.seconds, 3),
        "steps": round(found.steps, 4),
        "cost": round(found.cost, 4),
    }


def _dropped(result: Adapted, dropped: Dropped) -> dict[str, Any]:
    """A candidate that became no answer; its steps and its cost are means over the samples."""
    tape = dropped.counterexample
    return _found(dropped.found) | {
        "seed": dropped.seed,
        "lines": dropped.found.program.L,
        "why": dropped.why.value,
        "reason": result.in_words(dropped.reason),
        "counterexample": list(tape or ()) or None,
        "counterexample_call": result.call_of(tape),
        "program": to_text(dropped.found.program),
    }


def _seed(of_seed: OfSeed) -> dict[str, Any]:
    proved, unproved = of_seed.proved, of_seed.unproved
    return {
        "seed": of_seed.seed,
        "best": of_seed.is_best,
        "steps_proved": round(proved.steps, 4),
        "cost_proved": round(proved.cost, 4),
        "steps_unproved": None if unproved is None else round(unproved.steps, 4),
        "cost_unproved": None if unproved is None else round(unproved.cost, 4),
        "method": proved.method,
        "seconds": round(of_seed.seconds, 2),
        "stop": of_seed.stop,
    }


def _support(result: Adapted, answer: Answer) -> dict[str, Any] | None:
    """What is told of an answer's precondition; None: it has none."""
    if not answer.facts:
        return None
    accepts, rejects = result.accepted_by(answer.facts), result.rejected_by(answer)
    return {
        "held": answer.held,
        "fresh": answer.fresh,
        "candidates": answer.candidates,
        "at_least": round(answer.held_at_least, 4),
        "accepts": list(accepts or ()) or None,
        "rejects": list(rejects or ()) or None,
        "accepts_call": result.call_of(accepts),
        "rejects_call": result.call_of(rejects),
    }


def _function(result: Adapted) -> dict[str, Any] | None:
    """What is told of a Python function: facts in words of its arguments, its text, its worth.

    Facts that no caller can break have no words.
    """
    function = result.problem.function
    if function is None:
        return None
    return {
        "name": function.name,
        "wrap": function.wrap,
        "words": result.conditions(result.answer) | result.conditions(result.proved),
        "python": result.python,
        "worth": result.worth and result.worth.to_dict(),
    }

"""One run on an entry of the suite, judged: steps on held-out cases, wrong results, proofs re-checked.

Nothing here believes what the adaptation says of itself: both answers are run on cases that it never
saw, and a proved one on random tapes that satisfy its precondition.
"""

from __future__ import annotations

from random import Random
from statistics import median
from typing import Any

import numpy as np
from suite import Entry, entries

from anc.adaptation.adapt import adapt
from anc.adaptation.evidence import counted_cells
from anc.adaptation.result import Answer
from anc.adaptation.select_answers import Asked
from anc.machine.batch import judge
from anc.machine.encoded import Cases
from anc.program import Program
from anc.proof import Claim
from anc.proof.preconditions.support import failures, holding
from anc.proof.sampler import Tapes
from anc.support.job import Job

FRESH = 10_000  # cases that judge
RECHECKED = 100_000  # tapes that satisfy a precondition
POOL = 600  # samples that a user has
TEST = 300
_FRESH_SEED = 1_000_003
_MAX_STEPS = 50_000
_ONE_SIDED = 1.645  # standard errors: 95 % of chance lies below


def entry_of(name: str) -> Entry:
    return next(entry for entry in entries() if entry.name == name)


def judged_run(name: str, method: str, seed: int, budget: float) -> dict[str, Any]:
    """Adapt an entry once and judge what comes back."""
    entry = entry_of(name)
    problem = entry.problem(seed, POOL, TEST)
    result = adapt(problem, Job(budget), Asked(method, seed))
    fresh = Cases.of(entry.cases(FRESH, _FRESH_SEED))
    _, by_hand = judge(entry.reference, fresh, _MAX_STEPS)
    proved = _judged(result.proved, fresh, by_hand)
    mask = counted_cells(problem.looked_at)
    proved |= {
        "is_generic": result.proved.method == "none",
        "precondition": list(result.proved.precondition),
        "covers": float(holding(result.proved.facts, fresh.inputs.astype(np.int64)).mean()),
    } | _rechecked(entry, result.proved, mask)
    return {
        "entry": name,
        "held_out": entry.held_out,
        "memory": entry.M,
        "lines": entry.program.L,
        "asked": method,
        "seed": seed,
        "budget": budget,
        "generic": _mean_steps(entry.program, fresh),
        "reference": round(float(by_hand.mean()), 4),
        "proved": proved,
        "unproved": result.unproved and _judged(result.unproved, fresh, by_hand),
        "seconds": round(result.seconds, 2),
        "found": [(f.method, round(f.seconds, 3), round(f.steps, 4)) for f in result.found],
        "notes": list(result.notes),
    }


def _judged(answer: Answer, fresh: Cases, by_hand: np.ndarray) -> dict[str, Any]:
    wrong, steps = judge(answer.program, fresh, _MAX_STEPS)
    verdict = answer.verdict
    return {
        "steps": round(float(steps.mean()), 4),
        "wrong": int(wrong.sum()),
        "above_by_hand": _surely_more(steps - by_hand),
        "method": answer.method,
        "verdict": f"{verdict.outcome.value}: {verdict.reason or verdict.how}",
    }


def _surely_more(steps: np.ndarray) -> float:
    """How many more steps these are, case by case, with 95 % confidence; up to 0: perhaps none.

    Where the reference tests cases of equal frequency in another order, the sample decides which of
    the two has the smaller mean.
    """
    return round(float(steps.mean() - _ONE_SIDED * steps.std() / len(steps) ** 0.5), 4)


def _mean_steps(program: Program, cases: Cases) -> float:
    return round(float(judge(program, cases, _MAX_STEPS)[1].mean()), 4)


def _rechecked(entry: Entry, answer: Answer, mask: tuple[bool, ...]) -> dict[str, int]:
    """A proof on random tapes that satisfy its precondition: how many, and how many fail."""
    claim = Claim(entry.program, answer.program, entry.M, mask, answer.facts, partial=True)
    tapes = Tapes(answer.facts, entry.M).many(Random(0), RECHECKED)
    return {"rechecked": len(tapes), "failed": int(failures(claim, tapes).sum())}


def suite_table(runs: list[dict[str, Any]]) -> str:
    """Per entry the medians over its runs, and the goals at the end."""
    head = (
        "| program | M | lines | generic | reference | proved | unproved | seconds | precondition |"
    )
    lines = [head, "|" + "---|" * (head.count("|") - 1)]
    names = sorted(
        {run["entry"] for run in runs}, key=lambda n: [r.name for r in entries()].index(n)
    )
    for name in names:
        rows = [run for run in runs if run["entry"] == name]
        first = sorted(rows, key=lambda run: run["proved"]["steps"])[len(rows) // 2]
        others = [run["unproved"]["steps"] for run in rows if run["unproved"]]
        facts = "; ".join(first["proved"]["precondition"]) or "none"
        cells = [
            f"{name}{' (held out)' if first['held_out'] else ''}",
            first["memory"],
            first["lines"],
            f"{first['generic']:.1f}",
            f"{first['reference']:.1f}",
            f"{median(run['proved']['steps'] for run in rows):.1f}"
            + (" (generic)" if first["proved"]["is_generic"] else ""),
            f"{median(others):.1f} ({len(others)} of {len(rows)})" if others else "-",
            f"{median(run['seconds'] for run in rows):.0f}",
            f"`{facts[:160]}{'...' if len(facts) > 160 else ''}`",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n\n" + _goals(runs)


def _goals(runs: list[dict[str, Any]]) -> str:
    """How far the goals of the suite are reached, over all runs, and for those held out."""
    rows = []
    large = [r for r in runs if r["memory"] == 256 and r["lines"] >= 30]
    kinds = {
        "all": runs,
        "held out": [r for r in runs if r["held_out"]],
        "M = 256, 30 lines or more": large,
    }
    for what, some in kinds.items():
        if some:
            rows.append(f"{what}: {_reached(some)}")
    answers = [a for r in runs for a in (r["proved"], r["unproved"]) if a]
    wrong = sum(a["wrong"] > 0 for a in answers)
    rows.append(
        f"{len(answers)} answers on {FRESH:,} held-out cases each: {wrong} with a wrong result"
        f" ({sum(a['wrong'] for a in answers)} wrong results in all)"
    )
    tapes = sum(r["proved"]["rechecked"] for r in runs)
    failed = sum(r["proved"]["failed"] for r in runs)
    rows.append(f"proofs re-checked on {tapes:,} random tapes that satisfy them: {failed} failures")
    return "\n".join(rows) + "\n"


def _reached(runs: list[dict[str, Any]]) -> str:
    """In how many runs, and for how many programs in most of their runs, the goals are reached."""
    goals = {
        "proved and faster than the generic program": lambda r: not r["proved"]["is_generic"],
        "proved answer at the reference or below": lambda r: _at_most(r["proved"], r),
        "one of the two answers": lambda r: _at_most(r["proved"], r) or _at_most(r["unproved"], r),
        "the same within the noise of the cases, proved": lambda r: _about(r["proved"]),
        "... one of the two": lambda r: _about(r["proved"]) or _about(r["unproved"]),
    }
    names = {run["entry"] for run in runs}
    words = []
    for what, is_reached in goals.items():
        share = sum(map(is_reached, runs)) / len(runs)
        mostly = sum(
            median(is_reached(run) for run in runs if run["entry"] == name) > 0.5 for name in names
        )
        words.append(f"{what} {share:.0%} ({mostly} of {len(names)} programs)")
    return f"{len(runs)} runs; " + "; ".join(words)


def _about(answer: dict[str, Any] | None) -> bool:
    """Whether an answer is right, and nothing says that it takes more steps than the reference."""
    return bool(answer) and answer["wrong"] == 0 and answer["above_by_hand"] <= 0


def _at_most(answer: dict[str, Any] | None, run: dict[str, Any]) -> bool:
    """Whether an answer takes no more steps than the reference, and is right."""
    return bool(answer) and answer["wrong"] == 0 and answer["steps"] <= run["reference"] + 1e-6

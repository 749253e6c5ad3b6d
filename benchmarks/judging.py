"""One run on an entry of the suite, judged: steps on fresh cases, wrong results, proofs re-checked.

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
from anc.adaptation.answer import Answer
from anc.adaptation.evidence import counted_cells
from anc.machine.batch import judge
from anc.machine.cases import Cases
from anc.preconditions.failing import failures, holding
from anc.program import Program
from anc.verify import Claim
from anc.verify.tapes import Tapes

FRESH = 10_000  # cases that judge
RECHECKED = 100_000  # tapes that satisfy a precondition
POOL = 600  # samples that a user has
TEST = 300
_FRESH_SEED = 1_000_003
_MAX_STEPS = 50_000


def entry_of(name: str) -> Entry:
    return next(entry for entry in entries() if entry.name == name)


def judged_run(name: str, method: str, seed: int, budget: float) -> dict[str, Any]:
    """Adapt an entry once and judge what comes back."""
    entry = entry_of(name)
    problem = entry.problem(seed, POOL, TEST)
    result = adapt(problem, budget, method, seed)
    fresh = Cases.of(entry.cases(FRESH, _FRESH_SEED))
    proved = _judged(result.proved, fresh)
    mask = counted_cells(entry.program, result.proved.program, problem.looked_at)
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
        "generic": _steps(entry.program, fresh)[0],
        "reference": _steps(entry.reference, fresh)[0],
        "proved": proved,
        "unproved": result.unproved and _judged(result.unproved, fresh),
        "seconds": round(result.seconds, 2),
        "found": [(f.method, round(f.seconds, 3), round(f.steps, 4)) for f in result.found],
        "notes": list(result.notes),
    }


def _judged(answer: Answer, fresh: Cases) -> dict[str, Any]:
    steps, wrong = _steps(answer.program, fresh)
    verdict = answer.verdict
    return {
        "steps": steps,
        "wrong": wrong,
        "method": answer.method,
        "verdict": f"{verdict.outcome.value}: {verdict.reason or verdict.how}",
    }


def _steps(program: Program, cases: Cases) -> tuple[float, int]:
    """Mean steps, and how many of the cases come out wrong."""
    wrong, steps = judge(program, cases, _MAX_STEPS)
    return round(float(steps.mean()), 4), int(wrong.sum())


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
        if not some:
            continue
        n = len(some)
        proved = sum(_at_most(r["proved"], r) for r in some)
        either = sum(_at_most(r["proved"], r) or _at_most(r["unproved"], r) for r in some)
        faster = sum(not r["proved"]["is_generic"] for r in some)
        rows.append(
            f"{what}: {n} runs; proved and faster than the generic program {faster / n:.0%};"
            f" proved answer at the reference or below {proved / n:.0%};"
            f" one of the two answers {either / n:.0%}"
        )
    answers = [a for r in runs for a in (r["proved"], r["unproved"]) if a]
    wrong = sum(a["wrong"] > 0 for a in answers)
    rows.append(
        f"{len(answers)} answers on {FRESH:,} fresh cases each: {wrong} with a wrong result"
        f" ({sum(a['wrong'] for a in answers)} wrong results in all)"
    )
    tapes = sum(r["proved"]["rechecked"] for r in runs)
    failed = sum(r["proved"]["failed"] for r in runs)
    rows.append(f"proofs re-checked on {tapes:,} random tapes that satisfy them: {failed} failures")
    return "\n".join(rows) + "\n"


def _at_most(answer: dict[str, Any] | None, run: dict[str, Any]) -> bool:
    """Whether an answer takes no more steps than the reference, and is right."""
    return bool(answer) and answer["wrong"] == 0 and answer["steps"] <= run["reference"] + 1e-6

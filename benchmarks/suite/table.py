"""The entries as a table, with the steps that their two programs take."""

from __future__ import annotations

from collections.abc import Sequence

from anc.data.tasks import Case
from anc.isa import PAPER
from anc.machine.batch import Evaluation, Rules, evaluate_many
from anc.machine.encoded import Cases, encode

from .entry import Entry

CASES, SEED, MOST_STEPS = 200, 0, 20_000


def evaluated(entry: Entry, cases: Sequence[Case]) -> Evaluation:
    """What the generic program (first) and the reference (second) do on these cases."""
    programs = [encode(entry.program), encode(entry.reference)]
    return evaluate_many(programs, Cases.of(cases), Rules.of(PAPER, entry.M, MOST_STEPS))


def table(entries: Sequence[Entry]) -> str:
    """One row for each entry, the held-out ones last and without what they are about."""
    rows = [
        ["name", "kind", "M", "lines", "what holds of its inputs", "steps", "by hand"],
        ["---"] * 7,
    ]
    for entry in sorted(entries, key=lambda entry: entry.held_out):
        generic, reference = evaluated(entry, entry.cases(CASES, SEED)).cost
        bias = "(held out)" if entry.held_out else entry.bias
        numbers = [f"{generic:.1f}", f"{reference:.1f}"]
        rows.append([entry.name, entry.kind, str(entry.M), str(entry.program.L), bias, *numbers])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)

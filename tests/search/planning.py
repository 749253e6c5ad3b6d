"""What tests of plans share: programs, the cases that they make of tapes, and the best plan for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anc.compiler import compile_source
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.cost import score
from anc.search.decision_tree import planned


def compiled(text: str, M: int) -> Program:
    return compile_source(Source(text), memory=M).program


def first_cell_of(program: Program, starts: Iterable[Sequence[int]], M: int) -> Cases:
    """Cases of tapes that begin like this, of which the first cell counts."""
    found = []
    for start in starts:
        tape = (*start, *[0] * (M - len(start)))
        output = exact.run(program, tape, 999).tape
        found.append(Case(tape, output, (True, *[False] * (M - 1))))
    return Cases.distinct(found)


def best_plan(program: Program, cases: Cases, fresh: Cases) -> tuple[float, Program]:
    plans = [plan for plan in planned(program, cases) if plan is not None]
    scored = [(score(plan, fresh, 999), plan) for plan in plans]
    return min(((s.steps, plan) for s, plan in scored if s.right), key=lambda pair: pair[0])

"""Claims of the kind that people bring: lists with an end mark, bytes, decisions inside loops.

Every entry says what its verdict should be. Adapted programs are unrolled for the length that the facts
state, specialised by partial evaluation, or wrong on purpose, some of them on very few tapes.
"""

from __future__ import annotations

from proof_entry import MAX_STEPS, Entry
from proof_lists import list_entries, long_entries
from proof_loops import loop_entries
from proof_operations import operation_entries
from proof_shapes import refuted_entries, shape_entries
from proof_wide import wide_entries

from anc.data import tasks
from anc.machine.encoded import Cases
from anc.proof import Claim, parse_fact
from anc.search.clean import constant_cells, specialise


def entries() -> list[Entry]:
    """All claims."""
    lists = [*list_entries(), *long_entries(), *loop_entries()]
    others = [*shape_entries(), *wide_entries(), *refuted_entries(), *operation_entries()]
    return [*lists, *others, *_tasks()]


def _tasks() -> list[Entry]:
    def entry(task: tasks.Task) -> Entry:
        def make() -> Claim:
            cases = task.draw(biased=True, n=200, seed=0)
            known = constant_cells(Cases.distinct(cases))
            facts = [parse_fact(f"tape[{c}] == {v}", task.M) for c, v in known.items()]
            mask = [any(case.mask[c] for case in cases) for c in range(task.M)]
            adapted = specialise(task.program, known, task.M)
            return Claim(task.program, adapted, task.M, mask, facts, MAX_STEPS, partial=True)

        return Entry(f"task {task.name}", task.M, "proved", make)

    return [entry(task) for task in tasks.all_tasks()]

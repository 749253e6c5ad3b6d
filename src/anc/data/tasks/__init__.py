"""The paper's thirteen tasks: each a program with a generic and a biased distribution of inputs.

A distribution yields cases: an input tape, the expected final tape, and the mask of the cells that
count. The expected tape comes from an oracle in plain Python, never from the program.
Draws are a pure function of the task, the distribution and the seed; drawing more cases does not
change the first ones.

The biased distributions of access, increment, swap, listk, addition and sort are those of the
paper's Table 1. The paper has none for the other seven: ours fix what a specialised program can
build in (places, lengths, the shape of a graph) and leave the data free, so that each task has a much
shorter program. Every task describes its bias, and the program that a person would write for it:

| task | bias | steps: generic, by hand |
|---|---|---|
| access | k is always 3 | 5, 3 |
| copy | 3 elements, to cell 8 | 22, 7 |
| increment | 6 elements with the same value | 39, 22 |
| reverse | 3 elements; their new place varies | 40, 10 |
| permutation | the indices are always 2 3 1 | 42, 7 |
| swap | always the elements 0 and 2 | 9, 5 |
| listsearch | nodes in order from cell 3; the value is in one of the first two | 12, 6 |
| listk | nodes in order from cell 3 | 14, 6 |
| walkbst | always left, then right, from a root at cell 5 | 19, 6 |
| merge | 3 and 2 elements at fixed cells, the first list's above the second's | 54, 11 |
| dijkstra | edges 1-2, 1-3, 2-3 at fixed cells; only costs vary | 270, 8 |
| addition | none | 19, 5 |
| sort | three elements, only the first two may be out of order | 36, 7 |

    >>> from anc.data import tasks
    >>> case, = tasks.get("access").draw(biased=True, n=1, seed=0)
    >>> case.input[0], case.mask.index(True)
    (3, 0)
"""

from __future__ import annotations

from functools import cache

from anc.data import programs
from anc.data.tasks.arrays import ARRAY_TASKS
from anc.data.tasks.cases import Case, Distribution, Task
from anc.data.tasks.linked import LINKED_TASKS
from anc.support.diagnostics import AncError, close_match, quoted


@cache
def all_tasks() -> tuple[Task, ...]:
    """All tasks, in the order of `anc.data.programs.names()`."""
    found = {task.name: task for task in (*ARRAY_TASKS, *LINKED_TASKS)}
    return tuple(found[name] for name in programs.names())


def get(name: str) -> Task:
    """The task of that name; the error for an unknown name suggests a close match."""
    for task in all_tasks():
        if isinstance(name, str) and task.name == name:
            return task
    match = close_match(name, programs.names()) if isinstance(name, str) else None
    help = f"did you mean '{match}'?" if match else f"the tasks are {', '.join(programs.names())}"
    raise AncError(f"there is no task {quoted(name)}", help)

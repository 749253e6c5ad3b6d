"""Jump tables beat the best straight decision on sort, once annealing has mended them."""

from __future__ import annotations

from anc import tasks
from anc.machine.cases import Cases
from anc.search.anneal import Annealer
from anc.search.cost import score
from anc.search.jump_table import jump_tables


def test_sort_by_the_difference_of_two_cells() -> None:
    task = tasks.get("sort")
    cases = Cases.distinct(task.draw(True, 500, seed=0))
    tables = jump_tables(cases, cases, below=6.9)
    assert tables
    assert all(table.L == task.M for table in tables)
    mender = Annealer(tables, cases, 140, chains=len(tables), round_size=100_000, only_cool=True)
    for _ in range(3):
        mender.round()
    best = mender.best()
    assert best is not None
    assert best[0] < 6.8
    assert score(best[1], cases, 140).right


def test_tasks_that_a_table_does_not_help() -> None:
    for name, below in (("access", 3.0), ("swap", 5.0), ("addition", 5.0), ("increment", 22.0)):
        task = tasks.get(name)
        cases = Cases.distinct(task.draw(True, 200, seed=0))
        assert not jump_tables(cases, cases, below)

"""Enumeration finds the shortest straight lines and decisions in a moment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anc import isa
from anc.data import tasks
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.cost import Cost, score
from anc.search.enumerate import enumerate_programs

SHORTEST = {
    "access": 3,
    "copy": 7,
    "reverse": 10,
    "permutation": 7,
    "swap": 5,
    "listsearch": 6,
    "listk": 6,
    "walkbst": 6,
    "merge": 11,
    "dijkstra": 8,
    "addition": 5,
    "sort": 7,
}


def programs(walk: Iterator[Program | None], pauses: int | None = None) -> list[Program]:
    """What a walk finds, up to so many pauses."""
    found: list[Program] = []
    for program in walk:
        if program is not None:
            found.append(program)
        elif pauses is not None and (pauses := pauses - 1) <= 0:
            break
    return found


@pytest.mark.parametrize("name", SHORTEST)
def test_the_shortest_program_of_a_task(name: str) -> None:
    task = tasks.get(name)
    cases = Cases.distinct(task.draw(True, 300, seed=4))
    below = score(task.program, cases, 1_000).steps
    constants = sorted({1, 2, *(value for value in task.program.registers if value is not None)})
    found = programs(enumerate_programs(cases, isa.PAPER, below, constants), pauses=1)
    assert found
    best = score(found[-1], cases, 1_000)
    assert best.right
    assert best.steps <= SHORTEST[name]
    fresh = Cases.distinct(task.draw(True, 1_000, seed=5))
    assert score(found[-1], fresh, 1_000).right


def test_sort_stops_early_when_nothing_is_out_of_order() -> None:
    task = tasks.get("sort")
    cases = Cases.distinct(task.draw(True, 300, seed=4))
    *_, best = programs(enumerate_programs(cases, isa.PAPER, 35))
    assert sum(line.op == "JEZ" for line in best.lines) == 1
    assert score(best, cases, 75).steps < 7


def test_no_straight_line_fits_increment() -> None:
    task = tasks.get("increment")
    cases = Cases.distinct(task.draw(True, 100, seed=0))
    assert not programs(enumerate_programs(cases, isa.PAPER, 39, max_depth=3))


def test_what_is_looked_for_costs_less_whatever_instructions_cost() -> None:
    cases = Cases.distinct(tasks.get("listk").draw(True, 100, seed=4))
    half = Cost.named(dict.fromkeys(isa.PAPER.names, 0.5))
    found = programs(enumerate_programs(cases, isa.PAPER, 13.0, max_depth=4))
    assert found
    assert programs(enumerate_programs(cases, isa.PAPER, 6.5, max_depth=4, cost=half)) == found

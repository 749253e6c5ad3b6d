"""The tasks' distributions: valid, pure, as stated; and the programs agree with the oracles."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from random import Random

import pytest

from anc.data import programs, tasks
from anc.data.tasks import Case, Task
from anc.data.tasks.cases import scatter
from anc.data.tasks.linked import shortest_distances
from anc.machine.exact import Stop, run
from anc.support.diagnostics import AncError

# the longest run of the generic program on a biased case (training cuts at it), and on any case
LONGEST = {
    "access": (10, 5), "copy": (50, 40), "increment": (50, 39), "reverse": (90, 70),
    "permutation": (100, 78), "swap": (15, 9), "merge": (180, 150), "addition": (65, 61),
    "sort": (75, 5_000), "listsearch": (60, 45), "listk": (75, 37), "walkbst": (60, 37),
    "dijkstra": (1_000, 1_000),
}  # fmt: skip
SIZES = {"sort": 300, "dijkstra": 400}
both = pytest.mark.parametrize("biased", [True, False], ids=["biased", "generic"])
every_task = pytest.mark.parametrize("task", tasks.all_tasks(), ids=lambda task: task.name)


def mean_iterations(task: Task, n: int = 2_000) -> float:
    runs = [run(task.program, case.input, 5_000) for case in task.draw(True, n, seed=5)]
    return sum(result.steps + 1 for result in runs) / n


def test_all_tasks_in_order() -> None:
    assert tuple(task.name for task in tasks.all_tasks()) == programs.names()
    assert [tasks.get(name) for name in programs.names()] == list(tasks.all_tasks())


def test_unknown_task() -> None:
    with pytest.raises(AncError, match="no task 'acess'") as error:
        tasks.get("acess")
    assert error.value.help == "did you mean 'access'?"
    with pytest.raises(AncError, match="the tasks are access, copy"):
        tasks.get("")


@every_task
def test_a_task_describes_itself(task: Task) -> None:
    assert task.program.memory == task.M
    assert task.program is task.program
    assert task.source.name == f"{task.name}.anc"
    for text in (task.summary, task.bias, task.ideal):
        assert text and "\n" not in text


@every_task
@both
def test_the_program_agrees_with_the_oracle(task: Task, biased: bool) -> None:
    cut, longest = LONGEST[task.name]
    limit = cut if biased or task.name != "sort" else longest
    for case in task.draw(biased, SIZES.get(task.name, 1_500), seed=1):
        assert case.M == len(case.output) == len(case.mask) == task.M
        assert all(0 <= value < task.M for value in (*case.input, *case.output))
        assert any(case.mask)
        result = run(task.program, case.input, limit)
        assert result.stop is Stop.STOPPED, case
        assert result.steps <= longest
        assert case.is_right(result.tape), (case, result.tape)
        assert case.output == result.tape, "also in the cells that do not count"


@every_task
@both
def test_draws_are_pure_and_prefixes_of_longer_ones(task: Task, biased: bool) -> None:
    long = task.draw(biased, 40, seed=3)
    assert task.draw(biased, 15, seed=3) == long[:15]
    assert task.draw(biased, 0, seed=3) == []
    assert task.draw(biased, 40, seed=4) != long
    assert len(set(long)) > (3 if task.name == "increment" else 15), "variation is left in the data"


def test_the_distributions_draw_differently() -> None:
    task = tasks.get("addition")
    assert task.draw(True, 20, seed=0) != task.draw(False, 20, seed=0)


def test_draws_are_the_same_in_another_process() -> None:
    code = (
        "from anc.data import tasks\n"
        "print([t.draw(b, 3, 7) for t in tasks.all_tasks() for b in (True, False)])"
    )
    here = [task.draw(biased, 3, 7) for task in tasks.all_tasks() for biased in (True, False)]
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "123"}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert found.stdout.strip() == repr(here)


def test_no_tensor_library_is_imported() -> None:
    code = (
        "import sys, anc.data.tasks, anc.data.tasks.data, anc.data.programs\n"
        "print([m for m in ('numpy', 'jax', 'numba') if m in sys.modules])"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "iterations", "tolerance"),
    [
        ("access", 6, 0),
        ("increment", 40, 0),
        ("swap", 10, 0),
        ("listk", 15.15, 0.35),
        ("addition", 19.65, 0.75),
        ("sort", 36.75, 0.75),
        ("copy", 23, 0),
        ("reverse", 41, 0),
        ("permutation", 43, 0),
        ("walkbst", 20, 0),
        ("listsearch", 13, 0.3),
        ("merge", 55.4, 0.5),
        ("dijkstra", 270.8, 0.5),
    ],
)
def test_mean_iterations_of_the_generic_program_on_biased_cases(
    name: str, iterations: float, tolerance: float
) -> None:
    n = 300 if name == "dijkstra" else 2_000
    assert abs(mean_iterations(tasks.get(name), n) - iterations) <= tolerance


# -- ranges: what the biased distributions promise ------------------------------


def counted(case: Case) -> list[int]:
    return [cell for cell, counts in enumerate(case.mask) if counts]


def access(case: Case) -> bool:
    return case.input[0] == 3 and counted(case) == [0]


def copy(case: Case) -> bool:
    return case.input[0] == 8 and all(case.input[1:4]) and counted(case) == [8, 9, 10]


def increment(case: Case) -> bool:
    value = case.input[0]
    return 1 <= value <= 5 and case.input == (value,) * 6 + (0,) and all(case.mask)


def reverse(case: Case) -> bool:
    p = case.input[0]
    return 5 <= p <= 11 and all(case.input[1:4]) and counted(case) == [p, p + 1, p + 2]


def permutation(case: Case) -> bool:
    return case.input[:4] == (2, 3, 1, 0) and counted(case) == [0, 1, 2]


def swap(case: Case) -> bool:
    n = case.input[2:].index(0)
    return case.input[:2] == (0, 2) and 3 <= n <= 7 and counted(case) == [2, 4]


def nodes_in_order(case: Case, least: int, most: int) -> int:
    """How many nodes lie in order from cell 3 on."""
    n = next(n for n in range(1, 9) if case.input[1 + 2 * n] == 0)
    assert case.input[0] == 3 and case.input[2] == 2 and counted(case) == [2]
    assert case.input[3 : 2 + 2 * n : 2] == (*range(5, 3 + 2 * n, 2), 0)[:n]
    assert least <= n <= most
    return n


def listsearch(case: Case) -> bool:
    nodes_in_order(case, 2, 6)
    return case.input[1] in (case.input[4], case.input[6])


def listk(case: Case) -> bool:
    n = nodes_in_order(case, 2, 7)
    return 1 <= case.input[1] <= n - 1 and all(1 <= v <= 19 for v in case.input[4 : 3 + 2 * n : 2])


def walkbst(case: Case) -> bool:
    return case.input[:5] == (5, 1, 1, 2, 0) and counted(case) == [1]


def merge(case: Case) -> bool:
    together = case.input[3:6] + case.input[7:9]
    in_order = list(together) == sorted(together, reverse=True)
    return case.input[:3] == (3, 7, 10) and in_order and counted(case) == [10, 11, 12, 13, 14]


def dijkstra(case: Case) -> bool:
    shape = [value for cell, value in enumerate(case.input[:14]) if cell not in (6, 8, 11)]
    return shape == [14, 5, 10, 13, 0, 2, 3, 0, 3, 0, 0] and counted(case) == [14, 16, 18]


def addition(case: Case) -> bool:
    a, b = case.input[:2]
    return 0 <= a <= 12 and 0 <= b <= 13 - a and counted(case) == [0]


def sort(case: Case) -> bool:
    a, b, c = case.input[:3]
    start = 1 <= a <= 10 and 1 <= b <= 10
    return start and max(a, b) <= c <= 20 and not any(case.input[3:]) and counted(case) == [0, 1, 2]


CHECKS: tuple[Callable[[Case], bool], ...] = (
    *(access, copy, increment, reverse, permutation, swap, listsearch, listk),
    *(walkbst, merge, dijkstra, addition, sort),
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_ranges_of_the_biased_distribution(check: Callable[[Case], bool]) -> None:
    for case in tasks.get(check.__name__).draw(True, 500, seed=2):
        assert check(case), case


def test_both_ends_of_the_published_ranges_occur() -> None:
    def seen(name: str, *cells: int) -> list[set[int]]:
        cases = tasks.get(name).draw(True, 4_000, seed=2)
        return [{case.input[cell] for case in cases} for cell in cells]

    assert seen("access", 1, 9) == [set(range(10))] * 2
    assert seen("increment", 0) == [set(range(1, 6))]
    assert seen("swap", 2, 4) == [set(range(1, 10))] * 2
    assert seen("swap", 8, 9) == [set(range(10)), {0}]
    assert seen("listk", 1, 4) == [set(range(1, 7)), set(range(1, 20))]
    assert seen("addition", 0, 1) == [set(range(13)), set(range(14))]
    assert seen("sort", 0, 1, 2) == [set(range(1, 11)), set(range(1, 11)), set(range(1, 21))]


def test_generic_cases_have_the_edges() -> None:
    empty = {
        name: any(case.input[0] == 0 for case in tasks.get(name).draw(False, 200, seed=0))
        for name in ("increment", "permutation", "listsearch", "sort")
    }
    assert all(empty.values()), empty
    cases = tasks.get("dijkstra").draw(False, 200, seed=0)
    assert any(99 in (case.output[cell] for cell in counted(case)) for case in cases)
    cases = tasks.get("listsearch").draw(False, 200, seed=0)
    found = {case.output[counted(case)[0]] == 0 for case in cases}
    assert found == {True, False}


# -- oracles and layout ----------------------------------------------------------


def testshortest_distances_by_hand() -> None:
    assert shortest_distances([{}]) == [0]
    assert shortest_distances([{2: 2, 3: 9}, {3: 4}, {}]) == [0, 2, 6]
    assert shortest_distances([{2: 2, 3: 5}, {3: 4}, {}]) == [0, 2, 5]
    assert shortest_distances([{2: 1}, {1: 1}, {1: 1}]) == [0, 1, 99]


def test_scatter_keeps_blocks_apart() -> None:
    random = Random(0)
    seen = set()
    for _ in range(500):
        sizes = [3, 1, 2]
        at = scatter(random, sizes, 4, 12)
        cells = [
            cell
            for start, size in zip(at, sizes, strict=True)
            for cell in range(start, start + size)
        ]
        assert len(set(cells)) == 6
        assert min(cells) >= 4 and max(cells) < 12
        seen.add(tuple(at))
    assert len(seen) == 60, "6 orders, 10 ways to share out 2 free cells over 4 gaps"
    assert scatter(random, [], 3, 5) == []
    assert sorted(scatter(random, [2, 2], 3, 7)) == [3, 5]

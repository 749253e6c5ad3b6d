"""Python functions, adapted and deployed: proved equal to what Python makes of them."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from codegen import exact_functions as given
from codegen.emitted import COMPILER, c_output
from codegen.test_exact_functions import outcome

import anc
from anc.adaptation.functions import as_python_runs_it
from anc.data.tasks.data import Given
from anc.support.diagnostics import AncError
from anc.training.problem import from_cases


def problem_of(function, calls):
    cases = Given.listed(calls, function.call_fields).cases(function.program)
    return from_cases(function.name, function.program, "", cases, function=function)


def test_an_adapted_function_falls_back_to_the_original(tmp_path):
    random = Random(0)
    calls = [([random.randrange(9), 4], random.randrange(3)) for _ in range(100)]
    calls.append(([39, 9], 3))  # 51 is no number of the machine
    result = anc.adapt(given.total, calls, evaluations=100_000, method="specialise")
    assert result.improved
    assert result.verdict.proved
    assert any("total([39, 9], 3)" in note for note in result.notes)
    result.save(tmp_path, write_anyway=True)
    text = (tmp_path / "adapted.py").read_text()
    assert "anc" not in text
    space: dict = {}
    exec(text, space)
    for values in ([3, 4], [8, 4], [39, 4], [39, 9], [3, 4, 5], [-1, 4]):
        for i in (0, 2, 3, 39, 10**9):
            assert space["total"](values, i) == given.total(values, i)
    if COMPILER is not None:
        header = (tmp_path / "adapted.h").read_text()
        assert c_output(header, tmp_path, "-DTOTAL_SELF_TEST").startswith("total: 0 of ")
    assert min(vars(result.worth.expected).values()) > 0


def test_calls_on_which_the_machine_is_not_python_are_left_out():
    kept = as_python_runs_it(
        problem_of(given.total, [([1, 2], 3)] * 60 + [([39], n) for n in (1, 2)])
    )
    assert kept.exact is not None
    assert {case.input[:3] for case in kept.everything} == {(2, 1, 2)}
    assert "2 of 3 distinct cases are left out" in kept.note


def test_when_that_is_all_of_them_it_says_so():
    with pytest.raises(
        AncError, match=r"1 of 1 distinct cases .* total\(\[39\], 1\), where Python returns 40"
    ):
        as_python_runs_it(problem_of(given.total, [([39], 1)] * 3))


def test_where_wrapping_around_is_meant_nothing_is_left_out():
    problem = problem_of(given.mixed, [([15, 15], 15)] * 3)
    assert as_python_runs_it(problem) is problem


def test_without_room_for_the_checks_the_memory_is_larger():
    paper = given.lowered.with_instructions(anc.PAPER)
    function = paper.with_memory(paper.program.L)
    kept = as_python_runs_it(problem_of(function, [([1, 2, 3], 1), ([22, 0, 5], 3)] * 3))
    assert kept.function is not None
    assert kept.M > function.M
    assert kept.exact is not None and kept.exact.memory == kept.program.memory == kept.M
    assert {case.output[:5] for case in kept.pool} == {(1, 0, 1, 1, 2), (18, 0, 1, 3, 2)}
    assert "adapted for a memory of" in kept.note


def test_a_tape_in_a_larger_memory_is_a_list_of_as_many_cells(tmp_path):
    function = given.moved.with_memory(6)
    with pytest.raises(AncError, match="does not fit"):
        function.exact  # noqa: B018
    random = Random(0)
    calls = [([5, random.randrange(3), random.randrange(3), 1, 2, 3],) for _ in range(60)]
    result = anc.adapt(function, calls, evaluations=100_000, method="specialise")
    assert result.improved and result.verdict.proved
    result.save(tmp_path, write_anyway=True)
    space: dict = {}
    exec((tmp_path / "adapted.py").read_text(), space)
    for first, a, b in product((0, 4, 5, 6, -1), (0, 1, 2, 5, 100), (0, 3)):
        one, other = [first, a, b, 1, 2, 3], [first, a, b, 1, 2, 3]
        assert outcome(space["moved"], (one,)) == outcome(function.python, (other,))
        assert one == other
    assert outcome(space["moved"], ([0] * 7,)) == outcome(function.python, ([0] * 7,))

"""Recorded calls as cases: what does not fit is left out by name, processes that still run count."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Annotated

import pytest

import anc
from anc.commands.main import app
from anc.data.loading import load
from anc.data.tasks.data import Given
from anc.python.recording.store import Sample, journals_of, merged
from anc.support.diagnostics import AncError

TEXT = """
import anc
from typing import Annotated

@anc.function(memory=40)
def chosen(x: int, values: Annotated[list[int], anc.Size(2)]) -> int:
    assert x < 30
    return values[0] if x == 3 else values[1]
"""


@anc.function(memory=40)
def chosen(x: int, values: Annotated[list[int], anc.Size(2)]) -> int:
    assert x < 30
    return values[0] if x == 3 else values[1]


def samples(path: Path, function=chosen):
    loaded = load(function)
    given = Given.in_file(path, loaded.call, loaded.real_call)
    return given.cases(loaded.program), given.note


def test_calls_of_a_process_that_still_runs(tmp_path):
    path = tmp_path / "calls.jsonl"
    recorded = anc.record(chosen, path)
    for n in range(20):
        recorded(3, [n, 1])
    assert journals_of(path) and not path.exists()
    cases, note = samples(path)
    assert note == f"{path}: 20 calls seen, 20 kept"
    assert {case.input[:3] for case in cases} == {(3, n, 1) for n in range(20)}
    assert all(case.output[3] == case.input[1] for case in cases)
    assert sum(cases[0].mask) == 3  # the list and the result
    recorded.recorder.save()
    recorded(4, [7, 8])
    assert samples(path)[1] == f"{path}: 21 calls seen, 21 kept"


def test_more_calls_than_are_kept(tmp_path):
    recorded = anc.record(chosen, tmp_path / "calls.jsonl", size=5)
    for n in range(30):
        recorded(3, [n, 1])
    recorded.recorder.save()
    cases, note = samples(tmp_path / "calls.jsonl")
    assert len(cases) == 5 and "30 calls seen, 5 kept" in note


def test_keywords_and_defaults_are_arguments_in_their_places(tmp_path):
    def called(x, values=(5, 6)):
        return chosen(x, values)

    recorded = anc.record(called, tmp_path / "calls.jsonl")
    recorded(values=[1, 2], x=3)
    recorded(3)
    recorded(x=4)
    cases, _ = samples(tmp_path / "calls.jsonl")
    assert [case.input[:3] for case in cases] == [(3, 1, 2), (3, 5, 6), (4, 5, 6)]


def test_calls_that_do_not_fit_are_left_out_by_name(tmp_path):
    recorded = anc.record(chosen, tmp_path / "calls.jsonl")
    for n in (1, 2, 99, 98, -1):
        recorded(3, [n, 1])
    recorded(3, [1])
    recorded(0, [1, 2, 3])
    with pytest.raises(AssertionError):
        recorded(30, [1, 2])
    cases, note = samples(tmp_path / "calls.jsonl")
    assert len(cases) == 2
    assert "8 calls seen, 8 kept, 2 of them fit the function; 3 left out, such as:" in note
    assert "'values[0]' is 99, which does not fit: numbers go from 0 to 39" in note
    assert "1 left out, such as: 'values' has 1 elements, expected 2" in note
    assert "1 left out, such as: 'values' has 3 elements, at most 2 fit" in note
    assert note.endswith("1 left out for other reasons")  # the assert


def test_a_call_in_which_an_assert_failed(tmp_path):
    recorded = anc.record(chosen, tmp_path / "calls.jsonl")
    recorded(3, [1, 2])
    with pytest.raises(AssertionError):
        recorded(30, [1, 2])
    cases, note = samples(tmp_path / "calls.jsonl")
    line = chosen.definition.body[0].lineno
    assert len(cases) == 1 and f"such as: the assert of line {line} does not hold" in note


def test_calls_of_another_function(tmp_path):
    def called(x, y):
        return x, y

    recorded = anc.record(called, tmp_path / "calls.jsonl")
    recorded([1, 2], 3)
    with pytest.raises(AncError) as caught:
        samples(tmp_path / "calls.jsonl")
    assert "'x' is of type list, expected a whole number" in str(caught.value)
    assert "not the one that was recorded" in str(caught.value)


@pytest.mark.parametrize("count", ["0", "[]", "{", '{"x": 3}', '{"x": {"seen": "3"}}', "[" * 10**5])
def test_a_damaged_count_is_none(tmp_path, count):
    path = tmp_path / "calls.jsonl"
    path.write_text("[3, [1, 2]]\n")
    (tmp_path / "calls.jsonl.count").write_text(count)
    assert samples(path)[1] == f"{path}: 1 calls seen, 1 kept"


@pytest.mark.parametrize(
    "line", ["7", "[1]", "[[], 2, [3]]", '[1, "2", [3]]', "[1, 2]", "[1, 2, 3, 4]"]
)
def test_a_damaged_journal_counts_up_to_the_damage(tmp_path, line):
    path = tmp_path / "calls.jsonl"
    rest = "[2,3,[3,[5,6]]]\n"
    (tmp_path / "calls.jsonl.1-ab.part").write_text(f"[0,1,[3,[1,2]]]\n{line}\n{rest}")
    assert samples(path)[1] == f"{path}: 1 calls seen, 1 kept"


def test_a_file_that_stands_for_more_calls_than_it_has(tmp_path):
    """Merging ends when all calls are taken, however many there are said to have been."""
    many, few = Sample(([1], [2]), 50_000), Sample(([3],), 1)
    assert merged([many, few], 100, Random(0)).seen == 50_001
    assert sorted(merged([many, few], 100, Random(0)).calls) == [[1], [2], [3]]


def test_lines_that_somebody_wrote_are_all_checked(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text("[3, [1]]\n[3, [99, 1]]\n")
    with pytest.raises(AncError, match=r"1 of 2 lines is wrong\n  line 2: 'values\[0\]' is 99"):
        samples(path)


def test_a_function_may_be_recorded_in_both_ways(tmp_path):
    outside = anc.record(chosen, tmp_path / "calls.jsonl")

    @anc.function(memory=40)
    @anc.record(tmp_path / "calls.jsonl")
    def double(x: int) -> int:
        return x + x

    assert load(outside).function is chosen
    assert anc.run(outside, chosen.tape(3, [8, 9])).tape[3] == 8
    assert double(4) == 8 and anc.run(double, double.tape(4)).tape[1] == 8
    assert json.loads(next(iter(journals_of(tmp_path / "calls.jsonl"))).read_text())[2] == [4]


def test_adapting_takes_recorded_calls(tmp_path, capsys):
    path, file = tmp_path / "calls.jsonl", tmp_path / "file.py"
    file.write_text(TEXT)
    recorded = anc.record(chosen, path)
    for n in range(38):
        recorded(3, [n, 1])
    recorded(3, [n, 99])
    loaded = load(f"{file}:chosen")
    given = Given.in_file(path, loaded.call, loaded.real_call)
    assert len(given.inputs(40)) == 38
    assert "39 calls seen, 39 kept, 38 of them fit" in given.note
    result = anc.adapt(chosen, path, budget=60, method="specialise")
    assert "39 calls seen" in result.notes[0]
    assert result.steps_adapted < result.steps_generic and "tape[0] == 3" in result.precondition
    assert anc.adapt(recorded, str(path), budget=60, method="specialise").program == result.program
    words = ["adapt", str(file), "--data", str(path), "--method", "specialise", "--budget", "60s"]
    app([*words, "-o", str(tmp_path / "out")], standalone_mode=False)
    said = capsys.readouterr().out
    assert "39 calls seen, 39 kept, 38 of them fit the function; 1 left out" in said
    assert "'values[1]' is 99" in said


def test_numbers_for_truths_go_to_the_original_and_are_left_out(tmp_path):
    @anc.function(memory=40)
    def chosen_by(x: int, first: bool, flags: Annotated[list[bool], anc.Size(2)]) -> int:
        return x if first else x + 1

    path = tmp_path / "calls.jsonl"
    recorded = anc.record(chosen_by, path)
    for call in ((3, True, [False, True]), (4, 1, [False, True]), (True, True, [False, True])):
        recorded(*call)
    recorded(5, False, [0, 1])
    cases, note = samples(path, chosen_by)
    assert [case.input[:4] for case in cases] == [(3, 1, 0, 1)]
    assert "4 kept, 1 of them fit the function" in note
    assert "'first' is given 1, expected True or False" in note
    assert "'x' is given True, expected a number" in note
    assert "'flags' is given 0" in note

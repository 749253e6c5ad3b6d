"""Users' data: what is read, and what every mistake is told."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anc.compiler import compile_source
from anc.data import tasks
from anc.data.tasks import Case
from anc.data.tasks.data import DataError, Given, cases_text
from anc.language import Source
from anc.program import Program
from anc.support.diagnostics import AncError

# Cell 0 becomes cell 1 plus 1. Cell 2 says how it ends: 0 stops, 1 runs past the end, others loop.
SMALL = """
memory 13
var a
var b
a = READ(1)
a = INC(a)
WRITE(0, a)
b = READ(2)
JEZ(b, l_stop)
b = DEC(b)
JEZ(b, 12)
l_forever: JEZ(0, l_forever)
l_stop: STOP()
"""


def program() -> Program:
    return compile_source(Source(SMALL)).program


def parse_cases(text: str, name: str, *how: Any, **limits: Any) -> list[Case]:
    """The cases of a file with this name and text."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path(name).write_text(text)
        return Given.in_file(name).cases(*how, **limits)


def problems(*lines: str | dict[str, Any], M: int | None = None) -> list[str]:
    """What is said about each wrong line."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    with pytest.raises(DataError) as error:
        parse_cases(text, "data.jsonl", program(), M, max_steps=50)
    return [reason for _, reason in error.value.problems]


def test_a_whole_line() -> None:
    line = {"input": [0, 4, 0], "output": [5, 9, 0], "mask": [1, 0, False]}
    (case,) = parse_cases(json.dumps(line), "data", program())
    assert case == Case((0, 4) + (0,) * 11, (5, 9) + (0,) * 11, (True,) + (False,) * 12)


def test_the_program_says_the_output_and_all_cells_count() -> None:
    (case,) = parse_cases('{"input": [0, 4]}', "data", program())
    assert case.output == (5, 4) + (0,) * 11
    assert all(case.mask)


def test_memory_is_given_or_the_programs_or_the_longest_input() -> None:
    text = '{"input": [0, 4]}\n\n{"input": [1, 2, 0, 0, 0]}\r\n'
    nameless = compile_source(Source("WRITE(0, 1)\nSTOP()")).program
    assert [case.M for case in parse_cases(text, "data", program())] == [13, 13]
    assert [case.M for case in parse_cases(text, "data", program(), M=20)] == [20, 20]
    assert [case.M for case in parse_cases(text, "data", nameless)] == [5, 5]
    assert [case.M for case in parse_cases('{"input": [0]}', "data", nameless)] == [2]
    with pytest.raises(AncError, match="memory 3 is too small for this program"):
        parse_cases(text, "data", program(), M=3)
    with pytest.raises(AncError, match="memory 1000000 is too large"):
        parse_cases(text, "data", program(), M=1_000_000)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[" * 100_000, "not JSON: maximum recursion depth exceeded"),
        ("[1, 2]", 'expected an object such as {"input": [3, 1, 2]}, found a list'),
        ("7", "found the number 7"),
        ('{"inptu": [1]}', "unknown key \"inptu\" (did you mean 'input'?); 'input' is missing"),
        ('{"input": [1], "zz": 1}', 'unknown key "zz" (the keys are input, output and mask)'),
        ("{}", "'input' is missing"),
        ('{"input": [1], "input": [2]}', 'key "input" occurs twice'),
        ('{"input": 3}', "'input' is the number 3, expected a list of numbers"),
        ('{"input": null}', "'input' is null, expected a list of numbers"),
        ('{"input": "1 2"}', "'input' is the text \"1 2\", expected a list of numbers"),
        ('{"input": {}}', "'input' is an object, expected a list of numbers"),
        ('{"input": []}', "'input' has no cells"),
        ('{"input": [1, "x"]}', "'input' has the text \"x\" in cell 1, expected a whole number"),
        ('{"input": [1.5]}', "'input' has the number 1.5 in cell 0, expected a whole number"),
        ('{"input": [NaN]}', "'input' has the number NaN in cell 0, expected a whole number"),
        ('{"input": [true]}', "'input' has true in cell 0, expected a whole number"),
        ('{"input": [[1]]}', "'input' has a list in cell 0, expected a whole number"),
        ('{"input": [0, 13]}', "'input' has 13 in cell 1; with 13 cells, numbers go from 0 to 12"),
        ('{"input": [-1]}', "'input' has -1 in cell 0; with 13 cells, numbers go from 0 to 12"),
        (
            '{"input": [' + "9" * 100 + "]}",
            "'input' has 999999999999999999999999999... in cell 0;",
        ),
        ({"input": [0] * 14}, "'input' has 14 cells, the memory has 13"),
        ('{"input": [1], "output": [77]}', "'output' has 77 in cell 0; with 13 cells"),
        (
            '{"input": [1, 2], "output": [3, 2, 0]}',
            "'output' has 3 cells, expected 2 like 'input' (or 13, the whole memory)",
        ),
        ({"input": [0] * 13, "mask": [1]}, "'mask' has 1 cells, expected 13 like 'input'"),
        ('{"input": [1, 2], "mask": [1]}', "'mask' has 1 cells, expected 2 like 'input'"),
        ('{"input": [1, 2], "mask": [1, 2]}', "'mask' has 2 in cell 1, expected 0 or 1"),
        ('{"input": [1, 2], "mask": [1, null]}', "'mask' has null in cell 1, expected 0 or 1"),
        ('{"input": [1, 2], "mask": 1}', "'mask' is the number 1, expected a list of 0 and 1"),
        ('{"input": [1, 2], "mask": [0, false]}', "'mask' counts no cell"),
        ('{"input": [1, 2, 2]}', "the program does not stop on this input within 50 steps"),
        ('{"input": [1, 2, 1]}', "the program runs past its last line on this input"),
        (
            '{"input": [1, 2], "output": [4, 2]}',
            "'output' has 4 in cell 0, the program computes 3",
        ),
    ],
)
def test_a_wrong_line(line: str | dict[str, Any], reason: str) -> None:
    (found,) = problems(line)
    assert reason in found


def test_outputs_may_differ_where_no_cell_counts() -> None:
    line = '{"input": [1, 2], "output": [3, 9], "mask": [1, 0]}'
    (case,) = parse_cases(line, "data", program())
    assert case.output[1] == 9


def test_all_wrong_lines_in_one_message() -> None:
    text = '{"input": [0, 4]}\n{\n\n{"input": [99]}\n'
    with pytest.raises(DataError) as error:
        parse_cases(text, "data.jsonl", program())
    assert str(error.value).split("\n") == [
        "data.jsonl: 2 of 3 lines are wrong",
        "  line 2: not JSON: Expecting property name enclosed in double quotes at column 2",
        "  line 4: 'input' has 99 in cell 0; with 13 cells, numbers go from 0 to 12",
    ]
    with pytest.raises(DataError, match="1 of 1 line is wrong"):
        parse_cases("{", "data.jsonl", program())


def test_many_wrong_lines_are_counted() -> None:
    with pytest.raises(DataError) as error:
        parse_cases("x\n" * 25, "data.jsonl", program())
    rows = str(error.value).split("\n")
    assert rows[0] == "data.jsonl: 25 of 25 lines are wrong"
    assert rows[10].startswith("  line 10:")
    assert rows[11:] == ["  and 15 more"]
    with pytest.raises(DataError) as error:
        parse_cases("x\n" * 500, "data.jsonl", program())
    assert "100 of 100 lines are wrong; the other 400 were not checked" in str(error.value)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"input": [0, 4]}\r\n')
    assert (
        len(Given.in_file(path).cases(program()))
        == len(Given.in_file(str(path)).cases(program()))
        == 1
    )
    path.write_bytes(b'{"input": [0, 4]}\n{"input": "\xff"}')
    with pytest.raises(AncError, match="is not UTF-8 text: line 2 has the byte 0xff"):
        Given.in_file(path).cases(program())
    for nothing in ("", "\n \n"):
        path.write_text(nothing)
        with pytest.raises(AncError, match=r"data\.jsonl has no cases"):
            Given.in_file(path).cases(program())
    with pytest.raises(AncError, match="is a directory, not a file of cases"):
        Given.in_file(tmp_path).cases(program())
    with pytest.raises(AncError, match=r"cannot read .*none: No such file"):
        Given.in_file(tmp_path / "none").cases(program())
    with pytest.raises(AncError, match="cannot read"):
        Given.in_file("a\0b").cases(program())


@pytest.mark.parametrize("name", [task.name for task in tasks.all_tasks()])
def test_round_trip_of_every_tasks_cases(name: str, tmp_path: Path) -> None:
    task = tasks.get(name)
    cases = task.draw(biased=True, n=20, seed=0) + task.draw(biased=False, n=20, seed=0)
    path = tmp_path / "data.jsonl"
    path.write_text(cases_text(cases))
    assert Given.in_file(path).cases(task.program) == cases


@given(st.lists(st.integers(0, 12), min_size=1, max_size=2), st.data())
def test_round_trip_of_any_case(cells: list[int], data: st.DataObject) -> None:
    size = len(cells)
    mask = data.draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(any))
    text = json.dumps({"input": cells, "mask": mask})
    cases = parse_cases(text, "data", program())
    assert parse_cases(cases_text(cases), "data", program()) == cases


# -- functions -------------------------------------------------------------------


def cases_from(function: Any, n: int, seed: int) -> list[Case]:
    return Given.drawn(function, n, f"cases/{seed}").cases(program())


class Array:
    """As much of an array library's array as matters here."""

    def __init__(self, cells: list[int]) -> None:
        self.cells = cells

    def tolist(self) -> list[int]:
        return self.cells


def test_a_function_may_return_a_tape_a_dictionary_or_a_case() -> None:
    def tape(random: Random) -> list[int]:
        return [0, random.randint(0, 9)]

    cases = cases_from(tape, 20, 1)
    assert cases_from(tape, 5, 1) == cases[:5]
    assert cases_from(tape, 20, 2) != cases
    assert all(case.output[0] == case.input[1] + 1 for case in cases)
    assert cases_from(lambda r: tuple(tape(r)), 20, 1) == cases
    assert cases_from(lambda r: {"input": tape(r)}, 20, 1) == cases
    assert cases_from(lambda r: Array(tape(r)), 20, 1) == cases
    assert cases_from(lambda r: r.choice(cases), 5, 1)[0] in cases


def test_a_function_is_checked_like_a_file() -> None:
    def wrong(random: Random) -> list[int]:
        return [99]

    with pytest.raises(DataError) as error:
        cases_from(wrong, 3, 0)
    assert str(error.value).startswith("wrong: 3 of 3 cases are wrong\n  case 1: 'input' has 99")
    with pytest.raises(DataError, match="expected a Case, a dictionary or an input tape"):
        cases_from(lambda r: 3, 1, 0)
    with pytest.raises(DataError, match="found the text"):
        cases_from(lambda r: "12", 1, 0)
    with pytest.raises(DataError, match="unknown key"):
        cases_from(lambda r: {"inputs": [1]}, 1, 0)
    with pytest.raises(DataError, match="'output' has 9 in cell 0, the program computes 5"):
        bad = Case((0, 4, 0), (9, 4, 0), (True, True, True))
        cases_from(lambda r: bad, 1, 0)


def test_a_function_that_fails() -> None:
    def broken(random: Random) -> list[int]:
        raise IndexError("no such thing")

    with pytest.raises(
        AncError, match="broken failed at case 1: IndexError: no such thing"
    ) as error:
        cases_from(broken, 3, 0)
    assert isinstance(error.value.__cause__, IndexError)

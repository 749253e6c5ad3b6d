"""Code from Python is as good as code written by hand, or better."""

import lowering
import pytest

import anc
from anc.language.source import Source
from anc.machine.exact import run
from anc.python.function import read
from anc.python.source import parse


@pytest.fixture(scope="module")
def rows():
    return {row[0]: row for row in lowering.table(number=30)}


def test_the_thirteen_programs_take_no_more_lines_and_steps_than_by_hand(rows):
    assert len(rows) == 13
    worse = [row for row in rows.values() if row[2] > row[1] or row[4] > row[3]]
    assert worse == []


def program_of(body: str, signature: str = "x: int, y: int", M: int = 64):
    text = f"def f({signature}) -> int:\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    module = parse(Source(text, "x.py"))
    return read(module, module.functions["f"], memory=M).program


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("return 3 * 4 + 2", 2),  # WRITE, STOP: all known
        ("return x + 0 * y", 3),
        ("if x == 0:\n    return y\nreturn 1", 7),
        ("z = x\nw = z\nreturn w", 3),
        ("return (x + y) - (y + x)", 2),
        ("return 63 - 62 if x < 63 - 63 else 5", 2),
        ("return max(min(x, 63), 0)", 3),
    ],
)
def test_small_things_stay_small(body, lines):
    assert lines >= program_of(body).L


def test_a_loop_over_a_tuple_is_written_out_and_one_over_a_list_is_not():
    of_list = "values: Annotated[list[int], anc.Size(8)]"
    short = program_of("n = 0\nfor v in values:\n    n += v\nreturn n", of_list)
    long = program_of("n = 0\nfor v in (x, y, 3, x):\n    n += v\nreturn n")
    assert short.L < 10 and not any(line.op == "JEZ" for line in long.lines)


def test_division_takes_lines_where_there_is_room_and_steps_where_not():
    halves, small = program_of("return x // 2", M=256), program_of("return x // 2", M=20)
    assert halves.L > 20 > small.L
    assert run(halves, (255, *[0] * 255), 1_000).steps < 60
    assert run(small, (19, *[0] * 19), 1_000).tape[2] == 9


def test_a_function_that_is_too_long_for_its_memory_says_so():
    with pytest.raises(anc.AncError, match="does not fit in a memory of 8 cells"):
        program_of("return x * y + x // y", M=8)

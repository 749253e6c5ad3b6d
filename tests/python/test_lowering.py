"""Code from Python is as good as code written by hand, or better."""

import lowering
import pytest

import anc
from anc import isa
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


def test_wide_instructions_take_no_more_lines_and_steps_than_the_paper_s():
    found = dict(lowering.sets(number=10))
    assert len(found) == 39
    for name, (paper, wide) in found.items():
        assert wide[0] <= paper[0] and wide[1] <= paper[1], name
        assert paper[2] is None or wide[2] is None or wide[2] <= paper[2], name
    assert found["day_of_week"][0][0] > 8 * found["day_of_week"][1][0]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("(x + 19) // 20 * y", ["ADD", "DIV", "MUL"]),
        ("x % y", ["MOD"]),
        ("x << y", ["SHL"]),
        ("x << 2", ["MUL"]),
        ("x >> y & 3", ["SHR", "AND"]),
        ("x | y ^ 5", ["XOR", "OR"]),
        ("x > y", ["LT"]),
        ("x >= 3", ["LE"]),
        ("x == y", ["EQ"]),
        ("not x", ["EQ"]),
        ("bool(x)", ["NE"]),
        ("x ** 2", ["MUL"]),
        ("x * 2", ["ADD"]),
    ],
)
def test_an_operation_is_one_instruction(expression, names):
    program = program_of(f"return {expression}")
    assert [line.op for line in program.lines if line.op not in ("READ", "WRITE", "STOP")] == names


def test_an_exact_program_has_no_check_that_cannot_fail():
    text = """def f(x: int, y: int) -> int:
    a = x % 19
    b = y // 100
    c = a * 5 + b + 1
    return c * 10 - b
"""
    module = parse(Source(text, "x.py"))
    for M, checks in ((2_000, 0), (1_000, 2)):
        program = read(module, module.functions["f"], memory=M).exact
        assert sum(line.op == "JEZ" for line in program.lines) == checks


@pytest.mark.parametrize("test", ["x > y", "not x <= y", "y < x and x != 7"])
def test_a_branch_knows_what_was_compared(test):
    text = f"def f(x: int, y: int) -> int:\n    if {test}:\n        return x - y\n    return 0\n"
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions["f"], memory=64)
    assert function.exact == function.program


def test_a_set_with_some_of_the_instructions_uses_those():
    some = isa.InstructionSet((*isa.PAPER, isa.WIDE["MUL"], isa.WIDE["LT"]))
    program = program_of("return 5 if x <= y else x * y // 3", instructions=some)
    names = [line.op for line in program.lines]
    assert names.count("MUL") == 1 and "SUB" in names
    for x, y in ((2, 9), (9, 2), (63, 62)):
        wanted = 5 if x <= y else x * y % 64 // 3
        assert run(program, (x, y, *[0] * 62), 9_999).tape[2] == wanted


def program_of(body: str, signature: str = "x: int, y: int", M: int = 64, instructions=isa.WIDE):
    text = f"def f({signature}) -> int:\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    module = parse(Source(text, "x.py"))
    return read(module, module.functions["f"], memory=M, instructions=instructions).program


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
    halves, small = (program_of("return x // 2", M=M, instructions=isa.PAPER) for M in (256, 20))
    assert halves.L > 20 > small.L
    assert run(halves, (255, *[0] * 255), 1_000).steps < 60
    assert run(small, (19, *[0] * 19), 1_000).tape[2] == 9


def test_a_function_that_is_too_long_for_its_memory_says_so():
    bodies = {isa.PAPER: "return x * y + x // y", isa.WIDE: "return x * y + 5 * x + y // 3"}
    for instructions, body in bodies.items():
        with pytest.raises(anc.AncError, match="does not fit in a memory of 8 cells"):
            program_of(body, M=8, instructions=instructions)

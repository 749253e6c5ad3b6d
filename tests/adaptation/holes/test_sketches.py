"""Holes in listings and in Python functions: what is read, and what is refused with which words."""

import pytest

import anc
from anc.adaptation.holes.reading import sketch_of
from anc.adaptation.holes.sketch import sketch_of_function
from anc.language import Source, parse, print_tree
from anc.machine import exact
from anc.support.diagnostics import AncError, SourceError

SKETCH = """memory 10
var k = ?
var j = ? in (0, 5, l_a)
var y = ? in (ADD, SUB)(k, 1)
@frozen l_a: k = INC(k)
l_b: JEZ(k, ?)   # where to?
k = ?(k, ? in (j, 3))
? in (WRITE, JEZ)(0, k); STOP()
"""


def test_what_is_printed_is_read_again():
    tree = parse(Source(SKETCH))
    text = print_tree(tree)
    assert parse(Source(text)) == tree
    assert "l_a: @frozen k = INC(k)" in text
    assert "? in (WRITE, JEZ)(0, k)" in text
    assert tree.frozen == (1,)


def test_any_number_of_the_largest_memory():
    text = "memory 65536; var a = ?; var b = ?; a = ADD(a, b); STOP()"
    assert sketch_of(Source(text)).size == 65536**2


def test_choices_where_nothing_is_said():
    holes = sketch_of(Source(SKETCH)).holes
    assert [hole.field for hole in holes] == [
        *("value", "value", "op", "second", "op", "second", "op")
    ]
    assert holes[0].choices == tuple(range(10))
    assert holes[3].words == ("l_a", "l_b")
    assert holes[4].words == ("ADD", "SUB", "MIN", "MAX")
    text = "memory 9; var a; var b; a = ADD(?, 2); b = ?(a); ?(a, b); STOP()"
    operand, computing, acting = sketch_of(Source(text)).holes
    assert operand.words == ("a", "b", "2")
    assert computing.words == ("INC", "DEC", "READ")
    assert acting.words == ("WRITE", "JEZ")


def test_a_filling_is_the_program_of_its_text():
    sketch = sketch_of(Source(SKETCH))
    for filling in ((0,) * 7, (9, 2, 1, 1, 3, 1, 0), (4, 1, 0, 0, 2, 0, 1)):
        text = sketch.text(filling)
        assert "?" not in text.replace("where to?", "")
        assert "# where to?" in text
        for first in range(10):
            tape = [first, *range(9)]
            one = exact.run(sketch.filled(filling), tape, 200)
            two = exact.run(sketch.finished(filling), tape, 200)
            assert (one.tape, one.steps, one.stop) == (two.tape, two.steps, two.stop)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("var k = ? in ()\nSTOP()", ["this hole has no choices", "? in (0, 1)"]),
        ("var k = ?\nSTOP()", ["the memory has no size", "put 'memory 20'"]),
        ("memory 9; var k; k = ? in (ADD, k)(k, 1)", ["'k' is a name; this hole is an instruc"]),
        ("memory 9; var k; k = ? in (ADD, 7)(k, 1)", ["7 is a number; this hole is an instruc"]),
        ("memory 9; var k; k = ? in (ADD, SUBB)(k, 1)", ["'SUBB'", "did you mean SUB?"]),
        ("memory 9; var k; k = ? in (ADD, INC)(k, 1)", ["INC takes 1 operand, found 2"]),
        (
            "memory 9; var k; k = INC(? in (k, ADD))",
            ["'ADD' is an instruction; this hole is a var"],
        ),
        ("memory 9; var key; key = INC(? in (1, kee))", ["'kee' is neither", "mean 'key'?"]),
        ("memory 9; var k; k = INC(? in (3, 3))", ["3 is already a choice"]),
        ("memory 9; var k; k = INC(? in (3, 9))", ["9 does not fit in a memory of 9 cells"]),
        ("memory 9; var k = ? in (0, l_a)\nl_a: k = INC(k)", ["'l_a' and '0' mean the same"]),
        ("memory 9; var k = ? in (0, k)\nk = INC(k)", ["'k' is a variable; an initial value"]),
        ("memory 9; var k; JEZ(k, ?)", ["no label to jump to"]),
        ("memory 9; var k; @frozen k = INC(?)", ["a frozen line cannot have a hole"]),
        ("memory 9; var k; k = INC(? in (1, ?))", ["a hole cannot be a choice of another"]),
        ("memory 9; var k; k = ? in (1, 2)", ["expected '('", "k = ADD(? in (a, b), 0)"]),
        ("start ?; STOP()", ["'start' cannot be left open"]),
        ("@frozzen STOP()", ["no mark '@frozzen'", "@frozen"]),
        ("@frozen var k = 3; STOP()", ["marks program lines"]),
        ("STOP()\n@frozen", ["@frozen marks no line"]),
    ],
)
def test_what_is_wrong_with_a_sketch(text, words):
    with pytest.raises(SourceError) as found:
        sketch_of(Source(text))
    message = str(found.value)
    assert all(word in message for word in words), message
    assert "^" in message


def test_a_program_with_holes_is_no_program_yet():
    with pytest.raises(SourceError) as found:
        anc.compile("memory 9; var k = ?; k = INC(?); STOP()")
    assert str(found.value).count("this is a hole: the program is not finished") == 2
    assert "anc fill" in str(found.value)
    with pytest.raises(AncError, match="no holes to fill"):
        sketch_of(Source("memory 9; STOP()"))
    with pytest.raises(AncError, match="how much memory"):
        sketch_of(Source("var k = ? in (0, 1); STOP()"))


# -- frozen lines of programs ------------------------------------------------------


def test_frozen_lines_are_remembered():
    program = anc.compile(
        "memory 9; var k; k = READ(0); @frozen k = ADD(k, 3); WRITE(0, k); STOP()"
    )
    assert program.frozen == (1,)
    assert anc.Program.from_json(program.to_json()).frozen == (1,)
    from anc.compiler import to_text

    assert "@frozen k = ADD(k, 3)" in to_text(program)
    assert {program.registers[r] for r in program.frozen_registers} == {3}
    more = program.with_frozen([3])
    assert more.frozen == (1, 3)
    with pytest.raises(AncError, match="all lines are frozen"):
        program.with_frozen(range(4))
    with pytest.raises(AncError, match="no line 7 to freeze"):
        program.with_frozen([7])


# -- Python ------------------------------------------------------------------------


@anc.function(memory=30)
def scaled(x: int, y: int) -> int:
    z = anc.hole((x + y, x - y, y))
    if z > anc.hole((3, 5)):
        z = z + anc.hole((1, 2))
    return z


def test_a_function_with_holes_means_what_its_text_means():
    sketch = sketch_of_function(scaled)
    assert sketch.size == 12
    for filling in ((0, 0, 0), (1, 1, 1), (2, 0, 1)):
        for x, y in ((7, 2), (4, 4), (9, 6)):
            tape = (x, y, *(0,) * 28)
            one = exact.run(sketch.filled(filling), tape, 200)
            two = exact.run(sketch.finished(filling), tape, 200)
            assert one.tape == two.tape
    assert "z = (x - y)\n    if z > 5:\n        z = z + 1\n" in sketch.text((1, 1, 0))


def test_a_function_with_holes_cannot_run():
    with pytest.raises(AncError, match="has holes"):
        scaled(1, 2)
    with pytest.raises(SourceError) as found:
        anc.run(scaled, [1, 2])
    assert str(found.value).count("this is a hole: the function is not finished") == 3
    with pytest.raises(AncError, match="a hole has no value"):
        anc.hole((1, 2))


def test_a_function_without_holes_cannot_be_filled():
    @anc.function(memory=20)
    def closed(x: int) -> int:
        return x

    with pytest.raises(AncError, match="'closed' has no holes to fill"):
        anc.fill(closed, [([1], 2)])


BAD = """
import anc


def helper(x: int) -> int:
    return x + anc.hole((1, 2))


def empty(x: int) -> int:
    return x + anc.hole(())


def double(x: int) -> int:
    return x + anc.hole((x, 1, x))


def nested(x: int) -> int:
    return anc.hole((x, anc.hole((1, 2))))


def ordered(x: int) -> int:
    return sorted((x, 1), reverse=anc.hole((0, 1)))[0]


def outside(x: int) -> int:
    return helper(x) + anc.hole((1, 2))


def large(x: int) -> int:
    return x + anc.hole((1, 25))


def whole(tape):
    tape[0] = anc.hole((1, 2))


def closed(x: int) -> int:
    return x
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "this hole has no choices"),
        ("double", "this is already a choice"),
        ("nested", "a hole cannot be a choice of another hole"),
        ("ordered", "a hole cannot stand here: only reverse=True is supported"),
        ("outside", "not in helpers"),
        ("large", "25 does not fit in a memory of 20 cells"),
        ("whole", "a function of the whole tape cannot have holes"),
        ("closed", "'closed' has no holes to fill"),
    ],
)
def test_what_is_wrong_with_a_function(tmp_path, name, words):
    (tmp_path / "bad.py").write_text(BAD)
    with pytest.raises(AncError) as found:
        anc.fill(f"{tmp_path}/bad.py:{name}", [([1], 2)], memory=20)
    assert words in str(found.value)

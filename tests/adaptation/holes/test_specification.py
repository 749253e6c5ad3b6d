"""Filling from a specification: counter-examples, proofs for all inputs, and bad specifications."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import anc
from anc.adaptation.holes.result import Filled
from anc.commands.main import app
from anc.support.diagnostics import AncError
from anc.support.records import read

LIMIT = """memory 64
var x = READ(0)
var limit = ? in (5, 10, 20, 40)
x = ? in (MIN, MAX)(x, limit)
WRITE(0, x)
STOP()
"""
AVERAGE = """instructions bits
memory 16
var x = READ(0)
var y = READ(1)
var a; var b; var c; var d; var e
a = ?
b = ?
c = ?
d = ?
e = ?
WRITE(0, ?)
STOP()
"""
SPECIFICATIONS = '''
import anc

def average(x, y):
    """Rounded down."""
    return (x + y) // 2

def at_most_20(x): return min(x, 20)

def fails(x): return 8 // abs(x - 3) % 8

def too_large(x): return x + 1

def of_a_text(x: str): return 0
'''


def average(x, y):
    return (x + y) // 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "limit.anc").write_text(LIMIT)
    (tmp_path / "average.anc").write_text(AVERAGE)
    (tmp_path / "spec.py").write_text(SPECIFICATIONS)
    return tmp_path


def command(*words):
    return CliRunner().invoke(app, ["fill", *words], catch_exceptions=False)


def test_holes_are_filled_and_proved_for_all_inputs(folder):
    result = command("limit.anc", "--specification", "spec.py:at_most_20")
    assert result.exit_code == 0, result.output
    about = "equal to at_most_20 on all 64 inputs (x from 0 to 63); every one was run"
    assert f"proved for all inputs: {about}" in result.output
    assert "x = MIN(x, limit)" in result.output


def test_counter_examples_become_cases():
    """33 drawn cases do not show what happens at a single input."""
    text = "memory 256; var x = READ(0); var k = ? ; x = ? in (EQ, NE)(x, k); WRITE(0, x); STOP()"
    result = anc.fill(
        f"instructions wide; {text}", specification=lambda x: x == 113, seed=3, budget=60
    )
    assert result.proof.is_proved
    assert result.proof.refuted >= 1
    assert "var k = 113" in result.text


def test_no_filling_is_right():
    result = anc.fill(LIMIT, specification=lambda x: x // 2)
    assert not result.is_good
    assert result.proof.outcome == "refuted"
    assert "none of the 8 fillings is right on all cases" in str(result)


def test_shortest_by_command_and_by_function(folder):
    typed = command(
        "average.anc", "--specification", "spec.py:average", "--shortest", "--json", "-o", "out"
    )
    assert typed.exit_code == 0, typed.output
    found = json.loads(typed.stdout)
    result = anc.fill(AVERAGE, specification=average, shortest=True)
    assert result.is_good
    assert result.shortest.is_proved
    assert result.shortest.lines == found["shortest"]["lines"] == 4
    assert result.shortest.excluded == 3
    assert result.text == found["program"] == (folder / "out" / "filled.anc").read_text()
    assert result.proof.inputs == found["proof"]["inputs"] == 256
    again = read(Filled, found, "result.json", "a result of anc fill")
    assert again.shortest == result.shortest
    page = Path(anc.report(folder / "out")).read_text()
    assert "proved shortest: no program of fewer than 4 lines is right" in page
    for x in range(16):
        for y in range(16):
            assert anc.run(result.program, [x, y]).tape[0] == (x + y) // 2


def test_what_is_left_out_leaves_no_trace():
    result = anc.fill(AVERAGE, specification=lambda x, y: (x + y) % 16)
    assert result.shortest.lines == 1
    assert result.text.split("\n")[4:] == ["var e", "e = ADD(y, x)", "WRITE(0, e)", "STOP()", ""]


def test_an_input_may_be_the_result():
    result = anc.fill(AVERAGE, specification=lambda x, y: y)
    assert result.shortest.lines == 0
    assert "WRITE(0, y)" in result.text


def test_inputs_with_ranges_and_without_answers():
    def larger(x: range(8), y: range(2, 10)):
        return None if x == y else int(x > y)

    result = anc.fill(AVERAGE, specification=larger)
    assert result.proof.inputs == 64 - 6
    assert result.proof.size == 64
    assert result.shortest.lines == 1


def test_several_results():
    text = AVERAGE.replace("WRITE(0, ?)", "WRITE(0, ?)\nWRITE(1, ?)")
    result = anc.fill(text, specification=lambda x, y: ((x ^ y), (x & y)))
    assert result.proof.is_proved
    assert result.shortest.lines == 2


def test_too_few_lines():
    text = AVERAGE.replace("b = ?\nc = ?\nd = ?\ne = ?\n", "")
    result = anc.fill(text, specification=average)
    assert not result.is_good
    assert "no program was found that is right on all" in str(result)
    assert "no program of up to 1 line is right" in str(result)


def test_a_budget_says_how_far_the_search_came(folder):
    text = AVERAGE.replace("memory 16", "memory 256").replace("var y = READ(1)\n", "")
    (folder / "ones.anc").write_text(text)
    (folder / "ones.py").write_text("def ones(x): return bin(x).count('1')\n")
    words = "ones.anc", "--specification", "ones.py", "--evaluations", "30000"
    result = command(*words)
    assert result.exit_code == 1
    assert "no program of up to 4 lines is right" in result.output
    assert "out of evaluations" in result.output
    assert result.output == command(*words).output
    assert command(*words, "-q").exit_code == 1


def test_a_program_is_a_specification():
    """Inputs that are not enumerated: the proofs of anc verify compare."""
    generic = """memory 24
    var a = READ(0); var b = READ(1); var t = MAX(a, b); t = SUB(t, b); JEZ(t, l_end)
    WRITE(0, b); WRITE(1, a)
    l_end: STOP()"""
    sketch = """memory 24
    var a = READ(0); var b = READ(1); var s; var t
    s = ? in (MIN, MAX, a, b)
    t = ? in (MIN, MAX, a, b)
    WRITE(0, ?); WRITE(1, ?); STOP()"""
    result = anc.fill(sketch, specification=generic)
    assert result.proof.is_proved
    assert result.shortest.lines == 2
    assert "proved for all inputs: equal to <program> on all tapes" in str(result)
    holes = "memory 24; var a = READ(0); var b = READ(1); var s = ?(a, b); var t = ?(a, b)"
    result = anc.fill(f"{holes}; WRITE(0, s); WRITE(1, t); STOP()", specification=generic)
    assert result.proof.is_proved
    assert "s = MIN(a, b)" in result.text


@anc.function(memory=32)
def capped(x: int) -> int:
    return min(x, anc.hole((3, 7, 9)))


@anc.function(memory=32)
def wanted(x: int) -> int:
    return x if x < 7 else 7


def test_functions_with_holes():
    result = anc.fill(capped, specification=lambda x: x if x < 7 else 7)
    assert result.proof.is_proved
    assert "min(x, 7)" in result.text
    assert anc.fill(capped, specification=wanted).proof.is_proved
    with pytest.raises(AncError, match=r"is \d+, which does not fit the sketch: expected 1 \(x\)"):
        anc.fill(capped, specification=lambda x, y: x)
    with pytest.raises(AncError, match=r"is \[\d+, \d+\], which does not fit the sketch"):
        anc.fill(capped, specification=lambda x: (x, x))


BAD = {
    "spec.py:averag": "spec.py has no function 'averag'",
    "spec.py": "which function of spec.py? It has average, at_most_20, fails, too_large, of_a_text",
    "spec.py:fails": "the specification failed: fails(3): ZeroDivisionError",
    "spec.py:too_large": "too_large(63) is 64, expected a number from 0 to 63",
    "spec.py:of_a_text": "'x' of 'of_a_text' is annotated with",
    "nothing.py:f": "nothing.py",
    "nothing": "neither a file nor a shipped program",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_specifications(folder, name):
    with pytest.raises(AncError) as problem:
        command("limit.anc", "--specification", name)
    assert BAD[name] in str(problem.value)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: 3, "takes 0 arguments, expected 1 to 64"),
        (lambda a, b, c, d: 3, "has 16,777,216 inputs, and at most 1,048,576 are enumerated"),
        (lambda *a: 3, r"takes \*a"),
        (lambda x: None, "returns None for all inputs"),
        (lambda x: [x] if x else [x, x], "returns 1 numbers for some inputs and 2 for others"),
        (lambda x: "y", "is 'y', expected a number from 0 to 63"),
        (lambda x: 0.5, "is 0.5, expected a number from 0 to 63"),
        (17, "expected a program"),
    ],
)
def test_bad_functions(function, message):
    with pytest.raises(AncError, match=message):
        anc.fill(LIMIT, specification=function)


def test_shortest_is_about_unknown_lines():
    with pytest.raises(AncError, match="is about unknown lines, x = \\?, and there are none"):
        anc.fill(LIMIT, specification=lambda x: min(x, 20), shortest=True)
    with pytest.raises(AncError, match="no cases to fill the holes from, no specification"):
        anc.fill(LIMIT)
    with pytest.raises(AncError, match="not by gradient descent"):
        anc.fill(AVERAGE, specification=average, method="gradient")

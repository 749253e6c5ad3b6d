"""Unknown lines: what they may be, where they may stand, and filling them from cases."""

import pytest

import anc
from anc.adaptation.holes.reading import sketch_of
from anc.language import Source
from anc.language.formatting import format_listing
from anc.language.parser import parse
from anc.language.tree import print_tree
from anc.support.diagnostics import AncError

BEFORE = "memory 8; var x = READ(0); var a; var b; "
AFTER = "; WRITE(0, ?); STOP()"


def test_choices_are_instructions_and_operands():
    sketch = sketch_of(Source(f"{BEFORE} a = ?; b = ?{AFTER}"))
    first, second, result = sketch.holes
    assert {"a = ADD(x, 0)", "a = INC(x)", "a = MIN(0, x)", "left out"} <= {*first.words}
    assert not {"a = ADD(x, b)", "a = ADD(x, a)", "a = READ(x)", "a = ZERO()"} & {*first.words}
    assert "b = SUB(a, x)" in second.words
    assert len(first.words) == 4 * 2 * 2 + 2 * 2 + 1
    assert {"x", "a", "b", "0"} == {*result.words}


def test_named_choices():
    text = f"{BEFORE} a = ? in (SUB, x, 3); b = ? in (SUB, x, 3){AFTER}"
    first = sketch_of(Source(text)).holes[0]
    words = {"a = SUB(x, x)", "a = SUB(x, 3)", "a = SUB(3, x)", "a = SUB(3, 3)", "left out"}
    assert {*first.words} == words


def test_every_filling_is_a_program():
    """A variable that is read stays, though its line is left out."""
    sketch = sketch_of(Source(f"{BEFORE} a = ?; b = ?{AFTER}"))
    first, second, result = sketch.holes
    filling = (
        first.words.index("left out"),
        second.words.index("b = ADD(a, x)"),
        result.words.index("b"),
    )
    assert sketch.text(filling) == f"{BEFORE} b = ADD(a, x); WRITE(0, b); STOP()"
    assert anc.run(sketch.filled(filling), [5]).tape[0] == 5


def test_only_cases_and_specifications_fill_them():
    text = f"{BEFORE} a = ?{AFTER}"
    with pytest.raises(AncError, match="not by a score"):
        anc.fill(text, inputs=[[1]], objective=lambda before, after: after[0])
    with pytest.raises(AncError, match="searched from the beginning"):
        anc.fill(text, [{"input": [1], "output": [2]}], start="somewhere")


def test_texts_survive_printing_and_formatting():
    text = f"{BEFORE} l: a = ?; b = ? in (ADD, x){AFTER}"
    tree = parse(Source(text))
    assert parse(Source(print_tree(tree))) == tree
    assert "l: a = ?\nb = ? in (ADD, x)\n" in format_listing(Source(text))


def test_filling_from_cases():
    cases = [{"input": [n], "output": [3 * n % 8]} for n in (1, 3, 5)]
    result = anc.fill(f"{BEFORE} a = ?; b = ?{AFTER}", cases)
    assert result.is_right
    assert result.proof is None
    assert result.shortest.lines == 2
    assert [anc.run(result.program, [n]).tape[0] for n in range(8)] == [3 * n % 8 for n in range(8)]


def test_cases_must_be_about_what_is_written():
    text = f"{BEFORE} a = ?{AFTER}"
    with pytest.raises(AncError, match="cell 1 should be 5 in the end"):
        anc.fill(text, [{"input": [1, 0], "output": [1, 5]}])
    with pytest.raises(AncError, match="writes cell 0, and nothing says what is right there"):
        anc.fill(text, [{"input": [1, 0], "output": [2, 0], "mask": [0, 1]}])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{BEFORE} a = ?; JEZ(x, 0){AFTER}", "straight-line programs, and this one jumps"),
        (f"{BEFORE} a = ?; a = ?{AFTER}", "'a' has other values, too"),
        (f"{BEFORE} x = ?{AFTER}", "'x' has other values, too"),
        (f"{BEFORE} @frozen a = ?{AFTER}", "a frozen line cannot have a hole"),
        (f"{BEFORE} a = ?; x = INC(x); b = ?{AFTER}", "an instruction between unknown lines"),
        (f"{BEFORE} x = ?(x, 1); a = ?{AFTER}", "a hole in front of unknown lines"),
        (f"{BEFORE} a = ?; x = INC(x){AFTER}", "only WRITE\\(number, variable\\) and STOP\\(\\)"),
        (f"{BEFORE} a = ?; WRITE(0, a); STOP()", "which of the unknown lines computes this"),
        (f"{BEFORE} a = ?; STOP()", "nothing is written after the unknown lines"),
        (f"{BEFORE} a = ? in (ADD, x); b = ?{AFTER}", "have the same choices"),
        (f"{BEFORE} a = ? in (READ, x){AFTER}", "READ does not compute anything"),
        (f"{BEFORE} a = ? in (ADD, z){AFTER}", "'z' is neither an instruction nor a variable"),
        (f"{BEFORE} a = ? in (x, 1){AFTER}", "expected '\\('"),
        (f"var k = ? in (1, 2); {BEFORE} a = ?{AFTER}", "a hole beside unknown lines"),
    ],
)
def test_refused(text, message):
    with pytest.raises(AncError, match=message):
        anc.fill(text, [{"input": [1], "output": [1]}])


def test_large_memories():
    text = f"{BEFORE} a = ?{AFTER}".replace("memory 8", "memory 300")
    with pytest.raises(AncError, match="up to 256 cells, not 300"):
        anc.fill(text, [{"input": [1], "output": [1]}])

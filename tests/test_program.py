import json

import pytest
from generated import programs
from hypothesis import given

from anc.data.loading import compiled
from anc.language import Source
from anc.program import Line, Program
from anc.support.diagnostics import AncError


@given(programs())
def test_json_round_trip(program):
    again = Program.from_json(program.to_json())
    assert again == program
    assert (again.names, again.memory) == (program.names, program.memory)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (Line("JUMP", 0, 0, 0), "unknown instruction 'JUMP'"),
        (Line("RAED", 0, None, 0), "did you mean READ?"),
        (Line("INC", 0, 0, 0), "INC does not take a second operand"),
        (Line("ADD", 0, None, 0), "the second operand None is not one of 1 registers"),
        (Line("ADD", 0, 7, 0), "the second operand 7"),
        (Line("INC", 0, None, -1), "the output -1"),
        (Line("INC", True, None, 0), "the first operand True"),
    ],
)
def test_a_malformed_line_is_refused(line, words):
    with pytest.raises(AncError, match=None) as caught:
        Program((line,), (0,))
    assert words in str(caught.value)


def test_all_problems_are_listed_at_once():
    with pytest.raises(AncError) as caught:
        Program((Line("INC", 3, None, 9),), (0, -1), start=5)
    for words in ("start 5", "-1", "operand 3", "output 9"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "anc-program", "version": 2}', "nonsense"]
)
def test_foreign_json_is_refused(text):
    with pytest.raises(AncError):
        Program.from_json(text)


def test_json_that_does_not_fit_its_own_memory_is_refused():
    program = Program((Line("WRITE", 0, 0, 0),), (50,))
    with pytest.raises(AncError, match="use a memory of at least 51"):
        Program.from_json(program.to_json().replace('"memory": null', '"memory": 9'))


@pytest.mark.parametrize(("memory", "constant"), [("70000", 3), ("0", 0), ("null", 2**33)])
def test_json_for_no_memory_there_is_cannot_be_loaded(memory, constant):
    text = Program((Line("STOP", None, None, 0),), (constant,)).to_json()
    with pytest.raises(AncError, match="memory"):
        compiled(Source(text.replace('"memory": null', f'"memory": {memory}')))


def test_json_with_a_missing_field_says_so():
    data = json.loads(Program((Line("STOP", None, None, 0),), (None,)).to_json())
    del data["lines"]
    with pytest.raises(AncError, match="lines"):
        Program.from_json(json.dumps(data))


def test_intermediate_representation_reads_like_the_paper():
    text = str(Program((Line("READ", 0, None, 0), Line("STOP", None, None, 1)), (3, None)))
    assert "R1 = 3;" in text
    assert "R2 = -;" in text
    assert "0: R1  = READ  (R1 , R- )" in text


def test_smallest_memory():
    program = Program((Line("STOP", None, None, 0),), (8,))
    assert program.smallest_memory == 9
    with pytest.raises(AncError, match="at least 9"):
        program.check_fits(5)

"""What the page of `anc play` is made of: translated instructions, the engine's size, programs and tasks."""

import json

import pytest

from anc import isa
from anc.compiler import compile_source
from anc.data import programs
from anc.language import Source
from anc.machine import exact
from anc.machine.tapes import fill
from anc.pages.play_data import TASKS, engine_script, play_data
from anc.pages.play_javascript import in_javascript, sets_script

MOST_BYTES = 120_000


def looped(a, b, M):
    """Needs no table: a loop, a branch and a comparison of three."""
    total = 0
    while b:
        if 0 < a <= b:
            total += a
        else:
            total = -total % M
        b -= 1
    return total % M


def listed(a, b, M):
    return [a, b][b % 2] % M


def shifted(a, b, M):
    return (a << b) % M  # numbers of any size, which JavaScript does not have


def with_default(a, b, M=7):
    return a % M


@pytest.mark.parametrize("row", isa.WIDE.rows, ids=isa.WIDE.names)
def test_all_instructions_of_ours_are_translated(row):
    assert in_javascript(row.output) is not None
    assert "tabulated" not in sets_script((("wide", isa.WIDE),))


def test_arithmetic_is_translated():
    assert in_javascript(looped) == (
        "(a_, b_, M_) => { let total_; total_ = 0; while (b_) { if ((0 < a_ && a_ <= b_))"
        " { total_ = (total_ + a_); } else { total_ = modulo((-total_), M_); } b_ = (b_ - 1); }"
        " return modulo(total_, M_); }"
    )


@pytest.mark.parametrize("meaning", [listed, shifted, with_default, pow])
def test_what_is_more_than_arithmetic_is_not(meaning):
    assert in_javascript(meaning) is None


def test_a_set_from_a_file_is_translated_from_its_text(tmp_path):
    path = tmp_path / "mul.py"
    path.write_text(
        "from anc.isa import PAPER, Instruction\n"
        'PAIR = (Instruction("MUL", 2, lambda a, b, M: a * b % M), Instruction("SQR", 1, lambda a, b, M: a * a % M))\n'
        'INSTRUCTIONS = (*PAPER, *PAIR, Instruction("POW", 2, lambda a, b, M: pow(a, b, M)))\n'
    )
    script = sets_script((("mine", isa.load(str(path))),))
    assert '["MUL", 2, "", (a_, b_, M_) => { return modulo((a_ * b_), M_); }, ""]' in script
    assert '["SQR", 1, "", (a_, b_, M_) => { return modulo((a_ * a_), M_); }, ""]' in script
    assert 'SETS["mine"] = instructionSet("mine", 32, [' in script and "tabulated" in script


def test_the_engine_is_small_and_one_function():
    script = engine_script()
    assert script.startswith("function playEngine() {") and len(script.encode()) < MOST_BYTES
    assert "document." not in script and "</" not in script


def test_the_page_is_given_all_programs_and_tasks():
    data = play_data()
    assert json.loads(json.dumps(data)) == data
    assert [each["name"] for each in data["programs"]] == list(programs.names())
    for each in data["programs"]:
        found = compile_source(Source(each["text"]))
        assert (each["memory"], each["lines"]) == (found.program.memory, found.program.L)
        tape, wanted = (
            fill(side, each["memory"]) for side in (each["tape"], found.examples[0].output)
        )
        assert exact.run(found.program, tape, 1000).tape == wanted
    assert tuple(data["tasks"]) == TASKS
    assert data["tasks"]["access"]["settings"]["optimiser"] == "sgd"

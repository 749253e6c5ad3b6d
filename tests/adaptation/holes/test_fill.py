"""Filling by exact search: against brute force, with wrong cases, and what is said about it."""

import itertools
import json
from random import Random

import pytest
import sketch_cases
from click.testing import CliRunner

import anc
from anc.adaptation.holes.fill import fill
from anc.adaptation.holes.machine import CaseJudge
from anc.adaptation.holes.reading import sketch_of
from anc.adaptation.holes.result import Filled
from anc.adaptation.holes.search import Explorer, FillingAnnealer
from anc.commands.main import app
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.machine.exact import Stop
from anc.support.diagnostics import AncError
from anc.support.job import Job
from anc.support.records import read

# Counts down from a number; with wrong choices it may not stop, or leave the last line.
SMALL = """memory 8
var n = ? in (0, 1, 2)
var total = 0
n = READ(n)
l_loop: JEZ(n, ?)
total = ?(total, ? in (n, 1))
n = ? in (INC, DEC)(n)
JEZ(0, ? in (l_loop, 7))
l_end: WRITE(1, ? in (total, n))
STOP()
"""
LIMIT = 60


def wrong_cells(sketch, filling, case):
    """By the plain exact machine."""
    run = exact.run(sketch.filled(filling), case.input, LIMIT)
    pairs = zip(run.tape, case.output, case.mask, strict=True)
    return run.steps, sum(
        counts and (run.stop is not Stop.STOPPED or one != two) for one, two, counts in pairs
    )


def drawn_cases(sketch, filling, count, wrong, seed):
    """Cases that a filling is right on, but for some cells."""
    random = Random(seed)
    cases = []
    while len(cases) < count:
        tape = tuple(random.randrange(8) for _ in range(8))
        run = exact.run(sketch.filled(filling), tape, LIMIT)
        after = list(run.tape)
        if random.random() < wrong:
            after[1] = (after[1] + 1) % 8
        mask = tuple(cell < 3 or random.random() < 0.5 for cell in range(8))
        cases.append(Case(tape, tuple(after), mask))
    return cases


@pytest.mark.parametrize("seed", range(4))
def test_all_fillings_are_looked_through(seed):
    sketch = sketch_of(Source(SMALL))
    everything = list(itertools.product(*(range(len(hole.choices)) for hole in sketch.holes)))
    assert len(everything) == sketch.size
    cases = drawn_cases(sketch, everything[97 * seed % sketch.size], 6, 0.3 * (seed % 2), seed)
    cases += cases[:2]
    explorer = Explorer(CaseJudge(sketch, Cases.distinct(cases), LIMIT))
    explorer.run()
    found = explorer.found()
    judged = {
        filling: tuple(
            map(sum, zip(*(wrong_cells(sketch, filling, c) for c in cases), strict=True))
        )
        for filling in everything
    }
    least = min(wrong for _, wrong in judged.values())
    best = [filling for filling in everything if judged[filling][1] == least]
    assert found.is_complete
    assert found.wrong_cells == least
    assert found.fillings == len(best)
    assert found.filling == min(best, key=lambda filling: (judged[filling][0], filling))
    for number, choices in enumerate(found.choices):
        assert set(choices) == {filling[number] for filling in best}


def test_annealing_finds_what_looking_through_all_finds():
    sketch = sketch_cases.sketch("addition")
    cases = sketch_cases.draw("addition", (2, 3), 40, Random(1), sketch.M)
    ground = CaseJudge(sketch, Cases.distinct(cases), 300)
    explorer, annealer = Explorer(ground), FillingAnnealer(ground, seed=1)
    explorer.run()
    annealer.run(3)
    assert annealer.best == explorer.found().filling
    assert ground.judged(annealer.best).is_right


@pytest.mark.parametrize("name", list(sketch_cases.MAKERS))
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_short_cases_are_enough_for_long_ones(name, share):
    random, sketch = Random(f"{name}/{share}"), sketch_cases.sketch(name)
    cases = sketch_cases.draw(name, (2, 3), 50, random, sketch.M)
    fresh = sketch_cases.draw(name, (8, 9, 10), 50, random, sketch.M)
    result = fill(name, sketch, sketch_cases.spoiled(cases, share, random), fresh, Job(30.0))
    assert result.fresh_right == result.fresh_cases
    assert result.is_right is (share == 0)
    assert all(decided.is_certain for decided in result.holes)
    assert "?" not in result.text


def test_what_the_cases_leave_open_is_said(tmp_path):
    text = (
        "memory 8; var x = READ(0); var y = ?; x = ?(x, ? in (1, 2)); y = ADD(y, x); WRITE(0, x)"
        "; STOP()"
    )
    cases = [{"input": [3], "output": [5]}, {"input": [6], "output": [0]}]
    result = anc.fill(text, cases)
    assert [decided.is_determined for decided in result.holes] == [False, True, True]
    assert result.holes[0].alternatives == ("1", "2", "3", "4", "5", "6", "7")
    assert "x = ADD(x, 2)" in result.text
    assert result.fillings == 8
    assert "line 1, column 36: 0, but 1 or 2 or 3 or 4 or 5 or 6 or 7 would do" in str(result)
    result.save(tmp_path)
    assert (tmp_path / "filled.anc").read_text() == result.text
    saved = json.loads((tmp_path / "result.json").read_text())
    assert saved["right"] and not saved["determined"]
    again = str(read(Filled, saved, "result.json"))
    assert again.replace(", alone or with others", "") == str(result)
    assert saved["holes"][2] == {
        "line": 1, "column": 48, "filled": "2", "alternatives": [], "certain": True,
    }  # fmt: skip


def test_no_filling_is_right():
    text = "memory 8; var x = READ(0); x = ? in (INC, DEC)(x); WRITE(0, x); STOP()"
    cases = [([3], [4]), ([5], [6]), ([2], [1]), ([5], [4])]
    result = anc.fill(text, [{"input": a, "output": b} for a, b in cases])
    assert not result.is_right
    assert (result.wrong_cells, result.wrong_cases) == (2, 2)
    assert result.contradicting == (3, 4)
    assert "2 of 32 cells are wrong, in 2 of 4 cases (number 3, 4)" in str(result)
    assert "1 input has more than one output" in str(result)


def test_where_there_is_no_time_to_look_at_everything():
    text = SMALL.replace("? in (total, n)", "?").replace("? in (n, 1)", "?")
    sketch = sketch_of(Source(text))
    cases = drawn_cases(sketch, (0, 1, 0, 1, 1, 0, 0), 8, 0.0, 1)
    result = fill("small", sketch, cases, job=Job(1e-9), method="search")
    assert result.stop == "out of time"
    assert not any(decided.is_certain for decided in result.holes)
    assert "not all of the" in str(result)


def test_cases_must_say_what_is_right():
    text = "memory 8; var x = READ(?); WRITE(1, x); STOP()"
    with pytest.raises(AncError, match="'output' is missing: the program has holes"):
        anc.fill(text, [{"input": [3]}])
    with pytest.raises(AncError, match="no cases to fill"):
        anc.fill(text, [])
    with pytest.raises(AncError, match="method is 'magic'"):
        anc.fill(text, [{"input": [3], "output": [3]}], method="magic")
    with pytest.raises(AncError, match="neither a file nor a shipped program"):
        anc.fill("nowhere.anc", [])


def test_stopping_keeps_the_best():
    sketch = sketch_cases.sketch("sorting")
    cases = sketch_cases.draw("sorting", (2, 3), 10, Random(0), sketch.M)
    result = fill("sorting", sketch, cases, job=Job(asked_to_stop=lambda: True))
    assert result.stop == "interrupted"
    assert len(result.filling) == 8
    assert result.program.L == sketch.program.L


def test_the_command(tmp_path):
    sketch, data, folder = (tmp_path / name for name in ("small.anc", "cases.jsonl", "out"))
    sketch.write_text("memory 8\nvar x = READ(0)\nx = ? in (INC, DEC)(x)\nWRITE(0, x)\nSTOP()\n")
    rows = [{"input": [n], "output": [n + 1]} for n in range(5)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["fill", sketch, "--data", data, "--test", data, "-o", folder, "--json"]
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert (found["fresh_right"], found["holes"][0]["filled"]) == (5, "INC")
    assert "x = INC(x)" in (folder / "filled.anc").read_text()
    data.write_text(json.dumps({"input": [1], "output": [5]}) + "\n")
    done = CliRunner().invoke(app, list(map(str, words[:4])))
    assert done.exit_code == 1
    assert "1 of 8 cells are wrong, in 1 of 1 cases (number 1)" in done.stdout


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("3-1", "'3-1' is no line or range of lines; write 3-7,12"),
        ("1,x", "'x' is no line or range of lines"),
        ("0-4", "all lines are frozen"),
        ("2,9", "there is no line 9 to freeze"),
    ],
)
def test_lines_to_freeze(lines, words):
    done = CliRunner().invoke(app, ["train", "access", "--freeze", lines])
    assert done.exit_code != 0
    assert words in done.output + str(done.exception)

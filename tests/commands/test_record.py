"""What commands tell of their work: how it was made, what it weighs, how long it will take."""

from __future__ import annotations

import json

import pytest
from command_line import anc

import anc as package
from anc.support.clock import TimeLeft, timed
from anc.support.diagnostics import AncError
from anc.support.job import provenance

COPY = "memory 8; var x; x = READ(0); x = INC(x); x = DEC(x); WRITE(1, x); STOP()"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--weight", "REED=3"], "did you mean READ? known are STOP, ZERO, INC, DEC, ADD"),
        (["--weight", "READ=-1"], "the weight of READ is -1.0, expected a number from 0 to"),
        (["--weight", "READ=nan"], "the weight of READ is nan, expected a number from 0 to"),
        (["--weight", "lines=inf"], "the weight of lines is inf, expected a number from 0 to"),
        (["--weight", "READ"], "--weight 'READ': expected NAME=COST, such as READ=3"),
        (["--weight", "READ=1", "--weight", "READ=2"], "READ has a weight already"),
        (["--jobs", "2"], "--jobs goes with several seeds"),
        (["--from", "nowhere"], "'nowhere' holds no result to start from"),
        (["--objective", "x", "--seeds", "2"], "--seeds does not go with --objective"),
        (["--objective", "x", "--trust", "proof"], "--trust does not go with --objective"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_any_work(words, message) -> None:
    done = anc("adapt", "access", *words)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize(
    "given",
    [
        {"trust": "samples"},
        {"weights": {"READ": 3}},
        {"trade_off": True},
        {"seeds": 2},
        {"jobs": 2},
    ],
)
def test_an_objective_takes_nothing_that_has_no_meaning_there(given) -> None:
    [name] = given
    with pytest.raises(AncError, match=f"'{name}' does not go with 'objective'"):
        package.adapt(COPY, inputs=[[1], [2]], objective=lambda given, final: final[1], **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": 0}, "seeds is 0, expected a whole number from 1 to 10000"),
        ({"jobs": 3}, "'jobs' goes with several seeds"),
        ({"weights": {"READ": "3"}}, "the weight of READ is '3', expected a number"),
        ({"start": 3}, "'start' is an earlier result or its folder, not something of type int"),
    ],
)
def test_wrong_arguments_are_named(given, message) -> None:
    with pytest.raises(AncError, match=message):
        package.adapt(COPY, [[1], [2]], **given)


def test_a_result_says_how_it_was_made(tmp_path) -> None:
    text = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
    (tmp_path / "sketch.anc").write_text(text.replace("; ", "\n"))
    (tmp_path / "cases.jsonl").write_text('{"input": [3], "output": [5]}\n')
    words = ["fill", "sketch.anc", "--data", "cases.jsonl", "--seed", "7", "--budget", "9s"]
    done = anc(*words, "--json", cwd=tmp_path)
    made = json.loads(done.stdout)["provenance"]
    assert made["command"] == "anc fill sketch.anc --data cases.jsonl --seed 7 --budget 9s --json"
    assert (made["seed"], made["budget"], made["version"]) == (7, 9.0, package.__version__)
    assert made["cores"] >= 1
    filled = package.fill(text, [{"input": [3], "output": [5]}])
    assert filled.to_dict()["provenance"]["command"] is None


def test_a_training_says_how_it_was_made(tmp_path) -> None:
    done = anc(
        "train", "access", "--seeds", 2, "--seed", 5, "--iterations", 1, "-o", tmp_path / "run"
    )
    made = json.loads((tmp_path / "run" / "run.json").read_text())["provenance"]
    assert (made["seed"], made["seeds"]) == (5, 2), done.stderr
    assert made["command"].startswith("anc train access --seeds 2 --seed 5 --iterations 1 -o ")


def test_provenance_keeps_every_setting() -> None:
    made = provenance("anc adapt x", seed=1, budget=None)
    assert made["budget"] is None and made["command"] == "anc adapt x"


def test_the_time_left_follows_from_the_share_that_is_done() -> None:
    now = [100.0]
    left = TimeLeft(lambda: now[0])
    assert left.words(0.0) == ""  # nothing can be said yet
    now[0] = 130.0
    assert left.seconds(0.25) == pytest.approx(90)
    assert left.words(0.25) == "1 min 30 s left"
    assert left.words(1.0) == "0.0 s left"
    assert left.words(0.375) == "50.0 s left"


def test_messages_say_how_much_time_is_left() -> None:
    heard: list[str] = []
    shares = iter([0.0, 1.0])
    tell = timed(lambda doing, best: heard.append(doing), lambda: next(shares))
    tell("anneal", None)
    tell("anneal", None)
    assert heard == ["anneal", "anneal (0.0 s left)"]


def test_a_file_of_cases_is_no_program_and_that_is_said_once(tmp_path) -> None:
    (tmp_path / "calls.jsonl").write_text("[[1, 2]]\n" * 100)
    for command in (["report"], ["compile"], ["run", "--tape", "1"]):
        done = anc(command[0], "calls.jsonl", *command[1:], cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("error: calls.jsonl holds cases or calls, not a program")
        assert done.stderr.count("\n") == 2

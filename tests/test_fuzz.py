"""A small run of the fuzzer, and the fuzzer itself: what it must find is found."""

import json
import os
import time
from multiprocessing import active_children
from random import Random

import pytest
from fuzzing import workers
from fuzzing.direct import truth
from fuzzing.entry import Entry, Wrong
from fuzzing.examine import ACCEPTED, FAILED, REFUSED, examine, fault_of_message
from fuzzing.families import chosen_entries
from fuzzing.minimise import minimised
from fuzzing.report import Report
from fuzzing.schedule import Schedule
from fuzzing.workers import Plan, scratch_folder

SEED = 12


@pytest.mark.parametrize("entry", [e for e in chosen_entries("") if e.tested], ids=lambda e: e.name)
def test_some_inputs(entry):
    with scratch_folder():
        for number in range(entry.tested):
            outcome = examine(entry, entry.input(SEED, number), 60)
            command = f"python benchmarks/fuzz.py --repeat {entry.name}/{SEED}/{number}"
            assert outcome.what != FAILED, f"{command}\n{outcome.kind}\n{outcome.detail}"


SIMPLE = '{"format":"anc-program","version":1,"lines":[["ZERO",null,null,0]],"registers":'
HUGE = "9" * 309  # what a float cannot hold
NAMES_A_FILE = (
    '{"steps_generic": 8, "steps_adapted": 6, "verdict": "", "proof": {}, "found": [],'
    ' "unproved": {"steps": 3, "file": "%s", "verdict": ""}}'
)
TABLE = (
    '{"settings": "", "command": "", "rows": [{"task": "", "seeds": 1, "generic": 6, "learned_best": %d,'
    ' "learned_median": 4, "success_rate": 0.5, "interval": [0.4, 0.6], "seconds": 1}]}'
)
RUN = (
    '{"format": "anc-run", "version": 1, "origin": {"kind": "task", "name": "access", "biased": true,'
    ' "seed": 0, "pool": 2, "test": 2}, "engine": "", "settings": {%s, "iterations": 4, "batch": 1},'
    ' "varied": {}, "seeds": [0, 1]}'
)
FOUND = [
    ("program-json", {"json": SIMPLE + '[6],"memory":5}'}),
    ("program-json", {"json": SIMPLE + "[5147483648]}"}),
    ("program-json", {"json": SIMPLE + '[1],"memory":83648}'}),
    ("recorded-calls", {"calls": "[]", "count": "0", "journal": ""}),
    ("recorded-calls", {"calls": "", "count": "", "journal": "[[],3,[1]]\n"}),
    ("api-call", {"name": "soften", "arguments": '{"program":"access","sharpness":null}'}),
    ("api-call", {"name": "compile", "arguments": '{"text":"STOP()","spare":null}'}),
    ("fill", {"sketch": "memory 5; MIN(?, 1); STOP()", "cases": "6"}),
    ("tape-text", {"tape": "3 \x1b[31m", "memory": "10"}),
    ("listing", {"text": "x\x07 = STOP()", "memory": ""}),
    ("fact", {"fact": "tape[0] == \x7f", "memory": "3", "tapes": "0 0 0"}),
    ("listing", {"text": "var k = 7; " * 200, "memory": "5"}),
    ("sketch", {"text": "memory 922337204\nvar y = ?\ny = MAX(0, y)"}),
    ("sketch", {"text": "memory 4; var a = -1; a = STOP('\n" * 60}),
    (
        "function-source",
        {"source": "def f(a: Annotated[list[int], anc.Size(3)], a: int):\n  pass", "numbers": ""},
    ),
    ("settings-toml", {"toml": "correctness = " + HUGE}),
    ("sweep-grid", {"toml": f"s = {{ low = {HUGE}, high = 9 }}"}),
    ("sweep-grid", {"toml": f"sharpness = [{HUGE}]"}),
    ("command", {"words": '["guard", "f.py:chosen", "listk", "--data", ""]', "cases.jsonl": ""}),
    ("command", {"words": '["guard", "f.py:chosen", "listk", "--data", "."]', "cases.jsonl": ""}),
    (
        "function-source",
        {
            "source": "def nothing(x):\n  return\n@anc.function(memory=9)\ndef f(a: int) -> int:\n"
            "  return 1 + nothing(a)",
            "numbers": "3",
        },
    ),
    ("command", {"words": json.dumps(["fmt", "a" * 300, "-w"]), "cases.jsonl": ""}),
    ("figure", {"kind": "table1", "table1.json": TABLE % 2**63}),
    ("report-run", {"kind": "train", "run.json": RUN % '"registers": 5, "max_steps": 1'}),
    ("command", {"words": '["sample", "merge", "-n", "9223372036854775808"]', "cases.jsonl": ""}),
    (
        "function-source",
        {"source": "def f(tape):\n  for i in range(9999999999999999991): pass", "numbers": ""},
    ),
]


@pytest.mark.parametrize(("name", "parts"), FOUND)
def test_what_it_found_is_refused(name, parts):
    (entry,) = chosen_entries(name)
    with scratch_folder():
        assert examine(entry, parts, 60).what == REFUSED


def test_a_page_shows_what_is_there_where_a_name_is_too_long_for_a_file():
    (entry,) = chosen_entries("report-page")
    parts = {"kind": "answers", "result.json": NAMES_A_FILE % ("a" * 300)}
    with scratch_folder():
        assert examine(entry, parts, 60).what == ACCEPTED


def number_of(random):
    return {"number": str(random.randrange(20)), "more": "a\nb\nc"}


def check_number(parts):
    """Fails in a different way for some numbers."""
    number = int(parts["number"] or 0)
    if number == 3:
        raise Wrong("three: it should not be")
    if number == 4:
        raise KeyError(number)
    if number == 5:
        while True:
            pass
    if number == 6:
        os._exit(7)
    if number == 7:
        time.sleep(1000)
    return number % 2 == 0


BROKEN = Entry("broken", number_of, check_number, seconds=0.2)
INPUTS = 60


KINDS = {
    "3": "wrong: three",
    "4": "KeyError: outside",
    "5": "hang",  # the worker ends it, unless others keep the machine so busy that its watcher does
    "6": "died: exit status 7",
    "7": "hang",
}


def test_every_kind_of_failure_is_found_and_can_be_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "_GRACE", 0.2)
    report = Report(folder=tmp_path)
    told = []
    workers.run(Plan([BROKEN], SEED, 0, INPUTS, 600.0, 2), report, told.append)
    inputs = [BROKEN.input(SEED, number)["number"] for number in range(INPUTS)]
    counts = report.counts["broken"]
    assert counts.inputs == INPUTS
    assert counts.failed == sum(number in KINDS for number in inputs)
    kinds = {"hang" if kind.startswith("hang: outside") else kind for _, kind in report.failures}
    assert set(KINDS) <= set(inputs) and kinds == set(KINDS.values())
    (wrong, *_) = report.failures["broken", "wrong: three"]
    assert wrong.parts == {"number": "3", "more": ""}
    assert BROKEN.input(wrong.seed, wrong.number)["number"] == "3"
    assert len(list(tmp_path.glob("broken-*.json"))) >= len(kinds)
    assert any(wrong.command in text for text in told)


def test_it_ends_in_time_and_counts_what_was_tried(monkeypatch):
    monkeypatch.setattr(workers, "_GRACE", 0.2)
    slow = Entry("slow", number_of, lambda parts: time.sleep(1000), seconds=600)
    report, begun = Report(), time.monotonic()
    workers.run(Plan([BROKEN, slow], SEED, 0, INPUTS, 0.5, 2), report, lambda text: None)
    assert time.monotonic() - begun < 100
    assert "slow" not in report.counts
    assert not active_children()


def test_an_interrupted_run_has_a_report():
    def interrupt(text):
        raise KeyboardInterrupt

    report = Report()
    with pytest.raises(KeyboardInterrupt):
        workers.run(Plan([BROKEN], SEED, 0, INPUTS, 600.0, 1), report, interrupt)
    assert report.failures and report.counts["broken"].inputs
    assert not active_children()


def test_inputs_are_numbered_whoever_tries_them():
    entries = chosen_entries("listing,fact")
    schedule = Schedule(entries)
    places = [schedule.at(place) for place in range(2 * len(schedule.slots))]
    for entry in entries:
        numbers = sorted(number for other, number in places if other is entry)
        assert numbers == list(range(2 * entry.share))
    assert entries[0].input(1, 7) == entries[0].input(1, 7) != entries[0].input(2, 7)


def test_a_failure_is_cut_down():
    text = "\n".join(f"line {n} of some" for n in range(40))
    assert minimised({"a": text}, lambda p: "17" in p["a"] and "23" in p["a"], 5)["a"] == "1723"


def test_messages_for_people():
    assert fault_of_message("error: no\n  help: yes") == ""
    assert fault_of_message("found '\x1b[31m'") == "message: control characters"
    assert fault_of_message("x" * 50_000) == "message: too long"
    assert fault_of_message(" ") == "message: empty"


def test_plain_evaluation_does_not_know_the_parser():
    random = Random(0)
    tape = tuple(random.randrange(6) for _ in range(6))
    assert truth("tape[0] % (tape[1] - tape[1]) != 3", tape) is False
    assert truth("not (tape[0] % (tape[1] - tape[1]) == 3)", tape) is True
    assert truth("sum(tape[i] == i for i in range(0, 4) while i < 2) == 2", (0, 1, 2, 3)) is True
    assert truth("tape[9] == 3", (0, 3, 0, 0)) is True

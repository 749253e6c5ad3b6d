"""The proof by itself, and guards that are proved first: every verdict is replayed on the exact machine."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from command_line import anc as run
from proof.random_programs import random_line

import anc
from anc.adaptation.verification import given_pair, verify_pair
from anc.adaptation.verification.report import Witness
from anc.data.loading import load
from anc.machine import exact
from anc.program import Line, Program
from anc.support.diagnostics import AncError

QUICK = "memory 10\nvar k = 4\nk = READ(k)\nWRITE(0, k)\nSTOP()\n"
FUNCTIONS = """from typing import Annotated

import anc

@anc.function(memory=64)
def total(values: Annotated[list[int], anc.Size(up_to=2)], more: int) -> int:
    assert more < 9
    t = more
    for v in values:
        t += v
    return t

@anc.function(memory=64)
def same(values: Annotated[list[int], anc.Size(up_to=2)], more: int) -> int:
    return sum(values) + more

@anc.function(memory=64)
def wrong(values: Annotated[list[int], anc.Size(up_to=2)], more: int) -> int:
    return more if len(values) == 2 else sum(values) + more

@anc.function(memory=64)
def other(value: int) -> int:
    return value
"""
IN_PLACE = "memory 64\nvar a = 1\nvar b = 3\na = READ(a)\nb = READ(b)\na = ADD(a, b)\nWRITE(4, a)\nSTOP()\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick.anc").write_text(QUICK)
    (tmp_path / "f.py").write_text(FUNCTIONS)
    (tmp_path / "one.anc").write_text(IN_PLACE)
    return tmp_path


def verified(*words: object) -> tuple[int, dict]:
    done = run("verify", *words, "--json")
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def other(tmp_path) -> Path:
    """A program that does what `sort` does, and is another one."""
    (tmp_path / "other.json").write_text(anc.load("sort").with_spare(1).to_json())
    return tmp_path / "other.json"


def test_the_verdict_is_the_exit_status(folder, other):
    status, found = verified("access", "quick.anc", "--assume", "tape[0] == 3")
    assert (status, found["verdict"], found["counterexample"]) == (0, "proved", None)
    assert (found["assumed"], found["counts"]) == (["tape[0] == 3"], list(range(10)))
    status, found = verified("access", "quick.anc")
    assert (status, found["verdict"]) == (1, "refuted")
    tape = found["counterexample"]["tape"]
    for name, program in (("generic", "access"), ("adapted", QUICK)):
        assert found["counterexample"][name]["tape"] == list(anc.run(program, tape).tape)
    assert (
        found["counterexample"]["generic"]["tape"][0]
        != found["counterexample"]["adapted"]["tape"][0]
    )
    status, found = verified("sort", str(other), "--budget", "0.01s")
    assert (status, found["verdict"], found["counterexample"]) == (4, "unknown", None)


def test_people_are_shown_what_both_do_and_how_to_say_where_it_is_meant(folder):
    done = run("verify", "access", "quick.anc")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        *("refuted:", "tape", "generic", "adapted")
    ]
    assert "--assume" in done.stderr
    assert "--assume" not in run("verify", "access", "quick.anc", "--assume", "tape[0] == 4").stderr
    done = run("verify", "access", "quick.anc", "--counts", "1-9")
    assert done.stdout.splitlines()[1:] == ["on every tape", "in the cells that count: 1 to 9"]


def test_a_program_does_what_it_does_wherever_it_stops():
    """Also in a memory in which no proof would follow its pointers to the end."""
    found = anc.verify("listk", "listk", budget=2.0, memory=256)
    assert found.verdict.statement == (
        "proved: it is the generic program, wherever the generic program stops"
    )
    assert "on every tape on which it stops" in str(found) and found.to_dict()["partial"]
    loop = "memory 9; loop: JEZ(0, loop); STOP()"
    never = anc.verify(loop, loop, budget=2.0)
    assert never.verdict.outcome.value == "unknown"
    assert never.verdict.reason == "the generic program stops on no tape that is allowed"
    contradiction = ["tape[0] == 1", "tape[0] == 2"]
    assert not anc.verify("access", "access", contradiction).proved


def test_programs_of_two_sets_are_compared_in_the_one_that_has_both(folder):
    (folder / "loop.anc").write_text(
        "memory 16; var a = READ(0); var b = READ(1); var t = 0;"
        "l: JEZ(a, e); t = ADD(t, b); a = DEC(a); JEZ(0, l); e: WRITE(2, t); STOP()"
    )
    (folder / "once.anc").write_text(
        "instructions wide; memory 16; var a = READ(0); var b = READ(1); a = MUL(a, b); WRITE(2, a); STOP()"
    )
    few = ["--assume", "tape[0] < 9", "--counts", "2"]
    assert verified("loop.anc", "once.anc", *few)[0] == 0
    assert verified("once.anc", "loop.anc", *few)[0] == 0
    (folder / "f.py").write_text("def f(a: int, b: int) -> int:\n    return a * b\n")
    assert verified("f.py", "loop.anc", "--memory", 16)[0] != 0  # not all products fit
    few = ["--assume", "tape[0] < 3", "--assume", "tape[1] < 8"]
    assert verified("f.py", "loop.anc", "--memory", 16, *few)[0] == 0


def test_cases_are_compared_first_and_say_what_counts(folder):
    cases = folder / "cases.jsonl"
    cases.write_text('{"input": [3, 1, 2, 3, 4], "mask": [1, 1, 0, 0, 0]}\n')
    status, found = verified("access", "quick.anc", "--data", cases, "--assume", "tape[0] == 3")
    assert (status, found["cases"], found["counts"]) == (0, 1, [0, 1])
    done = run("verify", "access", "quick.anc", "--data", cases, "--assume", "tape[0] == 4")
    assert done.returncode == 2
    assert "contradict the assumption 'tape[0] == 4'" in done.stderr
    assert "input: 3 1 2 3 4" in done.stderr
    cases.write_text('{"input": [3, 1]}\n{"input": [0, 9, 0, 0, 5]}\n')
    status, found = verified("access", "quick.anc", "--data", cases)
    assert (status, found["how"], found["walked"]) == (1, "test", 2)
    assert found["counterexample"]["tape"] == [0, 9, 0, 0, 5, 0, 0, 0, 0, 0]


def test_cells_that_are_named_count_in_every_case_whatever_its_mask_says(folder):
    (folder / "one.anc").write_text("memory 3; WRITE(0, 1); STOP()")
    (folder / "both.anc").write_text("memory 3; WRITE(0, 1); WRITE(1, 1); STOP()")
    (folder / "cases.jsonl").write_text('{"input": [0, 0, 0], "mask": [0, 1, 0]}\n')
    words = ["both.anc", "one.anc", "--data", "cases.jsonl"]
    assert verified(*words)[1]["verdict"] == "refuted"
    assert verified(*words, "--counts", "1")[1]["verdict"] == "refuted"
    status, found = verified(*words, "--counts", "0,2")
    assert (status, found["counts"]) == (0, [0, 2])


def test_of_functions_right_is_what_python_computes(folder):
    status, found = verified("f.py:total", "f.py:same")
    assert (status, found["verdict"]) == (0, "proved")
    assert "numbers are from 0 to 63" in found["reason"]
    status, found = verified("f.py:total", "f.py:wrong")
    assert status == 1
    values, more = eval(found["counterexample"]["call"].removeprefix("total"))
    assert found["counterexample"]["generic"]["result"] == sum(values) + more
    assert found["counterexample"]["adapted"]["result"] == more
    assert found["reason"].startswith(f"the result is {more}")
    done = run("verify", "f.py:total", "f.py:other")
    assert done.returncode == 2 and "arguments or results differ" in done.stderr


def test_a_call_for_which_the_machine_has_no_room_is_in_the_way(folder):
    one = ["f.py:total", "one.anc", "--assume", "tape[0] == 1"]
    status, found = verified(*one)
    assert (status, found["verdict"]) == (4, "unknown")
    call = found["outside"]["call"]
    values, more = eval(call.removeprefix("total"))
    assert len(values) == 1 and sum(values) + more > 63
    assert call in run("verify", *one).stdout
    assert verified(*one, "--assume", "tape[1] < 50")[0] == 0


def test_random_pairs_are_judged_as_the_exact_machine_judges_them():
    random, M, limit, seen = Random(4), 4, 40, set()
    tapes = [tuple(n // M**c % M for c in range(M)) for n in range(M**M)]
    for _ in range(30):
        lines = [random_line(random, 3) for _ in range(3)]
        registers = tuple(random.randrange(M) for _ in range(3))
        generic = Program((*lines, Line("STOP", None, None, 2)), registers, memory=M)
        lines[random.randrange(3)] = random_line(random, 3)
        adapted = replace(generic, lines=(*lines, generic.lines[-1]))
        fact = random.choice(["tape[0] == 1", "tape[1] <= tape[2]", "tape[3] != 0"])
        pair, _ = given_pair(generic, adapted, [fact], None, [0, 1], None, load)
        found = verify_pair(replace(pair, max_steps=limit))
        asked = [tape for tape in tapes if pair.facts[0].holds(tape)]
        differ = [tape for tape in asked if _differ(generic, adapted, tape, limit)]
        stops = any(exact.run(generic, t, limit).stop is exact.Stop.STOPPED for t in asked)
        assert (found.proved or found.refuted) == stops
        assert found.refuted == bool(differ)
        if found.counterexample is not None:
            assert found.counterexample.tape in differ
        seen.add(found.verdict.outcome)
    assert len(seen) == 3


def _differ(generic: Program, adapted: Program, tape: tuple[int, ...], limit: int) -> bool:
    first, second = (exact.run(program, tape, limit) for program in (generic, adapted))
    if first.stop is not exact.Stop.STOPPED:
        return False
    return second.stop is not exact.Stop.STOPPED or first.tape[:2] != second.tape[:2]


def test_guard_refuses_what_is_wrong_where_its_check_passes(folder, other):
    target = folder / "g.anc"
    done = run("guard", "access", "quick.anc", "--assume", "tape[0] == 4", "-o", target)
    assert done.returncode == 1 and not target.exists()
    assert "no guarded program: the adapted program is wrong where the check passes" in done.stderr
    assert "  generic  " in done.stderr
    late = ["guard", "sort", other, "--budget", "0.01s"]
    assert run(*late).returncode == 4
    done = run(*late, "--allow-unknown")
    assert done.returncode == 0 and anc.compile(done.stdout) == anc.load(other)
    done = run("guard", "access", "quick.anc", "--assume", "tape[0] == 3", "--json", "-o", target)
    found = json.loads(done.stdout)
    assert found["wrote"] == str(target) and found["guarded"] == target.read_text()
    guarded = anc.load(target)
    for k in range(8):
        tape = (k, *range(9, 0, -1))
        assert exact.run(guarded, tape, 99).tape == anc.run("access", tape).tape
    with pytest.raises(AncError, match="there is no guarded program"):
        _ = anc.guard("access", QUICK, ["tape[0] == 4"]).text
    with pytest.raises(AncError, match="there is no guarded function"):
        anc.guard("access", QUICK, ["tape[0] == 4"]).save(folder / "g.py")


NESTED = """memory 64
var a
var i = 0
var j
var k
a = READ(a)
JEZ(a, few)
outer: j = ZERO()
middle: k = ZERO()
inner: k = INC(k)
JEZ(k, on)
JEZ(0, inner)
on: j = INC(j)
JEZ(j, out)
JEZ(0, middle)
out: i = INC(i)
JEZ(i, end)
JEZ(0, outer)
end: WRITE(1, 9)
STOP()
few: WRITE(1, 5)
STOP()
"""


def test_no_guard_is_written_for_runs_that_no_proof_followed(folder):
    """With another number than 0 in its first cell the program stops after 798,915 steps."""
    (folder / "nested.anc").write_text(NESTED)
    (folder / "five.anc").write_text("memory 64; WRITE(1, 5); STOP()")
    done = run("guard", "nested.anc", "five.anc", "-o", "both.anc")
    assert done.returncode == 4 and not (folder / "both.anc").exists()
    assert "right where the generic program stops within 20,000 steps" in done.stderr
    assert exact.run(anc.load("nested.anc"), [1] + [0] * 63, 10**6).tape[1] == 9
    words = ["guard", "nested.anc", "five.anc", "--assume", "tape[0] == 0", "-o", "both.anc"]
    assert run(*words).returncode == 0
    both = exact.run(anc.load("both.anc"), [1] + [0] * 63, 10**6)
    assert (both.stop, both.tape[1]) == (exact.Stop.STOPPED, 9)


def test_guarded_functions_are_written_after_the_proof(folder):
    words = ["f.py:total", "one.anc", "--assume", "tape[0] == 1", "--assume", "tape[1] < 50"]
    assert run("guard", *words, "-o", "fast.py").returncode == 0
    space: dict = {}
    exec((folder / "fast.py").read_text(), space)
    assert [space["total"](values, 8) for values in ([3], [], [60], [3, 70])] == [11, 8, 68, 81]
    short = ["--budget", "1s", "-o", "no.py"]
    assert run("guard", *words[:2], *short).returncode in (1, 4)
    assert run("guard", "f.py:total", "f.py:same", *short).returncode == 4  # because of 60 + 8
    assert not (folder / "no.py").exists()
    assert run("guard", *words, "-o", "no.txt").returncode == 2


def test_a_listing_is_not_guarded_by_what_only_calls_keep(folder):
    """Behind a list's end is 0 in every call, but whoever runs a listing may put anything there."""
    text = IN_PLACE.replace("WRITE(4", "b = READ(2)\na = ADD(a, b)\nWRITE(4")
    (folder / "both.anc").write_text(text)
    words = ["f.py:total", "both.anc", "--assume", "tape[1] < 20", "--assume", "tape[2] < 20"]
    assert run("guard", *words, "-o", "both.py").returncode == 0
    space: dict = {}
    exec((folder / "both.py").read_text(), space)
    assert [space["total"](values, 8) for values in ([], [3], [3, 4], [30, 70])] == [8, 11, 15, 108]
    done = run("guard", *words, "-o", "both.anc")
    assert done.returncode == 1 and "no call produces" in done.stderr
    assert (folder / "both.anc").read_text() == text
    done = run("guard", *words, "--counts", "0-3", "-o", "no.py")
    assert done.returncode == 2 and "whoever calls 'total' sees it" in done.stderr


def test_a_kept_result_is_proved_again(folder):
    kept = folder / "kept"
    kept.mkdir()
    (kept / "adapted.anc").write_text(QUICK)
    (kept / "generic.anc").write_text(anc.fmt("access"))
    result = {"memory": 10, "precondition": ["tape[0] == 3"], "counts": [0]}
    (kept / "result.json").write_text(json.dumps(result))
    status, found = verified("kept")
    assert (status, found["assumed"], found["counts"]) == (0, ["tape[0] == 3"], [0])
    assert verified("access", "kept", "--counts", "0-9")[1]["counts"] == list(range(10))
    words = {"wrap": True, "words": {"tape[0] == 3": "k == 3"}}  # what no caller can break has none
    facts = ["tape[0] == 3", "tape[9] <= 9"]
    told = result | {"precondition": facts, "function": words}
    (kept / "result.json").write_text(json.dumps(told))
    assert "whenever\n  k == 3\nin the cells" in run("verify", "kept").stdout
    (kept / "adapted.anc").write_text(QUICK.replace("var k = 4", "var k = 5"))
    assert verified("kept")[0] == 1
    (kept / "result.json").write_text(json.dumps(result | {"function": {"wrap": False}}))
    assert "no exact.anc" in run("verify", "kept").stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["access"], "what should 'access' be compared with?"),
        (["."], "it has no result.json"),
        (["access", "."], "it has no result.json"),
        (["access", "nowhere.anc"], "neither a file nor a shipped program"),
        (["access", "copy"], "for a memory of 10 cells"),
        (["access", "access", "--counts", "10"], "cells 0 to 9"),
        (["access", "access", "--counts", "x"], "names no cells; write 0,3-7"),
        (["access", "access", "--assume", "tape[0]"], "error"),
        (["access", "access", "--budget", "0"], "is not a time"),
        (["access", "access", "--data", "no.jsonl"], "cannot read no.jsonl"),
        (["damaged"], "it lacks 'precondition'"),
        (["f.py:nothing", "access"], "error"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_wrong_usage(folder, words, message):
    (folder / "damaged").mkdir()
    (folder / "damaged" / "result.json").write_text('{"memory": 10}')
    for command in ("verify", "guard"):
        done = run(command, *words)
        assert done.returncode == 2
        assert message in done.stderr


def test_ctrl_c_ends_a_proof(monkeypatch, other):
    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return verify_pair(*given)

    monkeypatch.setattr("anc.adaptation.verification.verify_pair", interrupted)
    done = run("verify", "sort", other)
    assert done.returncode == 130
    assert "it was interrupted" in done.stdout


def test_who_asks_to_stop_is_told_so(other):
    pair, _ = given_pair("sort", str(other), (), None, None, None, load)
    found = verify_pair(pair, 60, asked_to_stop=lambda: True)
    assert (found.verdict.outcome.value, found.reason) == ("unknown", "it was interrupted")
    assert Witness(pair, (0,) * pair.M).call is None

"""The whole method on small budgets: what it promises, from Python and from the shell."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest
from command_line import anc as run

import anc
from anc.adaptation.evidence import Samples, counted_cells, find_evidence
from anc.compiler import compile_source
from anc.data.tasks import Case, get
from anc.language import read_source
from anc.machine import exact
from anc.proof import parse_fact
from anc.search import prepare
from anc.support.diagnostics import AncError

ANC = [sys.executable, "-m", "anc.commands.main"]


@pytest.mark.parametrize(
    ("task", "steps", "fresh"), [("access", 3, 900), ("swap", 5, 700), ("addition", 5, 0)]
)
def test_search_finds_the_best_known_program_and_proves_it(task, steps, fresh):
    result = anc.adapt(task, evaluations=80_000, method="search")
    assert result.steps_adapted <= steps
    assert result.verdict.proved and result.unproved is None
    assert result.cases_tested >= fresh  # distinct ones that nothing has looked at
    assert (result.cases_tested == 0) == (fresh == 0)
    assert all(case not in result.problem.looked_at for case in result.problem.fresh[:20])
    program = get(task)
    for case in program.draw(True, 200, 99):
        ran = exact.run(result.program, case.input, 1000)
        assert case.is_right(ran.tape)
        assert all(fact.holds(case.input) for fact in result.facts)


def test_all_methods_together_make_the_loop_of_listk_disappear(tmp_path):
    done = run("adapt", "listk", "--evaluations", "200000", "-o", tmp_path / "r", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["steps_adapted"] == 6
    assert result["verdict"] == "proved"
    assert "tape[0] == 3" in result["precondition"]
    stored = json.loads((tmp_path / "r" / "result.json").read_text())
    assert stored == result
    for key in (
        "steps_generic", "steps_adapted", "cases_tested", "method", "verdict", "precondition",
        "support", "unproved", "proved", "seconds",
    ):  # fmt: skip
        assert key in stored
    adapted = compile_source(read_source(tmp_path / "r" / "adapted.anc"))
    assert adapted.warnings == ()
    tape = [3, 3, 2, 5, 4, 7, 5, 9, 6, 0, 7] + [0] * 9
    ran = exact.run(adapted.program, tape, 100)
    assert (ran.tape[2], ran.steps) == (6, 6)
    assert all(line.op != "JEZ" for line in adapted.program.lines)


def test_gradient_alone_reports_its_weights(tmp_path):
    done = run(
        "adapt", "access", "--method", "gradient", "--budget", "60s", "-o", tmp_path / "r", "--json"
    )
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert result["steps_adapted"] == 3
    assert result["method"] in ("gradient", "observed")
    assert (tmp_path / "r" / "weights.safetensors").exists()


def test_specialisation_alone(tmp_path):
    result = anc.adapt("permutation", evaluations=300_000, method="specialise")
    assert result.improved
    assert result.verdict.proved
    result.save(tmp_path)  # only result.json says how long something took
    for name in ("generic.anc", "adapted.anc", "adapted.py", "adapted.h"):
        text = (tmp_path / name).read_text()
        assert not re.search(r"\bin [0-9.]+ s\b", text)
    assert result.verdict.statement in (tmp_path / "adapted.anc").read_text()
    assert {found.method for found in result.found} <= {"clean", "specialise", "observed", "traces"}


def test_nothing_faster_gives_the_generic_program_back_and_ends_with_1(tmp_path):
    program = tmp_path / "best.anc"
    program.write_text("memory 5\nvar x = 0\nx = READ(x)\nWRITE(1, x)\nSTOP()\n")
    data = tmp_path / "c.jsonl"
    data.write_text("".join(f'{{"input": [{i % 5}, {i // 5 % 5}]}}\n' for i in range(40)))
    done = run(
        "adapt",
        program,
        "--data",
        data,
        "--evaluations",
        "30000",
        "--method",
        "search",
        "-o",
        tmp_path / "r",
    )
    assert done.returncode == 1
    assert "nothing faster was found" in done.stdout
    again = compile_source(read_source(tmp_path / "r" / "adapted.anc")).program
    assert again == compile_source(read_source(program)).program


def test_a_program_and_samples_from_python():
    text = "memory 8\nvar a = 0\nvar b\na = READ(0)\nb = READ(1)\nl: JEZ(b, e)\na = INC(a)\nb = DEC(b)\n"
    text += "JEZ(0, l)\ne: WRITE(2, a)\nSTOP()"
    samples = [{"input": [i % 8, i // 8], "mask": [0, 0, 1, 0, 0, 0, 0, 0]} for i in range(60)]
    for case in samples:
        case["input"] += [0] * 6
    result = anc.adapt(text, samples, evaluations=80_000, method="search")
    assert result.steps_adapted == 5
    assert result.verdict.proved
    drawn = anc.adapt(
        text,
        lambda random: [random.randrange(8), random.randrange(8)],
        evaluations=30_000,
        method="search",
    )
    assert drawn.improved


def test_what_no_fact_excludes_is_a_case_again():
    generic = anc.load("access")
    wrong = anc.compile("var k = 4\nk = READ(k)\nWRITE(0, k)\nSTOP()", memory=10)
    cases = get("access").draw(True, 60, 1)
    tape = (5, *range(1, 10))
    odd = Case(tape, exact.run(generic, tape, 99).tape, cases[0].mask)
    found = find_evidence(generic, wrong, Samples.of([*cases, odd]), [], 5.0)
    assert found.verdict.refuted
    assert found.counterexample is not None and found.counterexample.input == odd.input
    assumed = [parse_fact("tape[0] == 3", 10)]
    found = find_evidence(generic, wrong, Samples.of(cases), assumed, 5.0)
    assert found.verdict.proved and found.facts == tuple(assumed)


BOTH = "memory 8; var x; x = INC(x); WRITE(0, 7); WRITE(1, 7); STOP()"
ONE = "memory 8; var at = 2; at = READ(at); WRITE(at, 7); STOP()"  # the one that counts


def half_and_half():
    """Cases of which each counts one cell, the one that its third cell names."""
    generic = anc.load(BOTH)
    tapes = [(n % 8, n // 8, n % 2, 0, 0, 0, 0, 0) for n in range(64)]
    mask = {0: (True, False), 1: (False, True)}
    return [
        Case(tape, exact.run(generic, tape, 99).tape, (*mask[tape[2]], *[False] * 6))
        for tape in tapes
    ]


def test_what_is_proved_is_every_cell_that_counts_in_a_case_whatever_the_program_does(tmp_path):
    cases = half_and_half()
    assert counted_cells(cases) == (True, True, *[False] * 6)
    result = anc.adapt(BOTH, cases, evaluations=100_000, method="search")
    found = find_evidence(result.problem.program, anc.load(ONE), Samples.of(cases), [], 5.0)
    assert found.verdict.statement == (
        "unknown: cases count different cells: cell 1 is 0, the generic program makes it 7,"
        " in a case that does not count it"
    )
    assert found.counterexample is not None and found.counterexample.mask == counted_cells(cases)
    assert result.to_dict()["counts"] == [0, 1] and result.verdict.proved and result.improved
    for tape in [(7, 7, 7, 7, 7, 7, 7, 7), (0, 0, 0, 1, 2, 3, 4, 5)]:
        assert exact.run(result.program, tape, 99).tape[:2] == (7, 7)


@pytest.mark.parametrize("command", [anc.verify, anc.guard])
def test_cases_that_count_different_cells_are_no_refutation_and_no_proof(command):
    cases = half_and_half()
    told = command(BOTH, ONE, data=cases)
    found = told.verified if command is anc.guard else told
    assert found.verdict.outcome.value == "unknown" and "--counts" in found.advice
    assert found.verdict.reason.startswith("cases count different cells: cell 1 is 0")
    assert command is anc.verify or told.program is None
    told = command(BOTH, ONE, data=cases, counts=[0, 1])  # which says it whatever cases do
    assert (told.verified if command is anc.guard else told).refuted


def test_no_claim_is_about_no_cell():
    nothing = [replace(case, mask=(False,) * 8) for case in half_and_half()]
    with pytest.raises(AncError, match="no cell counts"):
        counted_cells(nothing)
    with pytest.raises(AncError, match="no cell counts"):
        find_evidence(anc.load(BOTH), anc.load(ONE), Samples.of(nothing), [], 5.0)


def test_the_budget_is_respected(monkeypatch):
    prepare()  # its looks are none of the search's
    looks = count(step=0.005)  # a clock that only goes on when it is looked at
    monkeypatch.setattr("anc.support.clock.time", SimpleNamespace(monotonic=lambda: next(looks)))
    result = anc.adapt("sort", budget=60, method="search")
    assert result.seconds < 1.2 * 60
    assert result.improved


def test_ctrl_c_keeps_the_best_so_far(tmp_path):
    words = ["adapt", "increment", "--budget", "300s", "--method", "search", "-o", tmp_path / "r"]
    ours, theirs = os.openpty()  # on a terminal, progress is shown at once
    process = subprocess.Popen(
        [*ANC, *map(str, words)], stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    shown, asked = "", False
    with contextlib.suppress(OSError):  # which is how the other end says that it is closed
        while chunk := os.read(ours, 1000):
            shown += chunk.decode()
            if "best" in shown and not asked:
                process.send_signal(signal.SIGINT)
                asked = True
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert asked and "Traceback" not in shown
    assert "interrupted" in out
    assert (tmp_path / "r" / "result.json").exists()


def test_costs_other_than_steps():
    done = run("adapt", "access", "--method", "specialise", "--weight", "READ=5", "--json")
    assert done.returncode in (0, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["adapt"], "Missing argument"),
        (["adapt", "listkk"], "did you mean the shipped program 'listk'?"),
        (["adapt", "listk", "--budget", "soon"], "'soon' is not a time"),
        (["adapt", "listk", "--budget", "0"], "is not a time"),
        (["adapt", "listk", "--method", "magic"], "'magic' is not one of"),
        (["adapt", "listk", "--assume", "tape[0] = 3"], "<assume>:1:"),
        (["adapt", "listk", "--assume", "tape[99] == 3"], "tape[99]"),
        (["adapt", "listk", "--weight", "READ"], "expected NAME=COST"),
        (["adapt", "listk", "--weight", "REED=5"], "did you mean READ"),
        (["guard", "access"], "what should 'access' be compared with?"),
    ],
)
def test_wrong_usage(words, message, tmp_path):
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_guard_falls_back_when_the_facts_fail(tmp_path):
    quick = tmp_path / "quick.anc"
    quick.write_text("memory 10\nvar k = 4\nk = READ(k)\nWRITE(0, k)\nSTOP()\n")
    done = run("guard", "access", quick, "--assume", "tape[0] == 3", "-o", tmp_path / "g.anc")
    assert done.returncode == 0
    assert "3 of them the check" in done.stderr
    guarded = compile_source(read_source(tmp_path / "g.anc")).program
    generic = anc.load("access")
    for k in range(8):
        tape = (k, *range(9, 0, -1))
        assert exact.run(guarded, tape, 99).tape == exact.run(generic, tape, 99).tape


def test_unknown_methods_are_refused():
    with pytest.raises(AncError, match="method is 'magic', expected"):
        anc.adapt("access", method="magic")

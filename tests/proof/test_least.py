"""Mining, and proofs with as few facts as they need, on the paper's tasks."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from proof.searching_programs import counted_lists, counting

from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.machine.exact import run
from anc.program import Program
from anc.proof import Claim, parse_fact, prove
from anc.proof.preconditions import cegis, mine, prove_with_least
from anc.support.diagnostics import AncError

BEST = {
    "access": "var v; v = READ(4); WRITE(0, v); STOP()",
    "swap": "var a; var b; a = READ(2); b = READ(4); WRITE(2, b); WRITE(4, a); STOP()",
    "listk": "var k; var p; k = READ(1); p = ADD(k, k); p = ADD(p, 2); p = READ(p); WRITE(2, p)"
    "; STOP()",
    "addition": "var a; var b; a = READ(0); b = READ(1); a = ADD(a, b); WRITE(0, a); STOP()",
    "sort": "var a; var b; var c; a = READ(0); b = READ(1); c = MIN(a, b); b = MAX(a, b)"
    "; WRITE(0, c); WRITE(1, b); STOP()",
    "increment": "start 1; var p = 4; var last = 5; var v; var w; STOP(); v = READ(p); w = INC(v)"
    "; WRITE(p, w); p = DEC(p); last = WRITE(last, w); JEZ(0, p)",  # goes to the line p
    "copy": "var a; var b; var c; a = READ(1); b = READ(2); c = READ(3); WRITE(8, a)"
    "; WRITE(9, b); WRITE(10, c); STOP()",
    "reverse": "var p; var v; p = READ(0); v = READ(3); WRITE(p, v); p = INC(p); v = READ(2)"
    "; WRITE(p, v); p = INC(p); v = READ(1); WRITE(p, v); STOP()",
    "permutation": "var a; var b; var c; a = READ(5); b = READ(6); c = READ(4); WRITE(0, a)"
    "; WRITE(1, b); WRITE(2, c); STOP()",
    "listsearch": "var a; var b; a = READ(1); b = READ(4); a = SUB(a, b); JEZ(a, l_first)"
    "; WRITE(2, 5); STOP(); l_first: WRITE(2, 3); STOP()",
    "walkbst": "var p; p = READ(6); p = ADD(p, 2); p = READ(p); p = READ(p); WRITE(1, p); STOP()",
    "merge": "var a; var b; var c; var d; var e; a = READ(3); b = READ(4); c = READ(5)"
    "; d = READ(7); e = READ(8); WRITE(10, a); WRITE(11, b); WRITE(12, c); WRITE(13, d)"
    "; WRITE(14, e); STOP()",
    "dijkstra": "var a; var b; var c; a = READ(6); b = READ(8); c = READ(11); WRITE(16, a)"
    "; a = ADD(a, c); a = MIN(a, b); WRITE(18, a); STOP()",
}
WRONG = {
    "access": ("READ(4)", "READ(5)"),
    "swap": ("WRITE(4, a)", "WRITE(4, b)"),
    "listk": ("ADD(p, 2)", "ADD(p, 1)"),
    "addition": ("ADD(a, b)", "MAX(a, b)"),
    "sort": ("MAX(a, b)", "MAX(b, b)"),
    "increment": ("var last = 5", "var last = 4"),
    "copy": ("READ(2)", "READ(1)"),
    "reverse": ("v = READ(2)", "v = READ(3)"),
    "permutation": ("READ(5)", "READ(4)"),
    "listsearch": ("WRITE(2, 5)", "WRITE(2, 3)"),
    "walkbst": ("ADD(p, 2)", "ADD(p, 1)"),
    "merge": ("WRITE(13, d)", "WRITE(13, e)"),
    "dijkstra": ("MIN(a, b)", "ADD(a, 0)"),
}


def compiled(text: str, task: tasks.Task) -> Program:
    return compile_source(Source(text), memory=task.M).program


def mask_of(cases: list[tasks.Case]) -> list[bool]:
    """The cells that count in some case."""
    return [any(column) for column in zip(*(case.mask for case in cases), strict=True)]


@pytest.mark.parametrize("name", BEST)
def test_the_best_program_is_proved_and_a_wrong_one_is_not(name: str) -> None:
    task = tasks.get(name)
    cases = task.draw(True, 100, seed=4)
    inputs = [case.input for case in cases]
    mask = mask_of(cases)
    mined = mine(inputs, task.M)
    adapted = compiled(BEST[name], task)
    claim = Claim(task.program, adapted, task.M, mask, max_steps=1000)
    found = prove_with_least(claim, mined, inputs, 20.0)
    used = found.facts
    assert found.verdict.proved, found
    assert len(used) <= 13
    for tape in (case.input for case in task.draw(True, 200, seed=5)):
        if all(fact.holds(tape) for fact in used):
            wanted, found = run(task.program, tape, 1000), run(adapted, tape, 1000)
            assert [x for x, m in zip(wanted.tape, mask, strict=True) if m] == [
                x for x, m in zip(found.tape, mask, strict=True) if m
            ]
    for fact in used:  # none of them can be spared
        others = [other for other in used if other is not fact]
        again = prove(replace(claim, precondition=others), any_failure=True)
        assert not again.proved, fact
    wrong = compiled(BEST[name].replace(*WRONG[name]), task)
    assert wrong != adapted
    claim = replace(claim, adapted=wrong)
    refuted = prove_with_least(claim, mined, inputs, 20.0).verdict
    assert refuted.refuted
    assert all(fact.holds(refuted.counterexample or ()) for fact in mined)
    assert not prove_with_least(claim, mined, seconds=20.0).verdict.proved


def test_what_listk_needs() -> None:
    task = tasks.get("listk")
    facts = ["tape[0] == 3", "tape[2] == 2", "1 <= tape[1] <= 6", "tape[3] == 5"]
    facts += [f"tape[1] >= {k + 1} implies tape[{2 * k + 3}] == {2 * k + 5}" for k in range(1, 5)]
    mask = [cell == 2 for cell in range(task.M)]
    adapted = compiled(BEST["listk"], task)
    precondition = [parse_fact(text, task.M) for text in facts]
    claim = Claim(task.program, adapted, task.M, mask, precondition)
    verdict = prove(claim, method="paths")
    assert verdict.proved and verdict.walked == 6
    for left_out in range(len(facts)):
        fewer = precondition[:left_out] + precondition[left_out + 1 :]
        again = prove(replace(claim, precondition=fewer, max_steps=500), 5.0, any_failure=True)
        assert not again.proved


def test_assumed_facts_are_kept() -> None:
    task = tasks.get("access")
    assumed = [parse_fact("tape[0] == 3"), parse_fact("tape[9] == 0")]
    adapted = compiled(BEST["access"], task)
    mask = [cell == 0 for cell in range(task.M)]
    claim = Claim(task.program, adapted, task.M, mask, assumed)
    found = prove_with_least(claim, [])
    assert found.verdict.proved and list(found.facts) == assumed
    assert prove_with_least(replace(claim, precondition=assumed[1:]), []).verdict.refuted


def test_where_the_generic_program_does_not_stop_the_proof_is_partial() -> None:
    task = tasks.get("access")
    loop = compiled("var a; a = READ(0); l: JEZ(a, l); WRITE(1, 7); STOP()", task)
    other = compiled("WRITE(1, 7); STOP()", task)
    claim = Claim(loop, other, task.M, [True] * task.M, max_steps=300)
    mined = [parse_fact("tape[3] == 0")]
    found = prove_with_least(claim, mined)
    assert found.verdict.proved and not found.facts
    assert "wherever the generic program stops" in found.verdict.reason
    mined.append(parse_fact("tape[0] != 0"))
    found = prove_with_least(claim, mined)
    assert found.verdict.proved and list(found.facts) == mined[1:] and not found.verdict.reason


def test_mined_facts_hold_and_the_plain_ones_come_first() -> None:
    for task in tasks.all_tasks():
        inputs = [case.input for case in task.draw(True, 60, seed=1)]
        facts = mine(inputs, task.M)
        assert len(facts) <= 600
        assert len(set(facts)) == len(facts)
        assert all(fact.holds(tape) for fact in facts for tape in inputs)
        assert all(parse_fact(fact.text, task.M) == fact for fact in facts)


def test_kinds_of_mined_facts() -> None:
    inputs = [
        (7, a, a, a + 3, b, max(a, b) + 1, a if a % 2 else b) for a in range(6) for b in range(6)
    ]
    inputs = [(*row, 5 if row[1] >= 2 else row[4]) for row in inputs]
    found = {fact.text for fact in mine([(*row, 0, 0) for row in inputs], 10)}
    assert {
        "tape[0] == 7",
        "tape[1] == tape[2]",
        "tape[3] == tape[2] + 3",
        "tape[4] <= tape[5]",
        "tape[1] <= 5",
        "tape[5] != 0",
        "1 <= tape[5] <= 6",
        "tape[1] >= 2 implies tape[7] == 5",
        "tape[6] == tape[1] or tape[6] == tape[4]",
        "tape[9] == 0",
    } <= found


def test_no_samples_no_facts() -> None:
    with pytest.raises(AncError, match="no samples"):
        mine([], 5)
    with pytest.raises(AncError, match="a tape of 5 cells"):
        mine([(1, 2)], 5)


def test_where_the_generic_program_stops_need_not_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does if cells 40, 42, 44, ... are all 0, and in many other cases: no few facts say it."""
    monkeypatch.setattr(cegis, "_LOOKING", 0.01)
    samples = counted_lists(Random(2), 40)
    claim = Claim(counting(1), counting(4), 64, [True] * 64, (), 1_000)
    found = prove_with_least(claim, mine(samples, 64), samples, 60.0)
    assert found.verdict.proved and "wherever the generic program stops" in found.verdict.reason

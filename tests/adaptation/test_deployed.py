"""What a deployed function is worth: measured on calls as Python makes them, told first, and what follows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random
from typing import Annotated

import pytest
from command_line import anc as run
from test_same_bytes import SECONDS

import anc
from anc.adaptation import deployment
from anc.adaptation import worth as deployed
from anc.adaptation.texts import about_files, report
from anc.adaptation.worth import Taken, Worth
from anc.proof import parse_fact
from anc.proof.verdict import refuted
from anc.search import STEPS
from anc.support.records import read

Flags = Annotated[list[bool], anc.Size(2)]


@anc.function(memory=64)
def fare(distance: int, child: bool, extras: Flags) -> int:
    price = 10
    for _ in range(distance):
        price += 4
    if extras[0]:
        price += 3
    return price - 6 if child else price


@pytest.fixture(scope="module")
def result():
    random = Random(0)
    calls = [
        (random.randrange(1, 7), random.random() < 0.5, [random.random() < 0.5, False])
        for _ in range(200)
    ]
    found = anc.adapt(fare, calls, evaluations=50_000, method="specialise")
    assert found.improved and found.verdict.proved
    return found


@pytest.fixture(autouse=True)
def no_table(monkeypatch):
    """The proved program alone: which of several is deployed is another test."""
    monkeypatch.setattr(deployment, "_table", lambda result: None)


def clock(monkeypatch, original: float, guarded: float):
    """Calls take so many ns, whatever they do; what is called is kept."""
    seen: list[tuple[str, list]] = []

    def seconds(function, calls):
        seen.append((function.__name__, calls))
        return len(calls) * 1e-9 * (original if "original" in function.__name__ else guarded)

    monkeypatch.setattr(deployed, "_seconds", seconds)
    return seen


def again(result):
    """The same, not yet measured."""
    return replace(result)


def test_truths_are_given_as_python_gives_them(result, monkeypatch):
    seen = clock(monkeypatch, 100, 50)
    assert again(result).worth is not None
    space: dict = {}
    exec(result.python, space)
    space["fare_original"] = lambda *given: pytest.fail(f"{given} went to the original")
    accepted = [call for name, calls in seen[1:3] for call in calls]
    assert len(accepted) >= 2
    for distance, child, extras in accepted:
        assert [type(each) for each in (distance, child, extras)] == [int, bool, list]
        assert all(type(each) is bool for each in extras)
        assert space["fare"](distance, child, extras) == fare(distance, child, extras)


def test_calls_that_are_shown_are_calls_that_can_be_made(result):
    call, text = result.to_dict()["support"]["accepts_call"], report(result)
    assert re.fullmatch(r"fare\(\d, (True|False), \[(True|False), False\]\)", call)
    assert f"accepts {call}" in text and "tape[" not in text


def test_calls_that_are_repeated_do_not_share_their_lists():
    def empty(values: list[int]) -> None:
        assert values.pop() == 3

    calls = deployed._enough(empty, [[[3]]])
    assert 1 < len(calls) <= deployed._MOST
    deployed._seconds(empty, calls)


def test_what_it_is_worth_comes_first_and_steps_are_called_steps(result, monkeypatch):
    clock(monkeypatch, 100, 50)
    first, *others = report(again(result)).split("\n")
    assert first == "fare: 2 times faster in Python: 50 ns instead of 100 a call, with the check"
    at = {words: next(i for i, row in enumerate(others) if words in row) for words in (
        "calls seen (100%): 50 ns instead of 100", "right whenever", "def fare(", "def fare_original(",
        "on the machine: ",
    )}  # fmt: skip
    assert list(at.values()) == sorted(at.values())
    assert "steps instead of" in others[at["on the machine: "]]
    assert not any("READ(" in row for row in others)


def test_what_is_slower_is_not_written_and_the_reason_is_said(result, monkeypatch, tmp_path):
    clock(monkeypatch, 100, 148)
    slower = again(result)
    assert report(slower).startswith("fare: 1.48 times slower in Python: 148 ns instead of 100 a")
    slower.save(tmp_path)
    assert not (tmp_path / "adapted.py").exists()
    assert (tmp_path / "adapted.h").exists()
    assert "because it is slower" in about_files(slower, write_anyway=False)
    slower.save(tmp_path, write_anyway=True)
    assert (tmp_path / "adapted.py").read_text() == slower.python
    assert about_files(slower, write_anyway=True) == "adapted.py and adapted.h can be pasted"


@pytest.mark.parametrize(
    ("guarded", "written"), [(94, True), (96, False), (104, False), (106, False)]
)
def test_only_what_is_faster_by_more_than_noise_is_written(
    result, monkeypatch, tmp_path, guarded, written
):
    clock(monkeypatch, 100, guarded)
    again(result).save(tmp_path)
    assert (tmp_path / "adapted.py").exists() is written


def test_the_others_count_as_often_as_they_come(monkeypatch):
    worth = Worth(10, 9, Taken(100, 50), Taken(100, 200))
    assert worth.expected == Taken(100, 65) and worth.is_faster
    often = Worth(10, 5, Taken(100, 50), Taken(100, 200))
    assert often.expected == Taken(100, 125) and often.is_slower
    assert read(Worth, worth.to_dict(), "a worth") == worth
    assert worth.rows == [
        "accepts 9 of 10 calls seen (90%): 50 ns instead of 100",
        "the others: 200 ns instead of 100",
    ]


def with_facts(result, *texts, rejected):
    facts = (*result.facts, *map(parse_fact, texts))
    return replace(result, proved=replace(result.proved, facts=facts, rejected=rejected))


def test_calls_that_the_precondition_rejects_are_measured_by_themselves(result, monkeypatch):
    seen = clock(monkeypatch, 100, 50)
    narrow = with_facts(result, "tape[0] <= 3", rejected=(9, *[0] * 63))
    assert narrow.worth.example is None
    assert narrow.worth.accepts == sum(case.input[0] <= 3 for case in result.problem.test)
    assert 0 < narrow.worth.accepts < narrow.worth.calls
    groups = [calls for name, calls in seen if len(calls) > 1]
    assert {tuple(call[0] <= 3 for call in calls) for calls in groups} == {
        (True,) * len(groups[0]),
        (False,) * len(groups[-1]),
    }


def test_where_no_call_is_rejected_the_example_is_measured_or_it_is_said(result, monkeypatch):
    clock(monkeypatch, 100, 50)
    one = with_facts(result, rejected=(9, 1, *[0] * 62)).worth
    assert one.rows[1] == (
        "the others: none was seen; fare(9, True, [False, False]) takes 50 ns instead of 100"
    )
    for rejected in (None, (63, *[0] * 63), (1, 0, 0, 0, 7, *[0] * 59)):
        there = with_facts(result, "tape[4] == 0", rejected=rejected)
        worth = there.worth
        is_call = rejected is not None and rejected[0] == 63  # the last one is no caller's doing
        assert (worth.others is not None) == is_call
        assert ("fare(63, False" in report(there)) == is_call
        assert is_call or worth.rows[1].endswith(
            "none was seen, and there is no example to measure"
        )


def test_an_example_on_which_the_original_does_not_end_is_not_measured(monkeypatch):
    @anc.function(memory=64)
    def down(n: int) -> int:
        steps = 0
        while n != 1:
            n = n // 2 if n > 1 else n
            steps += 1
        return steps

    calls = [(n % 7 + 1,) for n in range(100)]
    found = anc.adapt(down, calls, evaluations=50_000, method="specialise")
    assert found.improved and found.verdict.proved
    worth = with_facts(found, rejected=(0,) * 64).worth
    assert worth.others is None


def test_nanoseconds_stand_in_fields_that_say_so(result):
    first, second = again(result).to_dict(), again(result).to_dict()
    assert first["function"]["python"] == result.python
    one, two = (SECONDS.sub(r"\1", json.dumps(each)) for each in (first, second))
    assert one == two


def test_what_is_wrong_is_said_of_the_call_and_the_result(result):
    tape = (3, 1, *[0] * 62)
    verdict = refuted("test", 1, tape, "cell 4 is 0, the generic program makes it 16")
    unproved = replace(result.proved, verdict=verdict, facts=(), steps=1.0)
    there = replace(result, unproved=unproved)
    text = report(there)
    assert "cheaper, but not proved: python cost" in text and "faster, but" not in text
    by_steps = replace(
        there, cost=STEPS, weighed_generic=None, unproved=replace(unproved, weighed=None)
    )
    assert "with fewer steps, but not proved: 1.00 steps" in report(by_steps)
    assert "refuted: the result is 0, the generic program makes it 16 (1 test, 0.0 s)" in text
    assert "call: fare(3, True, [False, False])" in text and "tape" not in text.split("refuted")[1]
    told = there.to_dict()["unproved"]
    assert told["reason"].startswith("the result is 0")
    assert told["counterexample_call"] == "fare(3, True, [False, False])"


def test_a_call_that_contradicts_an_assumption_is_a_call():
    calls = [(n % 5, True, [False, False]) for n in range(40)]
    with pytest.raises(anc.AncError, match=r"'distance <= 3': the first is fare\(4, True, \["):
        anc.adapt(fare, calls, evaluations=1_000, assume=["tape[0] <= 3"])


def test_the_command_says_why_and_writes_anyway(tmp_path):
    """A function of one sum: no check can be faster."""
    (tmp_path / "sums.py").write_text(
        "import anc\n\n\n@anc.function(memory=32)\ndef twice(a: int, b: int) -> int:\n"
        "    if b > 3:\n        return a\n    return a + b\n"
    )
    (tmp_path / "calls.jsonl").write_text("".join(f"[{n % 9}, {n % 4}]\n" for n in range(100)))
    words = ["adapt", "sums.py", "--data", "calls.jsonl", "--evaluations", "20000", "-o", "out"]
    words += ["--method", "specialise"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0
    assert re.match(r"twice: [\d.]+ times slower in Python: \d+ ns instead of \d+ a", done.stdout)
    assert "adapted.py is not written, because it is slower" in done.stdout
    assert not (tmp_path / "out" / "adapted.py").exists()
    assert run(*words, "--write-anyway", cwd=tmp_path).returncode == 0
    told = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (tmp_path / "out" / "adapted.py").read_text() == told["function"]["python"]
    assert told["function"]["worth"]["original_nanoseconds"] > 0


def test_what_no_caller_can_break_is_not_told(result):
    noisy = with_facts(result, "tape[1] <= 1", "tape[4] == 0", "tape[2] == 0", rejected=None)
    told = noisy.conditions(noisy.answer).values()
    assert "extras[0] == 0" in told and "child <= 1" not in told
    assert "child <=" not in noisy.python and not any("tape" in words for words in told)
    assert list(noisy.to_dict()["function"]["words"].values()) == list(told)


def test_what_is_behind_the_end_of_a_list_is_not_told():
    @anc.function(memory=64)
    def most(values: Annotated[list[int], anc.Size(up_to=4)]) -> int:
        found = 0
        for v in values:
            found = max(found, v)
        return found

    calls = [([n % 5, n % 7],) for n in range(100)]
    found = anc.adapt(most, calls, evaluations=50_000, method="specialise")
    there = with_facts(found, "tape[0] == 2", "tape[2] >= 1", "tape[4] == 0", rejected=None)
    told = there.conditions(there.answer).values()
    assert {"len(values) == 2", "values[1] >= 1"} <= set(told)
    assert "values[3] == 0" not in told


@pytest.mark.parametrize(("begin", "result"), [(3, 22), (6, 15)])
def test_where_wrapping_is_meant_it_is_compared_with_the_users_function(monkeypatch, begin, result):
    """But where Python never ends: from 6 up to 5."""

    @anc.function(memory=16, wrap=True)
    def up(a: int, b: int) -> int:
        while a != 5:
            a += 1
            b += 1
        return b

    calls = [(begin, n % 5) for n in range(100)]
    found = anc.adapt(up, calls, evaluations=50_000, method="specialise")
    assert found.improved and found.verdict.proved
    seen = []
    monkeypatch.setattr(deployed, "_seconds", lambda f, calls: seen.append(f) or len(calls) * 1e-7)
    assert with_facts(found, rejected=None).worth is not None
    assert seen[0](begin, 20 if begin == 3 else 0) == result


def test_a_function_that_stays_as_it_is_is_no_listing(result):
    steps, weighed = result.steps_generic, result.weighed_generic
    generic = replace(result.proved, steps=steps, weighed=weighed, method="none", facts=())
    text = report(replace(result, proved=generic))
    assert text.startswith("fare: nothing cheaper was found; the function stays as it is")
    assert "STOP()" not in text

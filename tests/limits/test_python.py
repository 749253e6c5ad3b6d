"""Every function that `import anc` offers, with what it cannot use: AncErrors before any work."""

import inspect
from itertools import count
from types import FunctionType

import numpy as np
import pytest
from number_names import NUMBERS

import anc
from anc.support.limits import as_real, as_whole

SKETCH = "memory 8; var x = ?; WRITE(0, x); STOP()"
CASES = [{"input": [1], "output": [2]}]
WORDS = ("mode", "machine", "method", "trust", "unstopped", "outside")
NOT_NUMBERS = ["3", b"3", 1 + 2j, [], {}, float("nan"), float("inf"), -1, 10**40, 10**5000, True]
BASES = {
    "compile": {"text": "STOP()"},
    "fill": {"sketch": SKETCH, "cases": CASES},
    "layer": {"program": "access", "inputs": 0, "output": 0},
    "record": {"function": len, "path": "calls.jsonl"},
    "function": {"memory": 8},
    "verify": {"generic": "access", "adapted": "access"},
    "guard": {"generic": "access", "adapted": "access"},
    "decompile": {"weights": "access"},
    "sample": {"task": "access"},
    "sweep": {"program": "access", "grid": {"rate": [0.1]}},
    "experiment": {"name": "paths"},
    "adapt": {"program": "access"},  # of which `generic` is a flag
    "train": {"program": "access"},
}
CALLED = dict.fromkeys(("program", "what", "weights", "generic", "adapted", "task"), "access")
CALLED |= {"tape": [3, 1, 2], "grid": {"rate": [0.1]}, "name": "eviction"}


def public() -> list[tuple[str, FunctionType]]:
    found = [(name, getattr(anc, name)) for name in anc.__all__]
    return [(name, value) for name, value in found if isinstance(value, FunctionType)]


def base(name: str, function: FunctionType) -> dict[str, object]:
    known = inspect.signature(function).parameters
    return BASES.get(name) or {key: CALLED[key] for key in known if key in CALLED}  # type: ignore


def numeric() -> list:
    """The parameters of all functions that are numbers, by their names or by their defaults."""
    return [
        pytest.param(name, function, each.name, id=f"{name}-{each.name}")
        for name, function in public()
        for each in inspect.signature(function).parameters.values()
        if each.name in NUMBERS or type(each.default) in (int, float)
    ]


@pytest.mark.parametrize(("name", "function", "parameter"), numeric())
def test_numbers_are_checked_by_their_names(name, function, parameter, nothing_begins):
    for value in (*NOT_NUMBERS, np.float64("nan")):
        with pytest.raises(anc.AncError, match=f"^{parameter} is .*, expected a") as caught:
            function(**base(name, function) | {parameter: value})
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("name", "function"), public())
def test_words_are_checked(name, function, nothing_begins):
    for word in WORDS:
        if word in inspect.signature(function).parameters:
            for value in ("magic", 3, None, "x" * 5_000):
                with pytest.raises(anc.AncError, match=f"^{word} is ") as caught:
                    function(**base(name, function) | {word: value})
                assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "tape",
    [
        *([3.7, 1], [3.0], [True], [None], ["3"], [[3]], [np.float32(3)], np.array([3.5])),
        *([-1], [10], [10**30], [3] * 11, count()),
        *(..., 5, None, "3 1 2", b"312", {3: 1}, {3}),
    ],
    ids=repr,
)
def test_a_tape_is_a_list_of_whole_numbers_and_nothing_is_rounded(tape):
    for use in (anc.run, anc.trace):
        with pytest.raises(anc.AncError, match="the tape"):
            use("access", tape)


def test_whole_numbers_may_be_of_any_kind():
    for tape in ([3, 1, 2, 3, 4], (3, 1, 2, 3, 4), np.array([3, 1, 2, 3, 4], np.uint8), range(5)):
        assert anc.run("access", tape).steps == 5
    assert as_whole(np.int8(3)) == 3
    assert as_real(np.float32(0.5)) == 0.5
    assert anc.soften("access", np.int64(10), np.float32(4), np.uint32(7)).M == 10


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: anc.compile(5), "expected the text of a listing, found 5"),
        (lambda: anc.compile("ZERO();" * 200_000), "at most 1,000,000 characters"),
        (lambda: anc.run(5, [1]), "found 5"),
        (lambda: anc.load(b"access"), "found b'access'"),
        (lambda: anc.load("\0"), "'\\x00' is neither a file nor"),
        (lambda: anc.load("x" * 5_000), "...xxx"),
        (lambda: anc.harden(5), "expected weights, found 5"),
        (lambda: anc.save(5, "x.anc"), "expected a program or weights to save, found 5"),
        (lambda: anc.save(anc.load("access"), 5), "expected the name of a file, found 5"),
        (lambda: anc.adapt("access", []), "there are no cases to adapt to"),
        (lambda: anc.adapt("access", 5), "samples is 5, expected a list"),
        (lambda: anc.adapt("access", {"input": [3]}), "expected a list"),
        (lambda: anc.adapt("access", freeze="12"), "freeze is '12', expected a list of"),
        (lambda: anc.adapt("access", freeze=[1.5]), "freeze is [1.5], expected a list of"),
        (lambda: anc.adapt("access", assume=5), "assume is 5, expected facts"),
        (lambda: anc.adapt("access", assume=[5]), "assume is [5], expected facts"),
        (lambda: anc.train("access", seeds=0), "seeds is 0, expected a whole number from 1"),
        (lambda: anc.train("access", batch=10**9), "batch is 1000000000, expected"),
        (lambda: anc.train("access", batch=2.0), "batch is 2.0, expected a whole number"),
        (lambda: anc.train("access", rate="x"), "rate is 'x', expected a number"),
        (lambda: anc.train("access", colour=3), "there is no setting 'colour'"),
        (lambda: anc.fill(5, CASES), "expected a program with holes, or what names one, found 5"),
        (lambda: anc.fill(SKETCH, 5), "cases is 5, expected a list"),
        (lambda: anc.fill(SKETCH, []), "there are no cases"),
        (lambda: anc.adapt("access", [[3, 1, 2.5]]), "samples: 1 of 1 case is wrong"),
        (lambda: anc.layer("access", range(10**9), 0), "the cells go from 0 to 9"),
        (lambda: anc.layer("access", "0:999999999", 0), "the cells go from 0 to 9"),
        (lambda: anc.layer("access", [True], 0), "names True, which is not a cell"),
        (lambda: anc.layer("access", 0, 0, fixed=5), "'fixed' is 5, expected numbers"),
        (lambda: anc.layer("access", 0, 0, fixed=[True]), "'fixed' puts True into cell 0"),
        (lambda: anc.Size(10**30), "from 1 to 65536"),
        (lambda: anc.Program(5, 5), "its lines and registers are not tuples"),
        (lambda: anc.Program((5,), (5,)), "line 0 is 5, expected a Line"),
        (lambda: anc.Program.from_json(5), "not JSON"),
        (lambda: anc.Program.from_json("[" * 99_999), "not JSON"),
        (lambda: anc.record(5, "x"), "expected a function to record, found 5"),
        (lambda: anc.record(len, 5), "expected the name of a file, found 5"),
        (lambda: anc.score("access", cell="x"), "cell is 'x', expected a whole number"),
        (lambda: anc.layer("access", 0, 0, values="x"), "values is 'x', expected a whole number"),
    ],
)
def test_what_is_wrong_is_said(call, words, nothing_begins):
    with pytest.raises(anc.AncError) as caught:
        call()
    assert words in str(caught.value)
    assert len(str(caught.value)) < 500


def test_one_fact_may_be_given_as_a_text(monkeypatch):
    monkeypatch.setattr(
        "anc.adaptation.multi_seed.adapt_with_seeds", lambda problem, job, asked, *_: asked.assumed
    )
    one = anc.adapt("access", assume="tape[0] == 3")
    assert [fact.text for fact in one] == ["tape[0] == 3"]


def test_a_folder_does_not_hide_a_shipped_program(tmp_path, monkeypatch):
    (tmp_path / "access").mkdir()
    monkeypatch.chdir(tmp_path)
    assert anc.run("access", [3, 1, 2, 3, 4]).tape[0] == 4

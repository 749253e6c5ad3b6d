"""Functions refuse by name what they cannot use."""

import inspect
import warnings

import numpy as np
import pytest
from number_names import NUMBERS

import anc
from anc.support.diagnostics import AncError

QUICK = "memory 10; var k = READ(4); WRITE(0, k); STOP()"


HOLE = "memory 8; var x = READ(0); x = ?(x, 1); WRITE(0, x); STOP()"


def doubled(x: int) -> int:
    return 2 * x


def test_one_fact_is_one_fact():
    assert anc.verify("access", QUICK, "tape[0] == 3").proved
    assert anc.test("access", "exact").passed == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anc.verify("access", QUICK, [3]), "assume is [3]"),
        (lambda: anc.verify("access", QUICK, budget=-1), "budget is -1"),
        (lambda: anc.verify("access", QUICK, budget=float("nan")), "budget is nan"),
        (lambda: anc.verify("access", QUICK, counts="0"), "counts is '0'"),
        (lambda: anc.verify("access", QUICK, counts=[0.5]), "a number of counts is 0.5"),
        (lambda: anc.verify("access", QUICK, counts=[]), "no cell counts"),
        (lambda: anc.verify("access", QUICK, data=[]), "data is empty"),
        (lambda: anc.verify("access", QUICK, data=3), "data is a list"),
        (lambda: anc.verify("access", QUICK, memory=2.5), "memory is 2.5"),
        (lambda: anc.verify("access", 3), "expected a program"),  # type: ignore[arg-type]
        (lambda: anc.verify(anc.load("access")), "what should this program be compared with"),
        (lambda: anc.guard("access", QUICK, budget="1"), "budget is '1'"),
        (lambda: anc.guard("access", QUICK, ["tape[0] == 3"]).save("x.txt"), "cannot tell"),
        (lambda: anc.fmt(3), "expected a listing"),  # type: ignore[arg-type]
        (lambda: anc.test("access", ["warm"]), "no 'warm' machine"),
        (lambda: anc.test("access", []), "machines is empty\n  help: there are: exact, soft,"),
        (lambda: anc.table1([]), "tasks is empty\n  help: there are: access, copy,"),
        (lambda: anc.experiment("digits", tasks=[]), "tasks is empty\n  help: there are: sum2,"),
        (lambda: anc.sample("access", n=0), "n is 0"),
        (lambda: anc.sample("acess"), "did you mean 'access'?"),
        (lambda: anc.decompile("access", [3, 1]), "expected a list of whole numbers"),
        (lambda: anc.decompile("access", [[1.5]]), "a number of a tape of tapes is 1.5"),
        (lambda: anc.report("access", 3), "expected the name of a file, found 3"),  # type: ignore[arg-type]
        (lambda: anc.report("nowhere"), "there is no folder 'nowhere'"),
        (lambda: anc.report(" "), "there is no folder ' '"),
        (lambda: anc.run("", [3]), "'' is neither a file nor a shipped program"),
        (lambda: anc.figure("access", formats="gif"), "no figure format 'gif'"),
        (lambda: anc.sweep("access", 3), "grid is a dictionary"),  # type: ignore[arg-type]
        (lambda: anc.sweep("access", {"rate": [1]}, seeds=0), "seeds is 0"),
        (lambda: anc.sweep("access", {"rat": [1]}), "rat"),
        (lambda: anc.sweep("access", {3: [1]}), "grid: there is no setting 3"),  # type: ignore[dict-item]
        (lambda: anc.table1(["acess"]), "did you mean 'access'?"),
        (
            lambda: anc.table1("access", settings="best"),
            "settings is 'best', expected 'published' or 'ours'",
        ),
        (
            lambda: anc.experiment("magic"),
            "name is 'magic', expected 'digits', 'paths', 'eviction' or",
        ),
        (lambda: anc.experiment(["paths"]), "name is ['paths']"),  # type: ignore[arg-type]
        (lambda: anc.experiment("paths", steps="x"), "steps is 'x', expected a whole number"),
        (lambda: anc.experiment("eviction", proposals=10**30), "proposals is 1000"),
        (lambda: anc.experiment("digits", tasks=3), "tasks is 3, expected a list of texts"),
        (lambda: anc.experiment("paths", proposals=3), "has no option 'proposals'"),
        (lambda: anc.experiment("digits", soft="no"), "soft is 'no', expected True or False"),
        (lambda: anc.sample(3), "there is no task 3"),  # type: ignore[arg-type]
        (lambda: anc.sample(np.array([1, 2])), "there is no task array"),  # type: ignore[arg-type]
        (lambda: anc.decompile("access", 3), "tapes is 3, expected a list"),  # type: ignore[arg-type]
        (lambda: anc.run("access", np.array(3)), "the tape is array(3)"),  # type: ignore[arg-type]
        (lambda: anc.run("access", [3], sharpness=5.0), "softened, and this run is exact"),
        (lambda: anc.trace("access", [3], sharpness=5.0), "softened, and this run is exact"),
        (lambda: anc.run(anc.soften("access"), [3], sharpness=5.0), "these are weights already"),
        (lambda: anc.run("access", [3], machine="soft", trace=True), "'trace' is for exact runs"),
        (lambda: anc.soften("access", sharpness=np.array([5.0])), "sharpness is array([5.])"),
        (lambda: anc.verify("access", QUICK, counts=np.array(3)), "counts is array(3)"),  # type: ignore[arg-type]
        (lambda: anc.verify("access", QUICK, data=np.array(3)), "data is a list"),  # type: ignore[arg-type]
        (lambda: anc.adapt("access", np.array(3)), "samples is array(3)"),  # type: ignore[call-overload]
        (lambda: anc.adapt("access", freeze=np.array(3)), "freeze is array(3)"),  # type: ignore[call-overload]
        (lambda: anc.adapt("access", weights=["READ"]), "weights is ['READ'], expected numbers by"),
        (lambda: anc.adapt("access", weights={3: 1}), "weights is {3: 1}"),
        (lambda: anc.adapt("access", start="x" * 5000), "is too long for the name of a file"),
        (lambda: anc.train("access", engine=0), "engine is 0, expected"),  # type: ignore[call-overload]
        (lambda: anc.fill(HOLE, [{"input": [3], "output": [4]}], engine=""), "engine is ''"),
        (lambda: anc.fill(HOLE, [[3]], start="x" * 5000), "is too long for the name of a file"),
        (lambda: anc.fill(HOLE, inputs=np.array(3), objective=min), "'inputs' is of type ndarray"),
        (
            lambda: anc.fill(HOLE, inputs=lambda: [3], objective=min),
            "<lambda> failed at case 1: TypeError",
        ),
        (lambda: anc.layer("access", 0, 0, fixed=np.array(3)), "'fixed' is array(3)"),  # type: ignore[arg-type]
        (lambda: anc.table1(["access"], keep="a\0b"), r"'a\x00b' cannot be the name of a file"),
        (lambda: anc.table1(["access"], tell=3), "tell is 3, expected a function"),  # type: ignore[arg-type]
        (lambda: anc.sweep("access", {}, on=np.array([1])), "on is array([1])"),  # type: ignore[arg-type]
        (lambda: anc.sweep("access", {}, tell="x"), "tell is 'x', expected a function"),  # type: ignore[arg-type]
        (lambda: anc.report("access", "a\0b"), r"'a\x00b' cannot be the name of a file"),
        (lambda: anc.record(min, "x" * 5000), "is too long for the name of a file"),
        (lambda: anc.record(min), 'write @anc.record("calls.jsonl")'),  # type: ignore[call-overload]
        (lambda: anc.function(min), "expected a Python function, found builtin_function"),
        (lambda: anc.function(64), "by name, found 64\n  help: write @anc.function or"),  # type: ignore[call-arg]
        (lambda: anc.function(wrap=True)(doubled), "write @anc.function(memory=64) above it"),
        (lambda: anc.Size(True), "a size is one whole number"),
        (lambda: anc.Size(3, np.int64(3)), "a size is one whole number"),
    ],
)
def test_what_is_wrong_is_named(call, message):
    with pytest.raises(AncError) as caught:
        call()
    assert message in str(caught.value)


def numbers_and_flags():
    """Each function with each parameter that takes a number or a flag."""
    for name in anc.__all__:
        function = getattr(anc, name)
        if not inspect.isfunction(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            if isinstance(parameter.default, bool) or parameter.name in NUMBERS:
                yield pytest.param(function, parameter, id=f"{name}-{parameter.name}")


@pytest.mark.parametrize(("function", "parameter"), list(numbers_and_flags()))
@pytest.mark.parametrize("value", ["no", np.array([1, 2]), float("nan"), [1], None])
def test_every_number_and_flag_is_checked_before_anything_begins(function, parameter, value):
    if value is None and parameter.default is None:
        return
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    given = {p.name: 20 if p.name == "memory" else "access" for p in needed}
    with pytest.raises(AncError, match=rf"^{parameter.name} is "):
        function(**given | {parameter.name: value})


def test_numbers_of_numpy_are_numbers():
    one, tape = np.int64(1), np.array([3, 1, 2, 3, 4])
    by_score = {"inputs": np.array([[1], [2]]), "objective": lambda given, final: final[0]}
    assert anc.run("access", tape, max_steps=np.uint8(200), trace=np.bool_(True)).tape[0] == 4
    assert anc.compile(QUICK, spare=np.array(2)).R == anc.compile(QUICK, spare=2).R
    assert anc.soften("access", seed=np.array(1)) is not None
    assert anc.sample("access", n=one, biased=np.bool_(True), seed=one)[0].input[0] == 3
    assert anc.fill(HOLE, **by_score, seed=np.uint8(1), proposals=one).score is not None
    assert len(anc.train("access", [tape], seeds=one, iterations=np.uint8(2)).steps) == 1
    assert anc.sweep("access", {"iterations": tape[1:3]}, seeds=one, seed=one).varied
    weighed = anc.adapt(
        "access", [tape], seed=one, evaluations=np.int32(200), weights={"READ": np.float32(3)}
    )
    assert weighed.cost.named_weights == {"READ": 3.0}
    sizes = anc.Size(np.int64(3)), anc.Size(up_to=np.array(3))  # type: ignore[arg-type]
    assert sizes == (anc.Size(3), anc.Size(up_to=3)) and type(sizes[0].exactly) is int


def test_inputs_of_numpy_say_how_much_memory_is_needed():
    program = "var x = READ(4); WRITE(0, x); STOP()"
    by_score = {"objective": lambda given, final: final[0], "proposals": 10, "method": "search"}
    for tapes in (np.array([[1, 2, 3, 4, 5, 6, 0, 0]]), [{"input": [1, 2, 3, 4, 5, 6, 7, 0]}]):
        assert anc.adapt(program, inputs=tapes, **by_score).comparison is not None


@pytest.mark.parametrize(
    "call",
    [
        lambda text: anc.compile(text),
        lambda text: anc.run(text, [1]),
        lambda text: anc.verify(text, "memory 5; STOP()"),
        lambda text: anc.adapt(text, [[1]], evaluations=100),
        lambda text: anc.sweep(text, {"rate": [0.1, 0.3]}, [[1]], seeds=1, iterations=1),
        lambda text: anc.train(text, [[1]], seeds=1, iterations=1),
    ],
)
def test_warnings_are_given_once_and_point_at_the_line_of_the_caller(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call("memory 5; var x = READ(0); STOP(); WRITE(0, x); STOP()")
    assert len(caught) == 1 and {warning.filename for warning in caught} == {__file__}
    assert {warning.lineno for warning in caught} == {call.__code__.co_firstlineno}

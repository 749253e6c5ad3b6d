"""Functions refuse by name what they cannot use."""

import pytest

import anc
from anc.diagnostics import AncError

QUICK = "memory 10; var k = READ(4); WRITE(0, k); STOP()"


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
        (lambda: anc.sample("access", n=0), "n is 0"),
        (lambda: anc.sample("acess"), "did you mean 'access'?"),
        (lambda: anc.decompile("access", [3, 1]), "expected a list of whole numbers"),
        (lambda: anc.decompile("access", [[1.5]]), "a number of a tape of tapes is 1.5"),
        (lambda: anc.report("access", 3), "expected the name of a file, found 3"),  # type: ignore[arg-type]
        (lambda: anc.report("nowhere"), "there is no folder nowhere"),
        (lambda: anc.figure("access", formats="gif"), "no figure format 'gif'"),
        (lambda: anc.sweep("access", 3), "grid is a dictionary"),  # type: ignore[arg-type]
        (lambda: anc.sweep("access", {"rate": [1]}, seeds=0), "seeds is 0"),
        (lambda: anc.sweep("access", {"rat": [1]}), "rat"),
        (lambda: anc.table1(["acess"]), "did you mean 'access'?"),
        (
            lambda: anc.table1("access", settings="best"),
            "settings is 'best', expected 'published' or 'ours'",
        ),
        (lambda: anc.experiment("magic"), "name is 'magic', expected 'digits', 'paths' or"),
        (lambda: anc.experiment(["paths"]), "name is ['paths']"),  # type: ignore[arg-type]
        (lambda: anc.experiment("paths", steps="x"), "steps is 'x', expected a whole number"),
        (lambda: anc.experiment("eviction", proposals=10**30), "proposals is 1000"),
        (lambda: anc.experiment("digits", tasks=3), "tasks is 3, expected a list of texts"),
        (lambda: anc.experiment("paths", proposals=3), "has no option 'proposals'"),
    ],
)
def test_what_is_wrong_is_named(call, message):
    with pytest.raises(AncError) as caught:
        call()
    assert message in str(caught.value)

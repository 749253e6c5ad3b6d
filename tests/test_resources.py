"""How much memory work may take: methods, proofs, layers, and what users say about it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from command_line import anc as shell

import anc
from anc.adaptation.evidence import Samples
from anc.adaptation.proof_pool import ProofPool
from anc.data import tasks
from anc.program import Program
from anc.search import Search, SearchSettings
from anc.support import limits, resources
from anc.support.clock import Clock, look
from anc.support.diagnostics import AncError

MEGABYTE = 2**20
QUICK = anc.compile("var k = 4\nk = READ(k)\nWRITE(0, k)\nSTOP()", memory=10)


def hog(search: Search) -> Iterator[None]:
    """Takes more and more, and never hands over."""
    held = []
    while True:
        held.append(np.ones(MEGABYTE // 8))
        look()
        if len(held) > 2_000:
            yield


def begun(others: dict, budget: float = 60.0, program: Program | None = None) -> Search:
    task = tasks.get("access")
    settings = SearchSettings(0, budget, methods=("clean", "observed", "traces"))
    cases = task.draw(True, 50, 1)
    clock = Clock(budget)
    return Search(task.program, cases, task.M, settings, others=others, clock=clock)


def test_a_method_that_takes_too_much_memory_ends_and_the_others_go_on() -> None:
    with resources.bounded(150 * MEGABYTE):
        search = begun({"hog": (hog, 0.0)})
        search.run()
        assert "memory" in search.cut["hog"] and list(search.cut) == ["hog"]
        assert search.best.steps < search.found[0].steps  # traces worked
        assert not resources.is_full() and resources.was_full()
    assert not resources.is_full()


def test_a_method_that_was_ended_is_not_begun_again() -> None:
    with resources.bounded(150 * MEGABYTE):
        search = begun({"hog": (hog, 0.0)})
        search.run()
        search.add(tasks.get("access").draw(True, 5, 7))
    assert "hog" not in search.schedule.methods


def test_an_adaptation_says_which_method_ended_for_its_memory(monkeypatch) -> None:
    from anc.search.portfolio import LASTING

    def small_hog(search: Search) -> Iterator[None]:
        with resources.bounded(50 * MEGABYTE):
            yield from hog(search)

    monkeypatch.setitem(LASTING, "enumerate", small_hog)
    result = anc.adapt("access", evaluations=30_000, memory_limit="2GB")
    assert any("enumerate ended early: it takes more than" in note for note in result.notes)
    assert result.improved


def test_a_proof_that_takes_too_much_memory_is_undecided_and_the_next_one_is_proved() -> None:
    samples = Samples.of(tasks.get("access").draw(True, 60, 1))
    verdicts = []
    for memory in (1, None):
        pool = ProofPool(anc.load("access"), samples, (), memory=memory)
        pool.begin(QUICK, 20.0)
        pool.wait(lambda: True)
        verdicts.append(pool.news()[QUICK].verdict)
        pool.close()
    assert "memory" in verdicts[0].reason and not verdicts[0].proved
    assert verdicts[1].proved


def test_a_proof_whose_process_the_system_ends_costs_that_proof_and_says_so() -> None:
    samples = Samples.of(tasks.get("access").draw(True, 60, 1))
    pool = ProofPool(anc.load("access"), samples, ())
    pool.begin(QUICK, 20.0)
    pool.at_work[QUICK].popen.kill()
    pool.wait(lambda: True)
    reason = pool.news()[QUICK].verdict.reason
    pool.close()
    assert "SIGKILL ended it" in reason and "memory" in reason


def test_a_proof_by_itself_says_that_memory_was_missing(monkeypatch) -> None:
    monkeypatch.setattr(resources, "held_bytes", iter(range(0, 2**60, 2**40)).__next__)
    found = anc.verify("access", QUICK, ["tape[0] == 3"], memory_limit="1GB")
    assert not found.proved and "more than 1.0 GiB of memory" in str(found)


def test_a_diagram_of_a_layer_is_refused_beyond_the_limit() -> None:
    layer = anc.layer(
        "var x = READ(0); var y = READ(1); x = ADD(x, y); WRITE(2, x); STOP()", [0, 1], 2, memory=6
    )
    row = np.full(6, 1 / 6)
    with (
        resources.bounded(0),
        pytest.raises(AncError, match=r"too large: it takes more than 0.0 GiB"),
    ):
        layer(row, row)


def test_the_usual_bound_is_half_of_what_is_free_and_no_more_than_there_is(monkeypatch) -> None:
    monkeypatch.setattr(resources, "_machine", lambda: iter([10 * 2**30]))
    for left, most in (([], 5), ([20 * 2**30], 5), ([2 * 2**30], 1.6)):
        monkeypatch.setattr(resources, "_limits", lambda left=left: iter(left))
        with resources.bounded():
            assert resources.bound_bytes() == int(most * 2**30)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GB", 4 * 2**30),
        ("1500MB", 1500 * 2**20),
        ("1.5g", 3 * 2**29),
        (2**31, 2**31),
        ("1TiB", 2**40),
    ],
)
def test_sizes_of_memory(text: object, size: int) -> None:
    assert limits.MEMORY_LIMIT.check(text) == size


@pytest.mark.parametrize("text", ["4", "x", "", "-4GB", "1MB", "9999999TB", "4 G B", 1.5, True])
def test_what_is_no_size_is_refused(text: object) -> None:
    with pytest.raises(AncError, match="expected a size of memory"):
        anc.verify("access", "access", memory_limit=text)  # type: ignore[arg-type]


def test_the_command_line_refuses_it_likewise() -> None:
    said = shell("adapt", "access", "--memory-limit", "4")
    assert said.returncode == 2 and "'4' is not a size of memory from 1GB" in said.stderr

"""Proofs on several cores: the same verdicts, whatever becomes of the other processes."""

from __future__ import annotations

import os
import signal
import time
from random import Random

import pytest
from verify.random_facts import random_fact
from verify.random_programs import branching_program, mutated

from anc import tasks
from anc.clock import Clock
from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program
from anc.search.clean import clean
from anc.verify import crew as crew_module
from anc.verify import exhaustive as exhaustive_module
from anc.verify import parse_fact, prove
from anc.verify import paths as paths_module
from anc.verify.claim import Claim
from anc.verify.crew import LOST, SETTLED, Crew, Findings
from anc.verify.verdict import Outcome

M = 40


class Copies:
    """Counts the copies that this process makes of itself, and remembers them."""

    def __init__(self) -> None:
        self.made = 0
        self.processes: list[int] = []

    def assert_nobody_is_left(self) -> None:
        for process in self.processes:
            with pytest.raises(ChildProcessError):
                os.waitpid(process, os.WNOHANG)


@pytest.fixture
def copies(monkeypatch) -> Copies:
    """Nothing has to last before it is given away."""
    found, fork = Copies(), os.fork

    def counted() -> int:
        found.made += 1
        process = fork()
        found.processes.append(process)
        return process

    monkeypatch.setattr(os, "fork", counted)
    for name in ("_WARM", "_WAITED", "_OFTEN"):
        monkeypatch.setattr(crew_module, name, 0.0)
    monkeypatch.setattr(exhaustive_module, "_WORTH_SHARING", 0.0)
    return found


def program(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def sorting(end: str) -> Claim:
    """That a network and some lines after it do what a loop does: to sort four numbers."""
    lines = ["var a; var b; var c"]
    for i, j in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        lines.append(f"a = READ({i}); b = READ({j})")
        lines.append(f"c = MIN(a, b); WRITE({i}, c); c = MAX(a, b); WRITE({j}, c)")
    loop = tasks.get("sort").source.text.replace("memory 21", "")
    facts = [*(f"tape[{cell}] != 0" for cell in range(4)), "tape[4] == 0"]
    programs = program(loop), program("\n".join([*lines, end]))
    return Claim(*programs, M, [True] * M, [parse_fact(fact) for fact in facts], 1_000)


SORTED = sorting("STOP()")
HARDLY_EVER_WRONG = sorting(
    "a = READ(0); a = SUB(a, 9); JEZ(a, l_nine); STOP()\n"
    "l_nine: a = READ(1); a = SUB(a, 9); JEZ(a, l_wrong); STOP(); l_wrong: WRITE(0, 1); STOP()"
)


@pytest.mark.parametrize("cores", [2, 3])
def test_verdicts_are_those_of_one_core(copies: Copies, cores: int) -> None:
    for claim in (SORTED, HARDLY_EVER_WRONG):
        copies.made = 0
        alone = prove(claim, 60.0, "paths", cores=1)
        assert copies.made == 0
        shared = prove(claim, 60.0, "paths", cores=cores)
        assert copies.made > 0
        assert shared.outcome is alone.outcome
        if shared.proved:
            assert shared.walked == alone.walked == 24
        else:
            assert shared.counterexample is not None
            assert claim.applies(shared.counterexample)
            assert claim.failure(shared.counterexample) is not None
    copies.assert_nobody_is_left()


@pytest.mark.parametrize("cores", [2, 3])
def test_a_walk_over_all_tapes_is_shared(copies: Copies, cores: int) -> None:
    reads = "var a; var b; var c; a = READ(0); b = READ(1); c = READ(2)"
    generic = program(f"{reads}; a = ADD(a, b); a = ADD(a, c); WRITE(3, a); STOP()")
    end = "b = ADD(b, c); a = ADD(a, b); WRITE(3, a); STOP()"
    alike = program(f"{reads}; {end}")
    unlike_38 = "; ".join(
        f"d = SUB({x}, 38); JEZ(d, l_{x}); JEZ(0, l_right); l_{x}: d = ZERO()" for x in "abc"
    )
    wrong = program(f"var d; {reads}; {unlike_38}; STOP(); l_right: {end}")
    for adapted, outcome in ((alike, Outcome.PROVED), (wrong, Outcome.REFUTED)):
        verdict = prove(Claim(generic, adapted, M, [True] * M), 60.0, "exhaustive", cores=cores)
        assert verdict.outcome is outcome and copies.made > 0
        assert verdict.walked == M**3 or not verdict.proved
    copies.assert_nobody_is_left()


def test_random_claims_on_three_cores(copies: Copies) -> None:
    """Joined and not, with facts, with tapes on which the generic program itself fails."""
    random = Random(4)
    seen = dict.fromkeys(Outcome, 0)
    for _ in range(30):
        generic = branching_program(random, 8)
        adapted = clean(generic, 8)
        if random.random() < 0.4:
            adapted = mutated(random, adapted, 8)
        facts = [parse_fact(random_fact(random, 8), 8) for _ in range(random.choice([0, 1]))]
        steps, partial = random.choice([7, 100]), random.random() < 0.3
        claim = Claim(generic, adapted, 8, [True] * 8, facts, steps, partial=partial)
        alone, shared = (prove(claim, 20.0, "paths", cores=cores) for cores in (1, 3))
        assert shared.outcome is alone.outcome, (claim, alone, shared)
        assert (shared.tape is None) == (alone.tape is None)
        seen[shared.outcome] += 1
    assert min(seen.values()) > 3 and copies.made > 5, (seen, copies.made)
    copies.assert_nobody_is_left()


def test_short_proofs_are_not_shared(monkeypatch) -> None:
    monkeypatch.setattr(crew_module, "_WARM", 60.0)  # however slow the machine is
    monkeypatch.setattr(os, "fork", None)
    assert prove(SORTED, 60.0, "paths", cores=8).proved


def test_a_copy_that_is_killed_leaves_the_claim_undecided(copies: Copies, monkeypatch) -> None:
    monkeypatch.setattr(Crew, "_be_copy", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    monkeypatch.setattr(paths_module, "PLANS", paths_module.PLANS[:1])
    verdict = prove(SORTED, 600.0, "paths", cores=2)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, LOST)
    copies.assert_nobody_is_left()


def test_a_copy_that_hangs_is_given_up(copies: Copies, monkeypatch) -> None:
    monkeypatch.setattr(Crew, "_be_copy", lambda *_: time.sleep(600))
    monkeypatch.setattr(crew_module, "_GRACE", 0.1)
    found = Crew(2, Clock(0.3), M, 0.0)

    def job() -> Findings:
        found.share(lambda since: Findings)
        return Findings(walked=1)

    assert found.lead(job) == Findings(walked=1, reason="the time is over")
    assert copies.made == 1
    copies.assert_nobody_is_left()


def test_a_tape_that_a_copy_finds_settles_everything(copies: Copies) -> None:
    found, tape = Crew(2, Clock(60.0), M, 0.0), tuple(range(M))

    def part() -> Findings:
        found.call_off(tape)
        return Findings(reason=SETTLED)

    def job() -> Findings:
        found.share(lambda since: part)
        return Findings(walked=1)

    assert found.lead(job).reason is not None  # it must never look as if everything was walked
    assert found.settling == tape and found.clock.over
    copies.assert_nobody_is_left()


def test_no_copy_outlives_ctrl_c(copies: Copies, monkeypatch) -> None:
    def interrupt(crew: Crew, job: object, parent: int, answer: int) -> None:
        while True:  # in the middle of a fork Python may swallow it
            time.sleep(0.2)
            os.kill(parent, signal.SIGINT)

    monkeypatch.setattr(Crew, "_be_copy", interrupt)
    found = Crew(2, Clock(60.0), M, 0.0)

    def job() -> Findings:
        found.share(lambda since: Findings)
        time.sleep(60)
        return Findings()

    with pytest.raises(KeyboardInterrupt):
        found.lead(job)
    assert copies.made == 1
    copies.assert_nobody_is_left()


def test_without_copies_everything_is_done_here(copies: Copies, monkeypatch) -> None:
    def refuse() -> int:
        copies.made += 1
        raise BlockingIOError("there are too many processes")

    monkeypatch.setattr(os, "fork", refuse)
    verdict = prove(SORTED, 60.0, "paths", cores=2)
    assert verdict.proved and verdict.walked == 24 and copies.made > 0


def test_a_copy_stops_when_nobody_waits_for_it() -> None:
    found = Crew(2, Clock(60.0), M, 0.0)
    assert not found.clock.over
    found.parent = os.getppid() + 1
    assert found.clock.over

"""Verdicts against brute force: a wrong "proved" is the worst bug there can be."""

from __future__ import annotations

import itertools
import time
import tracemalloc
from dataclasses import replace
from random import Random

import pytest
from proof.random_facts import random_fact
from proof.random_programs import branching_program, mutated, random_program

from anc import isa
from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.machine import exact
from anc.program import Program
from anc.proof import parse_fact, prove
from anc.proof.claim import Claim, Inquiry
from anc.proof.enumeration import Exhaustive
from anc.proof.sampler import Tapes
from anc.proof.symbolic_execution import by_paths
from anc.proof.value_sets import Domains
from anc.proof.verdict import Outcome, Verdict, unknown
from anc.search.clean import clean
from anc.support.clock import Clock
from anc.support.diagnostics import AncError

LATE = 3_000  # steps after which a small program never stops


def program(text: str, M: int) -> Program:
    return compile_source(Source(text), memory=M).program


def truth(claim: Claim) -> Outcome:
    """The verdict by brute force."""
    tapes = [t for t in itertools.product(range(claim.M), repeat=claim.M) if claim.applies(t)]
    failures = [claim.failure(tape) for tape in tapes]
    if any(failure is not None and not failure.generic for failure in failures):
        return Outcome.REFUTED
    if any(failure is not None for failure in failures) or not tapes:
        return Outcome.UNKNOWN
    if claim.partial:
        strict = Claim(**{**vars(claim), "partial": False})
        if all(strict.failure(tape) is not None for tape in tapes):
            return Outcome.UNKNOWN
        if any(stops_late(claim, tape) for tape in tapes):
            return Outcome.UNKNOWN
    return Outcome.PROVED


def stops_late(claim: Claim, tape: tuple[int, ...]) -> bool:
    """Whether the generic program stops after more steps than a proof follows."""
    run = exact.run(claim.generic, tape, LATE)
    return run.stop is exact.Stop.STOPPED and run.steps > claim.max_steps


def verdicts(claim: Claim) -> list[Verdict]:
    """The verdicts of the enumeration, of the paths, and of both together after some tests."""
    exhaustive = Exhaustive(Inquiry(claim, Clock(20.0)), Random(1)).run(Clock(20.0))
    paths = by_paths(Inquiry(claim, Clock(20.0)), Clock(20.0))
    assert exhaustive is not None
    return [exhaustive, paths, prove(claim, 20.0)]


@pytest.mark.parametrize(("instructions", "count"), [(isa.PAPER, 450), (isa.WIDE, 250)])
def test_random_claims_against_brute_force(instructions: isa.InstructionSet, count: int) -> None:
    random = Random(3)
    seen = dict.fromkeys(Outcome, 0)
    for _ in range(count):
        M = random.choice([1, 2, 3, 3, 4])
        generic = random_program(random, M, instructions=instructions)
        adapted = mutated(random, generic, M) if random.random() < 0.9 else generic
        mask = tuple(random.random() < 0.7 for _ in range(M))
        facts = tuple(
            parse_fact(random_fact(random, M), M) for _ in range(random.choice([0, 0, 1, 2]))
        )
        steps = random.choice([5, 30])
        claim = Claim(generic, adapted, M, mask, facts, steps, partial=random.random() < 0.3)
        if Tapes(facts, M).find(random, Clock(5.0)) is None:
            verdict = prove(Claim(generic, adapted, M, mask, facts, steps), 5.0)
            assert verdict.reason == "no tape satisfies the precondition"
            continue
        wanted = truth(claim)
        seen[wanted] += 1
        for verdict in verdicts(claim):
            assert verdict.outcome is wanted, (claim, verdict)
            if verdict.refuted:
                assert verdict.counterexample is not None
                assert claim.applies(verdict.counterexample)
                assert claim.failure(verdict.counterexample) is not None
    assert min(seen.values()) > count // 9


@pytest.mark.parametrize(("instructions", "count"), [(isa.PAPER, 60), (isa.WIDE, 40)])
def test_programs_that_part_and_meet_again_against_many_tapes(
    instructions: isa.InstructionSet, count: int
) -> None:
    """With memories too large for brute force: what fails anywhere must not be proved."""
    random = Random(11)
    seen = dict.fromkeys(Outcome, 0)
    for _ in range(count):
        M = random.choice([6, 8, 11, 16])
        generic = branching_program(random, M, instructions)
        adapted = clean(generic, M)
        if random.random() < 0.6:
            adapted = mutated(random, adapted, M)
        mask = [random.random() < 0.6 for _ in range(M)]
        facts = [parse_fact(random_fact(random, M), M) for _ in range(random.choice([0, 1, 2]))]
        claim = Claim(generic, adapted, M, mask, facts, 100)
        tapes = list(map(tuple, Tapes(facts, M).many(random, 150).tolist()))
        failures = [failure for tape in tapes if (failure := claim.failure(tape)) is not None]
        verdict = prove(claim, 5.0, "paths")
        seen[verdict.outcome] += 1
        assert not (failures and verdict.proved), (claim, verdict)
        if verdict.refuted:
            assert verdict.tape is not None and claim.applies(verdict.tape)
            failure = claim.failure(verdict.tape)
            assert failure is not None and not failure.generic
        elif any(not failure.generic for failure in failures):
            assert verdict.outcome is Outcome.UNKNOWN and verdict.tape is None, (claim, verdict)
    assert seen[Outcome.PROVED] > 10 and seen[Outcome.REFUTED] > 5, seen


@pytest.mark.parametrize("name", ["access", "swap", "addition", "increment", "walkbst"])
@pytest.mark.parametrize("method", ["auto", "paths"])
def test_a_program_does_what_it_does(name: str, method: str) -> None:
    task = tasks.get(name)
    facts = {
        "increment": ["tape[2] == 0"],
        "walkbst": ["tape[0] == 5", "tape[2] == 1", "tape[3] == 2", "tape[4] == 0"],
    }.get(name, [])
    precondition = [parse_fact(text, task.M) for text in facts]
    claim = Claim(task.program, task.program, task.M, [True] * task.M, precondition)
    verdict = prove(claim, method=method)
    assert verdict.proved, verdict
    assert verdict.how == "paths" or method == "auto"


def test_mutations_of_a_proved_program_on_a_larger_memory() -> None:
    """Each mutant is tried on many tapes; one that fails anywhere must not be proved."""
    random = Random(8)
    task = tasks.get("swap")
    facts = [parse_fact("tape[0] == 0"), parse_fact("tape[1] == 2")]
    ideal = program(
        "var a; var b; a = READ(2); b = READ(4); WRITE(2, b); WRITE(4, a); STOP()", task.M
    )
    mask = [cell in (2, 4) for cell in range(task.M)]
    outcomes = dict.fromkeys(Outcome, 0)
    for _ in range(60):
        mutant = mutated(random, ideal, task.M)
        claim = Claim(task.program, mutant, task.M, mask, facts, 50)
        drawn = (Tapes(facts, task.M).draw(random) for _ in range(200))
        fails = any(tape is not None and claim.failure(tape) is not None for tape in drawn)
        for method in ("exhaustive", "paths"):
            verdict = prove(claim, 5.0, method)
            assert not (fails and verdict.proved), (mutant, verdict)
            assert fails or verdict.proved
        outcomes[verdict.outcome] += 1
    assert outcomes[Outcome.PROVED] and outcomes[Outcome.REFUTED] and not outcomes[Outcome.UNKNOWN]


def test_facts_over_cells_that_no_program_reads() -> None:
    """tape[2] is never read, but ties tape[0] to 1."""
    facts = [parse_fact("tape[0] == tape[2]"), parse_fact("tape[2] == 1")]
    generic = program("var a; a = READ(0); WRITE(1, a); STOP()", 4)
    adapted = program("WRITE(1, 1); STOP()", 4)
    for method in ("auto", "exhaustive", "paths"):
        assert prove(Claim(generic, adapted, 4, [True] * 4, facts), method=method).proved
        assert prove(Claim(generic, adapted, 4, [True] * 4, facts[:1]), method=method).refuted


def test_a_masked_cell_that_only_one_program_writes() -> None:
    generic = program("STOP()", 3)
    adapted = program("WRITE(2, 1); STOP()", 3)
    for method in ("auto", "exhaustive", "paths"):
        assert prove(Claim(generic, adapted, 3, [True] * 3), method=method).refuted
        assert prove(Claim(generic, adapted, 3, [True, True, False]), method=method).proved
        kept = [parse_fact("tape[2] == 1")]
        assert prove(Claim(generic, adapted, 3, [True] * 3, kept), method=method).proved


def test_a_generic_program_that_does_not_stop() -> None:
    loop = program("var a; a = READ(0); l: JEZ(a, l); WRITE(1, 0); STOP()", 4)
    other = program("WRITE(1, 0); STOP()", 4)
    verdict = prove(Claim(loop, other, 4, [True] * 4, max_steps=100))
    assert verdict.outcome is Outcome.UNKNOWN and verdict.tape is not None and verdict.tape[0] == 0
    assert verdict.counterexample is None
    partial = prove(Claim(loop, other, 4, [True] * 4, max_steps=100, partial=True))
    assert partial.proved and "wherever the generic program stops" in str(partial)
    assert prove(Claim(loop, other, 4, [True] * 4, [parse_fact("tape[0] != 0")])).proved
    assert prove(Claim(other, loop, 4, [True] * 4, max_steps=100)).refuted


COUNTING = "var a; var i = 1; a = READ(0); l: i = INC(i); JEZ(i, end); JEZ(a, l); end: STOP()"


@pytest.mark.parametrize("method", ["exhaustive", "paths"])
def test_a_proof_is_one_of_all_runs_however_long(method: str) -> None:
    """With 0 in its first cell the program counts up to the end of the memory, and then stops."""
    counting, stop = program(COUNTING, 32), program("STOP()", 32)
    for steps, wanted in ((200, Outcome.PROVED), (50, Outcome.UNKNOWN)):
        claim = Claim(counting, stop, 32, [True] * 32, max_steps=steps, partial=True)
        verdict = prove(claim, method=method)
        assert verdict.outcome is wanted
    assert verdict.reason.startswith("right where the generic program stops within 50 steps")
    short = Claim(counting, stop, 32, [True] * 32, [parse_fact("tape[0] == 1")], 50, partial=True)
    assert prove(short, method=method).proved
    assert prove(claim, method="simulation").proved  # induction follows runs of any length


def test_an_impossible_precondition_proves_nothing() -> None:
    same = program("STOP()", 3)
    for text in ("tape[0] == 5", "tape[0] < tape[1] and tape[1] < tape[0]", "1 == 2"):
        verdict = prove(Claim(same, same, 3, [True] * 3, [parse_fact(text)]))
        assert verdict.reason == "no tape satisfies the precondition"


def test_what_does_not_fit_is_refused() -> None:
    same = program("STOP()", 3)
    with pytest.raises(AncError, match="mask has 2 cells"):
        prove(Claim(same, same, 3, [True] * 2))
    with pytest.raises(AncError, match="cell 7"):
        prove(Claim(same, same, 3, [True] * 3, [parse_fact("tape[7] == 0")]))
    larger = isa.InstructionSet((*isa.PAPER, isa.Instruction("MUL", 2, lambda a, b, M: a * b % M)))
    with pytest.raises(AncError, match=r"with MUL\), the adapted one PAPER") as caught:
        prove(Claim(replace(same, instructions=larger), same, 3, [True] * 3))
    assert "same instruction set" in (caught.value.help or "")


def test_a_tape_that_is_not_confirmed_is_not_shown() -> None:
    same = program("STOP()", 3)
    claim = Claim(same, same, 3, (True,) * 3, (parse_fact("tape[0] == 0"),), 9)
    for tape in ((0, 0, 0), (1, 0, 0), (0, 0, 7)):
        assert claim.replay(tape, "paths", 1).outcome is Outcome.UNKNOWN
        assert claim.replay(tape, "paths", 1).tape is None


@pytest.mark.parametrize("method", ["auto", "exhaustive", "paths"])
def test_the_time_limit_is_kept(method: str) -> None:
    M = 64
    chase = "p = READ(p); q = ADD(q, p); WRITE(q, p); p = ADD(p, q); q = READ(q); q = MAX(q, p)"
    first = program(f"var p = 0; var q = 1; {'; '.join([chase] * 4)}; WRITE(3, p); STOP()", M)
    sum_of_both = "t = MAX(q, p); q = MIN(q, p); q = ADD(q, t)"
    turned = chase.replace("q = ADD(q, p)", sum_of_both)
    other = program(
        f"var p = 0; var q = 1; var t; {'; '.join([turned] * 4)}; WRITE(3, p); STOP()", M
    )
    begin = time.process_time()  # wall-clock time depends on the load of the machine
    verdict = prove(Claim(first, other, M, [True] * M), 0.3, method)
    assert time.process_time() - begin < 10  # without a limit it takes many minutes
    assert verdict.outcome is Outcome.UNKNOWN and "time" in verdict.reason


@pytest.mark.parametrize("method", ["auto", "paths", "exhaustive"])
def test_the_largest_memory(method: str) -> None:
    """Nothing has as many cells as values of all cells."""
    M = 65_536
    rest = _wide("var x = READ(60000); x = MOD(x, 7); WRITE(1, x); STOP()", M)
    other = _wide(
        "var x = READ(60000); var q = DIV(x, 7); q = MUL(q, 7); x = SUB(x, q); WRITE(1, x); STOP()",
        M,
    )
    tracemalloc.start()
    verdict = prove(Claim(rest, other, M, [True] * M), 10, method)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert verdict.outcome is Outcome.PROVED and most < 400e6
    wrong = _wide(
        "var x = READ(60000); var q = EQ(x, 65521); x = MOD(x, 7); x = ADD(x, q); WRITE(1, x); STOP()",
        M,
    )
    refuted = prove(Claim(rest, wrong, M, [True] * M), 10, method)
    assert refuted.tape is not None and refuted.tape[60000] == 65_521


def test_a_loop_in_the_largest_memory() -> None:
    M = 65_536
    text = "var p = 8; var v; l: v = READ(p); JEZ(v, l_end); p = INC(p); JEZ(0, l); l_end: STOP()"
    loop = program(text, M)
    facts = [parse_fact("tape[20] == 0", M)]
    verdict = prove(Claim(loop, loop, M, [True] * M, facts), 1, "induction")
    assert verdict.outcome is Outcome.UNKNOWN and "up to 4,096" in verdict.reason


def _wide(text: str, M: int) -> Program:
    return compile_source(Source(text), M, isa.WIDE).program


def test_verdicts_read_well() -> None:
    text = str(unknown("the time is over", "paths", 3).after(1.25))
    assert text == "unknown: the time is over (3 paths, 1.2 s)"


def broken(*_: object) -> None:
    raise TypeError("Cannot compare structured arrays")


@pytest.mark.parametrize("method", ["auto", "paths", "exhaustive", "induction"])
@pytest.mark.parametrize("inside", [(Domains, "of"), (Tapes, "find")])
def test_an_error_inside_a_proof_costs_this_proof(
    monkeypatch: pytest.MonkeyPatch, method: str, inside: tuple[type, str]
) -> None:
    monkeypatch.setattr(*inside, broken)
    claim = Claim(program(COUNTING, 32), program("STOP()", 32), 32, [True] * 32, max_steps=200)
    verdict = prove(claim, 3.0, method)
    assert not verdict.refuted
    if inside[0] is Tapes:
        assert verdict.reason == "the proof failed (TypeError: Cannot compare structured arrays)"

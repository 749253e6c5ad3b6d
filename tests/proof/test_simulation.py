"""Proofs by simulation: programs that do the same in the same order, confirmed by runs on many tapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from proof.inductive import M, program
from proof.looping_programs import looping, pieces
from proof.random_programs import mutated

from anc.data.tasks.cases import Case
from anc.machine.batch import run_all
from anc.machine.encoded import Cases
from anc.program import Program
from anc.proof import parse_fact, prove
from anc.proof.claim import Claim
from anc.proof.preconditions import prove_quickly
from anc.proof.preconditions.support import failures
from anc.search.trace_specialiser import follow

EVERYWHERE = [True] * M


def claim_of(generic: Program, adapted: Program, facts: Sequence[str] = ()) -> Claim:
    known = [parse_fact(fact, M) for fact in facts]
    return Claim(generic, adapted, M, EVERYWHERE, known, 3_000, partial=True)


def is_proved(claim: Claim) -> bool:
    return prove(claim, 60.0, "simulation").proved


def tapes(random: Random, n: int = 400) -> np.ndarray:
    """Tapes with short lists of small numbers, and others."""
    found = []
    for number in range(n):
        tape = [random.randrange(M) if number % 2 else random.randrange(3) for _ in range(M)]
        for _ in range(random.randrange(3)):
            tape[8 + random.randrange(6)] = 0
        found.append(tape)
    return np.array(found, np.int64)


def test_unrolled_loops_are_proved_without_facts() -> None:
    random = Random(3)
    for rounds in (1, 2, 3, 4):
        body = pieces(random)
        generic, adapted = looping(body), looping(body, rounds)
        assert is_proved(claim_of(generic, adapted)), body
        assert not failures(claim_of(generic, adapted), tapes(random)).any()


@pytest.mark.parametrize("seed", range(4))
def test_a_specialised_prefix_with_the_generic_loop_behind_it_is_proved(seed: int) -> None:
    random = Random(seed)
    generic = looping(pieces(random))
    given = tapes(random, 60)
    runs = run_all(generic, given, 3_000)
    mask = tuple(EVERYWHERE)
    cases = [
        Case(tuple(tape), tuple(after), mask)
        for tape, after in zip(
            given[runs.stopped].tolist(), runs.tapes[runs.stopped].tolist(), strict=True
        )
    ]
    (*_, (adapted, is_safe)) = follow(generic, Cases.distinct(cases), M)
    assert is_safe and adapted != generic
    assert is_proved(claim_of(generic, adapted))


def test_what_is_proved_is_true() -> None:
    random = Random(8)
    seen = {True: 0, False: 0}
    for _ in range(60):
        body = pieces(random)
        adapted = looping(body, random.choice((1, 2, 3)))
        if random.random() < 0.8:
            adapted = mutated(random, adapted, M)
        claim = claim_of(looping(body), adapted)
        wrong = bool(failures(claim, tapes(random)).any())
        proved = is_proved(claim)
        assert not (proved and wrong)
        seen[proved] += 1
    assert min(seen.values()) > 5


SUM = """
var p = 8; var hand; var t
WRITE(3, 0)
l: hand = READ(p); JEZ(hand, l_end); p = INC(p)
t = READ(3); hand = ADD(hand, t); WRITE(3, hand); JEZ(0, l)
l_end: hand = READ(3); WRITE(0, hand); STOP()
"""
IN_A_REGISTER = """
var p = 8; var hand; var sum
WRITE(3, 0)
l: hand = READ(p); JEZ(hand, l_end); p = INC(p)
sum = ADD(hand, sum); WRITE(3, sum); JEZ(0, l)
l_end: WRITE(0, sum); STOP()
"""


def test_a_register_may_hold_what_the_generic_program_keeps_in_a_cell() -> None:
    generic, adapted = program(SUM), program(IN_A_REGISTER)
    assert is_proved(claim_of(generic, adapted))
    forgetful = program(IN_A_REGISTER.replace("WRITE(3, sum)", "WRITE(3, hand)"))
    assert not is_proved(claim_of(generic, forgetful))
    counts = [cell != 3 for cell in range(M)]
    assert not is_proved(
        replace(claim_of(generic, forgetful), mask=counts)
    )  # the list may lie on it


MORE = """
var p = 8; var x; var more = 5
{}l: x = READ(p); JEZ(x, l_end); x = ADD(x, more); WRITE(p, x); p = INC(p); JEZ(0, l)
l_end: STOP()
"""


def test_a_cell_that_is_known_to_be_constant_is_a_fact() -> None:
    claim = claim_of(program(MORE.format("more = READ(3)\n")), program(MORE.format("")))
    rows = ([1, 2], [4], [6, 7, 8])
    samples = [[0, 0, 0, 5, *[0] * 4, *row, *[0] * (M - 8 - len(row))] for row in rows]
    mined = [parse_fact(text) for text in ("tape[2] == 0", "tape[3] == 5", "tape[8] != 0")]
    found = prove_quickly(claim, mined, samples, 60.0)
    assert found.verdict.proved and [str(fact) for fact in found.facts] == ["tape[3] == 5"]
    assert not prove_quickly(claim, mined[:1], samples, 60.0).verdict.proved


def test_a_total_claim_needs_an_end() -> None:
    body = ["s = ADD(s, v)"]
    claim = replace(claim_of(looping(body), looping(body, 2)), partial=False)
    assert not is_proved(claim)

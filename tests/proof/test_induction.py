"""Proofs by induction over loops, confirmed by runs on all tapes that the facts admit."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from proof.inductive import M, is_proved, program
from proof.looping_programs import FREE, looping, pieces
from proof.random_programs import mutated

from anc.program import Program
from anc.proof import parse_fact, prove
from anc.proof.claim import Claim


def short_lists(generic: Program, adapted: Program, random: Random, max_steps: int) -> Claim:
    """A claim about lists of at most three numbers, so few that all of them can be tried."""
    facts = [f"tape[{cell}] <= {random.choice((1, 3, 3))}" for cell in FREE]
    facts += [f"tape[{cell}] == 0" for cell in range(M) if cell not in FREE]
    mask = [random.random() < 0.8 for _ in range(M)]
    known = [parse_fact(fact, M) for fact in facts]
    return Claim(generic, adapted, M, mask, known, max_steps, random.random() < 0.5)


def holds(claim: Claim) -> bool:
    """Whether no tape that is allowed fails."""
    tape = [0] * M
    for values in itertools.product(range(4), repeat=len(FREE)):
        for cell, value in zip(FREE, values, strict=True):
            tape[cell] = value
        if claim.applies(tape) and claim.failure(tape) is not None:
            return False
    return True


def test_several_rounds_at_once_are_proved() -> None:
    random = Random(5)
    for rounds in (1, 2, 2, 3):
        body = pieces(random)
        generic, adapted = (looping(body, number) for number in (1, rounds))
        assert is_proved(short_lists(generic, adapted, random, 3_000)), body


def test_what_is_proved_is_true() -> None:
    random = Random(11)
    seen = {True: 0, False: 0}
    for _ in range(24):
        body = pieces(random)
        adapted = looping(body, random.choice((1, 2)))
        if random.random() < 0.7:
            adapted = mutated(random, adapted, M)
        claim = short_lists(looping(body), adapted, random, random.choice((20, 300)))
        proved, true = is_proved(claim), holds(claim)
        assert true or not proved
        seen[true] += 1
    assert min(seen.values()) > 2


FIELDS = """
var p = 2; var fields = 1; var longest; var length; var quoted; var char; var x
l_next: char = READ(p); JEZ(char, l_end); p = INC(p)
x = SUB(char, 34); JEZ(x, l_quote); JEZ(quoted, l_plain)
l_letter: length = INC(length); JEZ(0, l_next)
l_plain: x = SUB(char, 44); JEZ(x, l_comma); JEZ(0, l_letter)
l_comma: longest = MAX(longest, length); length = ZERO(); fields = INC(fields); JEZ(0, l_next)
l_quote: JEZ(quoted, l_open); quoted = ZERO(); JEZ(0, l_next)
l_open: quoted = INC(quoted); JEZ(0, l_next)
l_end: longest = MAX(longest, length); WRITE(0, fields); WRITE(1, longest); STOP()
"""
UNQUOTED = """
var p = 2; var begin = 2; var fields = 1; var longest; var char; var x
l_next: char = READ(p); JEZ(char, l_end); x = SUB(char, 44); JEZ(x, l_comma); p = INC(p)
char = READ(p); JEZ(char, l_end); x = SUB(char, 44); JEZ(x, l_comma); p = INC(p); JEZ(0, l_next)
l_comma: x = SUB(p, begin); longest = MAX(longest, x); fields = INC(fields)
p = INC(p); begin = ADD(p, 0); JEZ(0, l_next)
l_end: x = SUB(p, begin); longest = MAX(longest, x); WRITE(0, fields); WRITE(1, longest); STOP()
"""


def fields(adapted: str, *, first: int = 2, end: bool = True, max_steps: int = 2_000) -> Claim:
    """A claim about lines without quotes from a cell on; with `end`, a 0 is known to come."""
    facts = [f"tape[{cell}] != 34" for cell in range(first, M)]
    facts += ["tape[60] == 0"] if end else []
    known = [parse_fact(fact, M) for fact in facts]
    counted = [cell < 2 for cell in range(M)]
    random = Random(3)
    lines = [
        [random.choice([5, 6, 7, 44]) for _ in range(random.randint(20, 56))] for _ in range(9)
    ]
    tapes = [(0, 0, *line, *([0] * (M - 2 - len(line)))) for line in lines]
    return Claim(program(FIELDS), program(adapted), M, counted, known, max_steps, not end, tapes)


def test_another_way_to_count_is_proved() -> None:
    verdict = prove(fields(UNQUOTED), 60.0)
    assert verdict.proved and verdict.how == "induction"


def test_without_an_end_the_proof_is_partial() -> None:
    claim = fields(UNQUOTED, first=0, end=False)  # it may go round the tape
    assert is_proved(claim)
    assert not is_proved(replace(claim, partial=False))
    assert not is_proved(replace(claim, max_steps=6))  # an empty line takes 7 steps instead of 6


def test_too_many_steps_are_not_proved() -> None:
    assert not is_proved(fields(UNQUOTED, max_steps=300))
    slower = UNQUOTED.replace("p = INC(p)", "p = INC(p); " + 3 * "char = ZERO(); ")
    assert is_proved(fields(slower))
    twice = UNQUOTED.replace("p = INC(p)", "p = INC(p); " + 38 * "char = ZERO(); ", 1)
    for adapted, wanted in (
        (slower, True),
        (twice, False),
    ):  # a partial claim allows twice the steps
        assert is_proved(fields(adapted, first=0, end=False)) is wanted


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("begin = 2", "begin = 3"),
        ("fields = 1", "fields = 2"),
        ("JEZ(x, l_comma); p = INC(p); JEZ(0, l_next)", "p = INC(p); JEZ(0, l_next)"),
        ("WRITE(0, fields); WRITE(1, longest); STOP()", "WRITE(0, fields); STOP()"),
        ("WRITE(1, longest); STOP()", "WRITE(1, longest)"),
    ],
)
def test_wrong_programs_are_not_proved(old: str, new: str) -> None:
    assert old in UNQUOTED
    assert not is_proved(fields(UNQUOTED.replace(old, new)))


def test_a_missing_fact_is_noticed() -> None:
    assert not is_proved(fields(UNQUOTED, first=3))


@pytest.mark.parametrize("begin", [2, 3])
def test_a_fact_along_the_list_is_enough(begin: int) -> None:
    along = f"all(tape[i] != 34 for i in range({begin}, 60) while tape[i] != 0)"
    known = [parse_fact(fact, M) for fact in (along, "tape[60] == 0")]
    assert is_proved(replace(fields(UNQUOTED), precondition=known)) == (begin == 2)


@pytest.mark.parametrize("cells", [range(56, 61), (1, 60)])
def test_an_end_that_surely_comes_is_enough(cells: Sequence[int]) -> None:
    end = " or ".join(f"tape[{cell}] == 0" for cell in cells)
    known = [parse_fact(fact, M) for fact in (*(f"tape[{c}] != 34" for c in range(2, M)), end)]
    assert is_proved(replace(fields(UNQUOTED), precondition=known)) == (len(cells) > 2)

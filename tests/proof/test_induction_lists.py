"""Induction over sorted lists and lists of different elements, and cut points that no sample run shows."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

import pytest
from proof.inductive import M, is_proved, program
from proof.random_programs import mutated
from proof.searching_programs import LIST, counted_lists, counting, pair

from anc.proof import parse_fact
from anc.proof.claim import Claim

SORTED = "sorted(tape[i] for i in range(8, 60) while tape[i] != 0)"
DIFFERENT = "different(tape[i] for i in range(8, 60) while tape[i] != 0)"

BEGIN = """
var p = 8; var x = 1; var s; var v; var e
x = READ(x)
l_loop: v = READ(p); JEZ(v, l_end); p = INC(p); e = SUB(v, x); JEZ(e, l_hit)
"""
COUNT = f"{BEGIN} JEZ(0, l_loop); l_hit: s = INC(s); JEZ(0, l_loop); l_end: WRITE(0, s); STOP()"
UNTIL_ABOVE = f"""{BEGIN}
e = MAX(v, x); e = SUB(e, x); JEZ(e, l_loop); l_end: WRITE(0, s); STOP()
l_hit: s = INC(s); JEZ(0, l_loop)
"""
UNTIL_FOUND = f"{BEGIN} JEZ(0, l_loop); l_hit: WRITE(0, 1); STOP(); l_end: WRITE(0, s); STOP()"


def searching(adapted: str, *facts: str) -> Claim:
    """A claim about a number that is looked for in lists that are in order and have no element twice."""
    random = Random(1)
    tapes = []
    for _ in range(12):
        numbers = sorted(random.sample(range(1, 60), random.randint(4, 40)))
        looked_for = random.choice(numbers)
        tapes.append((0, looked_for, *[0] * 6, *numbers, *[0] * (M - 8 - len(numbers))))
    known = [parse_fact(fact, M) for fact in ("tape[1] != 0", "tape[60] == 0", *facts)]
    counted = [cell == 0 for cell in range(M)]
    return Claim(program(COUNT), program(adapted), M, counted, known, 3_000, examples=tapes)


@pytest.mark.parametrize(("adapted", "fact"), [(UNTIL_ABOVE, SORTED), (UNTIL_FOUND, DIFFERENT)])
def test_what_is_known_of_two_elements_lets_a_program_stop_early(adapted: str, fact: str) -> None:
    assert is_proved(searching(adapted, fact))
    assert not is_proved(searching(adapted, fact.replace("8, 60", "9, 60")))


def test_what_is_proved_of_such_lists_is_true() -> None:
    random = Random(2)
    tapes = short_tapes()
    seen = {True: 0, False: 0}
    for _ in range(5):
        claim = short_list(random, tapes)
        proved = is_proved(claim)
        seen[proved] += 1
        if proved:
            assert all(claim.failure(tape) is None for tape in tapes if claim.applies(tape))
    assert min(seen.values()) > 1


def short_list(random: Random, tapes: list[tuple[int, ...]]) -> Claim:
    """A claim about a list of at most four small numbers, with some facts."""
    generic, adapted, function = pair(random)
    if random.random() < 0.2:
        adapted = mutated(random, adapted, M)
    begin, end = random.choice((8, 8, 8, 9)), random.choice(("", " while tape[i] != 0"))
    facts = [f"tape[{cell}] <= 3" for cell in (1, *LIST)]
    facts += [f"tape[{cell}] == 0" for cell in (*range(2, 8), *range(12, M))]
    facts += ["tape[1] != 0", f"{function}(tape[i] for i in range({begin}, 12){end})"]
    known = [parse_fact(fact, M) for fact in facts]
    counted = [cell == 0 for cell in range(M)]
    claim = Claim(generic, adapted, M, counted, known, 300, random.random() < 0.3)
    return replace(claim, examples=random.choices([t for t in tapes if claim.applies(t)], k=12))


def short_tapes() -> list[tuple[int, ...]]:
    """All tapes with such a list and a number that is looked for."""
    numbers = itertools.product(range(4), repeat=1 + len(LIST))
    return [(0, x, *[0] * 6, *row, *[0] * (M - 8 - len(LIST))) for x, *row in numbers]


@pytest.mark.parametrize("wrong", [False, True])
def test_cut_points_that_no_sample_run_shows_are_found(wrong: bool) -> None:
    tapes = counted_lists(Random(2), 12)
    programs = counting(1), counting(4, wrong=wrong)
    claim = Claim(*programs, M, [True] * M, (), 3_000, partial=True, examples=tapes)
    assert is_proved(claim) is not wrong

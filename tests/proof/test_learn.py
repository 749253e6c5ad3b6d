"""Facts that are learnt: each kind separates samples from a tape on which something fails."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from anc.compiler import compile_source
from anc.language import Source
from anc.machine.exact import run
from anc.program import Program
from anc.proof import Claim, parse_fact
from anc.proof.facts import cell, compare, member
from anc.proof.preconditions import mine, prove_with_least
from anc.proof.preconditions.ice_learner import separating
from anc.proof.preconditions.support import Excluding, SupportStatistics, failures, holding
from anc.support.clock import Clock

M = 32


def listed(random: Random) -> tuple[int, ...]:
    """Two to four numbers, the 0 that ends them, and whatever was there before."""
    length = random.randrange(2, 5)
    numbers = [random.randrange(1, M) for _ in range(length)]
    return (*numbers, 0, *(random.randrange(M) for _ in range(4 - length)))


COUNTING = f"""
memory {M}
var p = 1
var x
var count = 0
l_next: x = SUB(p, 6)
JEZ(x, l_end)
x = READ(p)
p = INC(p)
x = SUB(x, 9)
JEZ(x, l_one)
JEZ(0, l_next)
l_one: count = INC(count)
JEZ(0, l_next)
l_end: WRITE(0, count)
STOP()
"""


def one_marked(random: Random) -> tuple[int, ...]:
    """Five numbers below 9, but one of them is 9."""
    numbers = [random.randrange(9) for _ in range(5)]
    numbers[random.randrange(5)] = 9
    return tuple(numbers)


DRAWN = {  # how cells 0 and 1 (and more) are drawn, a tape that fails, and a fact that separates
    "x != y": (lambda r: (x := r.randrange(M), (x + 1 + r.randrange(M - 1)) % M), (5, 5)),
    "multiple": (lambda r: ((y := r.randrange(2, 6)) * r.randrange(1, 6), y), (7, 3)),
    "less than twice": (lambda r: (r.randrange(1, 2 * (y := r.randrange(1, 16))), y), (20, 9)),
    "sum": (lambda r: (x := r.randrange(16), r.randrange(16 - x)), (10, 15)),
    "remainder": (lambda r: (4 * r.randrange(8) + 1, r.randrange(M)), (6, 9)),
    "goes round": (lambda r: ((25 + r.randrange(14)) % M, r.randrange(M)), (15, 9)),
    "words": (lambda r: r.choice([(1, 7), (2, 9), (3, 7), (9, 1)]), (1, 9)),
    "implies": (lambda r: (k := r.randrange(4), 0 if k == 2 else r.randrange(M)), (2, 11)),
    "all different": (lambda r: tuple(r.sample(range(M), 5)), (1, 2, 3, 2, 7)),
    "sorted": (lambda r: tuple(sorted(r.choices(range(M), k=5))), (1, 9, 3, 12, 20)),
    "ends": (lambda r: listed(r), (5, 6, 7, 8, 9)),
    "one of them": (lambda r: one_marked(r), (1, 9, 3, 9, 4)),
}  # fmt: skip
SAID = {
    "x != y": "tape[0] != tape[1]",
    "multiple": "tape[0] % tape[1] == 0",
    "less than twice": "tape[0] < 2 * tape[1]",
    "remainder": "tape[0] % 4 == 1",
    "words": "(tape[1], tape[0]) in ((1, 9), (7, 1), (7, 3), (9, 2))",
    "implies": "tape[0] == 2 implies tape[1] == 0",
    "all different": "different(tape[0:5])",
    "sorted": "sorted(tape[0:5])",
    "one of them": "tape[0:5].count(9) == 1",
    "ends": "tape[2] == 0 or tape[3] == 0 or tape[4] == 0",
}


def samples_of(name: str, n: int = 400) -> np.ndarray:
    random = Random(name)
    rows = [DRAWN[name][0](random) for _ in range(n)]
    return np.array([(*row, *[0] * (8 - len(row))) for row in rows], np.int64)


@pytest.mark.parametrize("name", DRAWN)
def test_each_kind_separates(name: str) -> None:
    samples = samples_of(name)
    tape = np.array([*DRAWN[name][1], *[0] * (8 - len(DRAWN[name][1]))])
    base = samples[(samples != tape).sum(axis=1).argmin()]
    found = separating(samples, tape, base, range(8), [], M, Clock(20))
    assert found
    for fact in found:
        assert fact.truths(samples).all() and not fact.holds(tuple(tape.tolist()))
        assert parse_fact(fact.text, M) == fact
    if name in SAID:
        assert SAID[name] in [fact.text for fact in found]


def test_a_pointer_is_followed() -> None:
    random = Random(3)
    rows = [
        [random.randrange(2, 6), 0, *(random.randrange(9) for _ in range(6))] for _ in range(300)
    ]
    for row in rows:
        row[row[0]] = 7
    tape = [3, 0, 7, 2, 1, 1, 1, 1]
    samples = np.array(rows)
    found = separating(samples, np.array(tape), samples[0], range(8), [cell(0)], M, Clock(20))
    assert "tape[tape[0]] == 7" in [fact.text for fact in found]


def test_well_supported_facts_weigh_less() -> None:
    random = Random(1)
    rows = [(4 * random.randrange(8), random.randrange(M), random.randrange(M)) for _ in range(200)]
    samples = np.array([row for row in rows if row[1] != row[2]])
    support = SupportStatistics(samples, M)
    always, luck = parse_fact("tape[0] % 4 == 0"), parse_fact("tape[1] != tape[2]")
    assert support.chance_of_failing(always) < support.chance_of_failing(luck)
    often, seldom = np.array([(1, 2), (3, 4)] * 50), np.array([(i, i // 2) for i in range(32)] * 2)
    few = member([cell(0), cell(1)], [(1, 2), (3, 4)])
    many = member([cell(0), cell(1)], [(i, i // 2) for i in range(32)])
    assert SupportStatistics(often, M).chance_of_failing(few) < SupportStatistics(
        seldom[:40], M
    ).chance_of_failing(many)


def test_few_facts_exclude_all_tapes() -> None:
    facts = [compare(cell(c), "==", 0) for c in range(4)] + [parse_fact("tape[0] == tape[1]")]
    pool = Excluding(4)
    pool.add_facts(facts, [1.0, 1.0, 1.0, 1.0, 1.4])
    left = pool.add_tapes(np.array([(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0)]))
    assert left.tolist() == [[0, 0, 0, 0]]
    assert pool.choose() == [facts[4]]  # one of weight 1.4 instead of two
    pool.add_tapes(np.array([(1, 1, 0, 0)]))
    assert pool.choose() == [facts[0], facts[1]]


def compiled(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


GENERIC = """
var a; var b; var t; var q = 0
a = READ(0)
b = READ(1)
l_again: t = MAX(a, b)
t = SUB(t, a)
JEZ(t, l_take)
WRITE(2, a)
STOP()
l_take: a = SUB(a, b)
JEZ(0, l_again)
"""  # the remainder of cell 0 by cell 1, into cell 2


@pytest.mark.parametrize(
    ("name", "adapted", "said"),
    [
        ("multiple", "WRITE(2, 0); STOP()", "tape[0] % tape[1] == 0"),
        (
            "less than twice",
            "var a; var b; a = READ(0); b = READ(1); b = SUB(a, b); a = MIN(a, b); WRITE(2, a); STOP()",
            "tape[0] < 2 * tape[1]",
        ),
    ],
)
def test_a_precondition_is_learnt_and_the_proof_holds(name: str, adapted: str, said: str) -> None:
    samples = samples_of(name)
    mask = [c == 2 for c in range(M)]
    samples = np.pad(samples, ((0, 0), (0, M - 8)))
    claim = Claim(compiled(GENERIC), compiled(adapted), M, mask, max_steps=500)
    found = prove_with_least(claim, mine(samples, M), samples, 20.0)
    assert found.verdict.proved, found
    assert said in [fact.text for fact in found.facts]
    assert holding(found.facts, samples).all()
    assert found.rejected is not None
    assert not all(fact.holds(found.rejected) for fact in found.facts)
    assert claim.failure(found.rejected) is not None
    tapes = np.array([[a, b, *[0] * (M - 2)] for a in range(M) for b in range(M)])
    allowed = tapes[holding(found.facts, tapes)]
    assert len(allowed) and not failures(replace(claim, partial=True), allowed).any()


def test_many_tapes_fail_as_single_ones_do() -> None:
    claim = Claim(compiled(GENERIC), compiled("WRITE(2, 0); STOP()"), M, [True] * M, max_steps=300)
    random = Random(5)
    tapes = [tuple(random.randrange(M) for _ in range(M)) for _ in range(200)]
    for one in (claim, replace(claim, partial=True)):
        wanted = [one.failure(tape) is not None for tape in tapes]
        assert failures(one, np.array(tapes)).tolist() == wanted
    assert any(run(claim.generic, tape, 300).steps == 300 for tape in tapes)


def test_how_often_a_mark_occurs_is_what_a_proof_needs() -> None:
    """The generic program counts the 9s of a list; in all samples there is one."""
    generic = compile_source(Source(COUNTING)).program
    adapted = compile_source(Source(f"memory {M}; WRITE(0, 1); STOP()")).program
    random = Random(0)
    samples = [(0, *one_marked(random), *[0] * (M - 6)) for _ in range(300)]
    claim = Claim(generic, adapted, M, [True] + [False] * (M - 1))
    found = prove_with_least(claim, mine(samples, M), samples, 20.0)
    assert found.verdict.proved, found.verdict
    assert [fact.text for fact in found.facts] == ["tape[1:6].count(9) == 1"]
    assert found.rejected is not None and found.rejected[1:6].count(9) != 1

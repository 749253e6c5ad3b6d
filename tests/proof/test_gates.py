"""Gated sums: one form for all programs that compute them, tight bounds, quick decisions."""

from __future__ import annotations

from random import Random

import numpy as np

from anc.compiler import compile_source
from anc.language import Source
from anc.proof import Claim, parse_fact, prove
from anc.proof.presolve import Inputs
from anc.proof.smt_queries import Witnesses
from anc.proof.space import Space
from anc.proof.terms import Form, Node, Value
from anc.proof.value_sets import Domains

M = 64
LEAST, MOST = (1, 1, 0, 0, 5, 0), (3, 3, 2, 20, 24, 63)


def space() -> Space:
    """Cells 0 to 2 have three values each, 3 and 4 twenty or so, 5 all."""
    values = np.arange(M)
    known = [(values >= low) & (values <= high) for low, high in zip(LEAST, MOST, strict=True)]
    return Space(Domains(M, known + [np.ones(M, np.bool_)] * (M - 6)))


def point(terms: Space, cell: int, number: int) -> bool | Node:
    return terms.one_of(cell, np.arange(M) == number)


def test_a_table_is_one_sum_whether_searched_pointed_at_or_jumped_by() -> None:
    terms = space()
    price = [terms.cell(3), terms.cell(4), terms.cell(5)]
    address = terms.cell(0)
    assert isinstance(address, Form)
    pointed = terms.select(address, dict(zip((1, 2, 3), price, strict=True)))
    searched: Value = price[2]
    for number in (2, 1):
        searched = terms.choice(point(terms, 0, number), price[number - 1], searched)
    backwards: Value = price[0]
    for number in (2, 3):
        backwards = terms.choice(point(terms, 0, number), price[number - 1], backwards)
    assert pointed is searched is backwards
    # so many pieces of it: first the entry, then the pieces, or the other way round
    several = terms.sum(0, pointed, 2)
    first = terms.choice(point(terms, 1, 2), several, pointed)
    second: Value = 0
    for number in (1, 2, 3):
        pieces = terms.choice(
            point(terms, 1, 2), terms.sum(0, price[number - 1], 2), price[number - 1]
        )
        second = terms.choice(point(terms, 0, number), pieces, second)
    assert first is second


def random_sum(random: Random, terms: Space) -> Value:
    value: Value = terms.sum(random.randrange(M), terms.cell(random.choice([3, 4, 5])))
    for _ in range(random.randint(1, 6)):
        cell = random.randrange(3)
        allowed = np.isin(np.arange(M), random.sample(range(LEAST[cell], MOST[cell] + 1), 2))
        condition = terms.one_of(cell, allowed)
        if random.random() < 0.3:
            condition = terms.all_of([condition, point(terms, (cell + 1) % 3, 1)])
        other = terms.sum(value, terms.cell(random.randrange(6)), random.choice([-1, 1, 2]))
        value = terms.choice(condition, value, other)
    return value


def test_choices_are_what_their_conditions_say_and_have_the_values_that_are_said() -> None:
    random, terms = Random(3), space()
    tapes = np.zeros((300, M), np.int64)
    for cell, (low, high) in enumerate(zip(LEAST, MOST, strict=True)):
        tapes[:, cell] = [random.randint(low, high) for _ in tapes]
    witnesses, every = Witnesses(tapes), np.arange(len(tapes))
    for _ in range(60):
        yes, no = random_sum(random, terms), random_sum(random, terms)
        cell = random.randrange(3)
        condition = point(terms, cell, 2)
        found = witnesses.values(terms.choice(condition, yes, no), every)
        expected = np.where(
            tapes[:, cell] == 2, witnesses.values(yes, every), witnesses.values(no, every)
        )
        assert (found == expected).all()
        for value in (yes, no, terms.difference(yes, no)):
            assert terms.domains.of(value)[witnesses.values(value, every)].all()


def test_bounds_of_sums_are_those_of_one_entry_of_each_table() -> None:
    terms = space()
    total: Value = 0
    for cell in (0, 1):
        chosen = terms.choice(point(terms, cell, 2), terms.cell(3), terms.cell(4))
        total = terms.sum(total, chosen)
    assert terms.domains.bounds(total) == (0, 48)
    assert terms.at_most(total, 48) is True


ORDER = """
memory 64
var p = 0
var item
var q
var x
var total = 0
l_next: item = READ(p)
JEZ(item, l_end)
q = ADD(8, 0)
l_search: x = READ(q)
q = INC(q)
x = SUB(x, item)
JEZ(x, l_found)
q = INC(q)
JEZ(0, l_search)
l_found: x = READ(q)
total = ADD(total, x)
p = INC(p)
JEZ(0, l_next)
l_end: x = MAX(total, {limit})
x = SUB(x, total)
JEZ(x, l_much)
total = INC(total)
l_much: WRITE(7, total)
STOP()
"""
POINTED = """
memory 64
var item
var total = 1
item = READ(0)
item = ADD(item, item)
item = ADD(item, 7)
item = READ(item)
total = ADD(total, item)
item = READ(1)
JEZ(item, l_end)
item = ADD(item, item)
item = ADD(item, 7)
item = READ(item)
total = ADD(total, item)
item = READ(2)
JEZ(item, l_end)
item = ADD(item, item)
item = ADD(item, 7)
item = READ(item)
total = ADD(total, item)
l_end: WRITE(7, total)
STOP()
"""
FACTS = [
    "1 <= tape[0] <= 6",
    "tape[1] <= 6",
    "tape[2] <= 6",
    "tape[3] == 0",
    "tape[18] == 6",
    "all(tape[i] == 0 implies tape[i + 2] == 0 for i in range(8, 18, 2))",
    "all(2 * tape[i] == i - 6 for i in range(8, 20, 2) while tape[i] != 0)",
    *(f"tape[{cell}] <= 16" for cell in range(9, 21, 2)),
]


def claim(limit: int) -> Claim:
    programs = [
        compile_source(Source(text)).program for text in (ORDER.format(limit=limit), POINTED)
    ]
    facts = [parse_fact(text, 64) for text in FACTS]
    return Claim(*programs, 64, [cell == 7 for cell in range(64)], facts, 1_000)


def test_a_search_through_a_price_list_is_a_look_at_it() -> None:
    verdict = prove(claim(49), 60.0, "paths")
    assert verdict.proved, verdict
    assert verdict.walked < 50


def test_a_sum_that_can_be_too_much_refutes() -> None:
    verdict = prove(claim(48), 60.0, "paths")
    assert verdict.refuted, verdict


def test_what_facts_say_of_a_list_reaches_its_cells() -> None:
    chain = "all(tape[i] == 0 implies tape[i + 1] == 0 for i in range(2, 5))"
    counted = "all(tape[i] == i for i in range(2, 6) while tape[i] != 0)"
    ends = "tape[3] == 0 or tape[5] == 0"
    known = Inputs([parse_fact(text, 16) for text in (chain, counted, ends, "tape[3] == 3")], 16)
    assert [known.constant(cell) for cell in range(2, 6)] == [2, 3, None, 0]


def test_terms_may_be_deeper_than_python_recurses() -> None:
    terms = space()
    cells = [terms.cell(number) for number in range(6)]
    value: Value = cells[0]
    for number in range(3_000):
        same = terms.zero(terms.difference(cells[number % 3], cells[(number + 1) % 3 + 3]))
        value = terms.choice(same, terms.sum(value, cells[5], 2), cells[number % 5])
    assert isinstance(value, Form)
    assert terms.domains.of(value).all()

"""Preconditions of functions are chosen with the price of their check; those of programs as before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anc.compiler import compile_source
from anc.language import Source
from anc.proof import Claim, parse_fact
from anc.proof.preconditions import prove_with_least
from anc.proof.preconditions.price import price

M = 16
LARGER = "var a = READ(0); var b = READ(1); a = MAX(a, b); WRITE(2, a); STOP()"
SECOND = "var b = READ(1); WRITE(2, b); STOP()"


@pytest.mark.parametrize(
    ("fact", "is_free"),
    [
        ("tape[0] == 3", True),
        ("tape[0] < 2 or tape[0] > 7", True),
        ("tape[0] < tape[1]", False),
        ("tape[tape[0]] == 7", False),
        ("sorted(tape[1:5])", False),
    ],
)
def test_what_an_argument_says_by_itself_is_checked_with_its_type(fact, is_free):
    assert (price(parse_fact(fact, M)) == 0) is is_free


def test_more_to_read_and_to_compute_costs_more():
    prices = [
        price(parse_fact(fact, M))
        for fact in ("tape[0] < tape[1]", "tape[0] + 2 * tape[1] < tape[2]", "sorted(tape[0:9])")
    ]
    assert prices == sorted(prices) and prices[0] < prices[-1]


def test_of_two_facts_that_suffice_a_function_gets_the_cheaper():
    generic, adapted = (compile_source(Source(text), memory=M).program for text in (LARGER, SECOND))
    mask = [cell == 2 for cell in range(M)]
    claim = Claim(generic, adapted, M, mask)
    mined = [parse_fact(text, M) for text in ("tape[0] < tape[1]", "tape[1] == 15")]
    samples = [[n % 15, 15, *[0] * (M - 2)] for n in range(60)]
    found = {
        is_strict: prove_with_least(replace(claim, strict=is_strict), mined, samples)
        for is_strict in (False, True)
    }
    assert all(each.verdict.proved for each in found.values())
    chosen = {key: [fact.text for fact in each.facts] for key, each in found.items()}
    assert chosen == {False: ["tape[0] < tape[1]"], True: ["tape[1] == 15"]}

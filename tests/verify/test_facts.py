"""Facts: text, truth on tapes, three-valued truth on half-known tapes, and the solver's formula."""

from __future__ import annotations

import itertools
from random import Random

import pytest
import z3
from verify.random_programs import random_fact

from anc.diagnostics import AncError, SourceError
from anc.verify.facts import cell, compare, conjuncts, merged
from anc.verify.formula import formula
from anc.verify.parser import parse_fact


@pytest.mark.parametrize(
    "text",
    [
        "tape[0] == 3",
        "2 <= tape[1] <= 7",
        "tape[4] == tape[3] + 2",
        "tape[1] == tape[2]",
        "tape[2] <= tape[3]",
        "tape[1] >= 2 implies tape[3] == 5",
        "tape[3] != 0",
        "tape[1] == tape[4] or tape[1] == tape[6]",
        "not tape[1] == 0 and tape[2] < 3 implies tape[0] == 1 implies tape[1] > 2",
        "(tape[0] == 1 or tape[0] == 2) and tape[1] == 0",
        "tape[0] - tape[1] <= 3",
        "-tape[0] + tape[1] == 2 - tape[2]",
    ],
)
def test_text_to_fact_to_text(text: str) -> None:
    fact = parse_fact(text)
    assert parse_fact(fact.text) == fact
    assert parse_fact(fact.text).text == fact.text
    if not text.startswith("-"):
        assert fact.text == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "the fact is empty"),
        ("tape[0]", "'tape[0]' is a number, expected a fact"),
        ("tape[0] = 3", "equality is written =="),
        ("tpae[0] == 3", "did you mean 'tape'?"),
        ("tape[0] == 3 implise tape[1] == 2", "did you mean 'implies'?"),
        ("tape[20] == 3", "there is no cell 20 in a memory of 10 cells"),
        ("tape[x] == 3", "expected the number of a cell, found 'x'"),
        ("tape[0] == ", "expected a number or a cell such as tape[0], found the end"),
        ("tape[0] == 3 and 4", "'4' is a number, expected a fact"),
        ("(tape[0] == 3) + 1 == 2", "is a fact, expected a number"),
        ("(tape[0] == 3", "expected ')', found the end"),
        ("tape[0] * 2 == 3", "only + and - can be used"),
        ("(" * 80 + "1 == 1" + ")" * 80, "nested too deeply"),
        ("not " * 80 + "1 == 1", "nested too deeply"),
        ("1 == 1 and " * 2000 + "1 == 1", "at most"),
    ],
)
def test_what_is_wrong_is_said(text: str, part: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_fact(text, M=10)
    assert part in str(caught.value)


def test_the_place_is_shown() -> None:
    with pytest.raises(AncError) as caught:
        parse_fact("tape[0] == 3 adn tape[1] == 2")
    assert "<assume>:1:14" in str(caught.value)
    assert "did you mean 'and'?" in str(caught.value)


def test_arithmetic_does_not_go_round() -> None:
    fact = parse_fact("tape[1] == tape[0] + 2")
    assert not fact.holds((4, 1, 0, 0, 0))
    assert fact.holds((2, 4, 0, 0, 0))


def test_truth_in_every_form() -> None:
    """Text, known cells and the solver's formula say the same, for every tape."""
    random = Random(5)
    ctx = z3.Context()
    for _ in range(150):
        M = random.choice([1, 2, 3])
        fact = parse_fact(random_fact(random, M), M)
        assert parse_fact(fact.text, M) == fact
        negated = fact.negated()
        bits = (2 * M - 1).bit_length() + random.randrange(3)
        vectors = [z3.BitVec(f"x{i}", bits, ctx) for i in range(M)]
        symbolic = formula(fact, vectors, ctx)
        for tape in itertools.product(range(M), repeat=M):
            holds = fact.holds(tape)
            assert fact.judge(dict(enumerate(tape)), M) is holds
            assert negated.holds(tape) is not holds
            values = [z3.BitVecVal(v, bits, ctx) for v in tape]
            solved = z3.simplify(z3.substitute(symbolic, *zip(vectors, values, strict=True)))
            assert z3.is_true(solved) is holds and z3.is_false(solved) is not holds
            assert z3.is_true(z3.simplify(formula(fact, list(tape), ctx))) is holds
            known = {c: tape[c] for c in range(M) if random.random() < 0.5}
            judged = fact.judge(known, M)
            assert judged is None or judged is holds


def test_ranges_are_split_and_joined() -> None:
    facts = [compare(1, "<=", cell(4), "<=", 6), compare(cell(0), "==", 2)]
    parts = conjuncts(facts)
    assert [str(part) for part in parts] == ["1 <= tape[4]", "tape[4] <= 6", "tape[0] == 2"]
    assert merged(parts) == facts


def test_joined_ranges_say_the_same() -> None:
    random = Random(2)
    M = 4
    for _ in range(200):
        texts = [
            random.choice(["tape[0] != 0", "{} <= tape[0]", "tape[0] <= {}", "tape[1] <= {}"])
            for _ in range(random.randint(1, 5))
        ]
        facts = [parse_fact(text.format(random.randrange(M))) for text in texts]
        for tape in itertools.product(range(M), repeat=2):
            joined = all(fact.holds(tape) for fact in merged(facts))
            assert joined == all(fact.holds(tape) for fact in facts)

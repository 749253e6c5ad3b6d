"""Facts: truth on tapes, three-valued truth on half-known tapes, and the solver's formula."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
import z3
from proof.random_facts import random_fact

from anc.proof.fact_to_smt import formula
from anc.proof.facts import (
    Fact,
    at,
    cell,
    compare,
    conjuncts,
    different,
    divisible,
    how_often,
    in_order,
    member,
    merged,
    remainder,
    times,
)
from anc.proof.parser import parse_fact
from anc.proof.sampler import Tapes


def test_arithmetic_does_not_go_round() -> None:
    fact = parse_fact("tape[1] == tape[0] + 2")
    assert not fact.holds((4, 1, 0, 0, 0))
    assert fact.holds((2, 4, 0, 0, 0))


def test_addresses_go_round() -> None:
    fact = parse_fact("tape[tape[0] + 2] == 7")
    assert fact.holds((8, 0, 0, 0, 0, 0, 0, 0, 0, 0)) is False
    assert fact.holds((9, 7, 0, 0, 0, 0, 0, 0, 0, 0)) is True


def test_a_list_ends_where_its_condition_first_fails() -> None:
    fact = parse_fact("sorted(tape[i] for i in range(1, 6) while tape[i] != 0)")
    assert fact.holds((9, 3, 5, 0, 4, 1)) and not fact.holds((9, 5, 3, 0, 4, 1))
    assert fact.holds((9, 0, 3, 2, 4, 1)) and not fact.holds((9, 1, 2, 3, 4, 3))
    fact = parse_fact("different(tape[i] for i in range(0, 6, 2) while tape[i] != 0)")
    assert fact.holds((4, 4, 5, 4, 0, 4)) and not fact.holds((4, 1, 5, 2, 4, 3))
    fact = parse_fact("all(tape[i + 1] == i for i in range(0, 6, 2) while tape[i] != 0)")
    assert fact.holds((4, 0, 5, 2, 0, 9)) and not fact.holds((4, 0, 5, 2, 1, 9))
    assert [str(clause) for clause in fact.clauses()][1:] == [
        "tape[0] != 0 and tape[2] != 0 implies tape[3] == 2",
        "tape[0] != 0 and tape[2] != 0 and tape[4] != 0 implies tape[5] == 4",
    ]


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_a_count_is_what_python_counts(op: str) -> None:
    """By plain evaluation of the same text, and up to the mark with the list cut off there."""
    random = Random(op)
    for _ in range(25):
        tape = tuple(random.choices(range(4), k=8))
        value, number, begin = random.randrange(4), random.randrange(-1, 6), random.randrange(4)
        end = random.randint(begin + 1, 8)
        text = f"tape[{begin}:{end}].count({value}) {op} {number}"
        assert parse_fact(text, 8).holds(tape) == eval(text, {"tape": tape})
        text = (
            f"sum(tape[i] == tape[i - 1] for i in range({begin + 1}, {end + 1}, 2)) {op} {number}"
        )
        if end < 8:
            assert parse_fact(text, 8).holds(tape) == eval(text, {"tape": tape})
        text = f"sum(tape[i] > {value} for i in range({begin}, {end}) while tape[i] != 0) {op} {number}"
        whole = [*tape[begin:end], 0]
        counted = sum(element > value for element in whole[: whole.index(0)])
        assert parse_fact(text, 8).holds(tape) == eval(f"{counted} {op} {number}")


def test_a_count_says_what_is_left_to_the_others() -> None:
    fact = parse_fact("tape[2:6].count(7) == 1", 10)
    assert Tapes([fact], 10).values(4, {2: 7}).tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert Tapes([fact], 10).values(4, {2: 0, 3: 1, 5: 2}).tolist() == [7]
    known = parse_fact("tape[3] == 7", 10)
    inputs = Tapes([fact, known], 10).inputs
    assert not inputs.joint and not inputs.domain(5)[7] and inputs.domain(5).sum() == 9
    others = [parse_fact(f"tape[{place}] != 7", 10) for place in (2, 4, 5)]
    assert Tapes([fact, *others], 10).inputs.constant(3) == 7
    assert Tapes([fact, known, parse_fact("tape[5] == 7", 10)], 10).never
    ends = parse_fact("sum(tape[i] == 7 for i in range(2, 10) while tape[i] != 0) >= 2", 10)
    assert Tapes([ends, parse_fact("tape[4] == 0", 10)], 10).inputs.constant(2) == 7


def test_a_remainder_by_0_never_holds() -> None:
    for text in ("tape[1] % tape[0] == 0", "tape[1] % tape[0] != 0"):
        assert not parse_fact(text).holds((0, 3))


def facts_of_all_kinds(random: Random, count: int, largest: int) -> Iterator[tuple[Fact, int]]:
    for _ in range(count):
        M = random.randint(1, largest)
        yield parse_fact(random_fact(random, M), M), M


def test_truth_in_every_form() -> None:
    """Text, many tapes at once, known cells and the solver's formula agree, for every tape."""
    random = Random(5)
    ctx = z3.Context()
    for fact, M in facts_of_all_kinds(random, 250, 3):
        negated = fact.negated()
        assert parse_fact(fact.text, M) == fact and parse_fact(negated.text, M) == negated
        bits = max(1, (M - 1).bit_length()) + random.randrange(3)
        vectors = [z3.BitVec(f"x{i}", bits, ctx) for i in range(M)]
        symbolic = formula(fact, vectors, ctx)
        tapes = list(itertools.product(range(M), repeat=M))
        truths = fact.truths(np.array(tapes, dtype=random.choice([np.uint8, np.int64])))
        for tape, holds in zip(tapes, truths.tolist(), strict=True):
            assert fact.holds(tape) is holds and negated.holds(tape) is not holds
            assert fact.judge(dict(enumerate(tape)), M) is holds
            values = [z3.BitVecVal(v, bits, ctx) for v in tape]
            solved = z3.simplify(z3.substitute(symbolic, *zip(vectors, values, strict=True)))
            assert z3.is_true(solved) is holds and z3.is_false(solved) is not holds
            if random.random() < 0.3:
                some = [random.choice(pair) for pair in zip(tape, vectors, strict=True)]
                mixed = z3.substitute(formula(fact, some, ctx), *zip(vectors, values, strict=True))
                assert z3.is_true(z3.simplify(mixed)) is holds


def test_what_known_cells_settle_holds_for_every_tape() -> None:
    random = Random(6)
    settled = 0
    for fact, M in facts_of_all_kinds(random, 300, 4):
        tapes = np.array(list(itertools.product(range(M), repeat=M)))
        truths = fact.truths(tapes)
        possible = Tapes([fact], M)
        for _ in range(6):
            tape = random.choice(tapes)
            known = {c: int(tape[c]) for c in range(M) if random.random() < 0.5}
            fitting = (tapes[:, list(known)] == list(known.values())).all(axis=1)
            judged = fact.judge(known, M)
            assert judged is None or (truths[fitting] == judged).all()
            settled += judged is not None
            for place in set(range(M)) - known.keys():
                left = possible.values(place, known)
                assert set(tapes[fitting & truths, place]) <= set(left)
    assert settled > 600


def test_one_evaluation_serves_numbers_and_arrays() -> None:
    """With an array in a cell, a fact is what it is with each of the numbers."""
    random = Random(9)
    for fact, M in facts_of_all_kinds(random, 300, 6):
        known = {c: random.randrange(M) for c in range(M) if random.random() < 0.6}
        place = random.choice(sorted(fact.cells) or [0])
        known.pop(place, None)
        judged = [fact.judge({**known, place: value}, M) for value in range(M)]
        left = fact.left_for(place, np.arange(M), known, M).tolist()
        assert {value for value in range(M) if judged[value] is not False} <= set(left)
        if not fact.pointers:
            may, must = fact.truth({**known, place: np.arange(M)}, M)
            found = zip(np.broadcast_to(may, M), np.broadcast_to(must, M), strict=True)
            assert [True if must else None if may else False for may, must in found] == judged


@pytest.mark.parametrize(
    "text",
    [
        "sorted(tape[2:30])",
        "different(tape[2:30])",
        "tape[tape[1]] == 5 and tape[tape[1] + 1] == tape[0]",
        "tape[tape[tape[1]]] == 5",
        "tape[3] % tape[4] == 0 and tape[3] % 8 == 3",
        "tape[3:6] in ((1, 2, 3), (4, 5, 6))",
        "sorted(tape[i] for i in range(2, 30) while tape[i] != 0)",
        "different(tape[i] for i in range(2, 30) while tape[i] != 0) and sorted(tape[2:9])",
        "all(tape[i + 1] == 1 for i in range(2, 30, 2) while tape[i] != 0)",
        "tape[2:30].count(7) == 1 and tape[2:20].count(tape[0]) >= 4",
        "sum(tape[i] == 7 for i in range(2, 30) while tape[i] != 0) == 2 and sorted(tape[2:9])",
    ],
)
def test_tapes_are_drawn_without_the_solver(text: str) -> None:
    M, random = 40, Random(3)
    fact = parse_fact(text, M)
    tapes = Tapes([fact], M)
    drawn = [tapes.draw(random, tries=30) for _ in range(10)]
    assert all(tape is not None and fact.holds(tape) for tape in drawn)


def test_made_by_hand() -> None:
    made = [
        compare(times(2, cell(3)), "<=", at(cell(1, plus=2))),
        divisible(cell(1), cell(2)),
        remainder(cell(1), 4, 3),
        member(cell(3), [7, 1, 1]),
        member([cell(1), cell(2)], [(3, 4), (1, 2)]),
        in_order(map(cell, range(1, 5))),
        different([cell(1), cell(4)]),
        how_often(35, range(20, 28), "==", 1),
    ]
    texts = [
        "2 * tape[3] <= tape[tape[1] + 2]",
        "tape[1] % tape[2] == 0",
        "tape[1] % 4 == 3",
        "tape[3] in (1, 7)",
        "(tape[1], tape[2]) in ((1, 2), (3, 4))",
        "sorted(tape[1:5])",
        "different(tape[1], tape[4])",
        "tape[20:28].count(35) == 1",
    ]
    assert [str(fact) for fact in made] == texts
    assert [parse_fact(text) for text in texts] == made
    assert [fact.size for fact in made] == [5, 3, 3, 3, 6, 2, 2, 4]
    with pytest.raises(ValueError, match="words of 2 numbers"):
        member([cell(1), cell(2)], [(1, 2, 3)])


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


def test_orders_are_split_and_joined() -> None:
    fact = parse_fact("sorted(tape[3:6]) and different(tape[3:6])")
    parts = conjuncts([fact])
    texts = ["tape[3] <= tape[4]", "tape[4] <= tape[5]", "different(tape[3:6])"]
    assert [str(part) for part in parts] == texts
    assert [str(part) for part in merged(parts)] == ["sorted(tape[3:6])", "different(tape[3:6])"]
    assert conjuncts([fact], pairs=False) == merged(parts)


def test_what_cannot_be_joined_stays() -> None:
    texts = ["tape[3] <= 50 or tape[3] >= 200", "tape[1] <= tape[2]", "tape[3] <= tape[5]"]
    facts = [parse_fact(text) for text in texts]
    assert merged(conjuncts(facts)) == facts

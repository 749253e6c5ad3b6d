"""Affine values: sums of multiples of cells in few instructions, and how values follow from cells."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from anc import isa
from anc.compiler.affine import AffineForm, combined
from anc.search.addition_chains import cost_of, summed
from anc.search.affine import (
    AffineRemainder,
    InstructionBuilder,
    StraightLine,
    centred,
    column_of,
    together,
)

M = 256


def form(terms: tuple[tuple[int, int], ...], constant: int = 0) -> AffineForm:
    """Factors below 0 are large numbers."""
    return AffineForm(constant % M, tuple((cell, factor % M) for cell, factor in terms))


TENS = form(
    ((1, 10), (2, 1), (4, 10), (5, 1)), 224
)  # two numbers of two digits, still as characters


def random_form(random: Random, cells: int) -> AffineForm:
    chosen = sorted(random.sample(range(cells), random.randint(1, min(cells, 5))))
    usual = (1, 1, -1, -1, 2, 3, 10, random.randrange(-100, 100) or 1)
    return form(tuple((c, random.choice(usual)) for c in chosen), random.choice((0, 0, 7, 250)))


def values_of(line: StraightLine, at_hand: dict[int, int], tape: list[int]) -> list[int]:
    """What the instructions compute on this tape, with each instruction's own meaning."""
    values = dict(at_hand)

    def value(number: int) -> int:
        return values[number] if number >= 0 else -1 - number

    for number, way in line.instructions:
        first, *more = map(value, way.operands)
        if way.op == isa.Op.READ:
            values[number] = tape[first]
        else:
            values[number] = isa.PAPER[way.op].output(first, *more or [0], M)
    return [value(number) for number in line.numbers]


def naive(wanted: AffineForm) -> int:
    """READs, each multiple by doubling and adding, one sum after the other, and a constant."""
    factors = [centred(factor, M) for _, factor in wanted.terms]
    steps = len(factors) * 2 - 1
    for size in map(abs, factors):
        steps += size.bit_length() - 1 + size.bit_count() - 1
    none_is_plain = all(factor < 0 for factor in factors)
    return steps + (wanted.constant != 0 or none_is_plain)


@pytest.mark.parametrize("seed", range(40))
def test_random_forms_come_out_right_and_take_no_more_than_naive_chains(seed: int) -> None:
    random = Random(seed)
    wanted = [random_form(random, 8) for _ in range(random.randint(1, 4))]
    given = {random_form(random, 8): number for number in range(random.choice((0, 0, 2, 4)))}
    line = together(wanted, given, 10, M)
    assert len(line.instructions) <= sum(map(naive, wanted))
    for _ in range(5):
        tape = [random.randrange(M) for _ in range(8)]
        inputs = np.array([tape + [0] * (M - 8)])
        at_hand = {number: int(column_of(each, inputs)[0]) for each, number in given.items()}
        expected = [int(column_of(each, inputs)[0]) for each in wanted]
        assert values_of(line, at_hand, tape) == expected


@pytest.mark.parametrize(
    ("factors", "steps"),
    [((1,), 0), ((1, 1, 1), 2), ((-1, 1), 1), ((10, 10, 1, 1), 7), ((15,), 5), ((6, 4), 4)],
)
def test_sums_of_multiples_take_few_instructions(factors: tuple[int, ...], steps: int) -> None:
    done = []

    def counted(value: int) -> int:
        done.append(value)
        return value

    values = [1000**n for n in range(len(factors))]
    sign, total = summed(
        list(zip(factors, values, strict=True)),
        lambda a, b: counted(a + b),
        lambda a, b: counted(a - b),
    )
    assert sign * total == sum(f * v for f, v in zip(factors, values, strict=True))
    assert len(done) == cost_of(factors) == steps


def test_tens_and_units_are_added_up_by_themselves() -> None:
    line = together([TENS], {}, 0, M)
    assert (
        len(line.instructions) == 4 + 2 + 5 + 1
    )  # READs, both sums, 10 * tens + units, the constant


def test_what_is_there_already_makes_a_sum_shorter() -> None:
    cells = {form(((cell, 1),)): cell for cell in range(6)}
    breaks = {form(((1, -1), (2, 1))): 6, form(((3, -1), (4, 1))): 7}
    taken = form(((0, -1), (1, 1), (2, -1), (3, 1), (4, -1), (5, 1)))
    assert len(together([taken], cells, 8, M).instructions) == 5
    assert len(together([taken], cells | breaks, 8, M).instructions) == 3


def test_wanted_values_share_their_work() -> None:
    price, coins = form(((0, 5),)), form(((0, -5), (1, 1), (2, 1)))
    assert len(together([coins, price], {}, 0, M).instructions) == 3 + 3 + 2
    pairs = form(((0, 1), (1, 1), (2, 3), (3, 3))), form(((0, 5), (1, 5), (2, 1), (3, 1)))
    assert len(together(pairs, {}, 0, M).instructions) == 4 + 2 + 3 + 4


def test_a_negative_sum_and_its_constant_are_one_instruction() -> None:
    chain = InstructionBuilder({}, 0, M)
    number = chain.wanted(form(((1, -2), (2, -1)), 236))
    assert len(chain.instructions) == 2 + 2 + 1
    assert chain.forms[number] == form(((1, -2), (2, -1)), 236)


@pytest.mark.parametrize(("modulus", "stages"), [(10, 3), (3, 5), (100, 1)])
def test_remainders_of_small_numbers(modulus: int, stages: int) -> None:
    line = together([AffineRemainder(form(((0, 1),)), modulus, stages, "MIN")], {}, 0, M)
    assert len(line.instructions) == 1 + 2 * stages
    for number in range(min(M, modulus << stages)):
        assert values_of(line, {}, [number]) == [number % modulus]


def test_forms_add_up_modulo_the_size_of_the_memory() -> None:
    both = combined(form(((1, 100), (2, 1)), 200), form(((1, 50), (2, 1)), 100), 1, M)
    assert both == form(((1, -106), (2, 2)), 44)
    assert combined(both, both, -1, M) == form(())
    assert sorted(centred(n, 5) for n in range(5)) == [-2, -1, 0, 1, 2]

"""Products, quotients, remainders and bits as terms: their normal forms mean what the rows say."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from proof.everything import Everything

from anc import isa
from anc.machine.columns import output_column
from anc.proof.operations import OPERATIONS
from anc.proof.semantics import output
from anc.proof.terms import Value

ROWS = [row for row in isa.WIDE if row.effect is isa.Effect.NONE and row.operands == 2]


def random_pair(every: Everything, random: Random, depth: int) -> tuple[Value, np.ndarray]:
    """A value made of random instructions, and its numbers for all pairs by their rows."""
    pairs = np.array(every.pairs, np.int64)
    if depth == 0:
        number = random.choice([1, 2, 3, 4, every.M - 1, random.randrange(every.M)]) % every.M
        columns = [(every.a, pairs[:, 0]), (every.b, pairs[:, 1])]
        return random.choice([*columns, *columns, (number, np.full(len(pairs), number))])
    likely = [row for row in ROWS if row.output in OPERATIONS or row.name in ("ADD", "SUB")]
    row = random.choice(likely if random.random() < 0.8 else ROWS)
    (x, xs), (y, ys) = (random_pair(every, random, random.randrange(depth)) for _ in range(2))
    return output(row, every.space, x, y), output_column(row.output, xs, ys, every.M)


@pytest.mark.parametrize("M", [2, 3, 7, 8, 10, 12])
def test_random_operations_mean_what_their_rows_say(M: int) -> None:
    random = Random(M)
    for number in range(12 if M < 10 else 4):
        domains = [np.array([random.random() < 0.8 for _ in range(M)]) for _ in range(M)]
        for domain in domains:
            domain[random.sample(range(M), 2)] = True
        every = Everything(M, domains, compact=number % 2 == 0)
        for _ in range(12):
            value, wanted = random_pair(every, random, 4)
            assert every.values(value) == wanted.tolist()
            other, others = random_pair(every, random, 3)
            assert every.holds(every.space.equal(value, other)) == (wanted == others).tolist()
            assert every.holds(every.space.at_most(value, other)) == (wanted <= others).tolist()


@pytest.mark.parametrize("M", [64, 100, 256])
def test_operations_of_larger_memories(M: int) -> None:
    """By evaluation; every value is in the set of possible ones."""
    random = Random(M)
    few = np.arange(M) < 40
    for number in range(6):
        every = Everything(M, [few] * M, compact=number % 2 == 0)
        for _ in range(20):
            value, wanted = random_pair(every, random, 4)
            assert (
                np.broadcast_to(every.witnesses.values(value, every.all), len(wanted)).tolist()
                == wanted.tolist()
            )
            assert every.space.domains.of(value)[wanted].all()
            other, others = random_pair(every, random, 3)
            for made, holds in (
                (every.space.equal(value, other), wanted == others),
                (every.space.at_most(value, other), wanted <= others),
            ):
                found = made if isinstance(made, bool) else every.witnesses.holds(made, every.all)
                assert np.broadcast_to(found, len(holds)).tolist() == holds.tolist()


def test_equal_operations_are_one() -> None:
    """What needs no solver, of two values so small that no sum wraps around."""
    every = Everything(256, [np.arange(256) < 12] * 256, compact=True)
    space, a, b = every.space, every.a, every.b

    def of(name: str, x: Value, y: Value) -> Value:
        return output(isa.WIDE[name], space, x, y)

    both, product = of("ADD", a, b), of("MUL", a, b)
    assert of("MUL", b, of("ADD", a, 1)) is of("ADD", product, b)
    assert of("MUL", of("MUL", b, 3), of("MUL", a, 2)) is of("MUL", product, 6)
    assert of("DIV", of("DIV", both, 3), 2) is of("DIV", both, 6)
    assert of("DIV", of("ADD", of("MUL", a, 4), b), 4) is of("ADD", a, of("DIV", b, 4))
    assert of("MOD", of("ADD", of("MUL", a, 4), b), 4) is of("AND", b, 3)
    assert of("MOD", of("MOD", both, 6), 3) is of("MOD", both, 3)
    assert of("MOD", of("ADD", of("MOD", both, 6), a), 3) is of("MOD", of("ADD", both, a), 3)
    assert of("SUB", both, of("MUL", of("DIV", both, 5), 5)) is of("MOD", both, 5)
    assert of("ADD", of("MOD", both, 5), of("MUL", 5, of("DIV", both, 5))) is both
    assert of("AND", of("SHR", both, 2), 1) is of("SHR", of("AND", both, 4), 2)
    assert of("XOR", b, of("XOR", a, b)) is a
    assert of("SHL", both, 3) is of("MUL", both, 8)
    assert of("MUL", of("LT", a, b), both) is space.choice(
        space.opposite(space.at_most(b, a)), both, 0
    )
    assert of("LT", of("DIV", both, 3), 2) is of("LE", both, 5)
    assert of("EQ", of("DIV", product, 4), 0) is of("LT", product, 4)
    assert (of("DIV", both, 23), of("MOD", both, 23), of("SUB", both, both)) == (0, both, 0)


def test_ranges_of_operations() -> None:
    every = Everything(256)
    space = every.space
    both = space.sum(every.a, every.b)
    bounds = [
        space.domains.bounds(output(isa.WIDE[name], space, both, number))
        for name, number in (("MOD", 7), ("DIV", 4), ("AND", 7), ("LT", 9), ("SHR", 3), ("OR", 129))
    ]
    assert bounds == [(0, 6), (0, 63), (0, 7), (0, 1), (0, 31), (129, 255)]

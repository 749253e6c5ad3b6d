"""The search for shortest straight-line programs, against a plain one that prunes nothing."""

import itertools
from random import Random

import numpy as np
import pytest

from anc.isa import BITS, PAPER, InstructionSet
from anc.search.shortest import Operations, Samples, ShortestSearch
from anc.support.diagnostics import AncError


def plain(operations: Operations, base, targets, most: int) -> int | None:
    """The fewest instructions, by trying all programs one after the other."""
    rows = [operations.instructions[number] for number in operations.numbers]

    def outputs(values):
        for row in rows:
            for operands in itertools.product(values, repeat=row.operands):
                pairs = zip(*(operands * 2)[:2], strict=True)
                yield tuple(row.output(a, b, operations.M) for a, b in pairs)

    def search(values, left):
        if all(target in values for target in targets):
            return True
        return left > 0 and any(search([*values, v], left - 1) for v in {*outputs(values)})

    return next((n for n in range(most + 1) if search(base, n)), None)


def columns(M, arguments, constants):
    inputs = list(itertools.product(range(M), repeat=arguments))
    return [*zip(*inputs, strict=True), *((c,) * len(inputs) for c in constants)]


def check_right(operations, base, targets, found):
    rows = [operations.instructions[number] for number in operations.numbers]
    values = [list(column) for column in base]
    for op, a, b in found.code:
        pairs = zip(values[a], values[b], strict=True)
        values.append([rows[op].output(x, y, operations.M) for x, y in pairs])
    assert [values[number] for number in found.results] == [list(target) for target in targets]


SETS = [
    (PAPER, ("ADD", "SUB", "MIN", "MAX"), 3, 2, (1,)),
    (PAPER, ("INC", "MIN", "SUB"), 3, 2, ()),
    (BITS, ("AND", "XOR", "NOT", "SHR"), 4, 1, (1,)),
    (BITS, ("AND", "SUB", "LT", "NEG"), 2, 3, ()),
]


@pytest.mark.parametrize("number", range(len(SETS)))
@pytest.mark.parametrize("results", [1, 2])
def test_fewest_instructions(number, results):
    instructions, names, M, arguments, constants = SETS[number]
    operations = Operations.of(instructions, M, names)
    random = Random(10 * number + results)
    base = columns(M, arguments, constants)
    rows = [operations.instructions[number] for number in operations.numbers]
    for _ in range(12):
        values = list(base)
        for _ in range(3):
            row, a, b = random.choice(rows), random.choice(values), random.choice(values)
            pairs = zip(a, b, strict=True)
            values.append(tuple(row.output(x, y, M) for x, y in pairs))
        targets = [values[-1], *random.sample(values[len(base) :], results - 1)]
        search = ShortestSearch(operations, Samples(np.array(base), np.array(targets)), allowed)
        found = search.run(4, lambda done: True)
        assert found.is_shortest
        assert len(found.code) == plain(operations, base, targets, 3)
        check_right(operations, base, targets, found)


def allowed(code, results):
    return None


def test_counter_examples_lead_to_the_shortest():
    """Begun with few samples, the answer is the same as with all of them."""
    operations = Operations.of(BITS, 16, ("ADD", "SUB", "AND", "OR", "XOR", "NOT", "SHR"))
    inputs = np.array(list(itertools.product(range(16), repeat=2))).T
    base = np.concatenate([inputs, np.ones((1, 256), int)])
    targets = (inputs.sum(axis=0) // 2)[None]
    known = [0]

    def refute(code, results):
        values = [row.copy() for row in base]
        for op, a, b in code:
            output = operations.instructions[operations.numbers[op]].output
            pairs = zip(values[a].tolist(), values[b].tolist(), strict=True)
            values.append(np.array([output(x, y, 16) for x, y in pairs]))
        wrong = np.flatnonzero(values[results[0]] != targets[0])
        if not len(wrong):
            return None
        known.append(int(wrong[0]))
        return Samples(base[:, known], targets[:, known])

    first = Samples(base[:, known], targets[:, known])
    found = ShortestSearch(operations, first, refute).run(6, lambda done: True)
    assert len(known) > 3
    assert found.is_shortest
    assert len(found.code) == 4
    assert found.excluded == 3
    assert len(found.visited) == 5


def test_a_search_that_is_stopped_says_how_far_it_came():
    operations = Operations.of(BITS, 256)
    values = np.arange(256)
    target = np.array([bin(v).count("1") for v in values])
    looks = iter(range(40))
    samples = Samples(np.stack([values, np.ones(256, int)]), target[None])
    found = ShortestSearch(operations, samples, allowed).run(9, lambda done: next(looks, 99) < 30)
    assert found.code is None
    assert 2 <= found.excluded < 9
    assert not found.is_shortest


def test_large_memories_are_refused():
    with pytest.raises(AncError, match="up to 256 cells, not 300"):
        Operations.of(InstructionSet(PAPER.rows), 300)

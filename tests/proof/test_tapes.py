"""Random tapes, one or many, satisfy the facts, whatever the facts are."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from proof.random_facts import random_fact

from anc.proof import parse_fact
from anc.proof.presolve import Inputs
from anc.proof.sampler import Tapes
from anc.support.clock import Clock


def test_all_tapes_drawn_satisfy_random_facts() -> None:
    random = Random(5)
    possible = found = 0
    for _ in range(150):
        M = random.choice([1, 2, 3, 5, 8])
        facts = [parse_fact(random_fact(random, M), M) for _ in range(random.randint(0, 3))]
        tapes = Tapes(facts, M)
        many = tapes.many(random, 40)
        drawn = [tape for _ in range(5) if (tape := tapes.draw(random)) is not None]
        for tape in [*map(tuple, many.tolist()), *drawn]:
            assert all(0 <= value < M for value in tape) and all(fact.holds(tape) for fact in facts)
        exists = tapes.find(random, Clock(5.0)) is not None
        assert exists or not (len(many) or drawn)
        possible += exists
        found += len(many) == 40
    assert found > 0.8 * possible > 50


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["tape[3] == 7", "tape[5] == tape[3] + 2", "tape[9] != 0"],
        [f"tape[{cell}] < tape[{cell + 1}]" for cell in range(20, 30)],
        ["tape[0] + tape[1] == 300", "tape[4] == tape[2] or tape[4] == tape[3]"],
    ],
)
def test_many_tapes_of_bytes(texts: list[str]) -> None:
    facts = [parse_fact(text, 256) for text in texts]
    many = Tapes(facts, 256).many(Random(1), 5000)
    assert many.shape == (5000, 256) and many.min() >= 0 and many.max() < 256
    assert all(fact.truths(many).all() for fact in facts)
    assert len(np.unique(many, axis=0)) == 5000


def test_what_facts_say_of_single_cells() -> None:
    texts = [
        "tape[1] == tape[0] + 3",
        "tape[2] == tape[1] - 1",
        "tape[2] <= 5",
        "tape[3] > tape[0]",
    ]
    inputs = Inputs([parse_fact(text, 8) for text in texts], 8)
    assert len({inputs.root[cell] for cell in (0, 1, 2)}) == 1
    assert [np.flatnonzero(inputs.domain(cell)).tolist() for cell in (0, 1, 2)] == [
        [0, 1, 2, 3],
        [3, 4, 5, 6],
        [2, 3, 4, 5],
    ]
    assert [str(fact) for fact in inputs.joint] == ["tape[3] > tape[0]"]
    assert Inputs([parse_fact("tape[0] == tape[1] + 3"), parse_fact("tape[1] >= 6")], 8).never

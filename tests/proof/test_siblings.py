"""What was learnt about some cells, said of others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anc.proof import parse_fact
from anc.proof.facts import moved
from anc.proof.preconditions.perturbations import siblings

M = 12


def test_a_fact_about_one_element_is_said_of_the_others() -> None:
    random = np.random.default_rng(0)
    samples = random.integers(0, M, size=(200, M))
    for tape in samples:
        for cell in range(3, 7):
            if tape[cell] == 5:
                tape[cell + 1] = tape[0]
    fact = parse_fact("tape[4] == 5 implies tape[5] == tape[0]", M)
    found = {other.text for other in siblings(fact, samples)}
    assert {f"tape[{c}] == 5 implies tape[{c + 1}] == tape[0]" for c in (3, 5, 6)} <= found
    assert "tape[7] == 5 implies tape[8] == tape[0]" not in found
    assert "all(tape[i] == 5 implies tape[i + 1] == tape[0] for i in range(3, 7))" in found
    assert all(parse_fact(text, M).truths(samples).all() for text in found)


@given(st.permutations(range(6)), st.lists(st.integers(0, M - 1), min_size=M, max_size=M))
def test_a_moved_fact_says_of_the_new_cells_what_was_said_of_the_old(order, cells) -> None:
    texts = (
        "tape[0] + 2 * tape[1] <= tape[2] - 3",
        "tape[tape[0] + 1] != tape[3]",
        "tape[4] % 3 == 1 implies (tape[1], tape[2]) in ((1, 2), (3, 4))",
        "sorted(tape[0], tape[3], tape[5]) or not different(tape[1], tape[2])",
    )
    where = dict(enumerate(order))
    tape = tuple(cells)
    turned = tuple(tape[where[c]] if c in where else tape[c] for c in range(M))
    for text in texts[:1] + texts[2:]:
        fact = parse_fact(text, M)
        assert moved(fact, where).holds(tape) == fact.holds(turned)
    assert moved(parse_fact(texts[1], M), {0: 4}).text == "tape[tape[4] + 1] != tape[3]"

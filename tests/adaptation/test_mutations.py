"""Mutated samples: what chance lets pass on samples, they find."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from anc.adaptation.evidence import Samples, Why
from anc.adaptation.mutations import Mutations
from anc.compiler import compile_source
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.machine import exact
from anc.program import Program
from anc.search import Found

M, BEGIN, OUT = 64, 8, 40


def program(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


TAKE = "v = READ(p); p = INC(p); e = SUB(v, 63); JEZ(e, l_end)"
EVERY = program(
    f"var p = 8; var q = 40; var v; var e\nl: {TAKE}\nWRITE(q, v); q = INC(q); JEZ(0, l)\nl_end: STOP()"
)
# takes for granted that the second number is not 5
WRONG = program(
    f"var p = 8; var q = 40; var v; var e\n{TAKE}\nWRITE(q, v); q = INC(q); {TAKE}\ne = SUB(v, 5); JEZ(e, l_end)\n"
    f"WRITE(q, v); q = INC(q)\nl: {TAKE}\nWRITE(q, v); q = INC(q); JEZ(0, l)\nl_end: STOP()"
)  # fmt: skip


def samples(lists: list[list[int]]) -> Samples:
    cases = []
    for numbers in lists:
        tape = (*[0] * BEGIN, *numbers, 63, *[0] * (M - BEGIN - len(numbers) - 1))
        mask = tuple(OUT <= cell <= OUT + len(numbers) for cell in range(M))
        cases.append(Case(tape, exact.run(EVERY, tape, 1_000).tape, mask))
    return Samples.of(cases)


def drawn() -> Samples:
    """Lists in which the second number is never 5, by chance."""
    random = Random(4)
    lists = [random.choices(range(1, 9), k=random.randint(3, 6)) for _ in range(40)]
    return samples([numbers for numbers in lists if numbers[1] != 5])


def test_what_is_right_by_chance_is_refused() -> None:
    mutations = Mutations(EVERY, drawn())
    found = Found(WRONG, 1.0, 1.0, "traces", 0.0)
    refused = mutations.refused(found)
    assert refused is not None and refused.why is Why.WRONG and "mutated samples" in refused.reason
    wrong = mutations.wrong(WRONG)
    assert 0 < len(wrong) <= 3 and all(case.input[BEGIN + 1] == 5 for case in wrong)
    assert f"{len(mutations.cases):,} mutated samples" in mutations.note


def test_what_is_right_is_not() -> None:
    mutations = Mutations(EVERY, drawn())
    assert mutations.refused(Found(EVERY, 1.0, 1.0, "clean", 0.0)) is None
    assert mutations.wrong(EVERY) == []


def test_mutated_samples_keep_what_holds_on_all_samples() -> None:
    known = drawn()
    tapes = np.array([case.input for case in Mutations(EVERY, known).cases])
    lengths = (tapes == 63).argmax(axis=1) - BEGIN
    assert set(lengths) == {3, 4, 5, 6}, "as long as the samples"
    assert (tapes[:, :BEGIN] == 0).all() and (tapes[:, OUT:] == 0).all()
    inside = tapes[:, BEGIN : BEGIN + 3]
    assert inside.min() >= 1 and inside.max() <= 8
    assert len(set(map(tuple, tapes.tolist())) - {case.input for case in known.cases}) > 500


def test_in_order_they_stay_in_order() -> None:
    random = Random(5)
    lists = [sorted(random.choices(range(1, 50), k=random.randint(4, 6))) for _ in range(60)]
    for case in Mutations(EVERY, samples(lists)).cases:
        numbers = case.input[BEGIN : case.input.index(63)]
        assert list(numbers) == sorted(numbers)


@pytest.mark.parametrize("enabled", [True, False])
def test_none_are_made_where_others_can_be_drawn(enabled: bool) -> None:
    mutations = Mutations(EVERY, drawn(), enabled)
    assert bool(mutations.wrong(WRONG)) is enabled
    assert bool(mutations.note) is enabled

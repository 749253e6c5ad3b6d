"""Lists and pointers that a program reads, and facts along them that are learnt from samples."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program
from anc.proof import Claim, parse_fact
from anc.proof.facts import at, cell
from anc.proof.preconditions import mine, prove_with_least
from anc.proof.preconditions.columns import pointers_of
from anc.proof.preconditions.ice_learner import separating
from anc.proof.preconditions.lists import Listed, lists_of
from anc.proof.preconditions.perturbations import longer
from anc.proof.preconditions.support import SupportStatistics, failures, holding
from anc.support.clock import Clock

M = 24
WALKS = """
var p = 2; var x; var a; var b
l_next: x = READ(p)
p = INC(p)
JEZ(x, l_end)
JEZ(0, l_next)
l_end: a = READ(2)
b = READ(3)
a = MAX(a, b)
WRITE(1, a)
STOP()
"""  # goes to the end of a list from cell 2 on, and takes the larger one of its first two cells


def compiled(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def samples_of(draw: Callable[[Random], list[int]], n: int = 300) -> np.ndarray:
    """Tapes with cell 0 above 9, a list from cell 2 on, its end mark, and anything behind it."""
    random = Random(7)
    rows = []
    for _ in range(n):
        row = [random.randrange(10, M), 0, *draw(random), 0]
        rows.append(row + [random.randrange(M) for _ in range(M - len(row))])
    return np.array(rows)


def ascending(random: Random) -> list[int]:
    return sorted(random.choices(range(1, M), k=random.randint(1, 5)))


DRAWN: dict[str, tuple[Callable[[Random], list[int]], list[int], str]] = {
    "sorted": (
        ascending,
        [3, 9, 5],
        "sorted(tape[i] for i in range(2, 7) while tape[i] != 0)",
    ),
    "different": (
        lambda r: r.sample(range(1, M), r.randint(1, 5)),
        [3, 9, 3],
        "different(tape[i] for i in range(2, 7) while tape[i] != 0)",
    ),
    "records": (
        lambda r: [x for _ in range(r.randint(1, 4)) for x in (r.randrange(3, M), 1, 2)],
        [7, 1, 2, 8, 3, 2],
        "all(tape[i + 1] == 1 for i in range(2, 14, 3) while tape[i] != 0)",
    ),
    "beside a cell": (
        lambda r: r.choices(range(1, 11), k=r.randint(1, 5)),
        [3, 23],
        "all(tape[i] <= tape[0] for i in range(2, 7) while tape[i] != 0)",
    ),
    "beside the one before": (
        lambda r: [3 * k + r.randrange(1, 4) for k in range(r.randint(1, 5))],
        [1, 4, 4],
        "all(tape[i - 1] < tape[i] for i in range(3, 7) while tape[i] != 0)",
    ),
    "by its number": (
        lambda r: [x for k in range(1, r.randint(2, 5)) for x in (k, r.randrange(1, M))],
        [1, 5, 3, 5],
        "all(2 * tape[i] == i for i in range(2, 10, 2) while tape[i] != 0)",
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_what_the_elements_of_a_list_have_in_common(name: str) -> None:
    draw, failing, said = DRAWN[name]
    samples = samples_of(draw)
    lists = lists_of(compiled(WALKS), samples[:12])
    assert lists == [Listed(2, 1, 0)]
    tape = np.array([*(12, 0, *failing, 0), *[0] * M])[:M]
    base = samples[(samples != tape).sum(axis=1).argmin()]
    found = separating(samples, tape, base, range(M), [], M, Clock(20), lists)
    for fact in found:
        assert fact.truths(samples).all() and not fact.holds(tuple(tape.tolist()))
        assert parse_fact(fact.text, M) == fact
    assert said in [fact.text for fact in found]


def test_how_long_a_list_is() -> None:
    listed = Listed(2, 1, 0)
    assert str(listed.ends(samples_of(ascending))) == " or ".join(
        f"tape[{place}] == 0" for place in range(3, 8)
    )
    end = listed.ends(samples_of(DRAWN["records"][0]))
    assert str(end) == "tape[5] == 0 or tape[8] == 0 or tape[11] == 0 or tape[14] == 0"
    fact = parse_fact("sorted(tape[i] for i in range(2, 24) while tape[i] != 0)")
    short = "sorted(tape[i] for i in range(2, 7) while tape[i] != 0)"
    assert listed.shortened(fact, samples_of(ascending)).text == short
    other = parse_fact("sorted(tape[i] for i in range(2, 24) while tape[i] != 9)")
    assert listed.shortened(other, samples_of(ascending)) == other


def test_values_that_were_never_seen_are_doubted() -> None:
    support = SupportStatistics(
        samples_of(lambda r: r.choices((3, 4, 5, 7), k=r.randint(1, 5)), 100), M
    )
    seldom = SupportStatistics(
        samples_of(lambda r: r.sample(range(1, M, 2), r.randint(1, 5)), 12), M
    )
    fact = parse_fact("all(tape[i] != 6 for i in range(2, 7) while tape[i] != 0)")
    assert 100 * support.chance_of_failing(fact) < seldom.chance_of_failing(fact)


def test_a_pointer_to_a_pointer() -> None:
    program = compiled("var a; a = READ(0); a = READ(a); a = READ(a); WRITE(1, a); STOP()")
    random = Random(2)
    samples = np.array([[random.randrange(2, M) for _ in range(M)] for _ in range(50)])
    assert pointers_of(program, samples) == [cell(0), at(cell(0))]
    samples[:, 0] = 5  # always the same cell: nothing points anywhere
    assert cell(0) not in pointers_of(program, samples)


def test_a_proof_with_facts_along_a_list_and_as_few_elements_as_it_needs() -> None:
    generic = compiled(WALKS)
    adapted = compiled(
        "var a; a = READ(3); JEZ(a, l_one); WRITE(1, a); STOP(); l_one: a = READ(2)"
        "; WRITE(1, a); STOP()"
    )
    samples = samples_of(ascending)
    mask = [place == 1 for place in range(M)]
    claim = Claim(generic, adapted, M, mask, max_steps=300)
    found = prove_with_least(claim, mine(samples, M), samples, 20.0)
    assert found.verdict.proved, found
    (along,) = [fact.text for fact in found.facts if "for i in" in fact.text]
    assert along == "sorted(tape[i] for i in range(2, 4) while tape[i] != 0)"
    random = np.random.default_rng(1)
    tapes = random.integers(0, M, (20_000, M))
    tapes[:, 2:9] = np.where(random.random((20_000, 7)) < 0.4, 0, tapes[:, 2:9])
    allowed = tapes[holding(found.facts, tapes)]
    assert len(allowed) > 100 and not failures(claim, allowed).any()


def test_of_a_list_of_many_lengths_all_elements_are_spoken_of() -> None:
    """No sample has a list as long as the memory, but nothing says that there is none."""
    samples = samples_of(
        lambda random: [random.randrange(5, 9) for _ in range(random.randrange(20))]
    )
    tape = samples[samples[:, 2:].argmin(axis=1).argmax()].copy()
    tape[3] = 4
    facts = separating(samples, tape, samples[0], range(M), [], M, Clock(10.0), [Listed(2, 1, 0)])
    assert parse_fact("all(5 <= tape[i] for i in range(2, 24) while tape[i] != 0)") in facts


def test_the_element_that_no_sample_has_is_looked_at() -> None:
    """A failing tape differs from its neighbour in many elements; only one of them is wrong."""
    samples = samples_of(
        lambda random: [random.randrange(5, 9) for _ in range(random.randrange(1, 20))]
    )
    tape = np.array([11, 0, *([7] * 20), 0, 0])
    tape[12] = 4
    base = samples[samples[:, 2:].argmin(axis=1).argmin()]
    facts = separating(samples, tape, base, range(M), [], M, Clock(10.0), [Listed(2, 1, 0)])
    assert parse_fact("all(5 <= tape[i] for i in range(2, 24) while tape[i] != 0)") in facts


def test_longer_lists_than_any_sample_has_are_suspects() -> None:
    samples = samples_of(lambda random: [7] * random.randrange(3, 6))
    found = longer(samples[:10], [Listed(2, 1, 0)], [0, 3], np.random.default_rng(0))
    lengths = Listed(2, 1, 0).alive(found).sum(axis=1)
    assert lengths.max() == M - 2
    assert (found[:, 2:] == 7).all(axis=1).any()
    assert np.isin(found[:, 0], [0, 3]).any()

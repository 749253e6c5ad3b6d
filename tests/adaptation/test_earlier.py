"""A new adaptation begins with what an earlier one found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from adaptation.copying import (
    FACTS,
    FAST,
    GENERIC,
    LATE,
    MIDDLE,
    PROVED,
    WRONG,
    M,
    compiled,
    concluded,
    problem,
)

from anc.adaptation.evidence import Samples
from anc.adaptation.warm_start import Earlier
from anc.search import Search
from anc.support.diagnostics import AncError
from anc.support.folders import METHOD


def earlier(*candidates) -> Earlier:
    return Earlier.read(concluded(list(candidates)).to_dict())


def test_all_that_is_not_wrong_is_remembered() -> None:
    found = earlier((WRONG, LATE), (FAST, LATE), (MIDDLE, PROVED))
    assert set(found.programs) == {compiled(FAST), compiled(MIDDLE)}
    assert found.proof is not None and found.proof.program == compiled(MIDDLE)


def test_a_search_begins_with_each_of_the_programs() -> None:
    given = problem()
    search = Search(given.program, given.pool[:20], M)
    earlier((FAST, LATE), (MIDDLE, PROVED)).offer_to(search)
    assert [found.program for found in search.found[1:]] == [compiled(MIDDLE), compiled(FAST)]
    assert {found.method for found in search.found[1:]} == {METHOD}


def test_what_was_proved_is_proved_again_and_not_believed() -> None:
    given = problem()
    samples = Samples.of(given.looked_at)
    found = earlier((MIDDLE, PROVED))
    assert found.proof is not None
    [(program, evidence)] = found.proved_again(given, samples, ()).items()
    assert program == compiled(MIDDLE) and evidence.verdict.proved
    assert evidence.facts == FACTS and evidence.rejected == (7, 0, 0, 0, 0, 0, 0, 0)
    lie = replace(found, proof=replace(found.proof, program=compiled(WRONG)))
    assert lie.proved_again(given, samples, ()) == {}
    strange = replace(found, proof=replace(found.proof, facts=("tape[0] == 2",)))
    assert strange.proved_again(given, samples, ()) == {}  # which the samples contradict


def test_a_result_about_another_program_is_refused() -> None:
    given = problem()
    found = earlier((FAST, PROVED))
    found.check(given)
    with pytest.raises(AncError, match="about another program than 'copying'"):
        found.check(replace(given, text=GENERIC.replace("DEC", "INC")))
    with pytest.raises(AncError, match=r"8 cells, here 9"):
        found.check(replace(given, M=9))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dropped": 3}, "dropped is 3, expected a list"),
        ({"memory": "many"}, 'memory is "many", expected a whole number'),
        ({"program": "]"}, "expected a statement"),
        ({"candidates": [1]}, "candidates is .1., expected a whole number"),
        ({"provenance": "seed"}, 'provenance is "seed", expected an object'),
    ],
)
def test_damaged_results_are_refused(changes, words) -> None:
    data = concluded([(FAST, PROVED)]).to_dict() | changes
    with pytest.raises(AncError, match=words):
        Earlier.read(data)


def test_what_is_no_result_is_refused(tmp_path) -> None:
    with pytest.raises(AncError, match="holds no result to start from"):
        Earlier.read(tmp_path)
    (tmp_path / "result.json").write_text('{"comparison": {}}')
    with pytest.raises(AncError, match="is not a result of anc adapt that says what is right"):
        Earlier.read(tmp_path)

"""What the test cases show of an answer, where several candidates were tried on them."""

from __future__ import annotations

from random import Random

import pytest
from adaptation.copying import FAST, GENERIC, LATE, MIDDLE, PROVED, WRONG, concluded

from anc.adaptation import saved as shown
from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.extra_cases import Drawn
from anc.adaptation.gradient import Gradient
from anc.adaptation.multi_seed import best_of
from anc.adaptation.result import Adapted
from anc.adaptation.select_answers import Asked, conclude
from anc.adaptation.warm_start import Earlier
from anc.compiler import compile_source
from anc.data.tasks import Case
from anc.language import Source
from anc.machine import exact
from anc.program import Program
from anc.proof import parse_fact
from anc.proof.verdict import proved
from anc.search import Found
from anc.support.clock import Clock
from anc.training.problem import Problem, from_cases

M = 32
ERRORS = 1 / M  # of each candidate
CANDIDATES = 20
TIMES = 120
ONLY_CELL_1 = tuple(cell == 1 for cell in range(M))


def compiled(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def spoils(number: int) -> Program:
    """Copies cell 0 to cell 1 and then writes where cell 2 says: into cell 1 once in M inputs."""
    return compiled(
        f"var x; var p; x = READ(0); WRITE(1, x); p = READ(2); p = ADD(p, {number}); WRITE(p, {M - 1});"
        " STOP()"
    )


SPOILING = [spoils(number) for number in range(CANDIDATES)]
LONG = compiled(GENERIC.replace("WRITE", "x = INC(x); x = DEC(x); WRITE"))


def with_facts(number: int) -> Evidence:
    """A proof that a candidate is right wherever it does not write into cell 1."""
    return Evidence(proved("paths", 3), (parse_fact(f"tape[2] != {(1 - number) % M}"),))


def some_problem(random: Random, n: int) -> Problem:
    """Random inputs, of which a fifth is kept for the test."""
    cases = []
    for _ in range(n):
        tape = (random.randrange(M - 1), *(random.randrange(M) for _ in range(M - 1)))
        cases.append(Case(tape, exact.run(LONG, tape, 99).tape, ONLY_CELL_1))
    return from_cases("copying", LONG, GENERIC, cases)


def concluded_of(given: Problem, evidence: list[Evidence]) -> Adapted:
    clock = Clock(10)
    pairs = [
        (Found(program, 6.0, 6.0, "plans", 0.5), known)
        for program, known in zip(SPOILING, evidence, strict=True)
    ]
    drawn = Drawn(given, Samples.of(given.looked_at), (), clock)
    gradient = Gradient(given, clock, 1.0, 0, lambda doing, steps: None)
    return conclude(given, pairs, {}, gradient, (), clock, drawn, Asked())


def claims(result: Adapted) -> list[bool]:
    """For each number that is told of an answer, whether it is true."""
    found = []
    if result.unproved is not None:
        assert result.unproved.wrong_at_most is not None
        found.append(result.unproved.wrong_at_most >= ERRORS)
    if result.proved.facts:
        found.append(result.proved.held_at_least <= 1 - ERRORS)
    return found


@pytest.mark.parametrize("kinds", ["unproved", "proved", "both"])
def test_what_is_told_holds_though_candidates_are_tried_until_one_passes(kinds: str) -> None:
    true, shown = 0, 0
    for number in range(TIMES):
        given = some_problem(Random(f"{kinds}/{number}"), 500)
        result = concluded_of(
            given,
            [
                LATE if kinds == "unproved" or (kinds == "both" and i % 2) else with_facts(i)
                for i in range(CANDIDATES)
            ],
        )
        told = claims(result)
        shown += bool(told)
        true += all(told)
    assert shown > 0.4 * TIMES  # one of so many passes by luck
    assert true >= 0.95 * TIMES


def test_what_several_seeds_tried_counts_together() -> None:
    results = {
        0: concluded([(WRONG, LATE), (FAST, LATE)]),
        1: concluded([(MIDDLE, PROVED)]),
        2: concluded([(WRONG, LATE)]),
    }
    best = best_of(results)
    assert [result.candidates for result in results.values()] == [2, 1, 1]
    assert best.unproved is not None
    assert [best.candidates, best.proved.candidates, best.unproved.candidates] == [4, 4, 4]


def test_what_has_no_proof_is_not_tried_beside_another_one() -> None:
    result = concluded([(FAST, LATE), (WRONG, LATE), (MIDDLE, PROVED)])
    assert [each.why.value for each in result.dropped] == ["not proved"]
    assert result.proved.candidates == result.candidates == 2


def test_an_earlier_result_tried_candidates_on_the_same_cases() -> None:
    data = concluded([(WRONG, LATE), (FAST, LATE), (MIDDLE, PROVED)]).to_dict()
    earlier = Earlier.read(data | {"provenance": {"seed": 4}})
    assert concluded([(FAST, PROVED)], start=earlier).proved.candidates == 4
    assert earlier.seen_by(4) == "" and "--seed 4 avoids that" in earlier.seen_by(5)


def test_pages_say_the_same_as_reports() -> None:
    result = concluded([(WRONG, LATE), (FAST, LATE), (MIDDLE, PROVED)])
    proved, unproved = result.saved.answers
    assert result.unproved is not None
    assert f"which {proved.support}" == result.proved.support
    assert unproved.tested == result.unproved.tested
    assert (
        "0 wrong of 80 held-out cases, on which 2 candidates were tried: at most 5.9 %"
        in unproved.tested
    )
    assert "of 80 held-out cases, on which 3 candidates were tried: at least 93.3 %" in str(
        proved.support
    )


def test_what_is_shown_is_rounded_to_the_safe_side() -> None:
    assert "at most 3.8 % of" in shown.tested(100, 0.0371)
    assert "at most 0.38 % of" in shown.tested(999, 0.003701)
    assert "0 wrong of 5" in shown.tested(5, 0.0)  # a damaged result may say so
    assert "at least 95.9 % of" in shown.held(80, 80, 0.95999)


def test_what_became_of_each_case_to_report_on_is_said() -> None:
    result = concluded([(FAST, PROVED)], repeats=2)
    told = result.to_dict()["cases_to_report_on"]
    assert told["all"] == 80 == told["looked_at"] + told["repeats"] + told["fresh"]
    assert told["looked_at"] > told["repeats"] > 0 and told["fresh"] == result.cases_tested > 0
    [note] = [note for note in result.notes if "kept for the report" in note]
    assert note == (
        f"{told['fresh']} of the 80 cases kept for the report are held out: {told['looked_at']} had been"
        f" looked at before and {told['repeats']} repeat another one"
    )

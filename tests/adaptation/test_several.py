"""Several seeds, of which the best is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from adaptation.copying import FAST, LATE, MIDDLE, PROVED, WRONG, compiled, concluded, problem

import anc
from anc.adaptation import multi_seed
from anc.adaptation.multi_seed import adapt_with_seeds, best_of
from anc.adaptation.select_answers import Asked
from anc.adaptation.texts import report
from anc.support.job import Job

NOTHING, SLOW, QUICK = [(WRONG, LATE)], [(MIDDLE, PROVED)], [(FAST, LATE), (MIDDLE, PROVED)]


@pytest.mark.parametrize("order", [(4, 5, 6, 7), (7, 6, 5, 4)])
def test_the_best_is_the_same_whoever_was_first(order) -> None:
    found = {4: NOTHING, 5: SLOW, 6: QUICK, 7: SLOW}
    results = {seed: concluded(found[seed]) for seed in order}
    best = best_of(results)
    assert best.program == compiled(MIDDLE) and best.guarded.program is not None
    assert best.unproved is not None and best.unproved.program == compiled(FAST)
    assert [each.seed for each in best.seeds if each.is_best] == [5]
    assert [(each.seed, each.why.value) for each in best.dropped] == [(4, "wrong on other cases")]


def test_an_unproved_answer_is_none_where_a_proved_one_is_as_good() -> None:
    best = best_of({0: concluded(QUICK), 1: concluded([(FAST, PROVED)])})
    assert best.program == compiled(FAST) and best.unproved is None


def test_where_samples_are_trusted_nothing_is_guarded() -> None:
    results = {0: concluded(SLOW, "samples"), 1: concluded(QUICK, "samples")}
    best = best_of(results)
    assert best.program == compiled(FAST) and best.guarded.program is None
    assert [each.is_best for each in best.seeds] == [False, True]


def test_each_seed_has_a_line() -> None:
    text = report(best_of({0: concluded(SLOW), 1: concluded(QUICK)}))
    rows = [line.split()[:-1] for line in text.splitlines()]  # without the seconds
    assert ["*", "0", "5.00", "-"] in rows
    assert ["1", "5.00", "3.00"] in rows


def test_functions_and_generators_are_made_fit_for_another_process() -> None:
    import pickle

    @anc.function(memory=16)
    def twice(x: int) -> int:
        return x + x

    def endless():
        while True:
            yield given.test[0]

    given = problem()
    made = multi_seed._sendable(replace(given, function=twice, more=endless), budget=10.0)
    sent = pickle.loads(pickle.dumps(made))
    assert sent.function.program == twice.program
    assert list(sent.more()) == [given.test[0]]


def test_seeds_work_in_processes_and_end_when_asked() -> None:
    heard: list[str] = []

    def stop() -> bool:
        return any("2 at work" in words for words in heard)

    job = Job(60.0, tell=lambda doing, steps: heard.append(doing), asked_to_stop=stop)
    result = adapt_with_seeds(problem(), job, Asked("specialise", seed=3), 3, 2)
    assert [each.seed for each in result.seeds] == [3, 4]
    assert result.stop == "interrupted"
    assert result.made["seeds"] == 3 and result.made["jobs"] == 2

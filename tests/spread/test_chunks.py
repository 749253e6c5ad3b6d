"""Trainings in chunks: however they are cut, stopped and resumed, each member's numbers are the same."""

import dataclasses
import pickle

import numpy as np
import pytest

from anc.learning.members import Members
from anc.learning.problem import from_task
from anc.learning.settings import TrainingSettings, changed
from anc.spread.chunk import BLOCK, Chunk, chunks_of, portable
from anc.spread.going import outcomes
from anc.spread.local import Local
from anc.spread.moment import Moment
from anc.spread.outcome import COLUMNS, Outcome
from anc.spread.store import Store
from anc.tasks import get

PROBLEM = portable(from_task(get("access"), pool=64, test=40))
SETTINGS = changed(
    TrainingSettings(),
    {
        "iterations": 40,
        "validate_every": 10,
        "max_steps": 12,
        "noise": 0.1,
        "restart_after": 20,
        "registers": 8,
    },
)
BOTH = [dataclasses.replace(SETTINGS, rate=rate) for rate in (0.03, 0.3)]
MEMBERS = Members(tuple(BOTH[i // 23] for i in range(46)), tuple(range(23)) * 2)


@pytest.fixture(scope="module")
def whole() -> Outcome:
    return Chunk(PROBLEM, MEMBERS).run()


def assert_same(one: Outcome, other: Outcome) -> None:
    for name in COLUMNS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert (one.generic_steps, one.stop) == (other.generic_steps, other.stop)


def joined(found: dict[str, Outcome], parts: tuple[Chunk, ...]) -> dict[str, np.ndarray]:
    return {n: np.concatenate([getattr(found[p.key], n) for p in parts]) for n in COLUMNS}


def test_parts_are_one_setting_and_a_block_of_seeds():
    sizes = [part.S for part in chunks_of(PROBLEM, MEMBERS)]
    assert sizes == [BLOCK, 23 - BLOCK] * 2


def test_any_cutting_gives_the_same_numbers(whole):
    parts = chunks_of(PROBLEM, MEMBERS)
    for part, expected in zip(parts, whole.cut([part.S for part in parts]), strict=True):
        assert_same(part.run(), expected)


def test_a_chunk_goes_on_where_it_stopped(whole):
    chunk = Chunk(PROBLEM, MEMBERS, until=20)
    first = pickle.loads(pickle.dumps(chunk)).run()
    assert first.moment is not None and first.iteration == 20
    halves = [first.moment.part(slice(0, 10)), first.moment.part(slice(10, None))]
    later = dataclasses.replace(chunk, until=None, begin=Moment.joined(halves))
    assert later.first == 20 and later.key == Chunk(PROBLEM, MEMBERS).key != chunk.key
    assert_same(later.run(), whole)


def test_what_is_kept_is_not_trained_again(whole, tmp_path):
    parts = chunks_of(PROBLEM, MEMBERS)
    store = Store(tmp_path)
    found = {part.key: outcome for part, outcome in outcomes(parts, Local(1), store)}
    told = []
    again = {
        part.key: outcome
        for part, outcome in outcomes(parts, Local(1), Store(tmp_path), tell=told.append)
    }
    assert told == [] and store.missing(parts) == []
    for part in parts:
        assert_same(found[part.key], again[part.key])
    for name, column in joined(again, parts).items():
        assert np.array_equal(column, getattr(whole, name))

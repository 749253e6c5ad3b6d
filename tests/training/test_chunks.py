"""Trainings in chunks: however they are cut, stopped and resumed, each member's numbers are the same."""

import dataclasses
import json
import pickle

import numpy as np
import pytest

from anc import isa
from anc.data.tasks import get
from anc.support.diagnostics import AncError
from anc.training.checkpoint import Checkpoint
from anc.training.distributed.chunk import BLOCK, Chunk, chunks_of, packed, portable
from anc.training.distributed.executor import Local, _all_of, _in_processes
from anc.training.distributed.scheduler import OutcomeStore, outcomes, trained
from anc.training.members import Members
from anc.training.problem import from_task
from anc.training.result import COLUMNS, StopReason, TrainingOutcome
from anc.training.settings import TrainingSettings, changed

PROBLEM = portable(from_task(get("access"), pool=64, test=40))
SETTINGS = changed(
    TrainingSettings(),
    {
        "iterations": 40,
        "validate_every": 10,
        "max_steps": 12,
        "noise": 0.1,
        "restart_after": 20,
    },
)
BOTH = [dataclasses.replace(SETTINGS, rate=rate) for rate in (0.03, 0.3)]
MEMBERS = Members(tuple(BOTH[i // 23] for i in range(46)), tuple(range(23)) * 2)


def missing(store, parts):
    return [part for part in parts if store.get(part) is None]


@pytest.fixture(scope="module")
def whole() -> TrainingOutcome:
    return Chunk(PROBLEM, MEMBERS).run()


def assert_same(one: TrainingOutcome, other: TrainingOutcome) -> None:
    for name in COLUMNS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert (one.generic_steps, one.stop) == (other.generic_steps, other.stop)


def joined(found: dict[str, TrainingOutcome], parts: tuple[Chunk, ...]) -> dict[str, np.ndarray]:
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
    assert first.checkpoint is not None and first.iteration == 20
    halves = [first.checkpoint.part(slice(0, 10)), first.checkpoint.part(slice(10, None))]
    later = dataclasses.replace(chunk, until=None, begin=Checkpoint.joined(halves))
    assert later.first == 20 and later.key == Chunk(PROBLEM, MEMBERS).key != chunk.key
    assert_same(later.run(), whole)


def test_who_is_interrupted_goes_on_where_it_stood(whole, tmp_path):
    parts, store, told = chunks_of(PROBLEM, MEMBERS), OutcomeStore(tmp_path), []
    stopped = dict(trained(parts, Local(1), store, lambda: len(told) > 1, told.append))
    assert [(one.is_done, one.iteration) for one in stopped.values()] == [(False, 20)] * len(parts)
    assert missing(store, parts) == list(parts)
    told.clear()
    found = {part.key: one for part, one in trained(parts, Local(1), store, tell=told.append)}
    assert [standing.iteration for standing in told] == [30, 40, 40]
    for name, column in joined(found, parts).items():
        assert np.array_equal(column, getattr(whole, name)), name
    assert {path.name for path in tmp_path.iterdir()} == {f"{part.key}.json" for part in parts}


def test_what_is_kept_is_not_trained_again(whole, tmp_path):
    parts = chunks_of(PROBLEM, MEMBERS)
    store = OutcomeStore(tmp_path)
    found = {part.key: outcome for part, outcome in outcomes(parts, Local(1), store)}
    told = []
    again = {
        part.key: outcome
        for part, outcome in outcomes(parts, Local(1), OutcomeStore(tmp_path), tell=told.append)
    }
    assert told == [] and missing(store, parts) == []
    for part in parts:
        assert_same(found[part.key], again[part.key])
    for name, column in joined(again, parts).items():
        assert np.array_equal(column, getattr(whole, name))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[:-9], "is not JSON"),
        (lambda text: text.replace('"attempts": [', '"attempts": [1'), "is damaged"),
        (lambda text: text.replace('"key": "', '"key": "0'), "is of another part"),
        (lambda text: "[]", "is not a part that anc saved"),
    ],
)
def test_a_damaged_file_is_said_and_its_part_missing(tmp_path, damage, words):
    said: list[str] = []
    store, part = OutcomeStore(tmp_path, said.append), chunks_of(PROBLEM, MEMBERS)[0]
    store.put(part, next(fake(MEMBERS.seeds).cut([part.S])))
    assert missing(store, [part]) == []
    (path,) = tmp_path.iterdir()
    path.write_text(damage(path.read_text()))
    assert missing(store, [part]) == [part]
    assert words in said[0]
    assert said[0].endswith("this part is trained again")


def fake(seeds) -> TrainingOutcome:
    ones, numbers = np.ones(len(seeds)), np.arange(len(seeds))
    return TrainingOutcome(ones, ones / 3, ones, *[numbers] * 3, 5.5, 40, 40, 1.5, StopReason.DONE)


def test_outcomes_are_exact_in_json():
    one = fake(range(7))
    assert_same(TrainingOutcome.from_dict(json.loads(json.dumps(one.to_dict())), 7, "here"), one)
    with pytest.raises(AncError, match=r"here is not what anc wrote: right"):
        TrainingOutcome.from_dict(one.to_dict(), 8, "here")


def test_a_key_names_what_the_numbers_depend_on():
    chunk = Chunk(PROBLEM, MEMBERS)
    names = dataclasses.replace(
        PROBLEM, name="other", note="x", program=dataclasses.replace(PROBLEM.program, names=())
    )
    assert Chunk(names, MEMBERS).key == chunk.key == pickle.loads(pickle.dumps(chunk)).key
    fewer = Members(MEMBERS.settings[:-1], MEMBERS.seeds[:-1])
    others = [
        dataclasses.replace(chunk, engine="jax"),
        dataclasses.replace(chunk, until=20),
        dataclasses.replace(chunk, members=fewer),
        Chunk(dataclasses.replace(PROBLEM, test=PROBLEM.test[1:]), MEMBERS),
        Chunk(dataclasses.replace(PROBLEM, pool=PROBLEM.pool[::-1]), MEMBERS),
        Chunk(PROBLEM.with_frozen([0]), MEMBERS),
    ]
    assert len({chunk.key, *(other.key for other in others)}) == 1 + len(others)


@pytest.mark.parametrize("M", [10, 300])
def test_a_key_knows_what_an_instruction_of_a_user_does_with_large_numbers(M):
    """It is known by all that it outputs; of the instructions of anc itself a few numbers will do."""

    def key(*others: isa.Instruction) -> str:
        instructions = isa.InstructionSet((*isa.PAPER, *others))
        program = dataclasses.replace(PROBLEM.program, instructions=instructions)
        return Chunk(dataclasses.replace(PROBLEM, program=program, M=M), MEMBERS).key

    def product(a: int, b: int, M: int) -> int:
        return a * b % M

    def other_at_the_end(a: int, b: int, M: int) -> int:
        return 0 if a == b == M - 1 else product(a, b, M)

    keys = [key(isa.Instruction("MUL", 2, each)) for each in (product, other_at_the_end)]
    assert len({key(), *keys}) == 3
    assert key(isa.Instruction("MUL", 2, lambda a, b, M: b * a % M)) == keys[0]


def test_nobody_goes_on_where_others_stand():
    checkpoint = Checkpoint(10, Chunk(PROBLEM, MEMBERS, "jax").member_keys, {})
    with pytest.raises(ValueError, match="where other members stand"):
        Chunk(PROBLEM, MEMBERS, begin=checkpoint)
    with pytest.raises(ValueError, match="iteration 15 is not one of a validation"):
        Chunk(PROBLEM, MEMBERS, until=15)


def test_parts_of_one_shape_are_packed_for_all_workers():
    members = Members.alike(SETTINGS, 200)
    parts = chunks_of(PROBLEM, members) + chunks_of(PROBLEM, MEMBERS)
    for workers, cores in ((1, 2), (3, 1), (100, 1)):
        chunks = packed(parts, workers, cores)
        assert len(chunks) >= min(workers, 7)
        assert {part.key for chunk in chunks for part in chunk.parts()} == {p.key for p in parts}
    slow = dataclasses.replace(SETTINGS, iterations=1_000_000)
    assert [chunk.S for chunk in packed(chunks_of(PROBLEM, Members.alike(slow, 100)))] == [
        40,
        40,
        20,
    ]


def test_a_process_that_dies_is_replaced_and_one_that_is_told_stops(whole):
    parts = chunks_of(PROBLEM, MEMBERS)
    endless = Members.alike(dataclasses.replace(SETTINGS, iterations=10**9), 1)
    last, told = Chunk(PROBLEM, endless), []
    chunks, pool = [Chunk.joined(parts), last], _in_processes(count=1, each=1)
    killed = pool.workers[0].popen
    killed.kill()
    (_, first), (_, second) = _all_of(
        pool, chunks, lambda: last.key in told, lambda at: told.append(at.key)
    )
    assert_same(first, whole)
    assert pool.begun == 3 and pool.workers[0].popen is not killed
    assert not second.is_done and second.checkpoint is not None
    assert pool.workers[0].popen.poll() is not None

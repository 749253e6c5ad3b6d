"""Chunks that a GPU trains side by side, and the memory that they share."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from host_device import HostDevice

from anc.data import tasks
from anc.support.diagnostics import AncError
from anc.training.distributed.chunk import Chunk
from anc.training.distributed.executor import ChunkProgress, Local, _all_of, _side_by_side
from anc.training.gpu.engine import room_for_teams
from anc.training.members import Members
from anc.training.problem import from_task
from anc.training.settings import TrainingSettings, changed

ITERATIONS = {"iterations": 4, "validate_every": 2, "max_steps": 8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def device(folder, monkeypatch):
    return HostDevice(folder).in_place(monkeypatch)


def chunks(**more: int) -> list[Chunk]:
    whole = from_task(tasks.get("access"), pool=16, test=4)
    problem = replace(whole, validation=whole.validation[:4], confirmation=whole.confirmation[:4])
    settings = [changed(TrainingSettings(batch=batch), ITERATIONS | more) for batch in (1, 2, 3)]
    return [Chunk(problem, Members.alike(each, 2), "gpu") for each in settings]


def test_chunks_side_by_side_come_out_as_alone(device):
    wanted = chunks()
    told: list[ChunkProgress] = []
    found = {chunk.key: outcome for chunk, outcome in Local().run(wanted, tell=told.append)}
    assert {standing.iteration for standing in told} == {2, 4}
    for chunk in wanted:
        alone = chunk.run()
        assert found[chunk.key].is_done
        assert np.array_equal(found[chunk.key].steps, alone.steps)
        assert np.array_equal(found[chunk.key].right, alone.right)


def test_who_asks_to_stop_gets_where_they_stand(device):
    told: list[ChunkProgress] = []
    long = chunks(iterations=200)  # none is done before the first word of it is heard
    found = [outcome for _, outcome in Local().run(long, lambda: bool(told), told.append)]
    assert found and not all(outcome.is_done for outcome in found)


def test_what_is_wrong_is_said_where_it_can_be_seen(device, monkeypatch):
    monkeypatch.setattr(device, "free", 10)
    with pytest.raises(AncError, match="training one member needs"):
        list(_all_of(_side_by_side(chunks()), chunks(), lambda: False, lambda standing: None))


def test_who_finds_no_room_waits_for_those_who_have_it(folder):
    """The first takes nearly all; the second comes when it is given back, and would never come otherwise."""
    device = HostDevice(folder, free=1000)
    begun, order = Event(), []

    def second() -> None:
        begun.set()
        with room_for_teams(device, 9, (300,)) as (teams, _):
            order.append(("second", teams))

    with ThreadPoolExecutor(1) as threads:
        with room_for_teams(device, 2, (200, 100)) as (teams, places):
            assert teams == 2 and len(set(places)) == 2
            device.free = 100
            waiting = threads.submit(second)
            assert begun.wait(10)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.2)
            order.append(("first", teams))
            device.free = 1000
        waiting.result(timeout=10)
    assert order == [("first", 2), ("second", 2)]
    device.free = 100
    with (
        pytest.raises(AncError, match="training one member needs"),
        room_for_teams(device, 1, (300,)),
    ):
        pass

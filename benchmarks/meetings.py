"""Take the meetings out of the kernels for GPUs, one at a time: does a comparison with the fused engine notice?

    python benchmarks/meetings.py        # without a GPU, on threads that take turns; about two minutes of one core

A meeting is where threads wait for each other. One that nobody misses is followed by another one in time, or is only
there for other tables of instructions, or guards sums that threads taking turns cannot spoil.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from host_device import HostDevice

from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from anc.training import fused, gpu
from anc.training.gpu import sizes
from anc.training.interface import Schedule, TrainingObjective, TrainingState, Work

M, R, S, C = 10, 3, 3, 6
OBJECTIVE = TrainingObjective(5, 10.0, np.array([5.0, 1.0, 2.0]), 2.0, 0.1, rate=0.05, clip=0.5)
SHAPES = (
    {"groups": 2, "count": 2, "order": 5},
    {"groups": 2, "count": 2, "order": 9},
    {"warp": 4, "groups": 2, "inside": False, "columns": False},
    {"warp": 4, "groups": 2, "columns": False, "order": 5},
)
SECONDS = 60  # for one meeting: without it threads may wait for ever


class Meeting(NamedTuple):
    file: str
    text: str  # of the file without it
    place: str


def meetings() -> Iterator[Meeting]:
    """All of them, each with the source that lacks it."""
    for file in sizes.FILES:
        text = sizes._text(file)
        for found in re.finditer(r"\bmeet(_all)?\([^;]*\);", text):
            before, after = text[: found.start()], text[found.end() :]
            functions = re.findall(r"^(?:DEVICE|APART|KERNEL) [^(]*?(\w+)\(", before, re.MULTILINE)
            line = before.count("\n") + 1
            yield Meeting(file, f"{before};{after}", f"{file}:{line} in {functions[-1]}")


def computed(engine, **more) -> list[np.ndarray]:
    """A gradient, a training and an evaluation."""
    rng = np.random.default_rng(0)
    flat = [rng.normal(size=(S, parameter_count(M, R))) * scale for scale in (1.5, 1.5, 4.0)]
    weights, reference, sharp = (Weights.of_flat(each, M, R) for each in flat)
    inputs, outputs = (rng.integers(0, M, (C, M)).astype(np.uint16) for _ in range(2))
    masks = (rng.random((C, M)) < 0.6).astype(np.uint16) * ALL_BITS
    cases = Cases(inputs, outputs, masks, np.ones(C))
    _, gradient = engine.gradient(weights, cases, OBJECTIVE, dtype="float64", **more)
    state = TrainingState.fresh(weights, "float64")
    schedule, keys = Schedule(1, 0.1, 0.02, 0.3, 0.7), np.arange(S, dtype=np.uint64)
    indices = rng.integers(0, C, (2, S, 3))
    work = Work.checked(state, cases, indices, OBJECTIVE, schedule, keys, reference)
    engine.train(state, work, OBJECTIVE, **more)
    judged = engine.evaluate(sharp, cases, 8, dtype="float64", **more)
    return [*gradient, state.weights, *judged]


def is_missed(meeting: Meeting | None, wanted: list[np.ndarray]) -> bool:
    """Whether anything differs without it, on any GPU."""
    text = sizes._text
    changed = {} if meeting is None else {meeting.file: meeting.text}
    with (
        mock.patch.object(sizes, "_text", lambda name: changed.get(name) or text(name)),
        tempfile.TemporaryDirectory() as folder,
    ):
        return any(
            not np.allclose(one, two, rtol=1e-9, atol=1e-9)
            for shape in SHAPES
            for one, two in zip(
                computed(gpu, device=HostDevice(Path(folder), **shape)), wanted, strict=True
            )
        )


def is_missed_elsewhere(meeting: Meeting, wanted: list[np.ndarray]) -> bool:
    """The same in a process of its own: threads that wait for each other end it, or never end."""
    process = os.fork()
    if process == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(1 if is_missed(meeting, wanted) else 0)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return status != 0
        time.sleep(0.05)
    os.kill(process, 9)
    os.waitpid(process, 0)
    return True


def main() -> None:
    wanted = computed(fused)
    assert not is_missed(None, wanted), "the kernels differ from the fused engine as they are"
    all_of_them = list(meetings())
    missed = 0
    for meeting in all_of_them:
        found = is_missed_elsewhere(meeting, wanted)
        missed += found
        print(f"{meeting.place}: {'missed' if found else 'not missed'}", flush=True)
    print(f"{missed} of {len(all_of_them)} meetings are missed")


if __name__ == "__main__":
    main()

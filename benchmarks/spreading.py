"""What a million trainings of listk cost on a Ray cluster: measured here, simulated for many workers.

    python benchmarks/spreading.py            # needs Ray: pip install '.[ray]'

First the parts are measured: training (processor time, on one core), what the driver does for each chunk, and
bytes. Then the simulation is checked at 1, 2 and 4 workers: with chunks that sleep instead of training, so that
four workers need no four cores, once so long that the workers decide how long it takes, and once so short that the
driver does. Everything but the training is real there: Ray's tasks, what is sent, outcomes of the right size,
files. With as many workers as there are cores, chunks are really trained, too: there the simulation is told how
long each took. Of several runs the quickest counts, of what is simulated and of what is real: the others were
disturbed.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from cluster_simulation import Costs, simulated, table

from anc.data.tasks import get
from anc.training.distributed.chunk import BLOCK, Chunk, chunks_of, packed, portable
from anc.training.distributed.ray_cluster import RayCluster
from anc.training.distributed.scheduler import OutcomeStore
from anc.training.members import Members
from anc.training.problem import Problem, from_task
from anc.training.result import TrainingOutcome
from anc.training.settings import TrainingSettings, load_settings

TRAININGS = 1_000_000
NETWORK = 125e6  # bytes/s: a gigabit
WORKERS = (1, 2, 4)
SLOTS = 4  # cores that Ray is told of, of which a chunk takes one, two or all
STARTING = 2.0  # seconds in which Ray starts a process, about
TURNS = 5
EMPTY, MANY = 100, 800  # chunks that do nothing
SHORT, LONG = 0.02, 0.5  # seconds of sleep


class Watched(RayCluster):
    """A cluster with so many workers, which may do something else than training; its driver is timed."""

    def __init__(self, workers: int, task: Callable | None = None, ahead: int = 1) -> None:
        super().__init__("ray")
        self.cores, self.ahead = SLOTS // workers, ahead
        self.handing = 0.0  # seconds of handing chunks out
        self._next_count = 0.0
        self._count()
        if task is not None:
            self._task = self.ray.remote(task)

    def _count(self) -> int:
        return super()._count() * getattr(self, "ahead", 1)

    def _begun(self, chunk: Chunk) -> Any:
        began = time.perf_counter()
        task = super()._begun(chunk)
        self.handing += time.perf_counter() - began
        return task


def sleep_of(seconds: float, outcome: TrainingOutcome) -> Callable:
    """What a worker does that sleeps instead of training, and gives this outcome."""

    def asleep(*chunk: object) -> TrainingOutcome:
        time.sleep(seconds)
        return outcome

    return asleep


def trained(problem: Problem, settings: TrainingSettings, members: int) -> tuple[float, float]:
    """Seconds of a core for a whole chunk and before its first iteration, from two short trainings."""
    each = settings.validate_every
    seconds = []
    for iterations in (2 * each, 2 * each, 10 * each):  # the first one loads the machine code
        short = replace(settings, iterations=iterations)
        began = time.process_time()
        Chunk(problem, Members.alike(short, members)).run()
        seconds.append(time.process_time() - began)
    iteration = (seconds[2] - seconds[1]) / (8 * each)
    fixed = seconds[1] - 2 * each * iteration
    return fixed + settings.iterations * iteration, seconds[0] - seconds[1]


class Timed(NamedTuple):
    """Chunks that were done."""

    seconds: float  # for all of them
    hand_out: float  # for each, in the driver
    chunks: tuple[float, ...]  # what their outcomes say


def driven(chunks: list[Chunk], cluster: Watched) -> Timed:
    """Do them all and keep what comes, as the commands do."""
    cluster.handing, durations = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        store, began = OutcomeStore(Path(folder)), time.perf_counter()
        for chunk, outcome in cluster.run(chunks):
            durations.append(outcome.seconds)
            some = chunk.parts()
            for part, found in zip(some, outcome.cut([each.S for each in some]), strict=True):
                store.put(part, found)
        whole = time.perf_counter() - began
    return Timed(whole, cluster.handing / len(chunks), tuple(durations))


def first_chunks(
    problem: Problem, settings: TrainingSettings, size: int, count: int
) -> list[Chunk]:
    """New ones each time: what names a chunk is computed once, and shall be counted."""
    return [
        Chunk(problem, Members.alike(settings, size, first_seed=size * i)) for i in range(count)
    ]


def quickest(chunks: Callable[[], list[Chunk]], cluster: Watched) -> Timed:
    """The quickest of several runs, after one that starts the processes."""
    driven(chunks()[: 2 * SLOTS], cluster)
    return min(driven(chunks(), cluster) for _ in range(TURNS))


def checked(
    costs: Costs, what: str, chunks: Callable[[], list[Chunk]], task: Callable | None = None
) -> list[dict]:
    """Simulated and real seconds of the same chunks at each number of workers."""
    rows, cores = [], os.cpu_count() or 1
    for workers in WORKERS if task is not None else [n for n in WORKERS if n <= cores]:
        real = quickest(chunks, Watched(workers, task))
        each = costs if task is not None else replace(costs, chunk=real.chunks)
        paper = simulated(each, len(real.chunks), workers).seconds
        rows.append({"what": what, "workers": workers, "paper": paper, "real": real.seconds})
        print(
            f"{len(real.chunks)} chunks that {what} {statistics.mean(each.chunk):.2f} s, {workers}"
            f" workers: {paper:.2f} s on paper, {real.seconds:.2f} s in fact,"
            f" {paper / real.seconds:.2f} of it",
            flush=True,
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--task", default="listk")
    parser.add_argument("--json", type=Path, help="where to write all numbers")
    given = parser.parse_args()
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    os.environ.setdefault("RAY_worker_niceness", "0")
    problem, settings = portable(from_task(get(given.task))), load_settings(given.task, "ours")

    began = time.process_time()
    parts = chunks_of(problem, Members.alike(settings, TRAININGS // 10))
    plan = packed(parts, workers=1000)
    size = plan[0].S
    keys = [part.key for part in parts]
    planning = (time.process_time() - began) / len(plan)
    chunks = len(plan) * 10
    print(f"{chunks:,} chunks of {size} members, {len(keys) * 10:,} parts of {BLOCK}")

    seconds, loading = trained(problem, settings, size)
    print(f"a chunk is {seconds:.1f} s on one core, its first one {loading:.1f} s more", flush=True)

    outcome = Chunk(problem, Members.alike(replace(settings, iterations=50), size)).run()
    import ray

    ray.init(num_cpus=SLOTS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")

    def new(count: int) -> list[Chunk]:
        return first_chunks(problem, settings, size, count)

    # without sleep the driver decides; with one worker, what lies between two chunks does
    empty = sleep_of(0.0, outcome)
    free = quickest(lambda: new(EMPTY), Watched(SLOTS, empty))
    crowded = quickest(lambda: new(MANY), Watched(SLOTS, empty, ahead=MANY // SLOTS))
    alone = quickest(lambda: new(EMPTY), Watched(1, sleep_of(SHORT, outcome)))
    each = free.seconds / EMPTY
    first = new(1)[0]
    costs = Costs(
        chunk=(seconds,),
        hand_out=free.hand_out,
        take_in=each - free.hand_out,
        plan=planning,
        start=loading + STARTING,
        between=max(0.0, alone.seconds / EMPTY - SHORT),
        problem_bytes=len(pickle.dumps(problem)),
        chunk_bytes=len(pickle.dumps((first.members, first.engine, first.until, first.begin))),
        outcome_bytes=len(pickle.dumps(outcome)),
    )
    print(
        f"the driver takes {1e3 * each:.1f} ms for a chunk, {1e3 * free.hand_out:.1f} of them to hand"
        f" it out; {1e3 * crowded.seconds / MANY:.1f} ms with {MANY} handed out at a time;"
        f" a worker waits {1e3 * costs.between:.1f} ms between two"
    )
    print(
        f"{costs.problem_bytes:,} bytes for a problem, {costs.chunk_bytes:,} for a chunk,"
        f" {costs.outcome_bytes:,} for its outcome",
        flush=True,
    )
    bare, rows = replace(costs, start=0.0, plan=0.0), []
    for pause, count in ((LONG, 16), (SHORT, 100)):
        paused = replace(bare, chunk=(pause,))
        task = sleep_of(pause, outcome)
        rows += checked(paused, "sleep", functools.partial(new, count), task)
    brief = replace(settings, iterations=400)
    rows += checked(bare, "train", lambda: first_chunks(problem, brief, size, 8))
    ray.shutdown()

    runs = [simulated(costs, chunks, 4**power, speed=NETWORK) for power in range(8)]
    passing = chunks * (costs.chunk_bytes + costs.outcome_bytes)
    print(
        f"\n{TRAININGS:,} trainings of {given.task}: the driver is too slow from"
        f" {costs.most_workers:,.0f} workers on; {passing / 1e6:,.0f} MB pass it, and"
        f" {costs.problem_bytes / 1e6:.1f} MB more for each machine\n"
    )
    print(table(runs))
    if given.json is not None:
        written: dict[str, Any] = {"costs": asdict(costs), "checked": rows}
        given.json.write_text(
            json.dumps(written | {"runs": [asdict(run) for run in runs]}, indent=1)
        )


if __name__ == "__main__":
    main()

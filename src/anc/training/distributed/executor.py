"""Executors train chunks: `Local` on this machine, `RayCluster` on the machines of a Ray cluster.

`Local` uses processes with a core each, or this process with all cores, or the GPU. The fused engine keeps the
cores of one process busy if a chunk has many members. Several processes also use them while members are drawn,
tested and written, and if chunks have few members. A process takes a while to start, so a small amount of work
is done in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from anc.support.diagnostics import AncError, quoted
from anc.support.job import cores
from anc.support.processes import Boss, Done, Pool, Process, Thread, cores_of
from anc.training.distributed.chunk import Chunk, packed, seconds_of
from anc.training.engines import prepare
from anc.training.result import TrainingOutcome
from anc.training.training import Progress

_SHORT = 10.0  # seconds of work per core that do not justify other processes
_TIMES = 3  # attempts at a chunk whose process dies
_FEWEST, _MOST = 2, 8  # chunks that a GPU trains at once
_MEMBERS = 16_384  # ... in all of them, approximately


@dataclass(frozen=True)
class ChunkProgress:
    """The progress of a chunk, small enough to be sent regularly."""

    name: str  # of its problem
    key: str  # of the chunk
    members: int
    first: int  # the iteration at which it began
    end: int  # ... and at which it ends
    work: float  # in total: see `seconds_of`
    iteration: int
    right: int  # members whose best checkpoint is right on the validation cases
    faster: int  # ... and takes fewer steps than the generic program
    best_steps: float | None
    is_over: bool = False  # its outcome has arrived

    @staticmethod
    def of(chunk: Chunk, at: Progress) -> ChunkProgress:
        """The progress of a chunk in training."""
        return _standing(chunk, at.iteration, at.right, at.faster, at.best_steps)

    @staticmethod
    def after(chunk: Chunk, at: TrainingOutcome) -> ChunkProgress:
        """The final progress of a chunk, whose outcome has arrived."""
        right = int(at.is_right.sum())
        return _standing(chunk, at.iteration, right, at.successes, at.steps_best, True)

    @property
    def share(self) -> float:
        """The share of its work that is done."""
        return (self.iteration - self.first) / (self.end - self.first)


@dataclass(frozen=True)
class HandedOut:
    """Chunks that are queued or in training, without information on their progress."""

    chunks: int
    seconds: float  # since the last one was submitted or returned


Tell = Callable[[ChunkProgress | HandedOut], None]


def _standing(chunk: Chunk, *at: Any) -> ChunkProgress:
    about = chunk.problem.name, chunk.key, chunk.S, chunk.first, chunk.end, seconds_of(chunk)
    return ChunkProgress(*about, *at)


class Executor(Protocol):
    """Trains chunks on some workers."""

    workers: int  # chunks trained at once
    cores: int  # of each worker
    is_here: bool  # on this machine, with its memory and GPU

    def run(
        self,
        chunks: Sequence[Chunk],
        asked_to_stop: Callable[[], bool] = lambda: False,
        tell: Tell = lambda standing: None,
    ) -> Iterator[tuple[Chunk, TrainingOutcome]]:
        """Train all chunks; yield outcomes as they arrive, in any order.

        Once `asked_to_stop` is true, no further chunk is started. Chunks in training end at their next validation, and
        their outcomes arrive with `is_done` False. A chunk whose worker died is retried. Errors of a chunk are raised.
        """
        ...


class Local:
    """Trains chunks on this machine, `jobs` at once or one per core."""

    is_here = True

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs
        self.workers = jobs or cores()
        self.cores = max(1, cores() // self.workers)

    def run(
        self,
        chunks: Sequence[Chunk],
        asked_to_stop: Callable[[], bool] = lambda: False,
        tell: Tell = lambda standing: None,
    ) -> Iterator[tuple[Chunk, TrainingOutcome]]:
        """Train all chunks; yield outcomes as they arrive. This process packs them into larger chunks."""
        count = min(self.workers, len(chunks))
        if count < 2:
            return _one_by_one(chunks, asked_to_stop, tell)
        if self.jobs is None and self._is_here(chunks):
            parts = [part for chunk in chunks for part in chunk.parts()]
            return _one_by_one(packed(parts, 1, cores()), asked_to_stop, tell)
        return _all_of(_in_processes(count, self.cores), chunks, asked_to_stop, tell)

    def _is_here(self, chunks: Sequence[Chunk]) -> bool:
        """Whether this process alone is best: for little work, or an engine with a device of its own."""
        work = sum(map(seconds_of, chunks))
        return work < _SHORT * self.workers or any(chunk.engine != "fused" for chunk in chunks)


def _one_by_one(
    chunks: Sequence[Chunk], asked_to_stop: Callable[[], bool], tell: Tell
) -> Iterator[tuple[Chunk, TrainingOutcome]]:
    for chunk in chunks:
        prepare(chunk.problem, chunk.members, chunk.engine)
    if len(chunks) > 1 and all(chunk.engine == "gpu" for chunk in chunks):
        yield from _all_of(_side_by_side(chunks), chunks, asked_to_stop, tell)
        return
    for chunk in chunks:
        if asked_to_stop():
            return
        report = lambda progress, at=chunk: tell(ChunkProgress.of(at, progress))  # noqa: E731
        yield chunk, chunk.run(asked_to_stop, report)


def trained(chunk: Chunk, boss: Boss) -> TrainingOutcome:
    """Train a chunk in a worker."""
    return chunk.run(
        boss.asked_to_stop, lambda progress: boss.tell(ChunkProgress.of(chunk, progress))
    )


def _in_processes(count: int, each: int) -> Pool[Chunk]:
    """A pool of processes with cores of their own."""
    start = lambda place, heard: Process(trained, heard, cores_of(place, each))  # noqa: E731
    return Pool(start, count, lambda chunk: "training a chunk", _TIMES)


def _side_by_side(chunks: Sequence[Chunk]) -> Pool[Chunk]:
    """A pool of threads through which a GPU trains several chunks at once.

    A few hundred members do not fill a GPU, and while one chunk waits for the GPU another is drawn, judged and written.
    """
    at_once = min(max(_MEMBERS // max(chunk.S for chunk in chunks), _FEWEST), _MOST, len(chunks))
    return Pool(lambda place, heard: Thread(trained, heard), at_once, lambda chunk: "a chunk")


def _all_of(
    pool: Pool[Chunk], chunks: Sequence[Chunk], asked_to_stop: Callable[[], bool], tell: Tell
) -> Iterator[tuple[Chunk, TrainingOutcome]]:
    for chunk, message in filter(None, pool.run(chunks, asked_to_stop)):
        if isinstance(message, ChunkProgress):
            tell(message)
        elif isinstance(message, Done):
            yield chunk, message.value
        elif not pool.is_stopping:
            raise AncError(
                f"the process that trained {chunk.S} members of {chunk.problem.name} ended"
                f" {_TIMES} times",
                help="is there enough memory? lower --jobs",
            )


def executor(on: str = "local", jobs: int | None = None) -> Executor:
    """The executor of a name: `local` with `jobs` processes, `ray`, or `ray://HOST:PORT`."""
    if isinstance(on, str) and on == "local":
        return Local(jobs)
    if isinstance(on, str) and (on == "ray" or on.startswith("ray://")):
        if jobs is not None:
            raise AncError("jobs are processes on this machine: a Ray cluster has its own")
        from anc.training.distributed.ray_cluster import RayCluster

        return RayCluster(on)
    raise AncError(f"on is {quoted(on)}, expected local, ray or ray://HOST:PORT")

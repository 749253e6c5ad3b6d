"""The Ray executor: one task for each chunk, with a core or a GPU. Ray places and retries them.

A problem is sent once and cached by every machine. A task carries only the members of its chunk and returns the few
numbers of its outcome, which this process saves. So the machines need no shared folder.
"""

from __future__ import annotations

import functools
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anc.support.diagnostics import AncError
from anc.support.processes import WorkerFailure
from anc.training.distributed.chunk import Chunk
from anc.training.distributed.executor import HandedOut, Tell
from anc.training.distributed.ray_connection import connected
from anc.training.result import TrainingOutcome
from anc.version import __version__

if TYPE_CHECKING:
    from anc.training.distributed.chunk import Chunk
    from anc.training.problem import Problem
    from anc.training.result import TrainingOutcome


def train_chunk(version: str, key: str, cores: int, problem: bytes, rest: bytes) -> object:
    """The `Outcome` of a chunk, or the reason why there is none.

    The chunk is sent without its problem, which many chunks share and the cluster caches on each machine. `key` and
    `version` are the sender's; a worker whose anc would give other numbers refuses.
    """
    from anc.support.diagnostics import AncError
    from anc.support.processes import answer

    if version != __version__:
        return AncError(
            f"the workers of the Ray cluster have anc {__version__}, but here it is {version}",
            "install the same version on all machines",
        )
    os.environ.setdefault("NUMBA_NUM_THREADS", str(cores))
    from anc.training.distributed.chunk import Chunk

    members, engine, until, begin = pickle.loads(rest)
    chunk = Chunk(_problem(problem), members, engine, until, begin)
    if chunk.key != key:
        return AncError(
            "the workers of the Ray cluster know other instructions or settings than this anc",
            "install the same anc on all machines",
        )
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:  # Ray cancels a task with an interrupt
        return answer(lambda: _trained(chunk, lambda: bool(asked)))
    finally:
        signal.signal(signal.SIGINT, before)


def _trained(chunk: Chunk, should_stop: Callable[[], bool]) -> TrainingOutcome:
    """Train a chunk on this machine, if it has the memory and the GPU for it."""
    from anc.training.engines import check_memory

    check_memory(chunk.problem, chunk.members, chunk.engine)
    return chunk.run(should_stop)


@functools.lru_cache(4)
def _problem(data: bytes) -> Problem:
    """The problem that was sent, with the properties that earlier chunks computed."""
    from dataclasses import replace

    return replace(pickle.loads(data))  # drops the sender's cached properties, such as the digest


_LOOK = 0.1  # seconds between two checks for a requested stop
_COUNTED = 10.0  # seconds between two counts of a cluster that may grow
_TIMES = 3  # attempts at a chunk whose worker dies
_ON_A_GPU = ("gpu", "jax")  # engines that use a GPU if there is one


class RayCluster:
    """Trains chunks on the Ray cluster that `on` names: `ray`, or `ray://HOST:PORT`."""

    cores = 1  # of a chunk
    is_here = False

    def __init__(self, on: str = "ray") -> None:
        self.ray = connected(on)
        self._task = self.ray.remote(max_retries=_TIMES - 1)(train_chunk)
        # A process keeps the GPU that it used first, even if Ray assigns it another: so one process per task.
        # (If `options` assigned the GPU, Ray would ignore max_calls.)
        self._task_on_a_gpu = self.ray.remote(
            num_cpus=self.cores, num_gpus=1, max_calls=1, max_retries=_TIMES - 1
        )(train_chunk)
        self._sent: dict[str, Any] = {}  # problems that were sent, by their digest
        self._count()

    def run(
        self,
        chunks: Sequence[Chunk],
        asked_to_stop: Callable[[], bool] = lambda: False,
        tell: Tell = lambda standing: None,
    ) -> Iterator[tuple[Chunk, TrainingOutcome]]:
        """Train all chunks; yield outcomes as they arrive; tell how many chunks are submitted."""
        waiting, under_way = list(reversed(chunks)), dict[Any, Chunk]()
        is_stopping, changed_at = False, time.monotonic()
        try:
            while True:
                if asked_to_stop() and not is_stopping:
                    is_stopping, waiting = True, []
                    for task in under_way:
                        self.ray.cancel(task)
                # twice as many tasks as workers: none is idle, and an autoscaling cluster grows
                while waiting and len(under_way) < 2 * self._count():
                    chunk = waiting.pop()
                    under_way[self._begun(chunk)] = chunk
                    changed_at = time.monotonic()
                if not under_way:
                    return
                tell(HandedOut(len(under_way), time.monotonic() - changed_at))
                for task in self._done(list(under_way)):
                    chunk, changed_at = under_way.pop(task), time.monotonic()
                    outcome = self._outcome(chunk, task)
                    if outcome is not None:
                        yield chunk, outcome
        finally:
            for task in under_way:
                self.ray.cancel(task, force=True)

    def _done(self, tasks: list[Any]) -> list[Any]:
        """The finished tasks; none after a while, to check for a requested stop."""
        done, _ = self.ray.wait(tasks, timeout=_LOOK)
        return self.ray.wait(tasks, num_returns=len(tasks), timeout=0)[0] if done else []

    def _count(self) -> int:
        """The number of chunks trained at once, refreshed regularly."""
        now = time.monotonic()
        if now >= getattr(self, "_next_count", now):
            resources = self.ray.cluster_resources()
            self._next_count = now + _COUNTED
            self.gpus = int(resources.get("GPU", 0))
            self.workers = max(1, int(resources.get("CPU", 0)) // self.cores)
        return self.workers

    def _begun(self, chunk: Chunk) -> Any:
        """Submit the task of a chunk; its problem is sent with the first chunk."""
        problem = chunk.problem
        if problem.digest not in self._sent:
            self._sent[problem.digest] = self.ray.put(pickle.dumps(problem))
        rest = pickle.dumps((chunk.members, chunk.engine, chunk.until, chunk.begin))
        has_gpu = self.gpus > 0 and chunk.engine in _ON_A_GPU
        task = self._task_on_a_gpu if has_gpu else self._task.options(num_cpus=self.cores)
        return task.remote(__version__, chunk.key, self.cores, self._sent[problem.digest], rest)

    def _outcome(self, chunk: Chunk, task: Any) -> TrainingOutcome | None:
        """The outcome of a task; None if it was cancelled before it started."""
        errors = self.ray.exceptions
        try:
            answer = self.ray.get(task)
        except errors.TaskCancelledError:
            return None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError):
            raise AncError(
                f"the Ray worker that trained {chunk.S} members of {chunk.problem.name} ended"
                f" {_TIMES} times",
                help="is there enough memory on every machine? see `ray status`",
            ) from None
        except errors.RayError as problem:
            lines = [line for line in str(problem).splitlines() if line.strip()]
            raise AncError(
                f"the Ray cluster cannot train: {lines[-1].strip() if lines else problem!r}",
                help="do all its machines have the same Python, Ray and anc?",
            ) from None
        if isinstance(answer, WorkerFailure):
            raise RuntimeError(f"training a chunk failed:\n{answer}")
        if isinstance(answer, AncError):
            raise answer
        assert isinstance(answer, TrainingOutcome)
        return answer

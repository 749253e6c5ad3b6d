"""Chunks on this machine: in processes with a core each, or in this one with all of them, or on its card.

The fused engine uses the cores of one process well as long as a chunk has many members; several processes also
use them while members are drawn, tested and written, and where a chunk has few. A process takes a while to start:
what one alone does in that time is done here.
"""

from __future__ import annotations

import functools
import os
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread

from anc.diagnostics import AncError
from anc.learning.engines import prepare
from anc.learning.training import Progress
from anc.processes import Failure, Refusal, end_process, started
from anc.provenance import cores
from anc.spread.chunk import Chunk
from anc.spread.on import Standing, Tell
from anc.spread.outcome import Outcome
from anc.spread.packing import packed, seconds_of
from anc.spread.side_by_side import side_by_side

_LOOK = 0.1  # seconds between two looks whether somebody asks to stop
_SHORT = 10.0  # seconds of work for each core that are not worth other processes
_TIMES = 3  # that a chunk is tried, if its processes die


class Local:
    """Trains chunks on this machine, as many at once as `jobs` says or as there are cores."""

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
    ) -> Iterator[tuple[Chunk, Outcome]]:
        """Train all of them and give each outcome as it comes; in this process in larger chunks."""
        count = min(self.workers, len(chunks))
        if count < 2:
            return _one_by_one(chunks, asked_to_stop, tell)
        if self.jobs is None and self._is_here(chunks):
            parts = [part for chunk in chunks for part in chunk.parts()]
            return _one_by_one(packed(parts, 1, cores()), asked_to_stop, tell)
        return _Crew(chunks, count, self.cores).run(asked_to_stop, tell)

    def _is_here(self, chunks: Sequence[Chunk]) -> bool:
        """Whether this process alone is best: little to do, or an engine with devices of its own."""
        work = sum(map(seconds_of, chunks))
        return work < _SHORT * self.workers or any(chunk.engine != "fused" for chunk in chunks)


def _one_by_one(
    chunks: Sequence[Chunk], asked_to_stop: Callable[[], bool], tell: Tell
) -> Iterator[tuple[Chunk, Outcome]]:
    for chunk in chunks:
        prepare(chunk.problem, chunk.members, chunk.engine)
    if len(chunks) > 1 and all(chunk.engine == "gpu" for chunk in chunks):
        yield from side_by_side(chunks, asked_to_stop, tell)
        return
    for chunk in chunks:
        if asked_to_stop():
            return
        yield chunk, chunk.run(asked_to_stop, functools.partial(_tell, tell, chunk))


def _tell(tell: Tell, chunk: Chunk, progress: Progress) -> None:
    tell(Standing.of(chunk, progress))


class _Worker:
    """A process, what it trains, and a thread that passes on what it says."""

    def __init__(self, place: int, each: int, said: SimpleQueue[tuple[_Worker, object]]) -> None:
        self.place, self.said = place, said
        self.chunk: Chunk | None = None
        self.process = started("anc.spread.worker")
        self.send(_cores_of(place, each))
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
            while True:
                self.said.put((self, pickle.load(self.process.stdout)))
        self.said.put((self, None))  # it is gone

    def send(self, message: object) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # it is gone: its thread says so
            pickle.dump(message, self.process.stdin)
            self.process.stdin.flush()

    def begin(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.send(chunk)


class _Crew:
    """Processes, the chunks that wait for them, and how often each was begun."""

    def __init__(self, chunks: Sequence[Chunk], count: int, each: int) -> None:
        self.waiting = list(reversed(chunks))
        self.each = each
        self.said: SimpleQueue[tuple[_Worker, object]] = SimpleQueue()
        self.workers = [_Worker(place, each, self.said) for place in range(count)]
        self.begun: Counter[str] = Counter()
        self.is_stopping = False

    def run(self, asked_to_stop: Callable[[], bool], tell: Tell) -> Iterator[tuple[Chunk, Outcome]]:
        try:
            while True:
                if asked_to_stop() and not self.is_stopping:
                    self._stop()
                self._hand_out()
                if all(worker.chunk is None for worker in self.workers):
                    return
                with suppress(Empty):
                    worker, message = self.said.get(timeout=_LOOK)
                    if isinstance(message, Standing):
                        tell(message)
                    else:
                        yield from self._heard(worker, message)
        finally:
            for worker in self.workers:
                end_process(worker.process)

    def _stop(self) -> None:
        self.is_stopping = True
        self.waiting = []
        for worker in self.workers:
            worker.send("stop")

    def _hand_out(self) -> None:
        """Give every idle worker something to do, as long as there is something."""
        for worker in self.workers:
            if worker.chunk is None and self.waiting:
                chunk = self.waiting.pop()
                self.begun[chunk.key] += 1
                worker.begin(chunk)

    def _heard(self, worker: _Worker, message: object) -> Iterator[tuple[Chunk, Outcome]]:
        """What a worker answers, or that it is gone: then its chunk is given to a new one."""
        chunk, worker.chunk = worker.chunk, None
        if isinstance(message, Refusal):
            raise AncError(message.message, message.help)
        if isinstance(message, Failure):
            raise RuntimeError(f"training a chunk failed:\n{message.text}")
        if isinstance(message, Outcome):
            assert chunk is not None
            yield chunk, message
            return
        end_process(worker.process)
        if self.is_stopping:
            self.workers.remove(worker)
            return
        self.workers[self.workers.index(worker)] = _Worker(worker.place, self.each, self.said)
        if chunk is not None:
            if self.begun[chunk.key] >= _TIMES:
                raise AncError(
                    f"the process that trained {chunk.S} members of {chunk.problem.name} ended"
                    f" {_TIMES} times",
                    help="is there memory enough? try fewer of them with --jobs",
                )
            self.waiting.append(chunk)


def _cores_of(place: int, each: int) -> tuple[int, ...]:
    """The cores of a place; none where they cannot be given."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    mine = sorted(os.sched_getaffinity(0))
    first = place * each % len(mine)
    return tuple(mine[first : first + each])

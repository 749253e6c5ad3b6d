"""The Ray worker: trains one chunk, and answers like the worker processes of this machine.

The module imports nothing heavy, because the number of numba's threads must be set first.
"""

from __future__ import annotations

import functools
import os
import pickle
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from anc.version import __version__

if TYPE_CHECKING:
    from anc.training.distributed.chunk import Chunk
    from anc.training.problem import Problem
    from anc.training.result import Outcome


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


def _trained(chunk: Chunk, should_stop: Callable[[], bool]) -> Outcome:
    """Train a chunk on this machine, if it has the memory and the GPU for it."""
    from anc.training.engines import check_memory

    check_memory(chunk.problem, chunk.members, chunk.engine)
    return chunk.run(should_stop)


@functools.lru_cache(4)
def _problem(data: bytes) -> Problem:
    """The problem that was sent, with the properties that earlier chunks computed."""
    from dataclasses import replace

    return replace(pickle.loads(data))  # drops the sender's cached properties, such as the digest

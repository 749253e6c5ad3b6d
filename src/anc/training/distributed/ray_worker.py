"""What a Ray worker does: it trains one chunk, and answers as the worker processes of this machine do.

Nothing heavy is imported before the function runs: how many threads numba may use is decided first.
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
    """The `Outcome` of a chunk, or why there is none.

    The chunk comes without its problem, which many chunks share: the cluster keeps it once on each
    machine. `key` and `version` are those of the sender; where another anc would give other numbers,
    nothing is trained.
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
    try:  # Ray interrupts a task that it is asked to cancel
        return answer(lambda: _trained(chunk, lambda: bool(asked)))
    finally:
        signal.signal(signal.SIGINT, before)


def _trained(chunk: Chunk, should_stop: Callable[[], bool]) -> Outcome:
    """What comes of a chunk on this machine, if it has the memory and the card for it."""
    from anc.training.engines import check_memory

    check_memory(chunk.problem, chunk.members, chunk.engine)
    return chunk.run(should_stop)


@functools.lru_cache(4)
def _problem(data: bytes) -> Problem:
    """The problem that was sent, with what the chunks before have computed of it."""
    from dataclasses import replace

    return replace(pickle.loads(data))  # without what the sender has computed, such as its digest

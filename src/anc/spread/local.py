"""Chunks on this machine: in this process, one after the other, with all of its cores."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from anc.learning.training import Progress
from anc.provenance import cores
from anc.spread.chunk import Chunk
from anc.spread.on import Standing
from anc.spread.outcome import Outcome


class Local:
    """Trains chunks on this machine."""

    def __init__(self, jobs: int | None = None) -> None:
        self.workers = jobs or 1
        self.cores = max(1, cores() // self.workers)

    def run(
        self,
        chunks: Sequence[Chunk],
        asked_to_stop: Callable[[], bool] = lambda: False,
        tell: Callable[[Standing], None] = lambda standing: None,
    ) -> Iterator[tuple[Chunk, Outcome]]:
        """The outcomes, one after the other."""
        for chunk in chunks:
            if asked_to_stop():
                return
            outcome = chunk.run(asked_to_stop, functools.partial(_tell, tell, chunk))
            yield chunk, outcome


def _tell(tell: Callable[[Standing], None], chunk: Chunk, progress: Progress) -> None:
    tell(Standing.of(chunk, progress))

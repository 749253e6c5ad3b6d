"""Who trains chunks: what an executor does, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from anc.support.diagnostics import AncError, quoted
from anc.training.distributed.chunk import Chunk
from anc.training.distributed.packing import seconds_of
from anc.training.distributed.result import Outcome
from anc.training.training import Progress


@dataclass(frozen=True)
class Standing:
    """Where a chunk is that is being trained: small enough to be sent now and then."""

    name: str  # of its problem
    key: str  # of the chunk
    members: int
    first: int  # the iteration that it began with
    end: int  # ... and that it ends with
    work: float  # how much it is in all: see `seconds_of`
    iteration: int
    right: int  # members whose best checkpoint is right on the validation cases
    faster: int  # ... and takes fewer steps than the generic program
    best_steps: float | None
    is_over: bool = False  # its outcome is there

    @staticmethod
    def of(chunk: Chunk, progress: Progress) -> Standing:
        """Where a chunk is while it is trained."""
        at = progress.iteration, progress.right, progress.faster, progress.best_steps
        return Standing(*_about(chunk), *at)

    @staticmethod
    def after(chunk: Chunk, outcome: Outcome) -> Standing:
        """Where a chunk is when its outcome has come."""
        faster = outcome.steps[outcome.succeeded]
        best = float(faster.min()) if len(faster) else None
        at = outcome.iteration, int((outcome.right >= 1).sum()), len(faster), best
        return Standing(*_about(chunk), *at, is_over=True)

    @property
    def share(self) -> float:
        """How much of its work is done."""
        return (self.iteration - self.first) / (self.end - self.first)


@dataclass(frozen=True)
class HandedOut:
    """Chunks that are trained, or wait, where nobody says how far they are."""

    chunks: int
    seconds: float  # since the last one of them was handed out, or came back


Tell = Callable[[Standing | HandedOut], None]


def _about(chunk: Chunk) -> tuple[str, str, int, int, int, float]:
    return (
        chunk.problem.name,
        chunk.key,
        chunk.S,
        chunk.first,
        chunk.end,
        seconds_of(chunk),
    )


class Executor(Protocol):
    """Trains chunks somewhere."""

    workers: int  # chunks that are trained at once
    cores: int  # that each of them has
    is_here: bool  # on this machine, with its memory and its card

    def run(
        self,
        chunks: Sequence[Chunk],
        asked_to_stop: Callable[[], bool] = lambda: False,
        tell: Tell = lambda standing: None,
    ) -> Iterator[tuple[Chunk, Outcome]]:
        """Train all of them and give each outcome as it comes, in any order.

        Once `asked_to_stop`, no chunk is begun any more; those under way end at their next validation with
        what they found, and come, too (`outcome.is_done` is false of them). A chunk whose worker died
        is done again. What is wrong with a chunk itself is raised.
        """
        ...


def executor(on: str = "local", jobs: int | None = None) -> Executor:
    """The executor of a name: `local`, with so many processes; `ray` or `ray://HOST:PORT`."""
    if isinstance(on, str) and on == "local":
        from anc.training.distributed.local import Local

        return Local(jobs)
    if isinstance(on, str) and (on == "ray" or on.startswith("ray://")):
        if jobs is not None:
            raise AncError("jobs are processes of this machine: a Ray cluster counts its own")
        from anc.training.distributed.ray_cluster import RayCluster

        return RayCluster(on)
    raise AncError(f"on is {quoted(on)}, expected local, ray or ray://HOST:PORT")

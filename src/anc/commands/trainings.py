"""Trainings in parts, as commands do them: where they are trained, kept and shown, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anc.commands import verbosity
from anc.commands.interrupt import Interrupt
from anc.commands.progress import LiveTable
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.support.job import Job
    from anc.training.distributed.chunk import Chunk
    from anc.training.distributed.executor import Executor
    from anc.training.distributed.scheduler import Store
    from anc.training.result import Outcome


def store_in(keep: str | Path | None, job: Job) -> Store | None:
    """The folder of what is trained, if one is named; of damaged files in it one is warned."""
    from anc.training.distributed.scheduler import Store

    return None if keep is None else Store.at(Path(keep), job.warn)


def kept_in(keep: str | Path | None, output: Path) -> Path | None:
    """The folder of what is trained for a file: beside it, if none is named; none beside what is no file."""
    if keep is None and output.exists() and not output.is_file():
        return None
    return output.with_name(f"{output.stem}.chunks") if keep is None else Path(keep)


@dataclass
class Trainings:
    """What a command trains, in parts; what went wrong on the way is kept for the end."""

    parts: Sequence[Chunk]
    executor: Executor
    keep: Path | None  # the folder of those that are done
    table: Callable[[], list[str]]  # what is known already, as lines
    quiet: bool
    problem: AncError | None = None

    def __post_init__(self) -> None:
        from anc.training.distributed.scheduler import Store, kept

        self._store = None if self.keep is None else Store.at(self.keep, verbosity.note)
        self.kept = kept(self.parts, self._store)

    def come(self, interrupt: Interrupt) -> Iterator[tuple[Chunk, Outcome]]:
        """Each part that is not kept, with its outcome, as they come."""
        from anc.training.distributed.scheduler import trained

        missing = [part for part in self.parts if part.key not in self.kept]
        live = LiveTable(missing, self.table, self.quiet)

        def stop() -> bool:
            if interrupt.asked:
                live.interrupted()
            return interrupt.asked

        try:
            for part, outcome in trained(missing, self.executor, self._store, stop, live.tell):
                live.found(part)
                yield part, outcome
        except AncError as problem:
            self.problem = problem
        finally:
            live.end()

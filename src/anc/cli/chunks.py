"""Trainings in parts, as commands do them: where they are trained, kept and shown, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import limits
from anc.cli import inputs, talk
from anc.cli.interrupt import Interrupt
from anc.cli.live import LiveTable
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.spread.chunk import Chunk
    from anc.spread.on import Executor
    from anc.spread.outcome import Outcome


def spread_options(command):
    """Where to train, and how much at a time."""
    command = click.option(
        "--jobs",
        type=inputs.Limited(limits.JOBS),
        metavar="N",
        help="Processes that train at the same time  [default: one for each core, if it is worth it]",
    )(command)
    return click.option(
        "--on", default="local", show_default=True, metavar="WHERE", help="Where to train: local."
    )(command)


def kept_in(keep: Path | None, output: Path) -> Path | None:
    """The folder of what is trained for a file: beside it, if none is named; none beside what is no file."""
    if keep is None and output.exists() and not output.is_file():
        return None
    return output.with_name(f"{output.stem}.chunks") if keep is None else keep


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
        from anc.spread.going import kept
        from anc.spread.store import Store

        self._store = None if self.keep is None else Store.at(self.keep, talk.note)
        self.kept = kept(self.parts, self._store)

    def come(self, interrupt: Interrupt) -> Iterator[tuple[Chunk, Outcome]]:
        """Each part that is not kept, with its outcome, as they come."""
        from anc.spread.going import trained

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

"""Long-running work on the command line: progress, and Ctrl-C that keeps the best so far.

On a terminal, progress is a line or a table that is redrawn; elsewhere, an occasional line.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from anc.commands import verbosity
from anc.commands.request import Request
from anc.commands.verbosity import lead_nowhere, remark
from anc.support.clock import TimeLeft, duration
from anc.support.diagnostics import counted
from anc.support.job import Job, command_line
from anc.support.signals import end_at_once, handle_signals, restore_signals

if TYPE_CHECKING:
    from anc.training.distributed.chunk import Chunk
    from anc.training.distributed.executor import ChunkProgress, Executor, HandedOut
    from anc.training.result import TrainingOutcome


_MANY = {getattr(signal, "SIGHUP", 0)}  # a closed terminal sends it more than once


class Interrupt:
    """Whether Ctrl-C was pressed, or another signal requested a stop."""

    doing = "stopping after this chunk"

    def __init__(self) -> None:
        self.numbers: list[int] = []  # signals received

    @property
    def asked(self) -> bool:
        return bool(self.numbers)

    def handle(self, number: int) -> None:
        if number in self.numbers:
            if number in _MANY:
                return
            end_at_once(number)
        self.numbers.append(number)
        _leave_closed_terminal()
        with suppress(OSError, RuntimeError):  # another message may be half printed
            remark(f"\n{self.doing} (Ctrl-C again to stop at once)")

    @property
    def status(self) -> int:
        """The exit status of a command that was interrupted before it had an answer."""
        return 128 + self.numbers[0]

    def end(self) -> NoReturn:
        """Exit from a command that was interrupted before there was a result."""
        remark("interrupted")
        sys.exit(self.status)


@contextmanager
def ctrl_c(interrupt: Interrupt | None = None) -> Iterator[Interrupt]:
    """From here to the end of the command, Ctrl-C only sets a flag; a second one exits at once.

    The handler stays until the end, so that a late Ctrl-C does not lose a result before it is written.
    """
    interrupt = interrupt or Interrupt()
    before = handle_signals(interrupt.handle)

    def close() -> None:
        """Restore the handlers: the answer is out."""
        restore_signals(before, ignored=interrupt.asked)

    click.get_current_context().call_on_close(close)
    yield interrupt
    interrupt.doing = "finishing"


def _leave_closed_terminal() -> None:
    """Redirect the streams of a closed terminal: writing to them would raise an error."""
    for handle in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(handle).st_mode) and not _is_open_terminal(handle):
                lead_nowhere(handle)


def _is_open_terminal(handle: int) -> bool:
    try:
        os.get_terminal_size(handle)
    except OSError:
        return False
    return True


R = TypeVar("R")

_EVERY = 10.0  # seconds between lines without a terminal
_VERBOSE = 1.0  # the same with -v
_DRAWN = 0.25  # seconds between redraws of a table
_MARGIN = 2  # lines of the terminal that the table leaves free


class ProgressLine:
    """Shows the latest message on stderr."""

    def __init__(self, quiet: bool = False) -> None:
        self.verbose = verbosity.is_verbose()
        self.quiet = (quiet or verbosity.is_quiet()) and not self.verbose
        self._terminal = sys.stderr.isatty()
        self._began = self._shown_at = time.monotonic()
        self._width = 0
        self._kinds: set[str] = set()

    def show(self, message: str) -> None:
        if self.quiet:
            return
        now = time.monotonic()
        if self.verbose:
            self._log(message, now)
        elif self._terminal:
            if now - self._shown_at > 0.1:
                remark(f"\r{message:<{self._width}}", nl=False)
                self._width, self._shown_at = len(message), now
        elif now - self._shown_at > _EVERY:
            remark(message)
            self._shown_at = now

    def _log(self, message: str, now: float) -> None:
        """Print a line with the time when a kind of work begins, and occasionally after that."""
        kind = re.sub("[0-9]+", "", message.partition(":")[0])
        if kind not in self._kinds or now - self._shown_at > _VERBOSE:
            self._kinds.add(kind)
            remark(f"{now - self._began:7.2f} s  {message}")
            self._shown_at = now

    def end(self) -> None:
        """Clear the line."""
        if self._terminal and self._width:
            remark("\r" + " " * self._width + "\r", nl=False)
            self._width = 0


def job_of(request: Request[Any], **more: Any) -> Job:
    """The job of a request on the command line."""
    told: dict[str, Any] = {"warn": remark, "note": verbosity.note}
    return request.job(**told, command=command_line(), since=verbosity.since(), **more)


def worked(request: Request[R], best_so_far: str = "") -> tuple[R, Interrupt]:
    """Run a request that takes long; returns the result, and whether it was interrupted.

    Once everything is loaded, Ctrl-C ends the work with the best so far. `best_so_far` formats that best
    for the progress line.
    """
    line, asked = ProgressLine(request.as_json), Interrupt()

    def tell(doing: str, best: Any) -> None:
        line.show(doing if best is None else f"{doing}: {best_so_far.format(best)}")

    work = request.begin(job_of(request, tell=tell, asked_to_stop=lambda: asked.asked))
    try:
        with ctrl_c(asked):
            return work(), asked
    finally:
        line.end()


class LiveTable:
    """Shows the current rows of a table on a terminal during training; elsewhere, an occasional line."""

    def __init__(self, parts: Sequence[Chunk], table: Callable[[], list[str]], quiet: bool) -> None:
        from anc.training.distributed.chunk import seconds_of

        self._line = ProgressLine(quiet)
        self._table = table
        self._draws = _can_draw() and not self._line.quiet and not self._line.verbose
        self._work = sum(map(seconds_of, parts))
        self._done, self._parts, self._of = 0.0, 0, len(parts)
        self._at_work: dict[str, ChunkProgress] = {}
        self._left = TimeLeft()
        self._height, self._drawn_at = 0, 0.0
        self._is_interrupted = False

    def tell(self, standing: ChunkProgress | HandedOut) -> None:
        """Record the progress of a chunk, or that some are being computed elsewhere."""
        from anc.training.distributed.executor import HandedOut

        if isinstance(standing, HandedOut):
            self._show(f"{self._so_far()}; {_waiting(standing)}")
            return
        self._at_work[standing.key] = standing
        if standing.is_over:
            del self._at_work[standing.key]
            self._done += standing.work
        self._show(self._words(standing))

    def found(self, part: Chunk) -> None:
        """Record that a part is trained."""
        self._parts += 1

    def interrupted(self) -> None:
        """Record that Ctrl-C printed a message below the table."""
        if not self._is_interrupted:
            self._is_interrupted, self._height = True, 0

    def _show(self, words: str) -> None:
        if not self._draws:
            self._line.show(words)
        elif time.monotonic() - self._drawn_at > _DRAWN:
            self._drawn_at = time.monotonic()
            self._draw([*self._table(), words])

    def _words(self, at: ChunkProgress) -> str:
        best = "-" if at.best_steps is None else f"{at.best_steps:.2f}"
        return (
            f"{self._so_far()}; {at.name}: iteration {at.iteration} of {at.end}, {at.right} of"
            f" {at.members} right, {at.faster} faster, best {best} steps"
        )

    def _so_far(self) -> str:
        work = self._done + sum(each.share * each.work for each in self._at_work.values())
        left = self._left.words(min(work / self._work, 1.0))
        return f"{self._parts} of {self._of} parts done{', ' if left else ''}{left}"

    def _draw(self, lines: Sequence[str]) -> None:
        """Redraw the lines in place."""
        size = shutil.get_terminal_size()
        rows = [line[: size.columns - 1] for line in lines]
        rows = [*rows[: size.lines - _MARGIN - 1], rows[-1]] if len(rows) >= size.lines else rows
        remark(self._back() + "\n".join(rows), color=True)
        self._height = len(rows)

    def _back(self) -> str:
        """The escape sequence that moves the cursor to the first line and clears everything below."""
        return f"\x1b[{self._height}A\x1b[J" if self._height else ""

    def end(self) -> None:
        """Clear the table."""
        if self._height:
            remark(self._back(), nl=False, color=True)
            self._height = 0
        self._line.end()


def _waiting(handed_out: HandedOut) -> str:
    chunks = counted(handed_out.chunks, "chunk")
    return f"{chunks} handed out, the last word {duration(handed_out.seconds)} ago"


def _can_draw() -> bool:
    """Whether stderr is a terminal with cursor movement."""
    return os.name == "posix" and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def come(
    parts: Sequence[Chunk],
    executor: Executor,
    keep: Path | None,
    asked: Interrupt,
    table: Callable[[], list[str]],
    quiet: bool,
    told: Callable[[list[Chunk]], None],
) -> Iterator[tuple[Chunk, TrainingOutcome]]:
    """The outcomes of the parts of a training: the saved ones, then the others as they are trained.

    `told` is called with the saved parts. `table` is shown during training. A write error is raised at the
    end, after all outcomes.
    """
    from anc.training.distributed.scheduler import OutcomeStore, kept, trained

    store = None if keep is None else OutcomeStore.at(keep, verbosity.note)
    known = kept(parts, store)
    before = [part for part in parts if part.key in known]
    yield from ((part, known[part.key]) for part in before)
    told(before)
    missing = [part for part in parts if part.key not in known]
    live = LiveTable(missing, table, quiet)

    def stop() -> bool:
        if asked.asked:
            live.interrupted()
        return asked.asked

    try:
        for part, outcome in trained(missing, executor, store, stop, live.tell):
            live.found(part)
            yield part, outcome
    finally:
        live.end()

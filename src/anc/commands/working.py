"""A request that works for long, on the command line: progress, and Ctrl-C that keeps the best so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from anc.commands import interrupt, verbosity
from anc.commands.interrupt import Interrupt
from anc.commands.progress import ProgressLine
from anc.commands.request import Request
from anc.commands.verbosity import remark
from anc.support.job import Job, command_line

R = TypeVar("R")


def job_of(request: Request[Any], **more: Any) -> Job:
    """The job of a command."""
    told: dict[str, Any] = {"warn": remark, "note": verbosity.note}
    return request.job(**told, command=command_line(), since=verbosity.since(), **more)


@contextmanager
def working(
    request: Request[R],
    words: Callable[[str, Any], str] = lambda doing, best: doing,
    watch: Callable[[ProgressLine], None] = lambda line: None,
) -> Iterator[tuple[Callable[[], R], Interrupt]]:
    """What does the work, after all is loaded; from then on Ctrl-C lets it end with the best so far.

    `words` says what the line of progress shows; `watch` gets that line whenever the work asks whether to stop.
    """
    line, asked = ProgressLine(request.as_json), interrupt.Interrupt()

    def asked_to_stop() -> bool:
        watch(line)
        return asked.asked

    def tell(doing: str, best: Any) -> None:
        line.show(words(doing, best))

    work = request.begin(job_of(request, tell=tell, asked_to_stop=asked_to_stop))
    try:
        with interrupt.ctrl_c(asked):
            yield work, asked
    finally:
        line.end()

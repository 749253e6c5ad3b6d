"""How the command line speaks: no message repeats raw or endlessly what was typed."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from anc.cli.streams import UnreadError
from anc.diagnostics import readable


class Commands(click.Group):
    """A group of commands whose complaints about usage can be shown on any terminal."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _shown_safely():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _shown_safely():
            return super().invoke(ctx)


@contextmanager
def _shown_safely() -> Iterator[None]:
    """Escape what cannot be printed, in messages of click and in what goes to standard output."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # names of files need not be text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
    except click.ClickException as problem:
        problem.message = readable(problem.message, 300)  # type: ignore[misc]
        raise
    except BrokenPipeError:
        raise UnreadError from None

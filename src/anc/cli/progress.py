"""Progress on long work: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time

import click

_EVERY = 10.0  # seconds between lines where there is no terminal


class ProgressLine:
    """Shows the newest message on stderr."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._shown_at = time.monotonic()
        self._width = 0

    def show(self, message: str) -> None:
        if self.quiet:
            return
        now = time.monotonic()
        if self._terminal:
            if now - self._shown_at > 0.1:
                click.echo(f"\r{message:<{self._width}}", nl=False, err=True)
                self._width, self._shown_at = len(message), now
        elif now - self._shown_at > _EVERY:
            click.echo(message, err=True)
            self._shown_at = now

    def end(self) -> None:
        """Clear the line, so that what follows stands alone."""
        if self._terminal and self._width:
            click.echo("\r" + " " * self._width + "\r", nl=False, err=True)
            self._width = 0

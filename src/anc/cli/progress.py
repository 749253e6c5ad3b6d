"""Progress on long work: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import re
import sys
import time

from anc.cli import talk
from anc.cli.streams import remark

_EVERY = 10.0  # seconds between lines where there is no terminal
_VERBOSE = 1.0  # the same where more is asked for


class ProgressLine:
    """Shows the newest message on stderr."""

    def __init__(self, quiet: bool = False) -> None:
        self.verbose = talk.is_verbose()
        self.quiet = (quiet or talk.is_quiet()) and not self.verbose
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
        """A line with the time for each kind of work when it begins, and then now and then."""
        kind = re.sub("[0-9]+", "", message.partition(":")[0])
        if kind not in self._kinds or now - self._shown_at > _VERBOSE:
            self._kinds.add(kind)
            remark(f"{now - self._began:7.2f} s  {message}")
            self._shown_at = now

    def end(self) -> None:
        """Clear the line, so that what follows stands alone."""
        if self._terminal and self._width:
            remark("\r" + " " * self._width + "\r", nl=False)
            self._width = 0

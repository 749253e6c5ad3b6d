"""Job: the context of a piece of work, apart from its subject and its result.

Every command and every API function makes one and passes it down: the budget, progress messages, stop
requests, and provenance (what it takes to make a result again, and the machine that made it).
"""

from __future__ import annotations

import math
import os
import platform
import shlex
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anc.support.clock import Clock
from anc.support.diagnostics import CompilerWarning
from anc.version import __version__

if TYPE_CHECKING:
    from anc.isa import InstructionSet

Tell = Callable[[str, Any], None]  # the current activity, and the best so far


def _untold(doing: str, best: Any) -> None:
    """Ignore progress."""


def _never() -> bool:
    return False


def _unsaid(text: str) -> None:
    """Ignore a note."""


def _warn(text: str) -> None:
    """Issue a Python warning at the first line outside of anc."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "anc":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, CompilerWarning, stacklevel=level)


@dataclass(frozen=True)
class Job:
    """The budget (seconds or evaluations), progress messages, stop requests and provenance.

    The budget runs from `since`, when the caller began to wait; `clock` starts when it is first used.

    >>> job = Job(evaluations=1000)
    >>> job.clock.counts_work, job.made(method="all")["evaluations"]
    (True, 1000)
    """

    budget: float = 60.0
    evaluations: int | None = None
    since: float | None = None
    tell: Tell = _untold
    asked_to_stop: Callable[[], bool] = _never
    command: str | None = None  # the command line as typed; None from Python
    instructions: InstructionSet | None = None  # the default instruction set of programs
    warn: Callable[[str], None] = _warn  # about a program
    note: Callable[[str], None] = _unsaid  # remarks

    @cached_property
    def clock(self) -> Clock:
        return Clock.of(self.budget, self.evaluations, self.asked_to_stop, self.since)

    def made(self, **settings: Any) -> dict[str, Any]:
        """The provenance of a result: the command, the budget and these settings."""
        budget = None if self.evaluations else finite(self.budget)
        return provenance(self.command, budget=budget, evaluations=self.evaluations, **settings)


def provenance(command: str | None = None, **settings: Any) -> dict[str, Any]:
    """The provenance of a result.

    `command` is the command line as typed, or None from Python. The settings (the seed, the budget,
    ...) are included whether they were given or not.

    >>> made = provenance(seed=3, budget=60.0)
    >>> made["command"], made["seed"], made["budget"]
    (None, 3, 60.0)
    """
    return {
        "version": __version__,
        "command": command,
        **settings,
        "cores": cores(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def finite(number: float | None) -> float | None:
    """The number, or None if JSON cannot hold it: an infinite budget."""
    return None if number is None or not math.isfinite(number) else number


def command_line() -> str:
    """The command line of this process, quoted for a shell."""
    return shlex.join(["anc", *sys.argv[1:]])


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

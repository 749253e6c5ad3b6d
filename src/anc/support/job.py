"""Job: what goes with a piece of work and is not about its result.

Every command and every function of the API makes one and hands it down: the budget, who is told of
progress, who may ask it to stop, and where it comes from (`provenance`: what it takes to make it again, and
the machine that made it).
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

Tell = Callable[[str, Any], None]  # what is being done, and the best so far


def _untold(doing: str, best: Any) -> None:
    """Nobody is told."""


def _never() -> bool:
    return False


def _unsaid(text: str) -> None:
    """Nobody is told."""


def _warn(text: str) -> None:
    """A warning of Python's, at the first line that is not of anc."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "anc":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, CompilerWarning, stacklevel=level)


@dataclass(frozen=True)
class Job:
    """A budget (seconds, or evaluations in their place), progress, a wish to stop, and provenance.

    The budget runs from `since`, when somebody began to wait; its one `clock` begins when it is first asked.

    >>> job = Job(evaluations=1000)
    >>> job.clock.counts_work, job.made(method="all")["evaluations"]
    (True, 1000)
    """

    budget: float = 60.0
    evaluations: int | None = None
    since: float | None = None
    tell: Tell = _untold
    asked_to_stop: Callable[[], bool] = _never
    command: str | None = None  # the command line as it was typed; None from Python
    instructions: InstructionSet | None = None  # that programs are made of, where they do not say
    warn: Callable[[str], None] = _warn  # of a program
    note: Callable[[str], None] = _unsaid  # what is worth a remark

    @cached_property
    def clock(self) -> Clock:
        return Clock.of(self.budget, self.evaluations, self.asked_to_stop, self.since)

    def made(self, **settings: Any) -> dict[str, Any]:
        """What a result says of its making: the command, the budget and these settings."""
        budget = None if self.evaluations else finite(self.budget)
        return provenance(self.command, budget=budget, evaluations=self.evaluations, **settings)


def provenance(command: str | None = None, **settings: Any) -> dict[str, Any]:
    """What every result says of its making.

    `command` is the command line as it was typed, None from Python; the settings (the seed, the
    budget, ...) are said whether they were typed or not.

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
    """The number, if JSON can hold it; an endless budget is none."""
    return None if number is None or not math.isfinite(number) else number


def command_line() -> str:
    """The command that this process runs, as it can be typed again."""
    return shlex.join(["anc", *sys.argv[1:]])


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

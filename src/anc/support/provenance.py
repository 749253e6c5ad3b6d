"""Where a result comes from: what it takes to make it again, and the machine that made it."""

from __future__ import annotations

import math
import os
import platform
import shlex
import sys
from typing import Any

from anc.version import __version__


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

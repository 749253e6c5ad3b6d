"""Processes that work for this one: all are started in the same way, and say alike what went wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from anc.diagnostics import AncError

_LACKING = ("SIGKILL", "SIGABRT", "SIGSEGV")

# Whoever waits for answers notices that there will be none, and says so: a traceback helps no user.
_START = """
import os, sys
try:
    from {module} import main
except Exception:
    if os.environ.get("ANC_DEBUG"):
        raise
    sys.exit(1)
main()
"""


@dataclass(frozen=True)
class Refusal:
    """What is wrong with what was asked for."""

    message: str
    help: str | None


@dataclass(frozen=True)
class Failure:
    """An error that should not have happened, as text."""

    text: str


def answer(work: Callable[[], object]) -> object:
    """What came of some work, or why nothing did, for the process that asked for it."""
    try:
        return work()
    except AncError as problem:
        return Refusal(problem.message, problem.help)
    except Exception:
        return Failure(traceback.format_exc())


def started(module: str) -> subprocess.Popen[bytes]:
    """A process that runs a module's `main`, with pipes for what it is told and what it answers."""
    return subprocess.Popen(
        [sys.executable, "-c", _START.format(module=module)],
        # the order of sets must not change from one process to the next
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"},
        cwd=_folder(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # a Ctrl-C in the terminal is for the process that started it
    )


def _folder() -> str:
    """Where this process is, or one that exists: Python does not start where the folder was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def how_it_ended(status: int) -> str:
    """What the status of a process that should not have ended says."""
    if status >= 0:
        return f"it ended with the status {status}"
    name = signal.Signals(-status).name
    lack = "; that is how it ends where memory runs out" if name in _LACKING else ""
    return f"{name} ended it{lack}"


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End it at once, and close what led to it."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(OSError):
            pipe.close()

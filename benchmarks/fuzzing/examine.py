"""One input into its entry point, with a time limit: what became of it."""

from __future__ import annotations

import signal
import traceback
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong

ACCEPTED, REFUSED, FAILED = "accepted", "refused", "failed"
_LONGEST = 20_000  # characters of a message
_SOURCES = str(Path(__file__).parent.parent.parent / "src")


@dataclass(frozen=True)
class Outcome:
    """What became of an input; `kind` is the same for failures that are the same fault."""

    what: str
    kind: str = ""
    detail: str = ""


class Late(BaseException):
    """The time of an input is over; nothing that catches exceptions keeps it."""


def examine(entry: Entry, parts: Parts, seconds: float | None = None) -> Outcome:
    """Try an input."""
    try:
        with time_limit(entry.seconds if seconds is None else seconds):
            return Outcome(ACCEPTED if entry.check(parts) else REFUSED)
    except AncError as problem:
        fault = fault_of_message(str(problem))
        return Outcome(FAILED, fault, str(problem)[:2000]) if fault else Outcome(REFUSED)
    except Wrong as problem:
        return Outcome(FAILED, f"wrong: {str(problem).split(':')[0]}", str(problem))
    except Late:
        return Outcome(FAILED, f"hang: {_place_of(traceback.format_exc())}", traceback.format_exc())
    except Exception as problem:
        text = traceback.format_exc()
        return Outcome(FAILED, f"{type(problem).__name__}: {_place_of(text)}", text)


def fault_of_message(text: str) -> str:
    """What is wrong with a message to a person, if anything."""
    if len(text) > _LONGEST:
        return "message: too long"
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in text):
        return "message: control characters"
    if "Traceback (most recent call last)" in text:
        return "message: a traceback"
    return "" if text.strip() else "message: empty"


def _place_of(text: str) -> str:
    """The last line of our sources in a traceback."""
    places = [line.strip() for line in text.splitlines() if _SOURCES in line]
    return places[-1].replace(_SOURCES + "/", "") if places else "outside"


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `Late` here after so many seconds of work, again and again where it gets lost."""

    def late(_number: int, _frame: object) -> None:
        raise Late

    previous = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)

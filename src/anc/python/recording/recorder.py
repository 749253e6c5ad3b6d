"""The recorder: wraps a function and writes a sample of its calls to a file."""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import itertools
import json
import math
import operator
import os
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from anc.python.recording.store import SIZE, Journal, Reservoir, save_calls
from anc.support.diagnostics import AncError

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_TRIED = 1_000  # consecutive failures after which recording stops


class Recorded(Protocol[P, T_co]):
    """A function whose calls are recorded."""

    recorder: Recorder

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co: ...


def recorded(function: Callable[P, T], path: Path, size: int = SIZE) -> Recorded[P, T]:
    """The function with its calls recorded to a file: see `anc.record`."""
    recorder = Recorder(function, path, size)
    ticket = recorder.ticket

    @functools.wraps(function)
    def recording(*args, **kwargs):
        call = ticket()
        if call >= recorder.wanted:
            recorder.keep(call, args, kwargs)
        return function(*args, **kwargs)

    found = cast(Any, recording)
    found.recorder = recorder
    return found


def behind(function: object) -> Callable | None:
    """The function inside a recording wrapper; None for any other function."""
    is_recording = getattr(function, "__globals__", None) is globals()
    return getattr(function, "__wrapped__", None) if is_recording else None


class Recorder:
    """Records calls of one function to one file, in this process.

    Every call takes a ticket, numbered in order, and most calls do nothing else. `wanted` is the ticket
    of the next call to record. No error here ever reaches the caller: it becomes a single warning, and
    recording ends.
    """

    def __init__(
        self, function: Callable, path: Path, size: int = SIZE, random: Random | None = None
    ) -> None:
        if size < 1:
            raise ValueError(f"a sample of {size} calls")
        self.path, self.size = Path(os.path.abspath(path)), size
        self.random = random or Random()
        self.ticket = itertools.count().__next__
        self.signature, self.plain = _parameters(function)
        self.lock = (
            threading.RLock()
        )  # for threads; reentrant because a signal handler may call too
        self._begin(first=0)
        _ALL.append(self)

    def _begin(self, first: int) -> None:
        """Start a new sample with the call that has this ticket."""
        self.first = first
        self.wanted: float = first
        self.reservoir = Reservoir(self.size, self.random)
        self.journal: Journal | None = None
        self.latest = 0  # the last recorded call
        self.failed = 0  # consecutive calls that could not be recorded

    def keep(self, ticket: int, args: tuple, kwargs: dict[str, Any]) -> None:
        """Record a call, if its ticket is still wanted."""
        with self.lock:
            if ticket < self.wanted:
                return  # another thread's call took its place
            try:
                arguments = self._arguments(args, kwargs)
            except (TypeError, ValueError, RecursionError) as problem:
                self._failed(problem)
                return
            self.failed = 0
            try:
                self.journal = self.journal or Journal(self.path)
                self.latest = max(ticket - self.first, self.latest)
                place, following = self.reservoir.keep(self.latest)
                self.journal.add(place, self.latest + 1, arguments)
                if self.reservoir.is_full:  # before that, every thread's call is wanted
                    self.wanted = self.first + following
            except OSError as problem:
                self._give_up(str(problem))

    def save(self) -> None:
        """Update the file; later calls start a new sample, to be merged by the next save."""
        with self.lock:
            journal, self.journal = self.journal, None
            if journal is None:
                return
            first = self.ticket() + 1
            try:
                journal.add(None, first - 1 - self.first, "")
                journal.close()
                save_calls(self.path, self.size, self.random)
                self._begin(first)
            except (OSError, AncError) as problem:
                self._give_up(str(problem))

    def _arguments(self, args: tuple, kwargs: dict[str, Any]) -> str:
        """All arguments in order as JSON, including defaults."""
        if self.signature is not None and (kwargs or len(args) != self.plain):
            bound = self.signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args = (*bound.args, *bound.kwargs.values())
        return _written(args)

    def _failed(self, problem: Exception) -> None:
        """Count a call that could not be recorded; recording stops after too many."""
        if self.failed == 0:
            _warn(f"a call was not recorded: {problem}")
        self.failed += 1
        if self.failed == _TRIED:
            self._give_up(f"{_TRIED} calls in a row could not be written down")

    def _give_up(self, reason: str) -> None:
        self.wanted = math.inf
        _warn(f"calls are not recorded any more: {reason}")

    def forked(self) -> None:
        """Start a separate sample and journal in a child process."""
        if self.journal is not None:
            self.journal.close()
        self.lock = threading.RLock()
        self.random.seed()
        self._begin(self.ticket() + 1)


def _warn(text: str) -> None:
    with contextlib.suppress(RuntimeWarning):  # where warnings are errors
        warnings.warn(text, RuntimeWarning, stacklevel=5)


def _parameters(function: Callable) -> tuple[inspect.Signature | None, int]:
    """A function's signature, and its number of arguments if all are positional (else -1)."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None, -1
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    return signature, len(kinds) if all(kind in plain for kind in kinds) else -1


def _number(value: Any) -> Any:
    """A number or an array of another library as a Python number or list."""
    return value.tolist() if hasattr(value, "tolist") else operator.index(value)


_written = json.JSONEncoder(separators=(",", ":"), default=_number, allow_nan=False).encode
_ALL: list[Recorder] = []


def _save_all() -> None:
    for recorder in _ALL:
        recorder.save()


def _all_forked() -> None:
    for recorder in _ALL:
        recorder.forked()


atexit.register(_save_all)
if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_all_forked)

"""Calls that `anc.record` kept, as cases.

A real function is called with anything. Calls that its program cannot take go to the original when it
is deployed, so they are left out here, and it is said how many there were and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from anc.data.tasks.cases import Case
from anc.data.tasks.checks import WrongCase, checked_case, checked_tape
from anc.data.tasks.data import MAX_STEPS, Call, read_cases, read_inputs
from anc.machine.tapes import fill
from anc.program import Program
from anc.python.recording.store import read_calls, was_recorded
from anc.support.diagnostics import AncError

_REASONS = 3  # kinds of calls that do not fit, of which a note tells

T = TypeVar("T")


class Samples(NamedTuple):
    """Cases to adapt to, and what is to be said about the file that they are from."""

    cases: list[Case]
    note: str = ""


def read_samples(
    path: Path | str,
    program: Program,
    M: int | None = None,
    call: Call | None = None,
    real_call: Call | None = None,
    seed: int = 0,
) -> Samples:
    """The cases of a file: lines that somebody wrote, or calls that were recorded.

    `call` and `real_call` say what the arguments of the one and of the other are.
    """
    if real_call is None or not was_recorded(Path(path)):
        return Samples(read_cases(path, program, M, call=call))

    def case(fields: Mapping[str, Any]) -> Case:
        return checked_case(fields, program, len(fields["input"]), MAX_STEPS)

    return Samples(*_fitting(Path(path), real_call, seed, case))


def read_tapes(
    path: Path, M: int, call: Call | None = None, real_call: Call | None = None, seed: int = 0
) -> tuple[list[tuple[int, ...]], str]:
    """Only the tapes of a file, and what is to be said about it."""
    if real_call is None or not was_recorded(path):
        return read_inputs(path, M, call), ""
    return _fitting(
        path, real_call, seed, lambda fields: fill(checked_tape("input", fields["input"], M), M)
    )


def _fitting(
    path: Path, call: Call, seed: int, made: Callable[[Mapping[str, Any]], T]
) -> tuple[list[T], str]:
    """What is made of each recorded call that fits, and how many there were."""
    sample = read_calls(path, random=Random(seed))
    known: dict[str, T | str] = {}
    found: list[T] = []
    reasons: list[str] = []
    for arguments in sample.calls:
        key = json.dumps(arguments)
        if key not in known:
            known[key] = _made(arguments, call, made)
        each = known[key]
        if isinstance(each, str):
            reasons.append(each)
        else:
            found.append(each)
    note = f"{path}: {sample.seen:,} calls seen, {len(sample.calls):,} kept"
    if reasons:
        note += f", {len(found):,} of them fit the function; {_left_out(reasons)}"
    if not found:
        raise AncError(note, help="the function that is adapted is not the one that was recorded")
    return found, note


def _made(arguments: Any, call: Call, made: Callable[[Mapping[str, Any]], T]) -> T | str:
    """What is made of a call; a text is the reason why it does not fit."""
    if not isinstance(arguments, list):
        return "a line is not the list of a call's arguments"
    try:
        return made(call(arguments))
    except AncError as problem:
        return problem.message
    except WrongCase as problem:
        return str(problem)


def _left_out(reasons: Sequence[str]) -> str:
    """How many calls do not fit and why; reasons that differ only in numbers are one."""
    alike: dict[str, list[str]] = {}
    for reason in reasons:
        alike.setdefault(re.sub(r"-?\d+", "#", reason), []).append(reason)
    groups = sorted(alike.values(), key=len, reverse=True)
    words = [f"{len(group):,} left out, such as: {group[0]}" for group in groups[:_REASONS]]
    if len(groups) > _REASONS:
        words.append(f"{sum(map(len, groups[_REASONS:])):,} left out for other reasons")
    return "; ".join(words)

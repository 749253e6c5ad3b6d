"""Users' cases: a file of JSON lines or of recorded calls, a list, or a function that draws them.

A line is ``{"input": [...], "output": [...], "mask": [...]}``; for a Python function it may also be the
list of a call's arguments, ``[[3, 9, 1], 2]``. Without `output`, the program computes
the answer; without `mask`, all cells count. Tapes shorter than the memory are filled up with
zeros; with a mask as short as its input, the added cells do not count.

Recorded calls may have any arguments. Those that the program cannot take are left out here, because
the deployed function passes them to the original; the note says how many there were and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from anc.data.tasks.cases import Case
from anc.data.tasks.checks import (
    WrongCase,
    as_list,
    checked_case,
    checked_tape,
    given_case,
    kind,
    shown,
)
from anc.language.source import decode
from anc.machine.tapes import fill
from anc.program import Program
from anc.python.recording.store import read_calls, was_recorded
from anc.support.diagnostics import AncError, close_match
from anc.support.files import read_limited
from anc.support.limits import MAX_MEMORY

MAX_STEPS = 10_000
MAX_BYTES = 256 * 2**20  # of a file of cases
_KEYS = ("input", "output", "mask")
_SHOWN = 10  # wrong cases listed in a message
_AT_A_TIME = 50  # cases per batch of an endless sequence
_TOO_MANY = 100  # wrong cases after which checking stops
_REASONS = 3  # kinds of unfit calls listed in a note

T = TypeVar("T")
Made = Case | Mapping[str, Any] | Sequence[Any]
Fields = Mapping[str, Any]
Call = Callable[[Sequence[Any]], Fields]  # converts a call's arguments to fields


class DataError(AncError):
    """All errors in a set of cases; `problems` has (line or case number, reason)."""

    def __init__(
        self, name: str, unit: str, problems: Sequence[tuple[int, str]], checked: int, total: int
    ) -> None:
        self.problems = tuple(problems)
        wrong = len(self.problems)
        plural = unit if checked == 1 else f"{unit}s"
        rows = [f"{name}: {wrong} of {checked} {plural} {'is' if wrong == 1 else 'are'} wrong"]
        if checked < total:
            rows[0] += f"; the other {total - checked} were not checked"
        rows += [f"  {unit} {number}: {reason}" for number, reason in self.problems[:_SHOWN]]
        if wrong > _SHOWN:
            rows.append(f"  and {wrong - _SHOWN} more")
        super().__init__("\n".join(rows))


@dataclass
class Given:
    """A user's cases before validation: the fields of each, or the reason why it has none.

    Once recorded calls have been validated, `note` says how many of them fit.
    """

    name: str
    unit: str
    found: Sequence[tuple[int, Fields | str]]
    seen: int | None = None  # how many calls were made, if they were recorded
    note: str = ""

    @classmethod
    def of(
        cls, given: Any, name: str, n: int, seed: int, call: Call | None, real_call: Call | None
    ) -> Given:
        """Cases in a file, from a function that draws n of them, or in a list.

        `call` and `real_call` convert the arguments of a written and of a recorded call.
        """
        if isinstance(given, str | Path):
            return cls.in_file(given, call, real_call, seed)
        if callable(given):
            return cls.drawn(given, n, f"cases/{seed}", call)
        return cls.listed(given, call, name)

    @classmethod
    def in_file(
        cls,
        path: str | Path,
        call: Call | None = None,
        real_call: Call | None = None,
        seed: int = 0,
    ) -> Given:
        """Cases in a file of JSON lines, skipping blank lines, or in a file of recorded calls."""
        path = Path(path)
        if real_call is not None and was_recorded(path):
            sample = read_calls(path, random=Random(seed))
            fields = cache(
                lambda text: _called(json.loads(text), real_call)
            )  # many calls are equal
            calls = [fields(json.dumps(arguments)) for arguments in sample.calls]
            return cls(str(path), "call", list(enumerate(calls, 1)), sample.seen)
        text = decode(read_limited(path, "a file of cases", MAX_BYTES), str(path)).text
        lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if not lines:
            line = '{"input": [3, 1, 2]}' if call is None else "the list of a call's arguments"
            raise AncError(f"{path} has no cases", help=f"a line is: {line}")
        return cls(str(path), "line", [(number, _from_json(line, call)) for number, line in lines])

    @classmethod
    def drawn(
        cls, function: Callable[[Random], Made], n: int, seed: str, call: Call | None = None
    ) -> Given:
        """n cases from a function of a random generator; if it fails, the error names the case."""
        name, random = getattr(function, "__name__", "the function"), Random(seed)
        found = []
        for number in range(1, n + 1):
            try:
                made = function(random)
            except Exception as problem:
                message = f"{type(problem).__name__}: {problem}"
                raise AncError(f"{name} failed at case {number}: {message}") from problem
            found.append((number, _from_python(made, call)))
        return cls(name, "case", found)

    @classmethod
    def listed(cls, made: Iterable[Made], call: Call | None = None, name: str = "cases") -> Given:
        """Cases, dictionaries like the lines of a file, input tapes, or arguments of calls."""
        found = [(number, _from_python(one, call)) for number, one in enumerate(made, start=1)]
        return cls(name, "case", found)

    def cases(
        self, program: Program, M: int | None = None, max_steps: int = MAX_STEPS
    ) -> list[Case]:
        """The cases, each validated by running the program.

        M defaults to the program's own memory, or else to the length of the longest input.
        """
        size = self.memory(program) if M is None else M
        if size > MAX_MEMORY:
            raise AncError(f"memory {size} is too large: at most {MAX_MEMORY} cells")
        program.check_fits(size)
        return self._each(lambda fields: checked_case(fields, program, size, max_steps))

    def memory(self, program: Program) -> int:
        """The program's memory or, if it declares none, as much as the inputs need."""
        inputs = [as_list(f["input"]) for _, f in self.found if not isinstance(f, str)]
        longest = max((len(cells) for cells in inputs if cells is not None), default=0)
        return program.memory or max(longest, program.smallest_memory)

    def answered(self, M: int) -> list[Case]:
        """The cases with their own answers, which no program checks."""
        return self._each(lambda fields: given_case(fields, M))

    def inputs(self, M: int, unanswered: bool = False) -> list[tuple[int, ...]]:
        """The input tapes alone; with `unanswered`, an `output` is an error."""

        def tape(fields: Fields) -> tuple[int, ...]:
            if unanswered and fields.get("output") is not None:
                raise WrongCase("'output' is an expected answer, but there is an objective instead")
            return fill(checked_tape("input", fields["input"], M), M)

        return self._each(tape)

    def _each(self, made: Callable[[Fields], T]) -> list[T]:
        """Convert the fields of each case.

        All errors are reported together. Recorded calls that do not fit are left out and counted.
        """
        good: list[T] = []
        problems: list[tuple[int, str]] = []
        known: dict[int, T | WrongCase] = {}
        for number, fields in self.found:
            if id(fields) not in known:
                known[id(fields)] = _made(fields, made)
            one = known[id(fields)]
            if not isinstance(one, WrongCase):
                good.append(one)
                continue
            problems.append((number, str(one)))
            if len(problems) == _TOO_MANY and self.seen is None:
                break
        if self.seen is not None:
            self.note = f"{self.name}: {self.seen:,} calls seen, {len(self.found):,} kept"
            if problems:
                reasons = _left_out([reason for _, reason in problems])
                self.note += f", {len(good):,} of them fit the function; {reasons}"
            if not good:
                help = "the function that is adapted is not the one that was recorded"
                raise AncError(self.note, help=help)
        elif problems:
            checked = len(good) + len(problems)
            raise DataError(self.name, self.unit, problems, checked, len(self.found))
        return good


def _made(fields: Fields | str, made: Callable[[Fields], T]) -> T | WrongCase:
    if isinstance(fields, str):
        return WrongCase(fields)
    try:
        return made(fields)
    except WrongCase as problem:
        return problem


def _left_out(reasons: Sequence[str]) -> str:
    """How many calls do not fit and why; reasons that differ only in numbers are grouped."""
    alike: dict[str, list[str]] = {}
    for reason in reasons:
        alike.setdefault(re.sub(r"-?\d+", "#", reason), []).append(reason)
    groups = sorted(alike.values(), key=len, reverse=True)
    words = [f"{len(group):,} left out, such as: {group[0]}" for group in groups[:_REASONS]]
    if len(groups) > _REASONS:
        words.append(f"{sum(map(len, groups[_REASONS:])):,} left out for other reasons")
    return "; ".join(words)


def more_cases(
    function: Callable[[Random], Made],
    seed: int,
    program: Program,
    M: int | None = None,
    call: Call | None = None,
) -> Iterator[Case]:
    """An endless sequence of cases, different from those drawn first with the same seed."""
    for number in count():
        some = Given.drawn(function, _AT_A_TIME, f"cases/{seed}/more/{number}", call)
        yield from some.cases(program, M)


def cases_text(cases: Iterable[Case]) -> str:
    """Cases as JSON lines, which `Given.in_file` reads back."""
    fields = [vars(case) | {"mask": [int(counts) for counts in case.mask]} for case in cases]
    return "".join(json.dumps(line) + "\n" for line in fields)


# -- from a line or an object to its fields; a string is an error ---------


class _Twice(ValueError):
    pass


def _from_json(line: str, call: Call | None) -> Fields | str:
    try:
        data = json.loads(line, object_pairs_hook=_distinct)
    except _Twice as problem:
        return f"key {shown(str(problem))} occurs twice"
    except json.JSONDecodeError as problem:
        return f"not JSON: {problem.msg} at column {problem.colno}"
    except (ValueError, RecursionError) as problem:
        return f"not JSON: {str(problem).split(';')[0]}"
    if isinstance(data, list) and call is not None:
        return _called(data, call)
    if not isinstance(data, dict):
        return f'expected an object such as {{"input": [3, 1, 2]}}, found {kind(data)}'
    return _known_keys(data)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def _called(arguments: Any, call: Call) -> Fields | str:
    if not isinstance(arguments, Sequence):
        return "a line is not the list of a call's arguments"
    try:
        return call(arguments)
    except AncError as problem:
        return problem.message


def _from_python(made: object, call: Call | None) -> Fields | str:
    if isinstance(made, Case):
        return vars(made)
    if isinstance(made, Mapping):
        return _known_keys({str(key): value for key, value in made.items()})
    if call is not None and isinstance(made, Sequence) and not isinstance(made, str | bytes):
        return _called(made, call)
    if as_list(made) is not None:
        return {"input": made}
    return f"expected a Case, a dictionary or an input tape, found {kind(made)}"


def _known_keys(data: dict[str, Any]) -> Fields | str:
    reasons = []
    for key in data:
        if key not in _KEYS:
            match = close_match(key, _KEYS)
            hint = f"did you mean '{match}'?" if match else "the keys are input, output and mask"
            reasons.append(f"unknown key {shown(key)} ({hint})")
    if "input" not in data:
        reasons.append("'input' is missing")
    return "; ".join(reasons) or data

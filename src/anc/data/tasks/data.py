"""Users' cases: a file of JSON lines, or a Python function that makes them.

A line is ``{"input": [...], "output": [...], "mask": [...]}``; of a Python function it may also be the
list of a call's arguments, ``[[3, 9, 1], 2]``. Without `output`, the program says
what is right; without `mask`, all cells count. Tapes shorter than the memory are filled up with
zeros; a mask that is as short as its input does not count the cells filled up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.files import read_limited
from anc.support.limits import MAX_MEMORY, is_listed

MAX_STEPS = 10_000
MAX_BYTES = 256 * 2**20  # of a file of cases
_KEYS = ("input", "output", "mask")
_SHOWN = 10  # wrong cases that a message lists
_AT_A_TIME = 50  # cases that are made without an end
_TOO_MANY = 100  # wrong cases after which nothing more is checked

T = TypeVar("T")
Made = Case | Mapping[str, Any] | Sequence[Any]
Call = Callable[[Sequence[Any]], dict[str, Any]]  # the fields of a call with these arguments


class DataError(AncError):
    """All that is wrong with a set of cases; `problems` has (line or case number, reason)."""

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


def read_cases(
    path: Path | str,
    program: Program,
    M: int | None = None,
    max_steps: int = MAX_STEPS,
    call: Call | None = None,
) -> list[Case]:
    """The cases of a file of JSON lines, each checked with the program.

    M is the program's own memory unless given, or else the longest input. `call` says what a list of
    arguments is.
    """
    return _checked(_lines(Path(path), call), str(path), "line", program, M, max_steps)


def read_inputs(
    path: Path, M: int, call: Call | None = None, unanswered: bool = False
) -> list[tuple[int, ...]]:
    """Only the input tapes of a file of cases, for machines that have no program to check them.

    `unanswered` refuses lines that say what the output is.
    """
    return _each(_lines(path, call), str(path), "line", lambda f: _input(f, M, unanswered))


def inputs_from(
    made: Iterable[Made], M: int, call: Call | None = None, name: str = "inputs"
) -> list[tuple[int, ...]]:
    """Input tapes without answers that Python code gives: tapes, dictionaries, or arguments of calls."""
    found = [(number, _from_python(one, call)) for number, one in enumerate(made, start=1)]
    return _each(found, name, "case", lambda fields: _input(fields, M, True))


def _input(fields: Mapping[str, Any], M: int, unanswered: bool) -> tuple[int, ...]:
    if unanswered and fields.get("output") is not None:
        raise WrongCase("'output' is an expected answer, but there is an objective instead")
    return fill(checked_tape("input", fields["input"], M), M)


def read_given(path: Path, M: int, call: Call | None = None) -> list[Case]:
    """The cases of a file that says itself what is right: there is no program that could check them."""
    return _each(_lines(path, call), str(path), "line", lambda fields: given_case(fields, M))


def given_cases(made: Iterable[Made], M: int, call: Call | None = None) -> list[Case]:
    """The same for cases from Python: Cases, or dictionaries like the lines of a file."""
    if not is_listed(made):
        raise AncError(f"cases is {quoted(made)}, expected a list of them, or the name of a file")
    found = [(number, _from_python(each, call)) for number, each in enumerate(made, start=1)]
    if not found:
        raise AncError("there are no cases to fill the holes from")
    return _each(found, "the cases", "case", lambda fields: given_case(fields, M))


def _lines(path: Path, call: Call | None) -> list[tuple[int, dict[str, Any] | str]]:
    """The fields of each line of a file, with its number; blank lines are skipped."""
    text = decode(read_limited(path, "a file of cases", MAX_BYTES), str(path)).text
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        line = '{"input": [3, 1, 2]}' if call is None else "the list of a call's arguments"
        raise AncError(f"{path} has no cases", help=f"a line is: {line}")
    return [(number, _from_json(line, call)) for number, line in lines]


def cases_from(
    function: Callable[[Random], Made],
    n: int,
    seed: int | str,
    program: Program,
    M: int | None = None,
    max_steps: int = MAX_STEPS,
    call: Call | None = None,
) -> list[Case]:
    """n cases made by a function of a random generator, checked like those of a file.

    The function returns a Case, a dictionary like a line of a file, or just an input tape; with `call`,
    the arguments of a call.
    """
    name = getattr(function, "__name__", "the function")
    random = Random(f"cases/{seed}")
    found: list[tuple[int, dict[str, Any] | str]] = []
    for number in range(1, n + 1):
        found.append((number, _from_python(drawn(function, random, name, number), call)))
    return _checked(found, name, "case", program, M, max_steps)


def drawn(function: Callable[[Random], Made], random: Random, name: str, number: int) -> Made:
    """What a user's function draws; if it fails, the message says where."""
    try:
        return function(random)
    except Exception as problem:
        message = f"{type(problem).__name__}: {problem}"
        raise AncError(f"{name} failed at case {number}: {message}") from problem


def more_cases_from(
    function: Callable[[Random], Made],
    seed: int,
    program: Program,
    M: int | None = None,
    call: Call | None = None,
) -> Iterator[Case]:
    """Cases without an end, others than `cases_from` makes with the same seed."""
    for number in count():
        more = f"{seed}/more/{number}"
        yield from cases_from(function, _AT_A_TIME, more, program, M, call=call)


def cases_text(cases: Iterable[Case]) -> str:
    """Cases as JSON lines that `read_cases` reads back."""
    fields = [vars(case) | {"mask": [int(counts) for counts in case.mask]} for case in cases]
    return "".join(json.dumps(line) + "\n" for line in fields)


# -- from a line or an object to its fields; a string is the reason why not ---------


class _Twice(ValueError):
    pass


def _from_json(line: str, call: Call | None) -> dict[str, Any] | str:
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


def _called(arguments: Sequence[Any], call: Call) -> dict[str, Any] | str:
    try:
        return call(arguments)
    except AncError as problem:
        return problem.message


def _from_python(made: object, call: Call | None) -> dict[str, Any] | str:
    if isinstance(made, Case):
        return vars(made)
    if isinstance(made, Mapping):
        return _known_keys({str(key): value for key, value in made.items()})
    if call is not None and isinstance(made, Sequence) and not isinstance(made, str | bytes):
        return _called(made, call)
    if as_list(made) is not None:
        return {"input": made}
    return f"expected a Case, a dictionary or an input tape, found {kind(made)}"


def _known_keys(data: dict[str, Any]) -> dict[str, Any] | str:
    reasons = []
    for key in data:
        if key not in _KEYS:
            match = close_match(key, _KEYS)
            hint = f"did you mean '{match}'?" if match else "the keys are input, output and mask"
            reasons.append(f"unknown key {shown(key)} ({hint})")
    if "input" not in data:
        reasons.append("'input' is missing")
    return "; ".join(reasons) or data


# -- checking ------------------------------------------------------------------


def _checked(
    found: Sequence[tuple[int, dict[str, Any] | str]],
    name: str,
    unit: str,
    program: Program,
    M: int | None,
    max_steps: int,
) -> list[Case]:
    if M is None:
        inputs = [as_list(fields["input"]) for _, fields in found if isinstance(fields, dict)]
        longest = max((len(cells) for cells in inputs if cells is not None), default=0)
        M = program.memory or max(longest, program.smallest_memory)
    if M > MAX_MEMORY:
        raise AncError(f"memory {M} is too large: at most {MAX_MEMORY} cells")
    program.check_fits(M)
    size = M
    return _each(found, name, unit, lambda fields: checked_case(fields, program, size, max_steps))


def _each(
    found: Sequence[tuple[int, dict[str, Any] | str]],
    name: str,
    unit: str,
    made: Callable[[Mapping[str, Any]], T],
) -> list[T]:
    """What is made of each line's or object's fields; all that is wrong with them at once."""
    good: list[T] = []
    problems: list[tuple[int, str]] = []
    for number, fields in found:
        try:
            if isinstance(fields, str):
                raise WrongCase(fields)
            good.append(made(fields))
        except WrongCase as problem:
            problems.append((number, str(problem)))
            if len(problems) == _TOO_MANY:
                break
    if problems:
        raise DataError(name, unit, problems, len(good) + len(problems), len(found))
    return good

"""Users' cases: a file of JSON lines, or a Python function that makes them.

A line is ``{"input": [...], "output": [...], "mask": [...]}``. Without `output`, the program says
what is right; without `mask`, all cells count. Tapes shorter than the memory are filled up with
zeros; a mask that is as short as its input does not count the cells filled up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TextIO

from anc.compiler.names import MAX_MEMORY
from anc.diagnostics import AncError, close_match
from anc.program import Program
from anc.tasks.cases import Case
from anc.tasks.checks import WrongCase, as_list, checked_case, kind, shown

MAX_STEPS = 10_000
_KEYS = ("input", "output", "mask")
_SHOWN = 10  # wrong cases that a message lists
_TOO_MANY = 100  # wrong cases after which nothing more is checked

Made = Case | Mapping[str, Any] | Sequence[int]


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
    path: Path | str, program: Program, M: int | None = None, max_steps: int = MAX_STEPS
) -> list[Case]:
    """The cases of a file of JSON lines, each checked with the program.

    M is the program's own memory unless given, or else the longest input.
    """
    path = Path(path)
    if path.is_dir():
        raise AncError(f"{path} is a directory, not a file of cases")
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise AncError(f"cannot read {path}: {reason}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise AncError(
            f"{path} is not UTF-8 text: line {line} has the byte 0x{data[problem.start]:02x}",
            help="save the file as UTF-8",
        ) from None
    return parse_cases(text, str(path), program, M, max_steps)


def parse_cases(
    text: str, name: str, program: Program, M: int | None = None, max_steps: int = MAX_STEPS
) -> list[Case]:
    """The cases of a text of JSON lines, which messages call `name`; blank lines are skipped."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise AncError(f"{name} has no cases", help='a line is: {"input": [3, 1, 2]}')
    found = [(number, _from_json(line)) for number, line in lines]
    return _checked(found, name, "line", program, M, max_steps)


def cases_from(
    function: Callable[[Random], Made],
    n: int,
    seed: int,
    program: Program,
    M: int | None = None,
    max_steps: int = MAX_STEPS,
) -> list[Case]:
    """n cases made by a function of a random generator, checked like those of a file.

    The function returns a Case, a dictionary like a line of a file, or just an input tape.
    """
    name = getattr(function, "__name__", "the function")
    random = Random(f"cases/{seed}")
    found: list[tuple[int, dict[str, Any] | str]] = []
    for number in range(1, n + 1):
        try:
            made = function(random)
        except Exception as problem:
            message = f"{type(problem).__name__}: {problem}"
            raise AncError(f"{name} failed at case {number}: {message}") from problem
        found.append((number, _from_python(made)))
    return _checked(found, name, "case", program, M, max_steps)


def write_cases(cases: Iterable[Case], stream: TextIO) -> None:
    """Write cases as JSON lines that `read_cases` reads back."""
    for case in cases:
        line = {
            "input": list(case.input),
            "output": list(case.output),
            "mask": [int(counts) for counts in case.mask],
        }
        stream.write(json.dumps(line) + "\n")


# -- from a line or an object to its fields; a string is the reason why not ---------


class _Twice(ValueError):
    pass


def _from_json(line: str) -> dict[str, Any] | str:
    try:
        data = json.loads(line, object_pairs_hook=_distinct)
    except _Twice as problem:
        return f"key {shown(str(problem))} occurs twice"
    except json.JSONDecodeError as problem:
        return f"not JSON: {problem.msg} at column {problem.colno}"
    except (ValueError, RecursionError) as problem:
        return f"not JSON: {str(problem).split(';')[0]}"
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


def _from_python(made: object) -> dict[str, Any] | str:
    if isinstance(made, Case):
        return {"input": made.input, "output": made.output, "mask": made.mask}
    if isinstance(made, Mapping):
        return _known_keys({str(key): value for key, value in made.items()})
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
    cases: list[Case] = []
    problems: list[tuple[int, str]] = []
    for number, fields in found:
        try:
            if isinstance(fields, str):
                raise WrongCase(fields)
            cases.append(checked_case(fields, program, M, max_steps))
        except WrongCase as problem:
            problems.append((number, str(problem)))
            if len(problems) == _TOO_MANY:
                break
    if problems:
        raise DataError(name, unit, problems, len(cases) + len(problems), len(found))
    return cases

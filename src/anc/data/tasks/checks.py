"""Validation of a user's case: it must be well formed, and the program must agree with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from anc.data.tasks.cases import Case
from anc.machine.exact import Stop, run
from anc.program import Program
from anc.support.limits import as_whole


class WrongCase(Exception):
    """The reason why some fields are not a valid case."""


def checked_case(fields: Mapping[str, Any], program: Program, M: int, max_steps: int) -> Case:
    """The case with these fields (`input`, optionally `output` and `mask`), validated by a run."""
    before, wanted, mask = _parts(fields, M)
    result = run(program, before, max_steps)
    if result.stop is Stop.STEP_LIMIT:
        raise WrongCase(f"the program does not stop on this input within {max_steps:,} steps")
    if result.stop is Stop.PAST_END:
        raise WrongCase("the program runs past its last line on this input")
    after = list(result.tape) if wanted is None else wanted
    for cell in () if wanted is None else range(M):
        if mask[cell] and after[cell] != result.tape[cell]:
            raise WrongCase(
                f"'output' has {after[cell]} in cell {cell}, the program computes"
                f" {result.tape[cell]}"
            )
    return Case(tuple(before), tuple(after), tuple(mask))


def given_case(fields: Mapping[str, Any], M: int) -> Case:
    """The case with these fields, whose `output` is required: a sketch cannot compute it."""
    before, wanted, mask = _parts(fields, M)
    if wanted is None:
        raise WrongCase(
            "'output' is missing: the program has holes, so it cannot say what is right"
        )
    return Case(tuple(before), tuple(wanted), tuple(mask))


def _parts(fields: Mapping[str, Any], M: int) -> tuple[list[int], list[int] | None, list[bool]]:
    """Input, output (if any) and mask, filled up to M cells."""
    before = checked_tape("input", fields["input"], M)
    mask, wanted = [True] * M, None
    if fields.get("mask") is not None:
        mask = _mask(fields["mask"], len(before), M)
    if fields.get("output") is not None:
        wanted = checked_tape("output", fields["output"], M)
        _same_length("output", wanted, len(before), M)
        wanted += [0] * (M - len(wanted))
    return before + [0] * (M - len(before)), wanted, mask


def checked_tape(key: str, value: object, M: int) -> list[int]:
    """The cells of a user's tape, validated."""
    cells = as_list(value)
    if cells is None:
        raise WrongCase(f"'{key}' is {kind(value)}, expected a list of numbers")
    if len(cells) > M:
        raise WrongCase(f"'{key}' has {len(cells)} cells, the memory has {M}")
    if set(map(type, cells)) == {int} and min(cells) >= 0 and max(cells) < M:
        return cells  # the fast path: there may be thousands of cells in each of many tapes
    numbers = []
    for place, cell in enumerate(cells):
        number = as_whole(cell)
        if number is None:
            raise WrongCase(f"'{key}' has {kind(cell)} in cell {place}, expected a whole number")
        if not 0 <= number < M:
            raise WrongCase(
                f"'{key}' has {shown(number)} in cell {place}; with {M} cells, numbers go"
                f" from 0 to {M - 1}"
            )
        numbers.append(number)
    if not numbers:
        raise WrongCase(f"'{key}' has no cells")
    return numbers


def _mask(value: object, length: int, M: int) -> list[bool]:
    cells = as_list(value)
    if cells is None:
        raise WrongCase(f"'mask' is {kind(value)}, expected a list of 0 and 1")
    is_plain = set(map(type, cells)) <= {int, bool} and set(cells) <= {0, 1}
    for place, cell in () if is_plain else enumerate(cells):
        if not (isinstance(cell, bool) or as_whole(cell) in (0, 1)):
            raise WrongCase(f"'mask' has {shown(cell)} in cell {place}, expected 0 or 1")
    mask = list(map(bool, cells))
    _same_length("mask", mask, length, M)
    if not any(mask):
        raise WrongCase("'mask' counts no cell")
    return mask + [False] * (M - len(mask))


def _same_length(key: str, cells: Sequence[object], length: int, M: int) -> None:
    if len(cells) not in (length, M):
        whole = f" (or {M}, the whole memory)" if length != M else ""
        raise WrongCase(f"'{key}' has {len(cells)} cells, expected {length} like 'input'{whole}")


def as_list(value: object) -> list[Any] | None:
    """A list, tuple or array as a list; None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    return list(value)


def kind(value: object) -> str:
    """Describe a value in JSON's terms."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return f"the number {shown(value)}"
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, Sequence) else f"a {type(value).__name__}"


def shown(value: object) -> str:
    """A value as JSON, truncated if it is long."""
    text = json.dumps(value) if isinstance(value, int | float | str) else kind(value)
    return text if len(text) <= 30 else text[:27] + "..."

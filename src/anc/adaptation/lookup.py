"""Look-up tables: all results of a function on a box of arguments, from the original itself.

The box are the ranges of the arguments in the samples, wider where that costs little; where that is too large, an
argument that has the same few values again and again has these. Every entry is the result of
the exact program, which stops only where Python returns the same, with integers of any size: that is the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from anc.adaptation.evidence import MAX_STEPS
from anc.codegen.tables import Table, is_range
from anc.machine.batch import run_all
from anc.proof import Fact, Verdict
from anc.proof.facts import cell, compare, member
from anc.proof.verdict import proved
from anc.python.originals import changes_lists

if TYPE_CHECKING:
    from anc.python.function import Function

MOST_ENTRIES = 4096
MOST_CELLS = 4_000_000  # of tapes that run at the same time
WIDE = 1024  # entries up to which a box is widened
LARGEST = 1 << 16  # entries of the box around some values of some cells
FEW = 16  # values of such a cell
OFTEN = 4  # calls at least with each of these


@dataclass(frozen=True)
class LookUp:
    """A table, the facts under which it is right, and its proof."""

    table: Table
    facts: tuple[Fact, ...]
    verdict: Verdict


Box = dict[int, Sequence[int]]  # the values of each cell of the arguments


def look_up(function: Function, tapes: Sequence[Sequence[int]]) -> LookUp | None:
    """A table for calls such as these tapes; None where there would be too many entries, or none."""
    layout = function.layout
    has_one_result = layout.result is not None and layout.several is None
    if layout.tape is not None or not has_one_result or changes_lists(function):
        return None
    given = np.array(tapes, np.int64)
    lists = [p for p in layout.parameters if p.length is not None]
    if any(np.ptp(given[:, p.length or 0]) for p in lists):
        return None
    seen: Box = {}
    for p in layout.parameters:
        used = p.cells if p.length is None else p.cells[: given[0, p.length]]
        for number in (*([] if p.length is None else [p.length]), *used):
            seen[number] = range(given[:, number].min(), given[:, number].max() + 1)
    boxes = [_widened(function, seen), seen]
    if entries_of(seen) > MOST_ENTRIES:
        boxes = [_with_sets(seen, given)]
        if entries_of(seen) > LARGEST or entries_of(boxes[0]) > MOST_ENTRIES:
            return None
    for box in boxes:
        found = table_on(function, box)
        if found is not None:
            return found
    return None


def entries_of(box: Box) -> int:
    return prod(map(len, box.values()))


def _widened(function: Function, seen: Box) -> Box:
    """The box with the whole range of each argument that varies, if it stays small."""
    box = dict(seen)
    for p in function.layout.parameters:
        every = range(2 if p.truths else function.M)
        box |= {number: every for number in p.cells if number in box and len(box[number]) > 1}
    return box if entries_of(box) <= WIDE else seen


def _with_sets(seen: Box, given: np.ndarray) -> Box:
    """The box with the values themselves of cells that have few again and again."""
    box = dict(seen)
    for number in seen:
        values, times = np.unique(given[:, number], return_counts=True)
        if len(values) <= FEW and min(times) >= OFTEN:
            box[number] = tuple(values.tolist())
    return box


def table_on(function: Function, box: Box) -> LookUp | None:
    """The table of a box; None if the original has no answer to one of its calls that fits into a cell."""
    began = perf_counter()
    free = {number: tuple(values) for number, values in box.items() if len(values) > 1}
    pinned = {number: values[0] for number, values in box.items() if len(values) == 1}
    answers = _answers(function, pinned, free)
    if answers is None:
        return None
    facts: list[Fact] = [compare(cell(number), "==", value) for number, value in pinned.items()]
    for number, values in free.items():
        in_range = compare(values[0], "<=", cell(number), "<=", values[-1])
        facts.append(in_range if is_range(values) else member(cell(number), values))
    used, results = _relevant(list(free), answers)
    rows = _rows(results.tolist()) if used else (int(results),)
    table = Table(tuple((number, free[number]) for number in used), rows)
    spent = perf_counter() - began
    return LookUp(table, tuple(facts), proved("calls", answers.size).after(spent))


def _relevant(cells: list[int], results: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The results without the cells that they do not depend on."""
    for axis in reversed(range(results.ndim)):
        first = results.take([0], axis)
        if (results == first).all():
            results = first.squeeze(axis)
            cells = cells[:axis] + cells[axis + 1 :]
    return cells, results


def _rows(numbers: list) -> tuple:
    return tuple(_rows(each) if isinstance(each, list) else each for each in numbers)


def _answers(
    function: Function, pinned: Mapping[int, int], free: Mapping[int, Sequence[int]]
) -> np.ndarray | None:
    """The results on a box, with an axis for each free cell; None if a run does not stop."""
    program = function.program if function.wrap else function.exact
    sizes = [len(values) for values in free.values()]
    numbers = np.array(list(product(*free.values())), np.uint16).reshape(prod(sizes), len(free))
    found = []
    for part in np.array_split(numbers, -(-len(numbers) * function.M // MOST_CELLS)):
        tapes = np.zeros((len(part), function.M), np.uint16)
        tapes[:, list(pinned)] = list(pinned.values())
        tapes[:, list(free)] = part
        runs = run_all(program, tapes, MAX_STEPS)
        if not runs.stopped.all():
            return None
        found.append(runs.tapes[:, function.layout.result or 0])
    return np.concatenate(found).reshape(sizes)

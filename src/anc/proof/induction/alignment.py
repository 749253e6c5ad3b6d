"""Trace alignment: which moments of two runs on one tape correspond.

Each moment of the generic program at a loop head is matched with one of the adapted program, in order. A
register of the adapted program that takes the same values in the same order as one of the generic
program is a clock, and so is the tape. The matching minimises the differences between clocks, and the
numbers that only the adapted program knows. It need not be right: wrong candidates fail their proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anc.machine import exact
from anc.program import Program
from anc.proof.cfg import Flow
from anc.proof.induction.running import ADAPTED, GENERIC, INPUT

TAPE = -1  # among registers, the whole tape

_MOST_PAIRS = 1_500_000  # moments of one run times moments of the other
_LONGEST = 4  # the longest runs, which show the clocks
_AHEAD = 16  # values that the adapted program may skip at once
_SAME = 0.7  # share of the values of the adapted program's clock that the other one has
_FINE = 0.1  # share of the generic program's values that it must have
_APART = 4  # larger differences between clocks do not count
_BY_ITSELF = 0.05  # cost of a live register of the adapted program that is no clock
_HEAD = 0.04  # bonus of a loop head

_STRANGE = 0.2  # cost of a live number of the adapted program that the other does not have


class Traced:
    """A trace: the line, the registers and the tape before each step and at the end."""

    def __init__(self, program: Program, tape: tuple[int, ...], max_steps: int) -> None:
        run = exact.run(program, tape, max_steps, trace=True)
        self.input, self.stopped = tape, run.stop is exact.Stop.STOPPED
        self._done = run.trace if self.stopped else run.trace[:-1]
        first = tuple(value or 0 for value in program.registers)
        self.lines = np.array(
            [*(step.line for step in run.trace), *([program.L] * self.stopped)]
        )  # (n,)
        self.registers = np.array([first, *(step.registers for step in self._done)], np.int64)

    def tapes(self, moments: np.ndarray) -> np.ndarray:
        """(n, M): the tapes at some moments."""
        found = [self._done[m - 1].tape if m else self.input for m in moments.tolist()]
        return np.array(found, np.int64)

    def column(self, register: int) -> np.ndarray:
        """The values of a register at all moments; for TAPE, hashes of the tape."""
        if register != TAPE:
            return self.registers[:, register]
        numbers = np.random.default_rng(0).integers(1, 1 << 40, len(self.input)).tolist()
        tape, found = self.input, [0]
        for step in self._done:
            cell = step.cell
            changed = 0 if cell is None else (step.tape[cell] - tape[cell]) * numbers[cell]
            found.append(found[-1] + changed)
            tape = step.tape
        return np.array(found)


@dataclass(frozen=True)
class Matched:
    """Pairs of moments: both lines, all registers (the generic program's first) and the tapes."""

    run: np.ndarray  # (n,) numbers of the runs
    lines: np.ndarray  # (n, 2)
    states: np.ndarray  # (n, R)
    tapes: dict[str, np.ndarray]  # (n, M)

    def where(self, rows: np.ndarray) -> Matched:
        tapes = {name: tape[rows] for name, tape in self.tapes.items()}
        return Matched(self.run[rows], self.lines[rows], self.states[rows], tapes)


def matched(pairs: Sequence[tuple[Traced, Traced]], flows: tuple[Flow, Flow]) -> Matched | None:
    """The moments of the generic program at loop heads, each with one of the adapted program."""
    heads = sorted(flows[0].loop_heads)
    pairs = [(a, b) for a, b in pairs if np.isin(a.lines, heads).any()]
    if not pairs:
        return None
    clocks = _clocks(pairs)
    costs = _line_costs(flows[1], {j for _, j, _ in clocks})
    parts: list[tuple[np.ndarray, ...]] = []
    for generic, adapted in pairs:
        moments = np.flatnonzero(np.isin(generic.lines, heads))
        moments = moments[: max(1, _MOST_PAIRS // len(adapted.lines))]
        cost = costs[adapted.lines] + _STRANGE * _strange(flows, generic, moments, adapted)
        for i, j, weight in clocks:
            here, low, high = _versions(generic.column(i), adapted.column(j))
            shown = here[moments][:, None]
            apart = np.maximum(np.maximum(low - shown, shown - high), 0)
            cost += weight * np.minimum(apart, _APART)
        best = _cheapest(cost)
        parts.append(
            (
                np.full(len(moments), len(parts)),
                np.stack([generic.lines[moments], adapted.lines[best]], axis=1),
                np.concatenate([generic.registers[moments], adapted.registers[best]], axis=1),
                generic.tapes(moments),
                adapted.tapes(best),
                np.repeat([generic.input], len(moments), axis=0),
            )
        )
    run, lines, states, *tapes = map(np.concatenate, zip(*parts, strict=True))
    return Matched(run, lines, states, dict(zip((GENERIC, ADAPTED, INPUT), tapes, strict=True)))


def _clocks(pairs: Sequence[tuple[Traced, Traced]]) -> list[tuple[int, int, float]]:
    """Pairs of registers that take the same values, with the share of these values."""
    found = []
    some = sorted(pairs, key=lambda pair: -len(pair[0].lines))[:_LONGEST]
    columns = [range(TAPE, run.registers.shape[1]) for run in some[0]]
    values = [
        ({i: a.column(i) for i in columns[0]}, {j: b.column(j) for j in columns[1]})
        for a, b in some
    ]
    for j in columns[1]:
        best = (0.0, 0)
        for i in columns[0][1:] if j != TAPE else (TAPE,):
            shares = [_common(a[i], b[j]) for a, b in values]
            best = max(best, (float(np.mean(shares)), i))
        if best[0] > _FINE:
            found.append((best[1], j, best[0]))
    return found


def _changes(column: np.ndarray) -> np.ndarray:
    """The moments at which a column changes."""
    return np.flatnonzero(np.concatenate([[False], column[1:] != column[:-1]]))


def _embedded(wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each value, the length of the prefix of the wanted ones that is matched; others are skipped."""
    found, at = np.zeros(len(values), np.int64), 0
    wanted_list = wanted.tolist()
    for number, value in enumerate(values.tolist()):
        ahead = wanted_list[at : at + _AHEAD]
        if value in ahead:
            at += ahead.index(value) + 1
        found[number] = at
    return found


def _common(a: np.ndarray, b: np.ndarray) -> float:
    """The share of the changes of one column that another one has; 0 if the other has many more."""
    x, y = a[_changes(a)], b[_changes(b)]
    if not len(x) or not len(y):
        return 0.0
    places = _embedded(x, y)
    same = len(np.unique(places[places > 0]))
    return same / len(x) if same >= _SAME * len(y) else 0.0


def _versions(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The time of a clock at each moment, and the earliest and latest time that another one may show.

    Values that repeat are ambiguous.
    """
    here, low, high = (np.zeros(len(column), np.int64) for column in (a, b, b))
    changes_a, changes_b = _changes(a), _changes(b)
    here[changes_a] = 1
    values_a, values_b = a[changes_a], b[changes_b]
    low[changes_b] = _embedded(values_a, values_b)
    backwards = _embedded(values_a[::-1], values_b[::-1])[::-1]
    high[changes_b] = np.where(backwards > 0, len(values_a) + 1 - backwards, 0)
    low = np.maximum.accumulate(low)
    return np.cumsum(here), low, np.maximum(low, np.maximum.accumulate(high))


def _strange(
    flows: tuple[Flow, Flow], generic: Traced, moments: np.ndarray, adapted: Traced
) -> np.ndarray:
    """(moments, adapted moments): live numbers of the adapted program that the generic one does not have."""
    found = np.zeros((len(moments), len(adapted.lines)), np.int8)
    written = [{line.out for line in flow.program.lines} for flow in flows]
    for head in np.unique(generic.lines[moments]).tolist():
        rows = np.flatnonzero(generic.lines[moments] == head)
        known = generic.registers[moments[rows]][:, sorted(flows[0].live[head] & written[0])]
        for register in sorted(written[1]):
            matters = np.array([register in live for live in flows[1].live])[adapted.lines]
            columns = np.flatnonzero(matters)
            values = adapted.registers[columns, register]
            has = np.zeros(
                (len(rows), int(max(known.max(initial=0), values.max(initial=0))) + 1), np.bool_
            )
            has[np.arange(len(rows))[:, None], known] = True
            found[np.ix_(rows, columns)] += ~has[:, values]
    return found


def _line_costs(flow: Flow, clocks: set[int]) -> np.ndarray:
    """The cost of each line of the adapted program: few live registers besides clocks are best."""
    written = {line.out for line in flow.program.lines}
    costs = np.zeros(flow.exit + 1)
    for line, live in enumerate(flow.live):
        costs[line] = _BY_ITSELF * len((live & written) - clocks) - _HEAD * (
            line in flow.loop_heads
        )
    return costs


def _cheapest(cost: np.ndarray) -> np.ndarray:
    """The monotone assignment of a column to each row with the least total cost."""
    n, m = cost.shape
    total = np.zeros(m, cost.dtype)
    came_from = np.zeros((n, m), np.int32)
    for row in range(n):
        best = np.minimum.accumulate(total)
        falls = np.concatenate([[True], best[1:] < best[:-1]])
        came_from[row] = np.maximum.accumulate(np.where(falls, np.arange(m), 0))
        total = best + cost[row]
    found = np.zeros(n, np.int64)
    column = int(total.argmin())
    for row in reversed(range(n)):
        found[row] = column
        column = int(came_from[row, column])
    return found

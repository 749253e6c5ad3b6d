"""Which moments of two runs on one tape belong together.

Whenever the generic program is at the head of a loop, the adapted one is at some place that says the
same. A register of the adapted program that takes the same values in the same order as one of the
generic program is a clock: the moments are matched, in order, such that all clocks (the tape is one,
too) differ as little as can be, and the adapted program knows few numbers that the generic one does
not. Nothing here needs to be right: what is guessed from a wrong matching does not stand up to its proof.
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
_LONGEST = 4  # the longest runs say which registers are clocks
_AHEAD = 16  # values that the adapted program may skip at once
_SAME = 0.7  # the part of its values that a clock of the adapted program has from the other's
_FINE = 0.1  # the part of the generic program's values that it must have
_APART = 4  # a clock that differs by more than this may not be one there
_BY_ITSELF = 0.05  # what it costs that a register of the adapted program that matters is no clock
_HEAD = 0.04  # what it is worth to be at the head of a loop

_STRANGE = (
    0.2  # what a number costs that matters to the adapted program and that the other does not have
)


class Traced:
    """A run: before each step, the line, all registers and the tape; and the same when it has stopped."""

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
        """(n, M) the tape at some moments."""
        found = [self._done[m - 1].tape if m else self.input for m in moments.tolist()]
        return np.array(found, np.int64)

    def column(self, register: int) -> np.ndarray:
        """The values of a register at all moments; of TAPE, numbers that change when the tape does."""
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
    """Moments that belong together: of each, both lines, all registers (the generic ones first) and tapes."""

    run: np.ndarray  # (n,) which run it is
    lines: np.ndarray  # (n, 2)
    states: np.ndarray  # (n, R)
    tapes: dict[str, np.ndarray]  # (n, M)

    def where(self, rows: np.ndarray) -> Matched:
        tapes = {name: tape[rows] for name, tape in self.tapes.items()}
        return Matched(self.run[rows], self.lines[rows], self.states[rows], tapes)


def matched(pairs: Sequence[tuple[Traced, Traced]], flows: tuple[Flow, Flow]) -> Matched | None:
    """The moments at which the generic program is at a head, each with one of the adapted program."""
    heads = sorted(flows[0].heads)
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
    """Registers of both programs that go through the same values, and how fine a clock they are."""
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
    """The moments at which a column has another value than before."""
    return np.flatnonzero(np.concatenate([[False], column[1:] != column[:-1]]))


def _embedded(wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each value, the place in the wanted ones up to which they are the same; skips what is not there."""
    found, at = np.zeros(len(values), np.int64), 0
    wanted_list = wanted.tolist()
    for number, value in enumerate(values.tolist()):
        ahead = wanted_list[at : at + _AHEAD]
        if value in ahead:
            at += ahead.index(value) + 1
        found[number] = at
    return found


def _common(a: np.ndarray, b: np.ndarray) -> float:
    """The part of the changes of one column that another one has too; 0 if it has many others."""
    x, y = a[_changes(a)], b[_changes(b)]
    if not len(x) or not len(y):
        return 0.0
    places = _embedded(x, y)
    same = len(np.unique(places[places > 0]))
    return same / len(x) if same >= _SAME * len(y) else 0.0


def _versions(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The time that a clock shows at each moment, and the least and the latest that another one may show.

    Values that come again and again leave open which of them is meant.
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
    """(moments, adapted moments): of the numbers that matter to the adapted program, those the other has not."""
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
    """Of moments with the same time, those are best at which little but clocks matters."""
    written = {line.out for line in flow.program.lines}
    costs = np.zeros(flow.exit + 1)
    for line, live in enumerate(flow.live):
        costs[line] = _BY_ITSELF * len((live & written) - clocks) - _HEAD * (line in flow.heads)
    return costs


def _cheapest(cost: np.ndarray) -> np.ndarray:
    """For each row the column, never going back, for which the sum is least."""
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

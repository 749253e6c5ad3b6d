"""Hints: the intermediate values of a program's runs, as columns (one number per case).

A loop that runs equally often in all cases computes the same kind of value in each iteration, on any path: the
maximum so far, the sum so far. A straight line may compute such a column in another way. The address that a loop
searches in a table of records of one size is a multiple of a value plus a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anc.compiler.graph import JUMP, READ, WRITE
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.addition_chains import summed
from anc.search.meet_in_the_middle import salt
from anc.search.traces import Traces, record
from anc.support.clock import look

LAST = 2  # visits of a line that are also counted from the end
MOST_VISITS = 80  # of a line
MOST = 200  # columns
LARGEST = 8  # multiple of a value
MOST_ADDED = 40  # columns for addresses


@dataclass(frozen=True)
class LineVisits:
    """The visits to one line that all chosen cases make: arrays of (visits, cases)."""

    line: int
    at: np.ndarray  # the steps
    when: np.ndarray  # (visits,) the first step in any case
    first: np.ndarray  # the operands
    second: np.ndarray
    output: np.ndarray


class Hints:
    """The values that runs on some cases computed."""

    def __init__(self, program: Program, cases: Cases, traces: Traces) -> None:
        self.program, self.cases, self.traces = program, cases, traces
        self.inputs = cases.inputs.astype(np.int64)
        self.steps = [self._steps(line) for line in range(program.L)]
        lines = traces.lines
        self.entered = set(
            np.unique(lines[1:][traces.jumped[:-1]]).tolist()
        )  # lines that are jump targets
        self.registers = self._registers()

    @classmethod
    def of(cls, program: Program, cases: Cases, max_steps: int) -> Hints | None:
        """None if a run does not stop in time."""
        traces = record(program, cases, max_steps)
        return None if traces is None else cls(program, cases, traces)

    @property
    def numbers(self) -> set[int]:
        """The numbers in the program, and each plus and minus one."""
        values = {value for value in self.program.registers if value is not None}
        return {value + more for value in values for more in (-1, 0, 1)} - {-1}

    def _registers(self) -> np.ndarray:
        """(T, C, R): what the registers hold before each step."""
        lines, output = self.traces.lines, self.traces.values[2]
        T, C = lines.shape
        out = np.array([line.out for line in self.program.lines])
        held = np.empty((T, C, self.program.R), np.int16 if self.cases.M <= 2**15 else np.int64)
        held[0] = [value or 0 for value in self.program.registers]
        rows = np.arange(C)
        for t in range(1, T):
            look()
            held[t] = held[t - 1]
            held[t, rows, out[lines[t - 1]]] = output[t - 1]
        return held

    def _steps(self, line: int) -> tuple[np.ndarray, np.ndarray]:
        """(C,) the visits to a line; (C, visits) the steps of the first ones."""
        there = self.traces.lines == line
        counts = there.sum(axis=0)
        steps = np.argsort(~there, axis=0, kind="stable")[: min(MOST_VISITS, counts.max())].T
        return counts, steps

    def visits(self, chosen: np.ndarray) -> Iterator[LineVisits]:
        """The visits that all chosen cases make; if their numbers differ, also the last ones."""
        for line, (counts, steps) in enumerate(self.steps):
            mine = counts[chosen]
            common = min(int(mine.min()), steps.shape[1])
            if common == 0:
                continue
            numbers = np.repeat(np.arange(common)[:, None], len(chosen), axis=1)
            if (mine != common).any() and mine.max() <= steps.shape[1]:
                last = mine - 1 - np.arange(min(LAST, common))[:, None]
                numbers = np.concatenate([numbers, last])
            at = steps[chosen, numbers]
            values = (part[at, chosen] for part in self.traces.values)
            yield LineVisits(line, at, at.min(axis=1), *values)

    def columns(self, chosen: np.ndarray) -> np.ndarray:
        """(V, cases): the distinct columns that are not constant, in order of time."""
        parts, times = [np.zeros((0, len(chosen)), np.int64)], [np.zeros(0, np.int64)]
        for visits in self.visits(chosen):
            parts += [visits.first, visits.second, visits.output]
            times += [visits.when] * 3
            if visits.line in self.entered:  # loop-carried values, in all registers
                held = self.registers[visits.at, chosen]
                parts += list(np.moveaxis(held, -1, 0))
                times += [visits.when] * held.shape[-1]
        columns, when = np.concatenate(parts), np.concatenate(times)
        varying = (columns != columns[:, :1]).any(axis=1)
        columns, when = columns[varying], when[varying]
        order = np.argsort(when, kind="stable")
        found = {column.tobytes(): column for column in reversed(columns[order])}
        return np.array(list(reversed(found.values()))[:MOST], np.int64).reshape(-1, len(chosen))

    def tests(self, chosen: np.ndarray) -> list[np.ndarray]:
        """The distinct branches that split the chosen cases: which of them jump, in order of time.

        Tests of a cell alternate with the others: they split cases by input values, even if they come late.
        """
        cells = {column.tobytes() for column in self.inputs[chosen].T}
        found: dict[bytes, tuple[int, np.ndarray]] = {}
        asked = set[bytes]()
        for visits in self.visits(chosen):
            if self.program.lines[visits.line].op == JUMP:
                jumps = visits.first == 0
                parting = np.flatnonzero(jumps.any(axis=1) & ~jumps.all(axis=1))
                for number in parting[np.argsort(visits.when[parting], kind="stable")].tolist():
                    key, when = jumps[number].tobytes(), int(visits.when[number])
                    if key not in found or when < found[key][0]:
                        found[key] = when, jumps[number]
                    if visits.first[number].tobytes() in cells:
                        asked.add(key)
        ranks = {True: 0, False: 0}
        ordered: list[tuple[int, int, np.ndarray]] = []
        for key, (when, jumps) in sorted(found.items(), key=lambda item: item[1][0]):
            ordered.append((ranks[key in asked], when, jumps))
            ranks[key in asked] += 1
        return [jumps for *_, jumps in sorted(ordered, key=lambda each: each[:2])]

    def writes(self, chosen: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Varying addresses that all chosen cases write, with the values, in order of time."""
        found: list[tuple[int, np.ndarray, np.ndarray]] = []
        for visits in self.visits(chosen):
            if self.program.lines[visits.line].op == WRITE:
                varying = (visits.first != visits.first[:, :1]).any(axis=1)
                pairs = visits.first[varying], visits.second[varying]
                found += zip(visits.when[varying].tolist(), *pairs, strict=True)
        found.sort(key=lambda each: each[0])
        distinct = {a.tobytes() + v.tobytes(): (a, v) for _, a, v in found}
        return list(distinct.values())


def addressed(hints: Hints, rows: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
    """Columns for addresses that the program READs and that are a multiple of a value plus a constant.

    For each address: the steps of the multiple, the address, the cell there.
    """
    if not len(values):
        return []
    M, factors = hints.cases.M, salt(len(rows))
    found: dict[bytes, np.ndarray] = {}

    def kept(column: np.ndarray) -> np.ndarray:
        return found.setdefault(column.tobytes(), column)

    def add(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return kept((one + other) % M)

    def subtract(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return kept((one - other) % M)

    distances = {
        times: (times * (values - values[:, :1]) % M) @ factors for times in range(1, LARGEST + 1)
    }
    for address in _addresses(hints, rows):
        goal = ((address - address[0]) % M) @ factors
        for times, hashes in distances.items():
            places = np.flatnonzero(hashes == goal)
            if len(places):
                summed([(times, values[places[0]])], add, subtract)
                kept(address)
                kept(hints.inputs[rows, address])
                break
        if len(found) >= MOST_ADDED:
            break
    return list(found.values())


def _addresses(hints: Hints, rows: np.ndarray) -> Iterator[np.ndarray]:
    """The varying addresses that all of these cases READ."""
    seen: set[bytes] = set()
    for visits in hints.visits(rows):
        if hints.program.lines[visits.line].op == READ:
            for address in visits.first[(visits.first != visits.first[:, :1]).any(axis=1)]:
                if address.tobytes() not in seen:
                    seen.add(address.tobytes())
                    yield address

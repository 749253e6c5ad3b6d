"""Jump tables: programs that jump to a line whose number they computed.

Line numbers are plain numbers, so one JUMP can tell as many situations apart as there are lines. The
program computes a value t from a few cells and jumps to line t: a line stands there for every value
that t takes, STOP where nothing is to be done and a jump to the WRITEs otherwise. The table fills the
whole memory (behind the last line comes line 0), and the code that computes t takes some of its lines
away: such a table is wrong for a few cases. It is a start for annealing, which can mend it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from anc import isa
from anc.machine.batch import JUMP, READ, STOP, WRITE, Rules, evaluate_many
from anc.machine.cases import Cases
from anc.machine.encoded import Encoded, decode
from anc.machine.outputs import outputs_of
from anc.program import Program
from anc.search.forms import forms

TABLES = 12  # codes whose tables are laid out
KEPT = 8  # starts handed on
WRONG = 20.0  # what a wrong cell or an endless run costs a table, in steps
MAX_CELLS = 24
MAX_M = 128  # all layouts of a table are of order M³


@dataclass(frozen=True)
class _Code:
    """READs of some cells and perhaps an operation on two of them; its last value is t."""

    cells: tuple[int, ...]
    op: int | None
    operands: tuple[int, int]  # which of the values READ
    values: np.ndarray  # (instructions, K)

    @property
    def size(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class _Table:
    """A code, the lines to which it jumps in cases that need WRITEs, and those WRITEs."""

    code: _Code
    busy: frozenset[int]
    writes: tuple[tuple[int, int], ...]  # cell, and which value of the code
    least: float  # mean steps if no line were taken twice


def jump_tables(examples: Cases, cases: Cases, below: float) -> list[Program]:
    """The most promising tables whose mean steps might be fewer than `below`."""
    if examples.M > MAX_M:
        return []
    tables = sorted(_tables(examples, below), key=lambda table: table.least)[:TABLES]
    programs = [program for table in tables for program in _layouts(table, examples.M)]
    if not programs:
        return []
    limit = int(4 * below) + 10
    rules = Rules.of(cases.M, limit, penalty=WRONG)
    found = evaluate_many(programs, cases, rules, bound=4 * below)
    order = np.argsort(found.cost, kind="stable")
    distinct = list(dict.fromkeys(decode(programs[i], examples.M) for i in order[: 4 * KEPT]))
    return distinct[:KEPT] if found.cost[order[0]] < 2 * below else []


def _codes(examples: Cases) -> Iterator[_Code]:
    inputs = examples.inputs.astype(np.int64)
    cells = np.flatnonzero((inputs != inputs[:1]).any(axis=0)).tolist()[:MAX_CELLS]
    for one in cells:
        yield _Code((one,), None, (0, 0), inputs[:, [one]].T)
    for one, two in combinations(cells, 2):
        pair = inputs[:, [one, two]].T
        for op, swapped in forms(isa.TABLE, examples.M).pairs:
            operands = (1, 0) if swapped else (0, 1)
            outputs = outputs_of(op, examples.M)[*pair[list(operands)]]
            yield _Code((one, two), op, operands, np.stack([*pair, outputs]))


def _tables(examples: Cases, below: float) -> Iterator[_Table]:
    """Codes after which every case needs nothing, or always the same WRITEs of known values."""
    change = examples.change
    cells = np.flatnonzero(change.any(axis=0)).tolist()
    needs = change.any(axis=1)
    weights = examples.counts / examples.counts.sum()
    if not cells or len(cells) > 3:
        return
    for code in _codes(examples):
        least = code.size + 2 + float(weights @ change.sum(axis=1))
        t = code.values[-1]
        busy = frozenset(t[needs].tolist())
        if least >= below or len(set(t.tolist())) < 3:
            continue
        # a line that some cases need and others do not: WRITEs must be harmless there
        through = np.isin(t, list(busy))
        sources = []
        for cell in cells:
            right = examples.outputs[:, cell] == code.values
            care = through & (examples.masks[:, cell] != 0)
            fitting = [v for v in range(code.size) if right[v][care].all()]
            if not fitting:
                break
            sources.append((cell, fitting[0]))
        else:
            yield _Table(code, busy, tuple(sources), least)


def _layouts(table: _Table, M: int) -> Iterator[Encoded]:
    """The table with its code and its WRITEs at all places."""
    code, size = table.code, table.code.size
    constants = {cell: n for n, (cell, _) in enumerate(table.writes)}
    # registers: t's values, their READ addresses, the cells to write, zero, the WRITEs' line, a sink
    values_at, reads_at = 0, size
    cells_at = reads_at + len(code.cells)
    zero = cells_at + len(constants)
    target, sink, unused = zero + 1, zero + 2, zero + 3
    setup = [(READ, reads_at + n, unused, values_at + n) for n in range(len(code.cells))]
    if code.op is not None:
        setup.append((code.op, *code.operands, size - 1))
    setup.append((JUMP, zero, size - 1, sink))
    for order in permutations(table.writes):
        for block in range(M):
            for begin in range(M):
                lines = [(STOP, unused, unused, sink)] * M
                for line in table.busy:
                    lines[line] = (JUMP, zero, target, sink)
                for n, (cell, source) in enumerate(order):
                    lines[(block + n) % M] = (WRITE, cells_at + constants[cell], source, sink)
                for n, command in enumerate(setup):
                    lines[(begin + n) % M] = command
                values = [0] * (unused + 1)
                values[reads_at:cells_at] = code.cells
                values[cells_at:zero] = list(constants)
                values[target] = block
                head = np.array([M, begin], np.int64)
                yield Encoded(np.array(lines, np.uint16), np.array(values, np.uint16), head)

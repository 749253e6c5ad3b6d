"""Specialisation (partial evaluation) for cells that never vary: what a compiler would try first.

The constant cells are assumed to be constant and everything else is unknown. A run on this half-known
tape computes what it can at compile time; commands on unknown values remain. Every pair of a line and
a state of knowledge becomes a node of its own, so that loops with a known number of rounds disappear.
The result is right wherever the assumption holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anc.machine.batch import CaseArrays
from anc.program import Program
from anc.search.clean import clean
from anc.search.graph import END, JUMP, STOP, Graph, Node, Number, Operand, Variable, output
from anc.search.layout import program_of
from anc.search.passes import tidy

MAX_NODES = 20_000

Registers = tuple[int | None, ...]
Tape = tuple[int | None, ...]
State = tuple[int, Registers, Tape]  # a line and what is known before it


@dataclass(frozen=True)
class Specialised:
    """A program that is right whenever the cells of the assumption have these values.

    `note` says how far specialisation came: what was given up, and why.
    """

    program: Program
    assumption: dict[int, int]
    note: str


class _GiveUp(Exception):
    """Why a program cannot be specialised in some way."""


def constant_cells(cases: CaseArrays) -> dict[int, int]:
    """The cells that are the same in all cases, and their values."""
    same = (cases.inputs == cases.inputs[:1]).all(axis=0)
    return {int(cell): int(cases.inputs[0, cell]) for cell in np.flatnonzero(same)}


def specialise(program: Program, cells: Mapping[int, int], M: int) -> Specialised:
    """The program for tapes of M cells on which these cells have these values.

    Each line is first copied for every state of knowledge; where that does not fit into M lines,
    each line is kept once with what is known in all of its states; where a jump is computed from
    unknown values, the program is only cleaned.
    """
    reasons = []
    for unroll, note in ((True, "loops unrolled"), (False, "loops kept")):
        evaluator = _Evaluator(program, cells, M, unroll)
        try:
            found = evaluator.residual()
        except _GiveUp as reason:
            reasons.append(str(reason))
            continue
        note = "; ".join([*reasons, note])
        return Specialised(found, evaluator.assumption(), note)
    note = "; ".join([*dict.fromkeys(reasons), "only cleaned"])
    return Specialised(clean(program, M), {}, note)


def residual_graph(program: Program, cells: Mapping[int, int], M: int) -> Graph | None:
    """The unrolled graph under the assumption, however large; None if there is none."""
    try:
        return _Evaluator(program, cells, M, True).graph()
    except _GiveUp:
        return None


class _Evaluator:
    def __init__(self, program: Program, cells: Mapping[int, int], M: int, unroll: bool) -> None:
        self.program, self.cells, self.M, self.unroll = program, dict(cells), M, unroll
        self.used: set[int] = set()
        self.number: dict[State | int, int] = {}  # of a state, or of a line if loops are kept
        self.before: dict[int, State] = {}

    def assumption(self) -> dict[int, int]:
        return {cell: self.cells[cell] for cell in sorted(self.used)}

    def residual(self) -> Program:
        graph = self.graph()
        tidy(graph)
        found = program_of(graph)
        if found is None:  # copies of a line cannot all stay where no step was spent
            for node in graph.nodes.values():
                node.free = False
            found = program_of(graph)
        if found is None:
            raise _GiveUp(f"unrolled, it has more than {self.M} lines")
        return found

    def graph(self) -> Graph:
        program = self.program
        registers = tuple(value or 0 for value in program.registers)
        tape = tuple(self.cells.get(cell) for cell in range(self.M))
        nodes: dict[int, Node] = {}
        waiting: list[int] = []
        start = self.visit((program.start, registers, tape), waiting)
        while waiting:
            number = waiting.pop()
            nodes[number] = self.node(number, waiting)
            if len(self.number) > MAX_NODES:
                raise _GiveUp(f"unrolling gives more than {MAX_NODES:,} states")
        if not self.unroll:  # what was known when a node was made may be known no longer
            for number in list(nodes):
                nodes[number] = self.node(number, waiting)
            assert not waiting
        return Graph(
            nodes, start, dict(enumerate(registers)), self.M, dict(enumerate(program.names))
        )

    def visit(self, state: State, waiting: list[int]) -> int:
        """The node of a state; a new one, or one of which less is known now, waits for its turn."""
        line, registers, tape = state
        if line >= self.program.L:
            if self.program.L < self.M:
                return END
            state = (0, registers, tape)
        key: State | int = state if self.unroll else state[0]
        number = self.number.setdefault(key, len(self.number))
        if number not in self.before:
            self.before[number] = state
            waiting.append(number)
        elif not self.unroll:
            _, old_registers, old_tape = self.before[number]
            joined = (state[0], _join(old_registers, registers), _join(old_tape, tape))
            if joined != self.before[number]:
                self.before[number] = joined
                if number not in waiting:
                    waiting.append(number)
        return number

    def node(self, number: int, waiting: list[int]) -> Node:
        here, registers, tape = self.before[number]
        line = self.program.lines[here]
        values = [registers[r] for r in line.operands]
        operands: tuple[Operand, ...] = tuple(
            Variable(r) if value is None else Number(value)
            for r, value in zip(line.operands, values, strict=True)
        )
        first, second = (*values, None, None)[:2]
        value = output(line.op, first, second, self.M)
        if line.op == "READ" and first is not None and tape[first] is not None:
            value = tape[first]
            self.use(first)
        needed = True  # whether the command itself remains
        if line.op == "WRITE":
            tape, needed = self.write(tape, first, second)
        elif line.op not in (JUMP, STOP):
            needed = value is None or not self.unroll
        changed = (*registers[: line.out], value, *registers[line.out + 1 :])
        if line.op == STOP:
            return Node(STOP, (), None, END)
        after = (here + 1, changed, tape)
        if line.op == JUMP and (first is None or first == 0):
            if second is None:
                raise _GiveUp("it jumps to a line that is computed from unknown values")
            to = self.visit((second, changed, tape), waiting)
            if first == 0:
                return Node("ZERO", (), line.out, to, free=False)
            return Node(JUMP, operands[:1], line.out, self.visit(after, waiting), to)
        following = self.visit(after, waiting)
        if line.op == JUMP:
            return Node("ZERO", (), line.out, following)
        if not needed:
            return (
                Node("ZERO", (), line.out, following)
                if value == 0
                else Node(None, (), None, following)
            )
        if line.op == "READ" and value is not None:
            return Node("ADD", (Number(value), Number(0)), line.out, following)
        return Node(line.op, operands, line.out, following)

    def write(self, tape: Tape, cell: int | None, value: int | None) -> tuple[Tape, bool]:
        """The tape after a WRITE, and whether the WRITE remains."""
        if cell is None:
            return tuple(known if known == value else None for known in tape), True
        if value is not None and tape[cell] == value:
            self.use(cell)
            return tape, False
        return (*tape[:cell], value, *tape[cell + 1 :]), True

    def use(self, cell: int) -> None:
        if cell in self.cells:
            self.used.add(cell)


def _join(one: Registers, two: Registers) -> Registers:
    return tuple(a if a == b else None for a, b in zip(one, two, strict=True))

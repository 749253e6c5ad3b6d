"""What is known at a line of a program on some way there, and what a step makes of it.

Of a register or cell a number may be known, or that it is not 0 (a JEZ passed on), or nothing.
Commands whose result is known vanish; registers that are not known hold what they would hold anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from anc import isa
from anc.compiler.constant_propagation import certain_output, outputs
from anc.compiler.dataflow import liveness
from anc.compiler.graph import END, Constant, Node, Target, loaded
from anc.compiler.lift import lines_of
from anc.program import Program

UNKNOWN, NONZERO = -1, -2


class ComputedJump(Exception):
    """A jump goes to a line that is not known."""


@dataclass(frozen=True)
class Origin:
    """What an unknown register was computed from: a cell's content, or a register and a number."""

    cell: int = -1
    source: int = -1
    output: isa.Meaning = isa.zero
    place: int = 0
    other: int = 0


@dataclass
class Knowledge:
    """What is known in front of a line.

    `cells` are those about which something else is known than the assumption says; `assumed` tells
    whether the assumption about all others still holds.
    """

    line: int
    values: list[int]
    cells: dict[int, int] = field(default_factory=dict)
    assumed: bool = True
    origins: dict[int, Origin] = field(default_factory=dict)

    def at(self, line: int) -> Knowledge:
        return Knowledge(line, [*self.values], {**self.cells}, self.assumed, {**self.origins})

    @property
    def key(self) -> tuple:
        cells, origins = frozenset(self.cells.items()), frozenset(self.origins.items())
        return self.line, tuple(self.values), cells, self.assumed, origins


@dataclass(frozen=True)
class Step:
    """The command that is left of a line (None: nothing), and what is known on the ways behind it."""

    node: Node | None
    after: Knowledge | None = None
    jump: Knowledge | None = None


@dataclass(frozen=True)
class Untold:
    """Registers and cells that count as unknown at all times: the program goes on computing them."""

    registers: frozenset[int] = frozenset()
    cells: frozenset[int] = frozenset()


class Reasoning:
    """The steps of one program on half-known tapes.

    `cells` are assumed to hold these values in the beginning. `hits` says for a line which cells a
    WRITE to an unknown address may change (a line that is not in it may change any).
    """

    def __init__(
        self,
        program: Program,
        M: int,
        cells: Mapping[int, int],
        untold: Untold,
        hits: Mapping[int, frozenset[int]],
    ) -> None:
        self.program, self.M, self.untold, self.hits = program, M, untold, hits
        self.graph = lines_of(program, M)
        self.variables = self.graph.declared
        self.cells = {c: value for c, value in cells.items() if c not in untold.cells}
        written = {line.out for line in program.lines}
        registers = range(program.R)
        self.is_fixed = [r not in written for r in registers]
        self.is_untold = [r in untold.registers for r in registers]
        alive = liveness(self.graph)
        bits = [alive.bit.get(variable, 0) for variable in self.variables]
        self.is_wanted = [
            [self.is_fixed[r] or bool(alive.before[line] & bits[r]) for r in registers]
            for line in range(program.L)
        ]

    def start(self) -> Knowledge:
        values = [
            UNKNOWN if untold else value or 0
            for value, untold in zip(self.program.registers, self.is_untold, strict=True)
        ]
        return self.forgotten(Knowledge(self.program.start, values), -1, frozenset())

    def cell(self, known: Knowledge, cell: int) -> int:
        if cell in known.cells:
            return known.cells[cell]
        return self.cells.get(cell, UNKNOWN) if known.assumed else UNKNOWN

    def forgotten(self, known: Knowledge, wanted: int, written: frozenset[int]) -> Knowledge:
        """Without what no longer matters, so that equal endings meet.

        `wanted` has a bit for each cell that is still read; `written` are the cells that may be
        written at all: others are what they were in the beginning.
        """
        is_wanted = self.is_wanted[known.line]
        for register, matters in enumerate(is_wanted):
            if not matters:
                known.values[register] = UNKNOWN
        if known.cells or known.assumed:
            for cell in [*known.cells, *(written & self.cells.keys() if known.assumed else ())]:
                if not wanted >> cell & 1:
                    known.cells.pop(cell, None)
                    if cell in self.cells and known.assumed:
                        known.cells[cell] = UNKNOWN
        for register, origin in list(known.origins.items()):
            from_cell, from_register = wanted >> origin.cell & 1 if origin.cell >= 0 else 0, False
            if origin.source >= 0:
                from_register = is_wanted[origin.source]
            if not (is_wanted[register] and (from_cell or from_register)):
                del known.origins[register]
        return known

    def step(self, known: Knowledge) -> Step:
        line = self.program.lines[known.line]
        effect = self.program.row(line).effect
        node = self.graph.nodes[known.line]
        a, b = (0 if r is None else known.values[r] for r in (line.first, line.second))
        operands = tuple(
            Constant(known.values[r]) if known.values[r] >= 0 else self.variables[r]
            for r in line.operands
        )
        if effect is isa.Effect.STOP:
            return Step(Node(line.op, (), None, END, span=node.span))
        after = known.at(node.after)
        kept: Node | None = Node(line.op, operands, self.variables[line.out], span=node.span)
        if effect is isa.Effect.JUMP:
            return self._jump(known, line.first, a, b, kept, line.out)
        result = 0
        origin = None
        is_known = True
        if effect is isa.Effect.WRITE:
            if not self._write(after, known.line, a, b):
                kept = None
        elif effect is isa.Effect.READ:
            result = self.cell(known, a) if a >= 0 else UNKNOWN
            is_known = result >= 0
            if a >= 0 and not is_known:
                origin = Origin(cell=a)
        else:
            result, origin = self._compute(known, self.program.row(line), line.first, line.second)
            is_known = result >= 0
        self._put(after, line.out, result, origin)
        if effect is isa.Effect.WRITE:
            kept = self._with_output(kept, line.out)
        elif is_known:
            is_kept = self.is_untold[line.out]
            kept = Node(*loaded(result), self.variables[line.out]) if is_kept else None
        return Step(kept, after)

    def _with_output(self, kept: Node | None, out: int) -> Node | None:
        """A command whose output 0 is known: only untold variables take it."""
        if self.is_untold[out]:
            return kept or Node(None, (), self.variables[out])
        return None if kept is None else Node(kept.op, kept.operands, None, span=kept.span)

    def _put(self, known: Knowledge, out: int, value: int, origin: Origin | None = None) -> None:
        known.values[out] = UNKNOWN if self.is_untold[out] else value
        known.origins.pop(out, None)
        for register in [r for r, o in known.origins.items() if o.source == out]:
            del known.origins[register]
        if origin is not None and origin.source != out:
            known.origins[out] = origin

    def _compute(
        self, known: Knowledge, row: isa.Instruction, first: int | None, second: int | None
    ) -> tuple[int, Origin | None]:
        a, b = (0 if r is None else known.values[r] for r in (first, second))
        certain = certain_output(
            row, a if a >= 0 else None, b if b >= 0 else None, self.M, first == second
        )
        if certain is not None:
            return certain, None
        if (a < 0) == (b < 0):
            return UNKNOWN, None
        place, other = (0, b) if a < 0 else (1, a)
        source = first if a < 0 else second
        assert source is not None
        begin = 1 if min(a, b) == NONZERO else 0
        never_zero = all(guess < begin for guess in preimages(row.output, place, other, 0, self.M))
        return NONZERO if never_zero else UNKNOWN, Origin(-1, source, row.output, place, other)

    def _write(self, known: Knowledge, line: int, address: int, value: int) -> bool:
        """Change what is known of cells; False if the value is there already."""
        changed: Collection[int] | None = (address,)
        if address < 0:
            changed, value = self.hits.get(line), UNKNOWN
        elif value >= 0 and self.cell(known, address) == value:
            return False
        if changed is None:
            known.cells, known.assumed = {}, not self.cells
        for cell in changed or ():
            now = UNKNOWN if cell in self.untold.cells else value
            known.cells[cell] = now
            if now == (self.cells.get(cell, UNKNOWN) if known.assumed else UNKNOWN):
                del known.cells[cell]
        for register, origin in list(known.origins.items()):
            if origin.cell >= 0 and (changed is None or origin.cell in changed):
                del known.origins[register]
        return True

    def _jump(
        self, known: Knowledge, first: int | None, a: int, b: int, kept: Node | None, out: int
    ) -> Step:
        ways: list[Knowledge | None] = [None, None]
        if a == UNKNOWN or a == 0:
            if b < 0:
                raise ComputedJump
            ways[1] = known.at(b if b < self.program.L else END)
        if a != 0:
            ways[0] = known.at(self.graph.nodes[known.line].after)
        is_open = a == UNKNOWN
        for way, value in zip(ways, (NONZERO, 0), strict=True):
            if way is not None:
                if is_open and first is not None:
                    self._assume(way, first, value)
                self._put(way, out, 0)
        if is_open:
            assert kept is not None
            kept = Node(kept.op, (kept.operands[0], Target(END)), kept.out, span=kept.span)
        return Step(self._with_output(kept if is_open else None, out), *ways)

    def _assume(self, known: Knowledge, register: int, value: int) -> None:
        """This register holds that number, or no 0; so what it comes from does too, or does not."""
        if not self.is_untold[register]:
            known.values[register] = value
        origin = known.origins.get(register)
        if origin is None:
            return
        if origin.cell >= 0:
            if origin.cell not in self.untold.cells:
                known.cells[origin.cell] = value
        elif known.values[origin.source] < 0:
            wanted = 0 if value == NONZERO else value
            guesses = preimages(origin.output, origin.place, origin.other, wanted, self.M)
            if value != NONZERO and len(guesses) == 1:
                self._assume(known, origin.source, guesses[0])
            elif value == NONZERO and 0 in guesses:
                self._assume(known, origin.source, NONZERO)


@lru_cache(maxsize=10_000)
def preimages(output: isa.Meaning, place: int, other: int, result: int, M: int) -> tuple[int, ...]:
    """The operands for which an instruction outputs this, the other operand being known.

    >>> preimages(isa.subtract, 0, 3, 0, 10), preimages(isa.smaller, 1, 9, 4, 10)
    ((3,), (4,))
    """
    first, second = (None, other) if place == 0 else (other, None)
    found = enumerate(outputs(output, first, second, M))
    return tuple(operand for operand, value in found if value == result)

"""The control-flow graph of a program: successors, post-dominators, loop heads and liveness.

Proofs rely on two properties. Every line that can come next is in `after`, and no register outside of
`live` is read before it is written, because merged states forget these registers. Both are
over-approximations; tests compare them with the exact machine. Everything else only decides which states
are merged and when, which is sound for any answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import product

import numpy as np

from anc.compiler.dataflow import finished_last_first, fixpoint
from anc.isa import Effect
from anc.program import Line, Program

Values = frozenset[int] | None  # the possible values of a register; None: any value
Known = tuple[Values, ...]  # of all registers
Domain = Callable[[int], np.ndarray]  # the values of an input cell, as M truth values

MEMORY = -1  # stands for the tape in sets of registers
_FEW = 16  # values of a register that are distinguished


class Flow:
    """The control-flow graph of a program on a tape of M cells; line `exit` is the end of the run.

    Constant propagation with sets finds the targets of jumps: a register holds one of a few values, or any
    value. Only programs with computed jumps need sets of more than one value; `domain` has the values of
    the input cells for them. A jump to an unknown target may go to every line.
    """

    def __init__(
        self, program: Program, M: int, domain: Domain | None = None, few: int = _FEW
    ) -> None:
        self.program, self.M, self.exit = program, M, program.L
        self.effects = [program.row(line).effect for line in program.lines]
        self.written = frozenset(line.out for line in program.lines)
        lines = list(zip(program.lines, self.effects, strict=True))
        computes = any(e is Effect.JUMP and line.second in self.written for line, e in lines)
        self._most = few if computes else 1
        stores = {line.first for line, e in lines if e is Effect.WRITE}
        self._domain = None if self.written & stores else domain
        self._changed = {program.registers[r] or 0 for r in stores if r is not None}
        self.after: list[frozenset[int]] = [frozenset()] * program.L
        start: Known = tuple(frozenset([value or 0]) for value in program.registers)
        self._known = fixpoint({program.start: start}, self._onwards, self._either)
        for number, known in self._known.items():
            self.after[number] = self._next(number, known)

    # -- constant propagation -------------------------------------------------------------

    def _onwards(self, number: int, known: Known) -> Iterator[tuple[int, Known]]:
        """The transfer function: what one line says about its successors."""
        out = self.program.lines[number].out
        after = (*known[:out], self._output(number, known), *known[out + 1 :])
        return ((line, after) for line in self._next(number, known) if line != self.exit)

    def _either(self, one: Known, other: Known) -> Known:
        pairs = zip(one, other, strict=True)
        return tuple(None if a is None or b is None else self._few(a | b) for a, b in pairs)

    def _few(self, values: frozenset[int]) -> Values:
        return values if len(values) <= self._most else None

    def _output(self, number: int, known: Known) -> Values:
        line, row = self.program.lines[number], self.program.row(self.program.lines[number])
        operands = [known[operand] for operand in line.operands]
        if row.effect is Effect.READ:
            return self._read(operands[0])
        if row.effect is not Effect.NONE:
            return frozenset([0])
        sets = [values for values in operands if values is not None]
        if len(sets) < len(operands):
            return None
        first, second = (*sets, frozenset([0]), frozenset([0]))[:2]
        return self._few(frozenset(row.output(a, b, self.M) for a, b in product(first, second)))

    def _read(self, addresses: Values) -> Values:
        """The values of the input at these addresses, unless they may be overwritten."""
        if (
            self._domain is None
            or addresses is None
            or addresses & self._changed
            or self._most == 1
        ):
            return None
        cells = [frozenset(np.flatnonzero(self._domain(cell)).tolist()) for cell in addresses]
        return self._few(frozenset().union(*cells))

    def _next(self, number: int, known: Known) -> frozenset[int]:
        following = min((number + 1) % self.M, self.exit)
        if self.effects[number] is Effect.STOP:
            return frozenset([self.exit])
        if self.effects[number] is not Effect.JUMP:
            return frozenset([following])
        zero, targets = (known[operand] for operand in self.program.lines[number].operands)
        found = set() if zero == {0} else {following}
        if zero is None or 0 in zero:
            everything = range(self.exit + 1)
            found |= {
                min(target, self.exit) for target in (everything if targets is None else targets)
            }
        return frozenset(found)

    def named_cells(self) -> set[int] | None:
        """The cells that the program may read or write; None if it computes addresses."""
        found: set[int] = set()
        for number, known in self._known.items():
            first = self.program.lines[number].first
            if self.effects[number] in (Effect.READ, Effect.WRITE) and first is not None:
                cells = known[first]
                if cells is None:
                    return None
                found |= cells
        return found

    @property
    def fixed_cells(self) -> list[int]:
        """The cells that some line reads or writes whenever it is executed."""
        found: set[int] = set()
        for number, known in self._known.items():
            first = self.program.lines[number].first
            if self.effects[number] in (Effect.READ, Effect.WRITE) and first is not None:
                cells = known[first]
                found |= cells if cells is not None and len(cells) == 1 else set()
        return sorted(found)

    # -- post-dominators and loop heads -----------------------------------------------------------------

    @cached_property
    def _before(self) -> list[list[int]]:
        """The predecessors of each line and of the end."""
        lines = range(self.exit)
        return [[n for n in lines if number in self.after[n]] for number in range(self.exit + 1)]

    @cached_property
    def meeting(self) -> list[int]:
        """The immediate post-dominator of each line."""

        def backwards(number: int, through: int) -> Iterator[tuple[int, int]]:
            return ((line, through | 1 << line) for line in self._before[number])

        through = fixpoint({self.exit: 1 << self.exit}, backwards, int.__and__)
        found = []
        for number in range(self.exit):
            later = through.get(number, 0) & ~(1 << number)
            lines = (line for line in range(self.exit + 1) if later >> line & 1)
            found.append(max(lines, key=lambda line: through[line].bit_count(), default=self.exit))
        return found

    def next_meeting(self, number: int) -> int:
        """The next post-dominator of a line that has several predecessors."""
        while number != self.exit:
            number = self.meeting[number]
            if len(self._before[number]) > 1:
                break
        return number

    def is_tail(self, number: int) -> bool:
        """Whether a line leads to the end in a straight line."""
        for _ in range(self.exit):
            if number == self.exit:
                return True
            if len(self.after[number]) != 1:
                return False
            (number,) = self.after[number]
        return False

    @cached_property
    def loop_heads(self) -> frozenset[int]:
        """The loop heads: targets of back edges of a depth-first search. Every loop contains one."""
        edges = {n: tuple(sorted(after, reverse=True)) for n, after in enumerate(self.after)}
        order = finished_last_first(edges, self.program.start)
        place = {number: i for i, number in enumerate(order)}
        pairs = ((number, line) for number in order for line in edges[number] if line in place)
        return frozenset(line for number, line in pairs if place[line] <= place[number])

    # -- liveness ------------------------------------------------------------

    @cached_property
    def live(self) -> list[frozenset[int]]:
        """The live registers before each line."""
        return self._needed(lambda line, effect: line.operands, lambda line, effect: ())

    @cached_property
    def addresses(self) -> list[frozenset[int]]:
        """The registers (and perhaps MEMORY) that addresses and targets depend on, before each line."""

        def direct(line: Line, effect: Effect) -> Iterable[int | None]:
            if effect in (Effect.READ, Effect.WRITE):
                return (line.first,)
            return (line.second,) if effect is Effect.JUMP else ()

        return self._needed(direct, _sources)

    @cached_property
    def decisions(self) -> list[frozenset[int]]:
        """The registers (and perhaps MEMORY) that jumps depend on, before each line."""
        return self._needed(
            lambda line, effect: (line.first,) if effect is Effect.JUMP else (), _sources
        )

    def _needed(
        self,
        direct: Callable[[Line, Effect], Iterable[int | None]],
        sources: Callable[[Line, Effect], Iterable[int | None]],
    ) -> list[frozenset[int]]:
        """What each line needs: directly, or because a later line needs its output."""

        def before(number: int, later: frozenset[int]) -> frozenset[int]:
            line, effect = self.program.lines[number], self.effects[number]
            found: set[int | None] = {*(later - {line.out}), *direct(line, effect)}
            if line.out in later:
                found.update(sources(line, effect))
            if effect is Effect.WRITE and MEMORY in later:
                found.add(line.second)
            return frozenset(register for register in found if register is not None)

        def backwards(number: int, later: frozenset[int]) -> Iterator[tuple[int, frozenset[int]]]:
            return ((line, before(line, later)) for line in self._before[number])

        begin = {number: before(number, frozenset()) for number in reversed(range(self.exit))}
        found = fixpoint(begin, backwards, frozenset.union)
        return [*(found[number] for number in range(self.exit)), frozenset()]


def _sources(line: Line, effect: Effect) -> Iterable[int | None]:
    """What the output of a line depends on."""
    if effect is Effect.READ:
        return (MEMORY,)
    return line.operands if effect is Effect.NONE else ()

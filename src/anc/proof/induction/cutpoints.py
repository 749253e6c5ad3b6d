"""Cut points: pairs of lines that both programs reach together, with candidate invariants.

If a list is longer than in any sample, or has other elements, both programs may reach a pair of lines that no
sample run has shown (`Unseen`). It is found by the other cut points with the same line of the generic
program: they express each live register of the adapted program by registers of the generic one. The
candidates of all of them are the candidates of the new cut point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import z3  # type: ignore[import-untyped]

from anc.isa import Effect
from anc.proof.cfg import Flow
from anc.proof.induction.alignment import Matched
from anc.proof.induction.invariant_templates import Bound, Linear, RegisterRelation, candidates
from anc.proof.induction.list_prefix import List, Passed, passed_lists
from anc.proof.induction.running import (
    ADAPTED,
    GENERIC,
    INPUT,
    PAIRS,
    Alike,
    Contents,
    Piece,
)
from anc.proof.presolve import Inputs
from anc.proof.semantics import Truth, Word, Words, number_in

_MOST_FIXED = 8  # cells at fixed addresses that are ghosts
_SEEN = 0.2  # share of the runs that must show a cut point; others are matched wrongly
Lines = tuple[int, int]  # of the generic and the adapted program


@dataclass(frozen=True)
class Ghost:
    """A ghost variable: the input cell before the one that a register points to, numbered like a register."""

    number: int
    pointer: int

    def column(self, states: np.ndarray, tapes: Mapping[str, np.ndarray]) -> np.ndarray:
        """Its values in states (n, R) with tapes (n, M)."""
        n, M = tapes[INPUT].shape
        return tapes[INPUT][np.arange(n), (states[:, self.pointer] - 1) % M]

    def word(
        self, registers: Mapping[int, Word], contents: Contents, pieces: Mapping[str, Piece]
    ) -> Word:
        return contents.read(INPUT, contents.words.difference(registers[self.pointer], 1))


@dataclass(frozen=True)
class CellGhost:
    """A ghost variable: a cell of one program's tape, numbered like a register.

    The other program may hold its content in a register.
    """

    number: int
    tape: str
    cell: int

    def column(self, states: np.ndarray, tapes: Mapping[str, np.ndarray]) -> np.ndarray:
        """Its values in states with tapes (n, M)."""
        return tapes[self.tape][:, self.cell]

    def word(
        self, registers: Mapping[int, Word], contents: Contents, pieces: Mapping[str, Piece]
    ) -> Word:
        return pieces[self.tape].content(self.cell, contents)


AnyGhost = Ghost | CellGhost


def ghosts(flows: tuple[Flow, Flow], lists: Iterable[List]) -> list[AnyGhost]:
    """The ghosts of a proof.

    They are the cells that the generic program uses at fixed addresses, on both tapes, and, if some list is
    sorted or has different elements, the cells before all pointers that move.
    """
    programs = [flow.program for flow in flows]
    numbers = count(sum(program.R for program in programs))
    fixed = flows[0].fixed_cells[:_MOST_FIXED]
    cells = [CellGhost(next(numbers), t, cell) for t in (GENERIC, ADAPTED) for cell in fixed]
    if not any(each.kinds for each in lists):
        return [*cells]
    pointers, base = [], 0
    for program in programs:
        moved = {line.out for line in program.lines if program.row(line).effect is Effect.NONE}
        read = {line.first for line in program.lines if program.row(line).effect is Effect.READ}
        pointers += [base + register for register in sorted(moved) if register in read]
        base += program.R
    return [*cells, *(Ghost(next(numbers), pointer) for pointer in pointers)]


@dataclass
class CutPoint:
    """A cut point: two lines and candidate invariants of registers and tapes, which are only weakened."""

    lines: Lines
    registers: tuple[int, ...]  # the live ones, the generic program's first
    relations: list[RegisterRelation]
    alike: Alike
    passed: list[Passed]
    ghosts: tuple[AnyGhost, ...] = ()  # treated like registers

    @property
    def remembered(self) -> list[int]:
        """The live registers, and the pointers of ghosts, which need not be live."""
        return list(dict.fromkeys([*self.registers, *_pointers(self.ghosts)]))

    def meeting(self, generic: int) -> list[Linear]:
        """The relations that best identify this cut point.

        Each register of the adapted program (numbered from `generic` on) is equal to registers of the
        generic program or, if there is none, has other relations to them.
        """
        found: list[Linear] = []
        for register in self.registers:
            known = [r for r in self.relations if isinstance(r, Linear) and r.of == register]
            known = [r for r in known if r.others and min(r.others) < generic <= register]
            equal = [r for r in known if len(r.others) == 1 and not (r.constant or r.minus)]
            found += equal or known
        return found

    def holding(
        self, model: z3.ModelRef, registers: Mapping[int, Word], M: int
    ) -> list[RegisterRelation]:
        """The relations that hold in a model."""
        state = np.zeros((1, max(registers) + 1), np.int64)
        for register in (*self.remembered, *(ghost.number for ghost in self.ghosts)):
            state[0, register] = number_in(model, registers[register])
        return [relation for relation in self.relations if relation.holds(state, M)[0]]


def _pointers(ghosts: Iterable[AnyGhost]) -> list[int]:
    return [ghost.pointer for ghost in ghosts if isinstance(ghost, Ghost)]


def beginning(flows: tuple[Flow, Flow], M: int) -> CutPoint:
    """The start of both programs, where every register is known."""
    programs = [flow.program for flow in flows]
    values = [value or 0 for program in programs for value in program.registers]
    known: list[RegisterRelation] = [Linear(r, (), value) for r, value in enumerate(values)]
    lines = programs[0].start, programs[1].start
    return CutPoint(
        lines, tuple(range(len(values))), known, dict.fromkeys(PAIRS, np.ones(M, np.bool_)), []
    )


def points(
    seen: Matched,
    flows: tuple[Flow, Flow],
    inputs: Inputs,
    all_lists: Sequence[List],
    all_ghosts: Sequence[AnyGhost],
) -> Iterator[CutPoint]:
    """The cut points of the sample runs, with the relations that hold in all of their states."""
    limits = _limits(inputs)
    columns = [ghost.column(seen.states, seen.tapes) for ghost in all_ghosts]
    seen = replace(seen, states=np.column_stack([seen.states, *columns]))
    for lines in map(tuple, np.unique(seen.lines, axis=0).tolist()):
        here = seen.where((seen.lines == lines).all(axis=1))
        if len(np.unique(here.run)) < _SEEN * len(np.unique(seen.run)):
            continue
        registers = live_registers(flows, lines)
        steering = live_registers(flows, lines, steering=True)
        pointers, numbers = _pointers(all_ghosts), [g.number for g in all_ghosts]
        first = [g.number for g in all_ghosts if isinstance(g, CellGhost) and g.tape == GENERIC]
        relations = candidates(
            here.states,
            [*first, *sorted({*registers, *pointers}), *(n for n in numbers if n not in first)],
            [*sorted({*steering, *pointers}), *numbers],
            limits,
            inputs.M,
        )
        passed = passed_lists(
            all_lists, sorted({*steering, *pointers}), here.states, here.tapes[INPUT]
        )
        ends = [
            Bound(each.register, limit, upper)
            for each in passed
            for limit, upper in each.list.limits
        ]
        ends = [bound for bound in ends if bound.holds(here.states, inputs.M).all()]
        relations = list(dict.fromkeys([*relations, *ends]))
        yield CutPoint(
            lines,
            tuple(registers),
            relations,
            {(a, b): (here.tapes[a] == here.tapes[b]).all(axis=0) for a, b in PAIRS},
            passed,
            tuple(all_ghosts),
        )


def live_registers(flows: tuple[Flow, Flow], lines: Lines, steering: bool = False) -> list[int]:
    """The live registers at these lines that some line writes; `steering`: for addresses and jumps only."""
    found, base = [], 0
    for flow, line in zip(flows, lines, strict=True):
        written = {line.out for line in flow.program.lines}
        live = flow.live[line]
        if steering:
            live &= flow.addresses[line] | flow.decisions[line]
        found += [base + register for register in sorted(live & written)]
        base += flow.program.R
    return found


def _limits(inputs: Inputs) -> list[int]:
    """The cells whose input values differ from those of the cell before."""
    domains = [inputs.domain(cell).tobytes() for cell in range(inputs.M)]
    return [cell for cell in range(1, inputs.M) if domains[cell] != domains[cell - 1]]


class Unseen:
    """The template of new cut points with a given line of the generic program."""

    def __init__(
        self, line: int, known: Mapping[Lines | None, CutPoint], flows: tuple[Flow, Flow]
    ) -> None:
        self.line, self.known, self.flows = line, known, flows
        self.siblings = [point for key, point in known.items() if key and key[0] == line]
        self.base = flows[0].program.R
        self._said = self._said_everywhere()

    def _said_everywhere(self) -> dict[int, list[Linear]]:
        """For each register of the adapted program, the relations of all siblings."""
        found: dict[int, list[set[Linear]]] = {}
        for point in self.siblings:
            for register in point.registers:
                if register >= self.base:
                    found.setdefault(register, []).append(_said(point, register, self.base))
        return {register: list(set.intersection(*sets)) for register, sets in found.items()}

    def wanted(
        self, line: int, registers: Mapping[int, Word], words: Words
    ) -> Sequence[Truth] | None:
        """The conditions of a cut point with this line of the adapted program; None if it cannot be one."""
        if (self.line, line) in self.known or line >= self.flows[1].exit:
            return None
        needed = live_registers(self.flows, (self.line, line))
        mine = [self._said.get(register) for register in needed if register >= self.base]
        if not mine or not all(mine):
            return None
        truths = [each.truth(words, registers) for said in mine for each in said or ()]
        return None if any(truth is False for truth in truths) else truths

    def point(self, line: int) -> CutPoint:
        """The cut point with this line of the adapted program."""
        registers = live_registers(self.flows, (self.line, line))
        ghosts = self.siblings[0].ghosts
        numbers = {*registers, *_pointers(ghosts), *(ghost.number for ghost in ghosts)}
        relations = [
            relation
            for point in self.siblings
            for relation in point.relations
            if relation.registers <= numbers
        ]
        passed = [p for point in self.siblings for p in point.passed if p.register in registers]
        alike = [point.alike for point in self.siblings]
        return CutPoint(
            (self.line, line),
            tuple(registers),
            list(dict.fromkeys(relations)),
            {pair: np.logical_and.reduce([each[pair] for each in alike]) for pair in PAIRS},
            list(dict.fromkeys(passed)),
            ghosts,
        )


def _said(point: CutPoint, register: int, base: int) -> set[Linear]:
    """The relations of a register to registers of the generic program, or its constant value."""
    return {
        relation
        for relation in point.relations
        if isinstance(relation, Linear)
        and relation.of == register
        and all(other < base for other in (*relation.others, *relation.minus))
    }

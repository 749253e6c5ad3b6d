"""The transitions of both programs from one cut point to the next.

The generic program is followed to the next loop head on every feasible path, and for each of these paths
the adapted program is followed to a cut point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import z3  # type: ignore[import-untyped]

from anc.program import Program
from anc.proof.induction.cutpoints import CellGhost, CutPoint, Lines, Unseen
from anc.proof.induction.invariant_templates import solved
from anc.proof.induction.running import ADAPTED, GENERIC, Contents, Doubt, Piece, WordMachine
from anc.proof.semantics import Truth, Word, key_of, negated, number_in
from anc.proof.smt_queries import ask
from anc.proof.verdict import Undecided

if TYPE_CHECKING:
    from anc.proof.induction.proof import Induction

_ASKED = 50  # evaluations that a query costs
_ROUNDS = 3  # length of the longest piece, in lengths of the program
_MOST_TRANSITIONS = 3_000
_MOST_SIDE_BY_SIDE = 16  # pieces that are searched for a new cut point


@dataclass(frozen=True)
class Transition:
    """A transition of both programs from a cut point to another one, or to the end (None)."""

    source: Lines | None
    target: Lines | None
    generic: Piece
    adapted: Piece


class Transitions:
    """All transitions from a cut point."""

    def __init__(self, proof: Induction, key: Lines | None, point: CutPoint) -> None:
        self.proof, self.key, self.words = proof, key, proof.words
        self.point = replace(point)  # as it is now
        words = self.words
        self.contents = Contents(words, proof.tapes.inputs, point.alike)
        cells = {each.number: each for each in point.ghosts if isinstance(each, CellGhost)}
        first = [number for number, each in cells.items() if each.tape == GENERIC]
        self.registers = solved(
            point.relations,
            [*first, *point.remembered, *(number for number in cells if number not in first)],
            words,
            lambda n: self.contents.read(cells[n].tape, cells[n].cell) if n in cells else None,
        )
        for number, each in cells.items():
            self.contents.holds(each.tape, each.cell, self.registers[number])
        passed = [(known, known.begin) for known in proof.lists]
        passed += [(known.list, self.registers[known.register]) for known in point.passed]
        distinct = {(id(known), key_of(pointer)): (known, pointer) for known, pointer in passed}
        self.contents.knowing(list(distinct.values()))
        for ghost in point.ghosts:
            if ghost.number not in cells:
                self.registers[ghost.number] = ghost.word(self.registers, self.contents, {})
        self.any_cell = words.variable("cell")
        self.given: list[Any] = []
        for word in self.registers.values():
            self._give(words.is_word(word))
        for relation in point.relations:
            self._give(relation.truth(words, self.registers))
        self._give(words.is_word(self.any_cell))
        self.edges: list[Transition] = []

    def _give(self, truth: Truth) -> None:
        """Add a condition on the states at this cut point."""
        if truth is False:
            raise Undecided("the candidate invariants contradict each other")
        if truth is not True:
            self.given.append(truth)

    def model(self, conditions: list[Truth]) -> z3.ModelRef | None:
        """A state at this cut point for which some conditions hold; None if there is none."""
        if any(condition is False for condition in conditions):
            return None
        proper = [condition for condition in conditions if condition is not True]
        formulas = [*self.given, *self.contents.known, *proper]
        if not formulas:
            formulas = [z3.BoolVal(True, self.words.ctx)]
        self.proof.asked += 1
        self.proof.clock.did(_ASKED)
        return ask(formulas, self.words.ctx, self.proof.clock)

    def possible(self, conditions: tuple[Truth, ...]) -> bool:
        return self.model(list(conditions)) is not None

    def first_cells(self, conditions: list[Truth]) -> dict[int, int]:
        """Contents of input cells under some conditions, with the smallest addresses."""
        read = self.contents.inputs_read()
        low, high = 0, self.words.M - 1
        found: dict[int, int] = {}
        while low <= high:
            middle = high if not found else (low + high) // 2
            below = [self.words.at_most(address, middle) for address, _ in read]
            model = self.model([*conditions, *below])
            if model is None and not found:
                break
            if model is None:
                low = middle + 1
            else:
                found = {number_in(model, a): number_in(model, value) for a, value in read}
                high = max(found, default=0) - 1
        return found

    def explore(self) -> None:
        """Find all transitions."""
        claim, proof = self.proof.claim, self.proof
        registers = [
            tuple(self._register(base, r, p) for r in range(p.R))
            for base, p in ((0, claim.generic), (claim.generic.R, claim.adapted))
        ]
        a, b = self.point.lines
        start_a = Piece(GENERIC, a, registers[0])
        start_b = Piece(ADAPTED, b, registers[1], stopped=b == claim.adapted.L)
        run_a = WordMachine(claim.generic, self.words, self.contents)
        run_b = WordMachine(claim.adapted, self.words, self.contents)
        ends = run_a.until(
            start_a,
            lambda piece: piece.steps > 0 and piece.line in proof.loop_heads,
            self.possible,
            _ROUNDS * claim.generic.L,
        )
        for end in ends:
            if end.lost:
                if not claim.partial:
                    raise Undecided("the generic program may leave its last line")
                continue
            begin = replace(start_b, conditions=end.conditions)
            while True:
                try:
                    self.edges += list(self._followed(end, begin, run_b))
                    break
                except Doubt:
                    if end.stopped or not self._finds_point(end, begin, run_b):
                        raise

    def _followed(self, end: Piece, begin: Piece, run: WordMachine) -> Iterator[Transition]:
        """All transitions of the adapted program that match a path of the generic one."""

        def arrived(piece: Piece) -> bool:
            return not end.stopped and self._fits(end, piece)

        proof = self.proof
        for other in run.until(begin, arrived, self.possible, self.most(end, run.program)):
            if other.lost:
                raise Doubt("the adapted program may leave its last line", other.conditions)
            if end.stopped:
                yield Transition(self.key, None, end, other)
            elif other.stopped and not arrived(other):
                raise Doubt("the adapted program may stop first", other.conditions)
            else:
                yield Transition(self.key, (end.line, other.line), end, other)
            proof.walked += 1
            if proof.walked > _MOST_TRANSITIONS:
                raise Undecided("there are too many transitions")

    def most(self, end: Piece, program: Program) -> int:
        """The length of the longest piece of the adapted program beside one of the generic program."""
        return _ROUNDS * program.L

    def _finds_point(self, end: Piece, begin: Piece, run: WordMachine) -> bool:
        """Whether the adapted program comes to a new cut point, which is added."""
        unseen = Unseen(end.line, self.proof.points, self.proof.flows)
        pieces = [begin]
        for _ in range(run.program.L):
            for piece in pieces:
                registers = self.after(end, piece)
                wanted = unseen.wanted(piece.line, registers, self.words)
                if wanted is None:
                    continue
                wrong = self.words.any_of([negated(truth) for truth in wanted])
                model = self.model(list(piece.conditions))
                if model is not None and self.model([*piece.conditions, wrong]) is None:
                    point = unseen.point(piece.line)
                    point.relations = point.holding(model, registers, self.words.M)
                    self.proof.points[point.lines] = point
                    return True
            going = [piece for piece in pieces if not (piece.stopped or piece.lost)]
            pieces = [after for piece in going for after in run.step(piece, self.possible)]
            if len(pieces) > _MOST_SIDE_BY_SIDE:
                break
        return False

    def _register(self, base: int, register: int, program: Program) -> Word:
        """The word of a register: as known, its initial value if no line writes it, or a new variable."""
        known = self.registers.get(base + register)
        if known is not None:
            return known
        if all(line.out != register for line in program.lines):
            return program.registers[register] or 0
        unknown = self.words.variable(f"r{base + register}")
        self._give(self.words.is_word(unknown))
        return unknown

    def after(self, generic: Piece, adapted: Piece) -> dict[int, Word]:
        """All registers and ghosts after two pieces."""
        found = dict(enumerate((*generic.registers, *adapted.registers)))
        ghosts, pieces = self.proof.ghosts, {GENERIC: generic, ADAPTED: adapted}
        return found | {g.number: g.word(found, self.contents, pieces) for g in ghosts}

    def _fits(self, generic: Piece, adapted: Piece) -> bool:
        """Whether the two pieces may be at a known cut point."""
        point = self.proof.points.get((generic.line, adapted.line))
        if point is None:
            return False
        registers = self.after(generic, adapted)
        meeting = point.meeting(self.proof.claim.generic.R)
        wanted = [relation.truth(self.words, registers) for relation in meeting]
        return self.model([*adapted.conditions, *wanted]) is not None

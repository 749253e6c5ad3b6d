"""Simulation: cut points found by following both programs side by side, without any sample run.

Where the adapted program was derived from the generic one (unrolled, specialised, with side exits), it does
the same in the same order. On each path of the generic program to its next loop head, the adapted program
is followed as far as the path decides its jumps. The last state in which all that it still needs is known
to the generic program, and in which the tapes agree, is the cut point. Its candidate invariants are the
relations of this first arrival; further arrivals weaken them, as in any proof by induction. Without facts
about the input the tapes are not compared with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

import numpy as np

from anc.isa import Effect
from anc.machine import exact
from anc.program import Program
from anc.proof.claim import Inquiry
from anc.proof.induction.cutpoints import (
    CellGhost,
    CutPoint,
    Lines,
    beginning,
    ghosts,
    live_registers,
)
from anc.proof.induction.invariant_templates import (
    Bound,
    Linear,
    RegisterRelation,
    Unequal,
)
from anc.proof.induction.list_prefix import lists
from anc.proof.induction.proof import Induction, weaken
from anc.proof.induction.running import ADAPTED, GENERIC, INPUT, PAIRS, Doubt, Piece, WordMachine
from anc.proof.induction.transitions import Transition, Transitions
from anc.proof.semantics import Word, key_of
from anc.proof.verdict import Undecided, Verdict
from anc.support.clock import Clock

_ROUNDS = 3  # length of the longest piece, in lengths of the program
_AHEAD = 24  # lines beyond the generic program's path that are followed
_COMPARED = 8  # constants of the generic program that its registers are compared with
_MOST_POINTS = 1_000
_MOST_BANNED = 12
_TRIED = 4  # samples and random tapes on which both programs are run
_LONGEST_RUN = 3_000  # steps of a sample
_SHORTER_RUN = 1_000  # ... and of a random tape, which may have no end


class Simulation(Induction):
    """A proof by induction whose cut points are found on the way."""

    def find_candidates(self) -> int:
        claim = self.claim
        self.points: dict[Lines | None, CutPoint] = {None: beginning(self.flows, claim.M)}
        self.lists = lists(self.tapes.inputs)
        self.ghosts = ghosts(self.flows, ())
        self.knows_inputs = bool(self.tapes.inputs.facts)
        self.constants = _constants(claim.generic)[:_COMPARED]
        known = list(islice(filter(claim.applies, claim.examples), _TRIED))
        if any(self.both_stop(tape, _LONGEST_RUN) for tape in known):
            return 1
        random = Random(2)
        drawn = (self.tapes.draw(random) for _ in range(_TRIED))
        return int(any(tape is not None and self.both_stop(tape, _SHORTER_RUN) for tape in drawn))

    def both_stop(self, tape: tuple[int, ...], most: int) -> bool:
        limit = min(self.claim.max_steps, most)
        programs = self.claim.generic, self.claim.adapted
        return all(exact.run(p, tape, limit).stop is exact.Stop.STOPPED for p in programs)

    def strengthen(self) -> None:
        """Try again without a cut point at which the proof fails: other ones may do."""
        self.banned: set[Lines] = set()
        self.pristine: dict[Lines, CutPoint] = {}
        self.known: dict[object, Transitions | Doubt] = {}
        while True:
            try:
                self.attempt()
                return
            except Doubt:
                if self.key is None or len(self.banned) == _MOST_BANNED:
                    raise
                self.banned.add(self.key)
                self.points = {None: beginning(self.flows, self.claim.M)}

    def refuted(self, doubt: Doubt) -> None:
        """A doubt may be about states that no run comes to, and other methods refute sooner."""

    def attempt(self) -> None:
        """Houdini over the cut points that transitions lead to.

        The first arrival at a cut point may have relations that later ones lack, and then its runs are followed
        from states that no run comes to. A doubt counts only if transitions still lead there in the end.
        """
        self.explored = {}
        doubts: dict[Lines | None, Doubt] = {}
        waiting: list[Lines | None] = [None]
        while waiting:
            self.key = key = waiting.pop(0)
            if key not in self._reached():
                self.explored.pop(key, None)  # its invariants may have changed
                continue
            doubts.pop(key, None)
            found = self.followed(key)
            if isinstance(found, Doubt):
                doubts[key] = found
                self.explored.pop(key, None)
                continue
            self.explored[key] = found
            for edge in found.edges:
                if edge.target is None:
                    continue
                is_new = edge.target not in self.explored
                changed = weaken(self.points[edge.target], found, edge)
                if (changed or is_new) and edge.target not in waiting:
                    waiting.insert(len(waiting) if is_new else 0, edge.target)
                if changed and edge.target == key:
                    break
        reached = self._reached()
        for self.key in doubts:
            if self.key in reached:
                raise doubts[self.key]
        self.explored = {key: found for key, found in self.explored.items() if key in reached}
        assert self.explored.keys() == reached

    def followed(self, key: Lines | None) -> Transitions | Doubt:
        """The transitions from a cut point with its present invariants, known from before or explored now."""
        point = self.points[key]
        alike = tuple(cells.tobytes() for cells in point.alike.values())
        state = key, tuple(point.relations), alike
        found = self.known.get(state)
        targets = {edge.target for edge in found.edges} if isinstance(found, Transitions) else set()
        if found is None or targets & self.banned:
            found = self.known[state] = self._explored(key)
        for target in targets:
            if target is not None:
                self.points.setdefault(target, replace(self.pristine[target]))
        return found

    def _explored(self, key: Lines | None) -> Transitions | Doubt:
        found = self.transitions(key)
        try:
            found.explore()
            for edge in found.edges:
                if edge.target is None:
                    self.check_end(found, edge)
        except Doubt as doubt:
            return doubt
        return found

    def _reached(self) -> set[Lines | None]:
        """The cut points to which transitions lead from the start."""
        seen: set[Lines | None] = {None}
        waiting: list[Lines | None] = [None]
        while waiting:
            found = self.explored.get(waiting.pop())
            new = {edge.target for edge in found.edges if edge.target} - seen if found else set()
            seen |= new
            waiting += new
        return seen

    def transitions(self, key: Lines | None) -> Transitions:
        return _Accompanied(self, key, self.points[key])


@dataclass(frozen=True)
class _Meeting:
    """A cut point at which the adapted program may wait.

    `fits` says whether a known cut point need not be weakened for it. The rank is 2 if all that was written
    agrees, 1 if the adapted program has the rest in registers.
    """

    point: CutPoint
    piece: Piece
    fits: bool
    rank: int

    @property
    def merit(self) -> tuple[bool, int]:
        return self.fits, self.rank


class _Accompanied(Transitions):
    """Transitions whose targets are made when they are reached for the first time."""

    proof: Simulation

    def _followed(self, end: Piece, begin: Piece, run: WordMachine) -> Iterator[Transition]:
        if end.stopped:
            yield from super()._followed(end, begin, run)
            return
        most = self.most(end, run.program)
        waiting: list[tuple[Piece, _Meeting | None]] = [(begin, None)]
        found = 0
        while waiting:
            piece, met = waiting.pop()
            here = self._meeting(end, piece)
            if here is not None and (met is None or here.merit >= met.merit):
                met = here
            after = [] if piece.stopped or piece.lost else run.step(piece, self.possible)
            if len(after) == 1 and after[0].steps <= most:
                waiting.append((after[0], met))
                continue
            if met is None and len(after) > 1 and found < _ROUNDS * run.program.L:
                waiting += [(each, None) for each in after]
                found += 1
                continue
            if met is None:
                raise Doubt("the adapted program is not where the generic one is", piece.conditions)
            point = met.point
            if point.lines not in self.proof.points:
                self.proof.points[point.lines] = point
                self.proof.pristine.setdefault(point.lines, replace(point))
            if len(self.proof.points) > _MOST_POINTS:
                raise Undecided("there are too many cut points")
            self.proof.walked += 1
            yield Transition(self.key, point.lines, end, met.piece)

    def most(self, end: Piece, program: Program) -> int:
        return 2 * end.steps + _AHEAD

    def _meeting(self, end: Piece, piece: Piece) -> _Meeting | None:
        """The cut point at these states, if the adapted program needs nothing that the other does not have."""
        proof, words = self.proof, self.words
        lines = (end.line, piece.line)
        if piece.stopped or piece.lost or lines in proof.banned:
            return None
        apart = self._written_apart(end, piece)
        if apart is None:
            return None
        known = self.proof.points.get(lines)
        registers = self.after(end, piece)
        base = proof.claim.generic.R
        live = live_registers(proof.flows, lines)
        ghosts = [g for g in proof.ghosts if isinstance(g, CellGhost)]
        cells = {g.number: g.cell for g in ghosts if g.tape == GENERIC}
        generic = [*cells, *(r for r in live if r < base)]
        adapted = [r for r in live if r >= base]
        doubles: list[RegisterRelation] = []
        for register in adapted:
            if not self._is_simple(registers, register, generic):
                double = self._double(registers, register, generic)
                if not double:
                    return None
                doubles += double
        rank = 2
        if apart:
            hidden = [number for number, cell in cells.items() if cell in apart]
            rank = int(all(self._is_simple(registers, number, adapted) for number in hidden))
        if known is not None:
            truths = (relation.truth(words, registers) for relation in known.relations)
            fits = all(truth is not False for truth in truths)
            return _Meeting(known, piece, fits, rank)
        linear: list[RegisterRelation] = []
        for place, register in enumerate(generic):
            linear += self._simple(registers, register, generic[:place])
        for register in adapted:
            linear += self._simple(registers, register, generic)
        for ghost in ghosts:
            if ghost.tape == ADAPTED:
                linear += self._simple(registers, ghost.number, [*generic, *adapted])
        varying = [r for r in live if r < base and not isinstance(registers[r], int)]
        relations = [*linear, *doubles, *self._compared(varying)]
        point = CutPoint(lines, tuple(live), relations, self._alike(), [], tuple(proof.ghosts))
        return _Meeting(point, piece, False, rank)

    def _is_simple(
        self, registers: Mapping[int, Word], register: int, others: Sequence[int]
    ) -> bool:
        """Whether a register is constant, or has a constant difference from another one."""
        word = registers[register]
        return isinstance(word, int) or any(
            isinstance(self.words.difference(word, registers[other]), int) for other in others
        )

    def _simple(
        self, registers: Mapping[int, Word], register: int, others: Sequence[int]
    ) -> list[Linear]:
        """The constant value of a register, and its constant differences from others, equal ones first."""
        word = registers[register]
        found = [Linear(register, (), word)] if isinstance(word, int) else []
        pairs = [
            Linear(register, (other,), more)
            for other in others
            if isinstance(more := self.words.difference(word, registers[other]), int)
        ]
        return found + sorted(pairs, key=lambda relation: relation.constant != 0)

    def _double(
        self, registers: Mapping[int, Word], register: int, others: Sequence[int]
    ) -> list[Linear]:
        """A register as the sum or the difference of two others."""
        words = self.words
        varying = [other for other in others if not isinstance(registers[other], int)]
        for one in varying:
            rest = words.difference(registers[register], registers[one])
            for other in varying:
                less = words.difference(rest, registers[other])
                if isinstance(less, int):
                    return [Linear(register, (one, other), less)]
                more = words.sum(rest, registers[other])
                if isinstance(more, int):
                    return [Linear(register, (one,), more, (other,))]
        return []

    def _compared(self, registers: Iterable[int]) -> Iterator[RegisterRelation]:
        """What tests may have shown about registers."""
        for register in registers:
            yield Unequal(register, 0)
            for constant in self.proof.constants:
                yield Unequal(register, constant)
                yield Bound(register, constant - 1, True)
                yield Bound(register, constant, False)

    def _alike(self) -> dict[tuple[str, str], np.ndarray]:
        """The tapes that may be equal: with the input only if something is known about it."""
        M = self.words.M
        compared = np.full(M, self.proof.knows_inputs)
        return {pair: compared if INPUT in pair else np.ones(M, np.bool_) for pair in PAIRS}

    def _written_apart(self, end: Piece, piece: Piece) -> set[int] | None:
        """The ghosts' cells in which what was written may differ; None if other cells may."""
        cells = {ghost.cell for ghost in self.proof.ghosts if isinstance(ghost, CellGhost)}
        written = {key_of(a): a for a, _ in (*end.stores, *piece.stores)}.values()
        pairs = ((a, self._content(end, a), self._content(piece, a)) for a in written)
        apart = [a for a, one, other in pairs if self.words.equal(one, other) is not True]
        return set(apart) if all(isinstance(a, int) and a in cells for a in apart) else None

    def _content(self, piece: Piece, address: Word) -> Word:
        return piece.content(address, self.contents)


def _constants(program: Program) -> list[int]:
    """The constants with which a program computes."""
    computing = [line for line in program.lines if program.row(line).effect is Effect.NONE]
    changed = {line.out for line in program.lines}
    used = {operand for line in computing for operand in line.operands} - changed
    return sorted({program.registers[register] or 0 for register in used} - {0})


def by_simulation(inquiry: Inquiry, clock: Clock) -> Verdict:
    """The verdict of a proof by simulation; raises Undecided if it fails."""
    return Simulation(inquiry, clock).run()

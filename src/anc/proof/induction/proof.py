"""Proof by induction over loops.

A *cut point* is a pair of lines, one of each program; the generic program's line is a loop head. Runs on a
few tapes show where the adapted program is whenever the generic one is at a loop head (`alignment`), and
suggest candidate invariants (`cutpoints`): relations of registers (`invariant_templates`), of input cells just
passed by a pointer (`Ghost`), cells in which tapes are equal (`Alike`), and prefixes of lists of the input
(`list_prefix`). Every transition from the start and from each cut point to the next one is then explored
(`transitions`), perhaps to cut points that no run has shown (`Unseen`). Candidates that a transition does not
preserve are dropped (`weaken`), until the rest are invariants. At the end, the cells that count must agree.

This is sound for any candidates:

- Both programs start at the cut point where everything is known, which is true. Candidates of another cut
  point only count once a transition leads to it, and they are weakened to what holds after this transition.
- Take a tape that satisfies the precondition. If both programs are at a cut point and its invariants hold,
  their runs follow one of its transitions: a transition is left out only if the solver shows that the
  invariants exclude it, and all transitions are explored again whenever the invariants are weakened. It ends
  at a cut point whose invariants hold, as the solver has shown, or both programs stop and the cells that
  count agree.
- A transition has at least one step of the generic program and a bounded number of steps of the adapted
  one. If the generic program stops on this tape, both therefore stop after finitely many transitions. If it
  does not stop, or leaves its last line, a partial claim says nothing.
- The lengths of the transitions show that both stop within the claim's steps (`termination`). A claim that is
  not partial also needs that the generic program always stops in time.

A failed proof proves nothing, but a tape that leads to the point of failure may refute the claim (`suspects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

import numpy as np

from anc.machine import exact
from anc.program import Program
from anc.proof.cfg import Flow
from anc.proof.claim import Inquiry
from anc.proof.induction.alignment import Traced, matched
from anc.proof.induction.cutpoints import CutPoint, Lines, beginning, ghosts, points
from anc.proof.induction.list_prefix import Passed, lists
from anc.proof.induction.running import ADAPTED, GENERIC, INPUT, PAIRS, Doubt
from anc.proof.induction.termination import check_steps
from anc.proof.induction.transitions import Transition, Transitions
from anc.proof.semantics import Truth, Word, Words, key_of, negated, number_in
from anc.proof.verdict import Undecided, Verdict
from anc.support.clock import Clock
from anc.support.limits import INDUCED

_RUNS = 12  # sample runs
_TRACED = 1  # evaluations that a step of them costs
_TRIES = 3  # random tapes that are drawn for each run
_LONGEST_RUN = 3_000  # steps
_BASES = 3  # tapes with the longest lists, which are changed into suspects
_VALUES = 4  # numbers that make a list longer
_SINGLY = 6  # cells in which two tapes may differ that are dropped one by one


class Induction:
    """One proof by induction of a claim."""

    def __init__(self, inquiry: Inquiry, clock: Clock) -> None:
        self.inquiry, self.claim, self.clock = inquiry, inquiry.claim, clock
        M = self.claim.M
        self.words = Words(M)
        self.tapes = self.claim.tapes
        self.flows = Flow(self.claim.generic, M), Flow(self.claim.adapted, M)
        self.loop_heads = self.flows[0].loop_heads
        self.walked = self.asked = 0  # transitions; queries

    def run(self) -> Verdict:
        """The verdict; raises Undecided if the proof fails and no tape refutes the claim."""
        if not self.loop_heads:
            raise Undecided("the generic program has no loop")
        if INDUCED.most < self.claim.M:
            cells = f"{self.claim.M:,} cells: induction has up to {INDUCED.most:,}"
            raise Undecided(f"the memory has {cells}")
        self.compared = self.find_candidates()
        try:
            self.strengthen()
        except Doubt as doubt:
            verdict = self.refuted(doubt)
            if verdict is None:
                raise
            return verdict
        check_steps(self)
        return self.inquiry.ended("induction", len(self.edges()), self.compared)

    def find_candidates(self) -> int:
        """Find cut points and candidate invariants; returns the number of sample runs that stop."""
        limit = min(self.claim.max_steps, _LONGEST_RUN)
        programs = self.claim.generic, self.claim.adapted
        runs = []
        self.tried = self.telling_tapes(limit)
        for tape in self.tried:
            if self.clock.over:
                raise Undecided("the time is over")
            generic, adapted = (Traced(program, tape, limit) for program in programs)
            self.clock.did(_TRACED * (len(generic.lines) + len(adapted.lines)))
            if generic.stopped and adapted.stopped:
                runs.append((generic, adapted))
        seen = matched(runs, self.flows)
        if seen is None:
            raise Undecided("no run goes through a loop")
        self.points: dict[Lines | None, CutPoint] = {None: beginning(self.flows, self.claim.M)}
        self.lists = lists(self.tapes.inputs)
        self.ghosts = ghosts(self.flows, self.lists)
        for point in points(seen, self.flows, self.tapes.inputs, self.lists, self.ghosts):
            self.points[point.lines] = point
        return len(runs)

    def refuted(self, doubt: Doubt) -> Verdict | None:
        """The verdict, if a tape that leads to the point of failure settles the claim."""
        found = self.explored[self.key]
        cells = found.first_cells(list(doubt.conditions))
        programs = self.claim.generic, self.claim.adapted
        for tape in suspects(cells, [*self.claim.examples, *self.tried], programs):
            if self.claim.applies(tape) and self.claim.failure(tape) is not None:
                return self.inquiry.settled_by(tape, "induction", self.walked)
        return None

    def telling_tapes(self, limit: int) -> list[tuple[int, ...]]:
        """Examples and, if they are few, the random tapes with the longest runs of the generic program."""
        random = Random(2)
        shuffled = random.sample(self.claim.examples, len(self.claim.examples))
        known = list(islice(filter(self.claim.applies, shuffled), _RUNS))
        if len(known) >= _RUNS // 2:
            return known
        missing = _RUNS - len(known)
        drawn = [self.tapes.draw(random) for _ in range(_TRIES * missing)]
        steps = {
            tape: run.steps
            for tape in drawn
            if tape is not None
            and (run := exact.run(self.claim.generic, tape, limit)).stop is exact.Stop.STOPPED
        }
        return known + sorted(steps, key=steps.__getitem__, reverse=True)[:missing]

    def strengthen(self) -> None:
        """Houdini: drop candidates that some transition does not preserve, until none is left."""
        self.explored: dict[Lines | None, Transitions] = {}
        waiting: list[Lines | None] = [None]
        while waiting:
            key = self.key = waiting.pop(0)
            found = self.explored[key] = self.transitions(key)
            found.explore()
            for edge in found.edges:
                if edge.target is None:
                    self.check_end(found, edge)
                    continue
                changed = weaken(self.points[edge.target], found, edge)
                if (changed or edge.target not in self.explored) and edge.target not in waiting:
                    waiting.append(edge.target)
                if changed and edge.target == key:
                    break

    def transitions(self, key: Lines | None) -> Transitions:
        return Transitions(self, key, self.points[key])

    def edges(self) -> list[Transition]:
        return [edge for found in self.explored.values() for edge in found.edges]

    def check_end(self, found: Transitions, edge: Transition) -> None:
        """Raise Doubt unless the cells that count agree at the end."""
        counted = np.asarray(self.claim.mask, np.bool_)
        if unlike(found, edge, GENERIC, ADAPTED, counted) is not None:
            raise Doubt("cells that count may differ in the end", edge.adapted.conditions)


def by_induction(inquiry: Inquiry, clock: Clock) -> Verdict:
    """The verdict of a proof by induction; raises Undecided if it fails."""
    return Induction(inquiry, clock).run()


def weaken(point: CutPoint, found: Transitions, edge: Transition) -> bool:
    """Drop the invariants of the target that a transition does not preserve; returns whether there are any."""
    registers = found.after(edge.generic, edge.adapted)
    changed = _weaken_relations(point, found, edge, registers)
    still_passed = _still_passed(point, found, edge, registers)
    changed |= len(still_passed) < len(point.passed)
    point.passed = still_passed
    for pair in PAIRS:
        changed |= _weaken_alike(point, found, edge, pair)
    return changed


def _weaken_alike(
    point: CutPoint, found: Transitions, edge: Transition, pair: tuple[str, str]
) -> bool:
    """`weaken` for the cells in which two tapes are equal; many single cells are dropped as a range."""
    given_up, times = np.zeros(found.words.M, np.bool_), 0
    while (cells := unlike(found, edge, *pair, point.alike[pair])) is not None:
        given_up |= cells
        times += 1
        if times > _SINGLY:
            low, high = np.flatnonzero(given_up)[[0, -1]]
            given_up[low:high] = True
        point.alike = {**point.alike, pair: point.alike[pair] & ~given_up}
    return times > 0


def _weaken_relations(
    point: CutPoint, found: Transitions, edge: Transition, registers: Mapping[int, Word]
) -> bool:
    words, changed = found.words, False
    while True:
        truths = [relation.truth(words, registers) for relation in point.relations]
        wrong = words.any_of([negated(truth) for truth in truths])
        model = None if wrong is False else found.model([*edge.adapted.conditions, wrong])
        if model is None:
            return changed
        kept = point.holding(model, registers, words.M)
        if len(kept) == len(point.relations):
            raise Undecided("the state that the solver found satisfies all candidates")
        point.relations, changed = kept, True


def _still_passed(
    point: CutPoint, found: Transitions, edge: Transition, registers: Mapping[int, Word]
) -> list[Passed]:
    answers: dict[tuple[int, Any], bool] = {}
    kept = []
    for each in point.passed:
        pointer = registers[each.register]
        key = id(each.list), key_of(pointer)
        if key not in answers:
            content = found.contents.read(INPUT, found.any_cell)
            stopped: Truth = each.list.stops(found.words, found.any_cell, content, pointer)
            answers[key] = found.model([*edge.adapted.conditions, stopped]) is not None
        if not answers[key]:
            kept.append(each)
    return kept


def unlike(
    found: Transitions, edge: Transition, one: str, other: str, wanted: np.ndarray
) -> np.ndarray | None:
    """Some of the wanted cells in which two tapes may differ after a transition; None if there are none."""
    pieces = {GENERIC: edge.generic, ADAPTED: edge.adapted}
    stores = [a for tape in (one, other) if tape in pieces for a, _ in pieces[tape].stores]
    stored = np.zeros(found.words.M, np.bool_)
    stored[[address for address in stores if isinstance(address, int)]] = True
    alike = found.point.alike
    before = alike[one, other]
    if (one, other) == (GENERIC, ADAPTED):
        before = before | (alike[GENERIC, INPUT] & alike[ADAPTED, INPUT])
    apart = wanted & ~before & ~stored
    if apart.any():
        return apart
    for address in {key_of(a): a for a in stores}.values():
        contents = [
            pieces[tape].content(address, found.contents)
            if tape in pieces
            else found.contents.read(INPUT, address)
            for tape in (one, other)
        ]
        differ = negated(found.words.equal(*contents))
        model = found.model([*edge.adapted.conditions, found.words.within(address, wanted), differ])
        if model is not None:
            cells = np.zeros(found.words.M, np.bool_)
            cells[number_in(model, address)] = True
            return cells
    return None


def suspects(
    cells: Mapping[int, int], tapes: Sequence[tuple[int, ...]], programs: Sequence[Program]
) -> Iterator[tuple[int, ...]]:
    """Tapes with these cells, and with lists that do not end before the last of them.

    The solver knows a state in which the proof fails, but not a run that leads to it. If a pointer moves along
    a list, a list that is long enough leads to it.
    """
    last = max(cells, default=0)
    tapes = list(dict.fromkeys(tapes))
    starts = {p.registers[line.out] or 0 for p in programs for line in p.lines}
    for start in sorted(start for start in starts if start < last):
        near = sorted(tapes, key=lambda tape: tape[start:last].count(0))
        for base in near[:_BASES]:
            for filled in _filled(base, start, last):
                tape = list(filled)
                for cell, value in cells.items():
                    tape[cell] = value
                yield tuple(tape)


def _filled(tape: tuple[int, ...], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """The tape without 0 between two cells: filled with the numbers of its list, or with one of them."""
    part = tape[start:end]
    values = [value for value in part if value]
    if not values:
        return
    others = list(dict.fromkeys(values))
    for instead in (values, *([value] for value in others[:: -(-len(others) // _VALUES)])):
        filled = (value or instead[i % len(instead)] for i, value in enumerate(part))
        yield (*tape[:start], *filled, *tape[end:])

"""Proof by paths: both programs on terms, parting where the tape decides and meeting again.

Each path ends with the question whether there is a tape on it for which the masked cells differ. A
path that cannot be decided makes the verdict unknown, never proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anc.proof.claim import Cells, Inquiry
from anc.proof.path_state import Path
from anc.proof.smt_queries import first_witnesses
from anc.proof.symbolic_step import State
from anc.proof.terms import Node
from anc.proof.verdict import Undecided, Verdict, error_in
from anc.proof.worklist import Grounds, Plan, Runs
from anc.support.clock import Clock

PLANS = (
    Plan(False, share=0.05, most_paths=50),  # where paths are few, nothing is faster
    Plan(True, share=0.7, question=0.2),
    Plan(False),
)
_MANY = 8  # cells that may differ: the solver is asked of more at once

# An end of the generic program; the adapted one's, where it is known.
Pair = tuple[State, State | None]


def by_paths(inquiry: Inquiry, clock: Clock, plans: Sequence[Plan] = PLANS) -> Verdict:
    """The verdict of the first plan that has one; Undecided when none has."""
    walked = 0
    if inquiry.tapes is None:
        inquiry.tapes = first_witnesses(inquiry.claim, clock)
    for plan in plans:
        time = clock.part(clock.left * plan.share)
        try:
            return Paths(inquiry, time, plan, inquiry.tapes).run()
        except Undecided as problem:
            reason, walked = str(problem), walked + problem.walked
        if clock.over:
            break
    raise Undecided(reason, walked)


class Paths:
    """One proof by paths of a claim."""

    def __init__(self, inquiry: Inquiry, clock: Clock, plan: Plan, tapes: np.ndarray) -> None:
        self.inquiry, self.claim, self.plan = inquiry, inquiry.claim, plan
        self.tapes, self.clock = tapes, clock
        self.walked = self.compared = 0  # paths; those on which both programs stop
        self.cut = 0  # of a partial claim, those on which the generic program may stop after all

    def run(self) -> Verdict:
        """The verdict; Undecided when some path could not be settled."""
        try:
            for tape in self.failing_tapes():
                verdict = self.inquiry.settled_by(tape, "paths", self.walked)
                if verdict is not None:
                    return verdict
        except Undecided as problem:
            raise Undecided(str(problem), self.walked) from None
        except Exception as problem:
            raise Undecided(error_in(problem), self.walked) from None
        return self.inquiry.ended("paths", self.walked, self.compared, self.cut)

    def failing_tapes(self) -> Iterator[Cells]:
        """Walk all paths; yields a tape for each that fails."""
        self.grounds = Grounds(self.claim, self.plan, self.tapes, self.clock)
        everything = self.grounds.everything()
        runs = Runs(self.grounds, self.claim.generic, everything)
        if not self.plan.joining:
            for end in runs.ends():
                yield from self.of_pair(end, None)
            return
        for wanted, found in self.pairs(everything, list(runs.ends())):
            yield from self.of_pair(wanted, found)

    def pairs(self, everything: Path, wanted: list[State]) -> list[Pair]:
        """The ends of joined runs, each with the adapted program's end on the same tapes where it is known.

        Where joined runs of both programs part in the same way, each end has one with its path.
        """
        found: dict[frozenset[Node], State] = {}
        if len(wanted) > 1:
            others = list(Runs(self.grounds, self.claim.adapted, everything).ends())
            found = {frozenset(end.path.choices()): end for end in others}
            same = found.keys() == {frozenset(end.path.choices()) for end in wanted}
            if not same or len(found) != len(others):
                found = {}
        return [(end, found.get(frozenset(end.path.choices()))) for end in wanted]

    def of_pair(self, wanted: State, found: State | None) -> Iterator[Cells]:
        if not wanted.stopped:
            self.walked += 1
            if not self.claim.partial:
                yield self.grounds.tape(wanted.path.alive[0])
            elif not self.grounds.is_endless(wanted):
                self.cut += 1
        elif found is None:
            for end in Runs(self.grounds, self.claim.adapted, wanted.path).ends():
                yield from self.of_ends(wanted, end)
        else:
            yield from self.of_ends(wanted, found)

    def of_ends(self, wanted: State, found: State) -> Iterator[Cells]:
        """The same, where both programs have come to their end."""
        self.walked += 1
        self.compared += found.stopped
        if not found.stopped:
            yield self.grounds.tape(found.path.alive[0])
        else:
            yield from self.differing(wanted, found)
        if self.walked >= self.plan.most_paths:
            raise Undecided(f"there are more than {self.plan.most_paths:,} paths")

    def differing(self, wanted: State, found: State) -> Iterator[Cells]:
        """A tape for which masked cells differ, if there is one."""
        grounds, path = self.grounds, found.path
        space = grounds.space
        questions: list[Node] = []
        for cell in sorted(wanted.written.keys() | found.written.keys()):
            if not self.claim.mask[cell]:
                continue
            sides = [
                s.written[cell] if cell in s.written else grounds.cell(cell)
                for s in (wanted, found)
            ]
            equal = space.zero(space.difference(*sides))
            decided = path.decided(space, equal)
            if decided is False:
                yield grounds.tape(path.alive[0])
                return
            if decided is None:
                differ = space.opposite(equal)
                assert isinstance(differ, Node)
                questions.append(differ)
        for question in questions:
            failing = np.flatnonzero(grounds.witnesses.holds(question, path.alive))
            if len(failing):
                yield grounds.tape(path.alive[failing[0]])
                return
        if len(questions) > _MANY:
            either = space.any_of(questions)
            assert isinstance(either, Node)
            questions = [either]
        for question in questions:
            number = self.grounds.questions.possible(path, question)
            if number is not None:
                yield self.grounds.tape(number)
                return

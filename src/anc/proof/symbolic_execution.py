"""Proof by symbolic execution of both programs on terms, with state merging.

States fork where the tape decides a jump and merge where the branches meet. Each path ends with a query: is
there a tape on it for which the masked cells differ? An undecided query makes the verdict unknown, never
proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from anc.program import Program
from anc.proof.claim import Cells, Inquiry
from anc.proof.path_state import Path
from anc.proof.smt_queries import first_witnesses
from anc.proof.state_merging import joined
from anc.proof.symbolic_step import STEP, Machine, Successor, SymbolicState
from anc.proof.terms import Node
from anc.proof.verdict import Undecided, Verdict, error_in
from anc.support.clock import Clock


@dataclass(frozen=True)
class ExplorationPlan:
    """A strategy of exploration: whether states are merged, and its limits."""

    joining: bool
    share: float = 1.0  # of the remaining time
    most_paths: int = 100_000
    question: float = 1.0  # the share of its time for one query


PLANS = (
    ExplorationPlan(False, share=0.05, most_paths=50),  # the fastest one if there are few paths
    ExplorationPlan(True, share=0.7, question=0.2),
    ExplorationPlan(False),
)
_MANY = 8  # cells with a query each; more of them share one query

# A final state of the generic program and that of the adapted one, if it is known.
Pair = tuple[SymbolicState, SymbolicState | None]


def by_paths(inquiry: Inquiry, clock: Clock, plans: Sequence[ExplorationPlan] = PLANS) -> Verdict:
    """The verdict of the first plan that has one; raises Undecided if none has."""
    walked = 0
    if inquiry.tapes is None:
        inquiry.tapes = first_witnesses(inquiry.claim, clock)
    for plan in plans:
        paths = Paths(inquiry, clock.part(clock.left * plan.share), plan, inquiry.tapes)
        try:
            return paths.run()
        except Exception as problem:
            reason, walked = error_in(problem), walked + paths.walked
        if clock.over:
            break
    raise Undecided(reason, walked)


class Paths:
    """One proof of a claim, with one plan."""

    def __init__(
        self, inquiry: Inquiry, clock: Clock, plan: ExplorationPlan, tapes: np.ndarray
    ) -> None:
        self.inquiry, self.claim, self.plan = inquiry, inquiry.claim, plan
        self.tapes, self.clock = tapes, clock
        self.walked = self.compared = 0  # paths; those on which both programs stop
        self.cut = 0  # of a partial claim, those on which the generic program may stop after all

    def run(self) -> Verdict:
        """The verdict; raises Undecided if a query is undecided."""
        for tape in self.failing_tapes():
            verdict = self.inquiry.settled_by(tape, "paths", self.walked)
            if verdict is not None:
                return verdict
        return self.inquiry.ended("paths", self.walked, self.compared, self.cut)

    def failing_tapes(self) -> Iterator[Cells]:
        """Explore all paths; yields a tape for each path that fails."""
        self.machine = Machine(self.claim, self.tapes, self.clock, self.plan.question)
        everything = self.machine.everything()
        ends = self.ends(self.claim.generic, everything)
        if not self.plan.joining:
            for end in ends:
                yield from self.of_pair(end, None)
            return
        for wanted, found in self.pairs(everything, list(ends)):
            yield from self.of_pair(wanted, found)

    def ends(self, program: Program, path: Path) -> Iterator[SymbolicState]:
        """All final states of a program on a path."""
        return Worklist(self.machine, program, path, self.plan.joining).ends()

    def pairs(self, everything: Path, wanted: list[SymbolicState]) -> list[Pair]:
        """The final states of the generic program, each with that of the adapted one on the same path.

        It is known if the final states of both programs have the same paths.
        """
        found: dict[frozenset[Node], SymbolicState] = {}
        if len(wanted) > 1:
            others = list(self.ends(self.claim.adapted, everything))
            found = {frozenset(end.path.choices()): end for end in others}
            same = found.keys() == {frozenset(end.path.choices()) for end in wanted}
            if not same or len(found) != len(others):
                found = {}
        return [(end, found.get(frozenset(end.path.choices()))) for end in wanted]

    def of_pair(self, wanted: SymbolicState, found: SymbolicState | None) -> Iterator[Cells]:
        if not wanted.stopped:
            self.walked += 1
            if not self.claim.partial:
                yield self.machine.tape(wanted.path.alive[0])
            elif not self.machine.is_endless(wanted):
                self.cut += 1
        elif found is None:
            for end in self.ends(self.claim.adapted, wanted.path):
                yield from self.of_ends(wanted, end)
        else:
            yield from self.of_ends(wanted, found)

    def of_ends(self, wanted: SymbolicState, found: SymbolicState) -> Iterator[Cells]:
        """`of_pair` for two known final states."""
        self.walked += 1
        self.compared += found.stopped
        if not found.stopped:
            yield self.machine.tape(found.path.alive[0])
        else:
            yield from self.differing(wanted, found)
        if self.walked >= self.plan.most_paths:
            raise Undecided(f"there are more than {self.plan.most_paths:,} paths")

    def differing(self, wanted: SymbolicState, found: SymbolicState) -> Iterator[Cells]:
        """A tape for which masked cells differ, if there is one."""
        machine, path = self.machine, found.path
        space = machine.space
        questions: list[Node] = []
        for cell in sorted(wanted.written.keys() | found.written.keys()):
            if not self.claim.mask[cell]:
                continue
            sides = [
                s.written[cell] if cell in s.written else machine.cell(cell)
                for s in (wanted, found)
            ]
            equal = space.zero(space.difference(*sides))
            decided = path.decided(space, equal)
            if decided is False:
                yield machine.tape(path.alive[0])
                return
            if decided is None:
                differ = space.opposite(equal)
                assert isinstance(differ, Node)
                questions.append(differ)
        for question in questions:
            failing = np.flatnonzero(machine.witnesses.holds(question, path.alive))
            if len(failing):
                yield machine.tape(path.alive[failing[0]])
                return
        if len(questions) > _MANY:
            either = space.any_of(questions)
            assert isinstance(either, Node)
            questions = [either]
        for question in questions:
            number = self.machine.questions.possible(path, question)
            if number is not None:
                yield self.machine.tape(number)
                return


@dataclass
class Fork:
    """States that parted: those to follow, and those that have arrived where all of them meet again."""

    meeting: int
    waiting: list[SymbolicState]
    arrived: list[SymbolicState] = field(default_factory=list)


class Worklist:
    """The worklist of the states of one program on a path."""

    def __init__(self, machine: Machine, program: Program, path: Path, joining: bool) -> None:
        self.machine, self.joining = machine, joining
        self.flow = machine.flows[id(program)]
        self.forks = [Fork(self.flow.exit, [SymbolicState.beginning(program, path)])]

    def ends(self) -> Iterator[SymbolicState]:
        """All final states: those that stopped, and those that exceeded the limit or left the program."""
        forks, limit = self.forks, self.machine.claim.max_steps
        while forks:
            fork = forks[-1]
            if not fork.waiting:
                forks.pop()
                self._met(fork)
                continue
            state = fork.waiting.pop()
            successors = self._follow(state, {other.meeting for other in forks})
            if successors:
                sides = [state.parted(path, line) for line, path in successors]
                if self.joining:
                    forks.append(Fork(self.flow.meeting[state.here], sides))
                else:
                    fork.waiting += sides
            elif state.stopped or state.here >= self.flow.exit or state.most >= limit:
                if not state.stopped and state.least < state.most >= limit:
                    raise Undecided("states after different numbers of steps were merged")
                yield state
            else:
                meeting = self._nearest(state.here)
                assert meeting is not None
                meeting.arrived.append(state)

    def _met(self, fork: Fork) -> None:
        """Continue the states that met at the end of a fork: merged, or apart until they meet again."""
        if not fork.arrived:
            return
        outer = self._nearest(fork.meeting)
        if outer is not None:
            outer.arrived += fork.arrived
            return
        machine, flow = self.machine, self.flow
        states = joined(fork.arrived, flow, machine.space, machine.cell)
        if len(states) > 1:
            for state in states:
                state.waits = True
            later = flow.next_meeting(fork.meeting)
            if later != flow.exit and self._nearest(later) is None:
                self.forks.append(Fork(later, []))
            self.forks.append(Fork(fork.meeting, states))
        else:
            self.forks[-1].waiting += states

    def _nearest(self, line: int) -> Fork | None:
        """The innermost fork whose states meet at a line."""
        return next((fork for fork in reversed(self.forks) if fork.meeting == line), None)

    def _follow(self, state: SymbolicState, meetings: set[int]) -> list[Successor]:
        """Follow a state to its end, to a meeting line, or to a fork; returns the successors at a fork."""
        limit, clock = self.machine.claim.max_steps, self.machine.clock
        successors: list[Successor] = []
        while not (
            successors or state.stopped or state.here >= self.flow.exit or state.most >= limit
        ):
            if state.here in meetings and not state.waits:
                break
            if state.most % 64 == 0 and clock.over:
                raise Undecided("the time is over")
            state.waits = False
            clock.did(STEP)
            successors = self.machine.step(state)
        return successors

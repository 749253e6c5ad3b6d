"""Proof by paths: both programs on terms, parting where the tape decides and meeting again.

Each path ends with the question whether there is a tape on it for which the masked cells differ. A
path that cannot be decided makes the verdict unknown, never proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np
import z3  # type: ignore[import-untyped]

from anc.program import Program
from anc.verify.clock import Clock
from anc.verify.domains import Domains
from anc.verify.flow import Flow
from anc.verify.inputs import Inputs
from anc.verify.inquiry import Inquiry
from anc.verify.joining import joined
from anc.verify.solver import Questions
from anc.verify.space import Space
from anc.verify.stated import counting, in_steps, stated
from anc.verify.states import Path, State
from anc.verify.stepping import Machine, Parting
from anc.verify.tapes import Tapes
from anc.verify.terms import Node, Value
from anc.verify.verdict import Undecided, Verdict
from anc.verify.witnesses import Witnesses

_WITNESSES = 64


@dataclass(frozen=True)
class Plan:
    """How paths are walked: which runs are joined, how many ways a pointer may go, for how long."""

    joining: bool
    addresses: int = 0  # cells to which a pointer in a loop may point, to be taken one by one
    share: float = 1.0  # of the time left
    most_paths: int = 100_000
    question: float = 1.0  # the part of its time that one question may take


PLANS = (
    Plan(False, addresses=64, share=0.05, most_paths=50),  # where paths are few, nothing is faster
    Plan(True, addresses=64, share=0.7, question=0.2),
    Plan(False),
)
_MANY = 8  # cells that may differ: the solver is asked of more at once
_PROBING = 0.1  # the part of the time that looking at what facts presuppose may take
_DRAWING = 0.5  # seconds that drawing tapes for a start may take


@dataclass
class _Fork:
    """Runs that parted: those to follow, and those that are where all of them meet again."""

    meeting: int
    waiting: list[State]
    arrived: list[State] = field(default_factory=list)


def by_paths(inquiry: Inquiry, clock: Clock) -> Verdict:
    """The verdict of the first plan that has one; Undecided when none has."""
    walked = 0
    inputs = Inputs(inquiry.claim.precondition, inquiry.claim.M)
    inputs.probe(Clock(clock.left * _PROBING, clock.asked_to_stop))
    for plan in PLANS:
        paths = Paths(inquiry, clock, plan, inputs)
        try:
            return paths.run()
        except Undecided as problem:
            reason, walked = problem, walked + paths.walked
    raise Undecided(str(reason), walked)


class Paths:
    """One proof by paths of a claim."""

    def __init__(self, inquiry: Inquiry, clock: Clock, plan: Plan, inputs: Inputs) -> None:
        self.inquiry, self.claim, self.plan, self.inputs = inquiry, inquiry.claim, plan, inputs
        self.clock = Clock(clock.left * plan.share, clock.asked_to_stop)
        self.walked = self.compared = 0  # paths; those on which both programs stop
        self.tapes = Tapes(self.claim.precondition, self.claim.M)

    def run(self) -> Verdict:
        """The verdict; Undecided when some path could not be settled."""
        try:
            self.prepare()
            for tape in self.failing_tapes():
                verdict = self.inquiry.settled_by(tape, "paths", self.walked)
                if verdict is not None:
                    return verdict
        except (z3.Z3Exception, MemoryError, RecursionError) as problem:
            raise Undecided(f"the solver failed: {problem}") from None
        return self.inquiry.ended("paths", self.walked, self.compared)

    def prepare(self) -> None:
        inputs, M = self.inputs, self.claim.M
        random = Random(1)
        seconds = min(_DRAWING, self.clock.left / 10)
        tapes = self.tapes.many(random, _WITNESSES, Clock(seconds, self.clock.asked_to_stop))
        tapes = np.concatenate([tapes, self.claim.witnesses.astype(tapes.dtype)])
        if not len(tapes):
            found = self.tapes.find(random, self.clock)
            if found is None:
                raise Undecided("no tape satisfies the precondition")
            tapes = np.array([found])
        self.witnesses = Witnesses(tapes)
        self.space = Space(Domains(M, [inputs.domain(cell) for cell in range(M)]))
        longest = self.plan.question * self.clock.budget
        self.questions = Questions(self.space, inputs, self.witnesses, self.clock, longest)
        self.input: dict[int, Value] = {}
        self.flows: dict[int, Flow] = {}

    def cell(self, cell: int) -> Value:
        """The input value of a cell."""
        found = self.input.get(cell)
        if found is None:
            inputs = self.inputs
            root = self.space.cell(inputs.root[cell])
            found = self.input[cell] = self.space.sum(root, inputs.offset[cell])
        return found

    def everything(self) -> Path:
        """The path of all tapes that satisfy the precondition."""
        joint = self.inputs.joint
        steps = [in_steps(fact, self.space, self.cell) for fact in joint]
        facts = tuple(filter(None, steps))
        counts = (counting(fact, self.space, self.cell) for fact in joint)
        path = Path(
            alive=np.arange(len(self.witnesses.tapes)),
            facts=facts,
            reached=(0,) * len(facts),
            counts=tuple(filter(None, counts)),
        )
        for condition in (stated(fact, self.space, self.cell) for fact in joint):
            if isinstance(condition, Node):
                path = path.knowing(self.space, condition)
        return path

    def failing_tapes(self) -> Iterator[tuple[int, ...]]:
        """Walk all paths; yields a tape for each that fails."""
        for wanted, ends in self.pairs(self.everything()):
            if not wanted.stopped:
                if not self.claim.partial:
                    yield self.tape(wanted.path.alive[0])
                self.walked += 1
                continue
            for found in ends:
                self.walked += 1
                self.compared += found.stopped
                number = self.differ(wanted, found) if found.stopped else found.path.alive[0]
                if number is not None:
                    yield self.tape(number)
                if self.walked >= self.plan.most_paths:
                    raise Undecided(f"there are more than {self.plan.most_paths:,} paths")

    def pairs(self, everything: Path) -> Iterator[tuple[State, Iterable[State]]]:
        """All ends of the generic program, each with those of the adapted one on the same tapes.

        Where joined runs of both programs part in the same way, each end has one with its path.
        """
        wanted: Iterable[State] = self.ends(self.claim.generic, everything)
        found: dict[frozenset[Node], State] = {}
        if self.plan.joining:
            wanted = list(wanted)
            others = list(self.ends(self.claim.adapted, everything)) if len(wanted) > 1 else []
            found = {frozenset(end.path.choices()): end for end in others}
            same = found.keys() == {frozenset(end.path.choices()) for end in wanted}
            if not same or len(found) != len(others):
                found = {}
        for end in wanted:
            alike = found.get(frozenset(end.path.choices()))
            yield end, self.ends(self.claim.adapted, end.path) if alike is None else [alike]

    def tape(self, number: int) -> tuple[int, ...]:
        return tuple(self.witnesses.tapes[number].tolist())

    def ends(self, program: Program, path: Path) -> Iterator[State]:
        """All ends of a program's runs on the tapes of a path: stopped, or known not to stop."""
        flow = self.flows.get(id(program))
        if flow is None:
            flow = Flow(program, self.claim.M, self.inputs.domain)
            self.flows[id(program)] = flow
        machine = Machine(self.space, self.questions, flow, self.cell, self.plan.addresses)
        forks = [_Fork(flow.exit, [State.beginning(program, path)])]
        while forks:
            fork = forks[-1]
            if not fork.waiting:
                forks.pop()
                self.met(fork, forks, flow)
                continue
            state = fork.waiting.pop()
            meetings = {other.meeting for other in forks}
            parting = self.follow(state, meetings, machine)
            if parting is not None:
                sides = [state.parted(path, line) for line, path in parting.ways]
                if parting.meeting is None or not self.plan.joining:
                    fork.waiting += sides
                else:
                    forks.append(_Fork(parting.meeting, sides))
            elif state.stopped or state.here >= flow.exit or state.most >= self.claim.max_steps:
                if not state.stopped and state.least < state.most >= self.claim.max_steps:
                    raise Undecided("runs of different lengths were joined")
                yield state
            else:
                meeting = _nearest(forks, state.here)
                assert meeting is not None
                meeting.arrived.append(state)

    def met(self, fork: _Fork, forks: list[_Fork], flow: Flow) -> None:
        """Let the runs go on that met at the end of a fork: joined, or apart until they meet again."""
        if not fork.arrived:
            return
        outer = _nearest(forks, fork.meeting)
        if outer is not None:
            outer.arrived += fork.arrived
            return
        states = joined(fork.arrived, flow, self.space, self.cell)
        if len(states) > 1:
            for state in states:
                state.waits = True
            later = flow.next_meeting(fork.meeting)
            if later != flow.exit and _nearest(forks, later) is None:
                forks.append(_Fork(later, []))
            forks.append(_Fork(fork.meeting, states))
        else:
            forks[-1].waiting += states

    def follow(self, state: State, meetings: set[int], machine: Machine) -> Parting | None:
        """Follow a run to its end, to a line where it meets others, or to where it parts."""
        limit = self.claim.max_steps
        while not state.stopped and state.here < machine.flow.exit and state.most < limit:
            if state.here in meetings and not state.waits:
                return None
            if state.most % 64 == 0 and self.clock.over:
                raise Undecided("the time is over")
            state.waits = False
            parting = machine.step(state)
            if parting is not None:
                return parting
        return None

    def differ(self, wanted: State, found: State) -> int | None:
        """The number of a witness for which masked cells differ; None: there is none."""
        path = found.path
        questions: list[Node] = []
        for cell in sorted(wanted.written.keys() | found.written.keys()):
            if not self.claim.mask[cell]:
                continue
            sides = [
                s.written[cell] if cell in s.written else self.cell(cell) for s in (wanted, found)
            ]
            equal = self.space.zero(self.space.difference(*sides))
            decided = path.decided(self.space, equal)
            if decided is False:
                return int(path.alive[0])
            if decided is None:
                differ = self.space.opposite(equal)
                assert isinstance(differ, Node)
                questions.append(differ)
        for question in questions:
            failing = np.flatnonzero(self.witnesses.holds(question, path.alive))
            if len(failing):
                return int(path.alive[failing[0]])
        if len(questions) > _MANY:
            either = self.space.any_of(questions)
            assert isinstance(either, Node)
            questions = [either]
        for question in questions:
            number = self.questions.possible(path, question)
            if number is not None:
                return number
        return None


def _nearest(forks: list[_Fork], line: int) -> _Fork | None:
    """The last fork whose runs meet at a line."""
    return next((fork for fork in reversed(forks) if fork.meeting == line), None)

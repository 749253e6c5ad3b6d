"""The runs of one program on the tapes of a path: they part where the tape decides, and meet again.

All runs of a claim stand on the same grounds: its terms, its witnesses, and the questions asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from anc.program import Program
from anc.proof.cfg import Flow
from anc.proof.claim import Claim
from anc.proof.path_facts import counting, in_steps, stated
from anc.proof.path_state import Path
from anc.proof.smt_queries import Questions, Witnesses
from anc.proof.space import Space
from anc.proof.state_merging import joined
from anc.proof.symbolic_step import STEP, Machine, State, Way
from anc.proof.terms import Node, Value
from anc.proof.value_sets import Domains
from anc.proof.verdict import Undecided
from anc.support.clock import Clock


@dataclass(frozen=True)
class Plan:
    """How paths are walked: whether runs are joined, and for how long."""

    joining: bool
    share: float = 1.0  # of the time left
    most_paths: int = 100_000
    question: float = 1.0  # the part of its time that one question may take


class Grounds:
    """What all paths of a claim have in common; the first witnesses are these tapes, at least one."""

    def __init__(self, claim: Claim, plan: Plan, tapes: np.ndarray, clock: Clock) -> None:
        self.claim, self.plan, self.clock = claim, plan, clock
        self.inputs = inputs = claim.tapes.inputs
        M = claim.M
        self.witnesses = Witnesses(tapes)
        self.space = Space(Domains(M, [inputs.domain(cell) for cell in range(M)], clock), clock)
        longest = plan.question * clock.budget
        self.questions = Questions(self.space, inputs, self.witnesses, clock, longest)
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

    def machine(self, program: Program) -> Machine:
        """What makes the steps of a program."""
        flow = self.flows.get(id(program))
        if flow is None:
            flow = Flow(program, self.claim.M, self.inputs.domain)
            self.flows[id(program)] = flow
        return Machine(self.space, self.questions, flow, self.cell)

    def is_endless(self, state: State) -> bool:
        """Whether a run that has not stopped surely never does: it has left the program, or goes round.

        It does on all tapes of its path where it comes to a state that it was in before.
        """
        machine = self.machine(state.program)
        leaving, state = machine.flow.exit, state.parted(state.path, state.here)
        before = None
        for number in range(1, self.claim.patience + 1):
            if state.here >= leaving:
                return True
            if before is not None and state.is_like(before):
                return True
            if self.clock.over:
                break
            if number & (number - 1) == 0:
                before = state.parted(state.path, state.here)
            self.clock.did(STEP)
            if machine.step(state) or state.stopped:
                break
        return False

    def tape(self, number: int) -> tuple[int, ...]:
        """A witness, by its number."""
        return tuple(self.witnesses.tapes[number].tolist())


@dataclass
class Fork:
    """Runs that parted: those to follow, and those that are where all of them meet again."""

    meeting: int
    waiting: list[State]
    arrived: list[State] = field(default_factory=list)


class Runs:
    """The runs of one program on all tapes of a path."""

    def __init__(self, grounds: Grounds, program: Program, path: Path) -> None:
        self.grounds, self.machine = grounds, grounds.machine(program)
        self.forks = [Fork(self.machine.flow.exit, [State.beginning(program, path)])]

    def ends(self) -> Iterator[State]:
        """All ends of the runs: stopped, or known not to stop."""
        forks, limit = self.forks, self.grounds.claim.max_steps
        leaving = self.machine.flow.exit
        while forks:
            fork = forks[-1]
            if not fork.waiting:
                forks.pop()
                self._met(fork)
                continue
            state = fork.waiting.pop()
            ways = self._follow(state, {other.meeting for other in forks})
            if ways:
                sides = [state.parted(path, line) for line, path in ways]
                if self.grounds.plan.joining:
                    forks.append(Fork(self.machine.flow.meeting[state.here], sides))
                else:
                    fork.waiting += sides
            elif state.stopped or state.here >= leaving or state.most >= limit:
                if not state.stopped and state.least < state.most >= limit:
                    raise Undecided("runs of different lengths were joined")
                yield state
            else:
                meeting = self._nearest(state.here)
                assert meeting is not None
                meeting.arrived.append(state)

    def _met(self, fork: Fork) -> None:
        """Let the runs go on that met at the end of a fork: joined, or apart until they meet again."""
        if not fork.arrived:
            return
        outer = self._nearest(fork.meeting)
        if outer is not None:
            outer.arrived += fork.arrived
            return
        grounds, flow = self.grounds, self.machine.flow
        states = joined(fork.arrived, flow, grounds.space, grounds.cell)
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
        """The last fork whose runs meet at a line."""
        return next((fork for fork in reversed(self.forks) if fork.meeting == line), None)

    def _follow(self, state: State, meetings: set[int]) -> list[Way]:
        """Follow a run to its end, to a line where it meets others, or to where it parts: the ways on."""
        limit, leaving = self.grounds.claim.max_steps, self.machine.flow.exit
        ways: list[Way] = []
        while not (ways or state.stopped or state.here >= leaving or state.most >= limit):
            if state.here in meetings and not state.waits:
                break
            if state.most % 64 == 0 and self.grounds.clock.over:
                raise Undecided("the time is over")
            state.waits = False
            self.grounds.clock.did(STEP)
            ways = self.machine.step(state)
        return ways

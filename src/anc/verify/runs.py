"""The runs of one program on the tapes of a path: they part where the tape decides, and meet again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from anc.program import Program
from anc.verify.grounds import Grounds
from anc.verify.joining import joined
from anc.verify.states import Path, State
from anc.verify.stepping import STEP, Parting
from anc.verify.verdict import Undecided


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
            parting = self._follow(state, {other.meeting for other in forks})
            if parting is not None:
                sides = [state.parted(path, line) for line, path in parting.ways]
                if parting.meeting is None or not self.grounds.plan.joining:
                    fork.waiting += sides
                else:
                    forks.append(Fork(parting.meeting, sides))
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

    def _follow(self, state: State, meetings: set[int]) -> Parting | None:
        """Follow a run to its end, to a line where it meets others, or to where it parts."""
        limit, leaving = self.grounds.claim.max_steps, self.machine.flow.exit
        while not state.stopped and state.here < leaving and state.most < limit:
            if state.here in meetings and not state.waits:
                return None
            if state.most % 64 == 0 and self.grounds.clock.over:
                raise Undecided("the time is over")
            state.waits = False
            self.grounds.clock.did(STEP)
            parting = self.machine.step(state)
            if parting is not None:
                return parting
        return None

"""The runs of one program on the tapes of a path: they part where the tape decides, and meet again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from anc.program import Program
from anc.verify.grounds import Grounds
from anc.verify.joining import joined
from anc.verify.states import Path, State
from anc.verify.stepping import STEP, Parting
from anc.verify.terms import Node
from anc.verify.verdict import Undecided

Choices = frozenset[Node]


@dataclass
class Fork:
    """Runs that parted: those to follow, and those that are where all of them meet again."""

    meeting: int
    waiting: list[State]
    arrived: list[State] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    def begin(self) -> list[State]:
        """The runs that would be followed last, about half of what there is to do; they are not here any more."""
        sizes = [0.5**state.path.length for state in self.waiting]
        half, count = sum(sizes) / 2, 0
        while half > 0:
            half -= sizes[count]
            count += 1
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken


class Runs:
    """Runs in the middle: those of one program on all tapes of a path, without what was given away.

    `path` is None where no single path has just these tapes. Runs on tapes that were `given` away end
    where that is plain to see.
    """

    def __init__(
        self, grounds: Grounds, program: Program, path: Path | None, forks: list[Fork],
        given: Sequence[Choices] = (),
    ) -> None:  # fmt: skip
        self.grounds, self.program, self.path, self.forks = grounds, program, path, forks
        self.given = list(given)
        self.machine = grounds.machine(program)

    @classmethod
    def on(
        cls, grounds: Grounds, program: Program, path: Path, given: Sequence[Choices] = ()
    ) -> Runs:
        """The runs on a path, before their first step."""
        fork = Fork(grounds.machine(program).flow.exit, [State.beginning(program, path)])
        return cls(grounds, program, path, [fork], given)

    def part(self, since: float) -> Runs | None:
        """Some of the runs that have waited since then, to be followed elsewhere.

        They will not be joined with those that stay.
        """
        for place, fork in enumerate(self.forks):
            if fork.waiting:
                if fork.since > since:
                    return None
                taken = fork.begin()
                forks = [Fork(outer.meeting, []) for outer in self.forks[:place]]
                forks.append(Fork(fork.meeting, taken, since=fork.since))
                path = taken[0].path if len(taken) == 1 and self.path is not None else None
                if path is None:
                    self.path = None
                else:
                    self.given.append(frozenset(path.choices()))
                return Runs(self.grounds, self.program, path, forks)
        return None

    def ends(self, look: Callable[[], None]) -> Iterator[State]:
        """All ends of the runs: stopped, or known not to stop; `look` is called now and then."""
        forks, limit = self.forks, self.grounds.claim.max_steps
        leaving = self.machine.flow.exit
        while forks:
            fork = forks[-1]
            if not fork.waiting:
                forks.pop()
                self._met(fork)
                continue
            state = fork.waiting.pop()
            look()
            parting = self._follow(state, {other.meeting for other in forks})
            if parting is not None:
                sides = [state.parted(path, line) for line, path in parting.ways]
                sides = [side for side in sides if not self._is_given(side)]
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

    def _is_given(self, state: State) -> bool:
        if not self.given:
            return False
        choices = frozenset(state.path.choices())
        return any(choices >= others for others in self.given)

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

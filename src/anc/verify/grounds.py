"""The grounds on which paths are walked: the terms of a claim, its witnesses, and the questions asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc.clock import Clock
from anc.program import Program
from anc.verify.claim import Claim
from anc.verify.domains import Domains
from anc.verify.flow import Flow
from anc.verify.inputs import Inputs
from anc.verify.solver import Questions
from anc.verify.space import Space
from anc.verify.stated import counting, in_steps, stated
from anc.verify.states import Path, State
from anc.verify.stepping import STEP, Machine
from anc.verify.terms import Node, Value
from anc.verify.witnesses import Witnesses


@dataclass(frozen=True)
class Plan:
    """How paths are walked: whether runs are joined, and for how long."""

    joining: bool
    share: float = 1.0  # of the time left
    most_paths: int = 100_000
    question: float = 1.0  # the part of its time that one question may take


class Grounds:
    """What all paths of a claim have in common; the first witnesses are these tapes, at least one."""

    def __init__(
        self, claim: Claim, plan: Plan, inputs: Inputs, tapes: np.ndarray, clock: Clock
    ) -> None:
        self.claim, self.plan, self.inputs, self.clock = claim, plan, inputs, clock
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
            if machine.step(state) is not None or state.stopped:
                break
        return False

    def tape(self, number: int) -> tuple[int, ...]:
        """A witness, by its number."""
        return tuple(self.witnesses.tapes[number].tolist())

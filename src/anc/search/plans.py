"""Plans: straight lines and what decides between them, before they are programs.

What all ways behind a branch compute is computed before it (`hoisted`): as many steps, but fewer lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anc.compiler.graph import Operand, Variable


@dataclass
class Value:
    """Something that has been computed: its variable, and its column over all cases."""

    variable: Variable
    column: np.ndarray


@dataclass(frozen=True, eq=False)
class Test:
    """Which of the chosen cases jump, and a column that is 0 for them, if it is not one of the hints."""

    __test__ = False

    jumps: np.ndarray
    column: np.ndarray | None = None


@dataclass
class Step:
    """An instruction and the value that it computes."""

    op: str
    operands: tuple[Operand, ...]
    value: Value

    @property
    def cost(self) -> float:
        """The mean steps that it takes."""
        return 1.0

    @property
    def lines(self) -> int:
        return 1


@dataclass
class Decision:
    """One plan for the cases in which a variable is 0, another for the others."""

    test: Variable
    if_zero: Plan
    otherwise: Plan
    share: float  # of the cases in which it is 0


@dataclass
class Switch:
    """A plan for each value of a variable: a jump leads to the line that belongs to the value."""

    variable: Variable
    ways: dict[int, Plan]
    shares: dict[int, float]  # of the cases in which it has this value


@dataclass
class Plan:
    """Instructions, then WRITEs and STOP, or what decides between plans."""

    steps: list[Step]
    writes: list[tuple[Operand, Operand]]
    branch: Decision | Switch | None = None
    cost: float = np.inf  # mean steps

    @property
    def size(self) -> int:
        """How many lines follow each other without a jump that is always made."""
        rest = self.branch.otherwise.size if isinstance(self.branch, Decision) else 0
        return self.straight + rest

    @property
    def lines(self) -> int:
        """How many lines it takes at least."""
        parts: list[Plan] = []
        if isinstance(self.branch, Decision):
            parts = [self.branch.if_zero, self.branch.otherwise]
        elif isinstance(self.branch, Switch):
            parts = list(self.branch.ways.values())
        return self.straight + sum(part.lines for part in parts)

    @property
    def straight(self) -> int:
        """The lines up to STOP or to the jump."""
        return sum(step.lines for step in self.steps) + len(self.writes) + 1


Names = Mapping[Operand, Operand]


def hoisted(plans: Sequence[Plan]) -> tuple[list[Step], list[Plan]]:
    """The steps that all of these plans share, and the plans without them."""
    first, *others = plans
    shared, names = list[Step](), [dict[Operand, Operand]() for _ in others]
    open_ones = {step.value.variable for step in first.steps}  # not computed before the branch
    for step in first.steps:
        if type(step) is not Step or any(operand in open_ones for operand in step.operands):
            continue
        same = [_same(step, plan.steps, known) for plan, known in zip(others, names, strict=True)]
        found = [each for each in same if each is not None]
        if len(found) == len(others):
            shared.append(step)
            open_ones.remove(step.value.variable)
            for each, known in zip(found, names, strict=True):
                known[each.value.variable] = step.value.variable
    mine: dict[Operand, Operand] = {step.value.variable: step.value.variable for step in shared}
    return shared, [
        _without(plan, known) for plan, known in zip(plans, (mine, *names), strict=True)
    ]


def _same(step: Step, others: Iterable[Step], names: Names) -> Step | None:
    """The step among others that does the same, where some variables stand for others."""
    for other in others:
        operands = tuple(names.get(operand, operand) for operand in other.operands)
        is_new = other.value.variable not in names
        if type(other) is Step and is_new and other.op == step.op and operands == step.operands:
            return other
    return None


def _without(plan: Plan, names: Names) -> Plan:
    """The plan without the steps that compute these variables, and with others in their place."""
    renamed = _renamed(plan, names)
    kept = [
        s
        for old, s in zip(plan.steps, renamed.steps, strict=True)
        if old.value.variable not in names
    ]
    gone = sum(step.cost for step in plan.steps) - sum(step.cost for step in kept)
    return replace(renamed, steps=kept, cost=plan.cost - gone)


def _renamed(plan: Plan, names: Names) -> Plan:
    """The same plan, with other variables in the place of some."""

    def one(operand: Operand) -> Operand:
        return names.get(operand, operand)

    def variable(old: Variable) -> Variable:
        new = one(old)
        assert isinstance(new, Variable)
        return new

    branch = plan.branch
    if isinstance(branch, Decision):
        zero, otherwise = (_renamed(side, names) for side in (branch.if_zero, branch.otherwise))
        branch = Decision(variable(branch.test), zero, otherwise, branch.share)
    elif isinstance(branch, Switch):
        ways = {value: _renamed(way, names) for value, way in branch.ways.items()}
        branch = Switch(variable(branch.variable), ways, branch.shares)
    steps = [replace(step, operands=tuple(map(one, step.operands))) for step in plan.steps]
    writes = [(one(address), one(value)) for address, value in plan.writes]
    return replace(plan, steps=steps, writes=writes, branch=branch)

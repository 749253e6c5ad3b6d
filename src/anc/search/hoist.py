"""What all ways behind a branch compute, computed before it: as many steps, but fewer lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from anc.compiler.graph import Operand, Variable
from anc.search.plans import Decision, Plan, Step, Switch

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

"""Plans: trees of straight lines and branches, which become programs.

Steps that all sides of a branch share are hoisted: the same steps in fewer lines.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anc.compiler.graph import Operand, Variable

MOST_TIMES = 15  # that an instruction is repeated


@dataclass
class Value:
    """A computed value: its variable, and its column over all cases."""

    variable: Variable
    column: np.ndarray


@dataclass(frozen=True, eq=False)
class SplitTest:
    """Which of the chosen cases jump, and a column that is 0 for them, if it is not a hint."""

    __test__ = False

    jumps: np.ndarray
    column: np.ndarray | None = None


@dataclass
class PlannedStep:
    """An instruction, its value and its price."""

    op: str
    operands: tuple[Operand, ...]
    value: Value
    price: float = field(default=1.0, kw_only=True)

    @property
    def cost(self) -> float:
        """What it costs on average."""
        return self.price

    @property
    def lines(self) -> int:
        return 1


@dataclass
class Repetition(PlannedStep):
    """A step that stands for a repetition; its operands are (base, x, times)."""

    times: np.ndarray  # in all cases
    chances: tuple[float, ...] = ()  # that the first, the second, ... repetition is executed
    copies: bool = True  # whether base is still needed
    entry: float = 2.0  # the price of the jump into it, and of the copy of base
    copy: float = 1.0

    @property
    def cost(self) -> float:
        return self.entry + self.price * sum(self.chances) + self.copy * self.copies

    @property
    def lines(self) -> int:
        return 2 + len(self.chances) + self.copies


@dataclass
class Branch:
    """A plan for each value of a variable: a JEZ (0, or 1 for all others), or a jump to the line of the value."""

    variable: Variable
    ways: dict[int, Plan]
    shares: dict[int, float]  # of the cases with this value
    is_switch: bool


@dataclass
class Plan:
    """Steps, then WRITEs and STOP, or a branch."""

    steps: list[PlannedStep]
    writes: list[tuple[Operand, Operand]]
    branch: Branch | None = None
    cost: float = np.inf

    @property
    def size(self) -> int:
        """The lines of its first block."""
        is_decision = self.branch is not None and not self.branch.is_switch
        return self.straight + (self.branch.ways[1].size if self.branch and is_decision else 0)

    @property
    def lines(self) -> int:
        """The least number of lines."""
        ways = () if self.branch is None else self.branch.ways.values()
        return self.straight + sum(way.lines for way in ways)

    @property
    def straight(self) -> int:
        """The lines up to STOP or the branch."""
        return sum(step.lines for step in self.steps) + len(self.writes) + 1


def hoisted(plans: Sequence[Plan]) -> tuple[list[PlannedStep], list[Plan]]:
    """The steps that all of these plans share, and the plans without them.

    Equal steps compute the same value; what a repetition computes is a value of its own.
    """
    plain = [{s.value.variable for s in plan.steps if type(s) is PlannedStep} for plan in plans]
    common = set.intersection(*plain)
    shared = [step for step in plans[0].steps if step.value.variable in common]
    gone = sum(step.cost for step in shared)
    rest = ([s for s in plan.steps if s.value.variable not in common] for plan in plans)
    return shared, [
        replace(plan, steps=steps, cost=plan.cost - gone)
        for plan, steps in zip(plans, rest, strict=True)
    ]


def fitted(
    steps: Sequence[PlannedStep],
    chosen: np.ndarray,
    counts: np.ndarray,
    later: Collection[Operand] | None,
) -> list[PlannedStep] | None:
    """The steps with as many repetitions as the chosen cases need; None if they are too many.

    `later` are the operands that are needed afterwards (None: perhaps any).
    """
    found: list[PlannedStep] = []
    weights = counts[chosen] / counts[chosen].sum()
    for number, step in enumerate(steps):
        if isinstance(step, Repetition):
            times = step.times[chosen]
            if times.max() > MOST_TIMES:
                return None
            chances = (float(weights[times >= i].sum()) for i in range(1, times.max() + 1))
            base, x, _ = step.operands
            users = [operand for other in steps[number + 1 :] for operand in other.operands]
            needed = later is None or base in (x, *users, *later)
            copies = isinstance(base, Variable) and needed
            step = replace(step, chances=tuple(chances), copies=copies)
        found.append(step)
    return found

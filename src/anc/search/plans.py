"""Plans: straight lines and what tells apart which of them is to be gone, before they are programs."""

from __future__ import annotations

from dataclasses import dataclass

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

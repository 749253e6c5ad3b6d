"""Cost models: the mean number of steps, or the sum of the user's weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.machine.batch import Rules, evaluate_many
from anc.machine.encoded import Cases, encode
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import AncError, close_match, quoted

HEAVIEST = 1e9  # keeps sums of weights exact enough to compare
_OTHERS = ("lines", "registers")  # what has a weight, in addition to instructions


@dataclass(frozen=True)
class Cost:
    """Weights of each kind of executed instruction, of a program line and of a register.

    An instruction without a weight costs 1, so that the default cost is the mean number of steps.

    >>> cost = Cost.named({"READ": 3, "lines": 0.5})
    >>> float(cost.of(isa.PAPER)[isa.PAPER.READ]), cost.lines
    (3.0, 0.5)
    """

    instructions: tuple[tuple[str, float], ...] = ()  # by name
    lines: float = 0.0
    registers: float = 0.0

    @staticmethod
    def named(weights: Mapping[str, float], instructions: isa.InstructionSet = isa.PAPER) -> Cost:
        """Make a cost from weights by name, including `lines` and `registers`."""
        for name, value in weights.items():
            if name not in instructions and name not in _OTHERS:
                match = close_match(name, (*instructions.names, *_OTHERS))
                known = f"known are {', '.join(instructions.names)}, lines and registers"
                raise AncError(
                    f"there is no instruction '{name}' to weigh",
                    f"did you mean {match}? {known}" if match else known,
                )
            if limits.as_real(value) is None or not 0 <= value <= HEAVIEST:
                raise AncError(
                    f"the weight of {name} is {quoted(value)}, expected a number from 0 to"
                    f" {HEAVIEST:,.0f}"
                )
        unusual = [(n, float(v)) for n, v in weights.items() if n not in _OTHERS and v != 1]
        return Cost(tuple(unusual), **{n: float(weights.get(n, 0.0)) for n in _OTHERS})

    @property
    def named_weights(self) -> dict[str, float]:
        """The weights that differ from the default."""
        others = {"lines": self.lines, "registers": self.registers}
        return dict(self.instructions) | {name: value for name, value in others.items() if value}

    def of(self, instructions: isa.InstructionSet) -> np.ndarray:
        """(N,): the weight of each instruction of an instruction set."""
        weights = dict(self.instructions)
        return np.array([weights.get(name, 1.0) for name in instructions.names])


STEPS = Cost()


@dataclass(frozen=True)
class CaseCost:
    """The cost of a program on some cases (infinite unless it is right on all of them).

    `first_bad` is the first case on which it is wrong, or -1.
    """

    cost: float
    steps: float
    right: bool
    first_bad: int = -1


def score(program: Program, cases: Cases, max_steps: int, cost: Cost = STEPS) -> CaseCost:
    """Score a program by running it on all cases."""
    encoded, instructions = [encode(program)], program.instructions
    rules = Rules.of(instructions, cases.M, max_steps, cost.of(instructions))
    found = evaluate_many(encoded, cases, rules)
    paid, steps, right = float(found.cost[0]), float(found.cost[0]), bool(found.right[0])
    if cost.instructions:
        steps = float(
            evaluate_many(encoded, cases, Rules.of(instructions, cases.M, max_steps)).cost[0]
        )
    paid += cost.lines * program.L + cost.registers * program.R
    return CaseCost(paid if right else np.inf, steps, right, int(found.first_bad[0]))

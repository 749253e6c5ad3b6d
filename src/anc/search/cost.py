"""What a program costs on cases: mean steps by default, or what the user weighs instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.diagnostics import AncError, close_match
from anc.machine.batch import Rules, evaluate_many
from anc.machine.cases import Cases
from anc.machine.encoded import encode
from anc.program import Program


@dataclass(frozen=True)
class Cost:
    """Weights of one executed instruction of each kind, of a program line and of a register.

    The default is one for each executed instruction: the mean number of steps.

    >>> Cost.of_instructions({"READ": 3.0}).instructions[isa.INDEX["READ"]]
    3.0
    """

    instructions: tuple[float, ...] = (1.0,) * isa.N
    lines: float = 0.0
    registers: float = 0.0

    def __post_init__(self) -> None:
        numbers = (*self.instructions, self.lines, self.registers)
        if len(self.instructions) != isa.N or min(numbers) < 0 or not np.isfinite(numbers).all():
            raise AncError(
                f"a cost has {isa.N} weights for instructions, one for lines and one for"
                " registers, each a number from 0 up"
            )

    @staticmethod
    def of_instructions(
        weights: Mapping[str, float], lines: float = 0.0, registers: float = 0.0
    ) -> Cost:
        """Weights by name; an instruction that is not named costs 1."""
        for name in weights:
            if name not in isa.INDEX:
                match = close_match(name, isa.NAMES)
                raise AncError(
                    f"unknown instruction '{name}'", f"did you mean {match}?" if match else None
                )
        values = tuple(float(weights.get(name, 1.0)) for name in isa.NAMES)
        return Cost(values, lines, registers)

    @property
    def weights(self) -> np.ndarray:
        return np.array(self.instructions, np.float64)


STEPS = Cost()


@dataclass(frozen=True)
class Score:
    """What a program costs on some cases (infinite unless it is right on all of them).

    `first_bad` is the first case that it is wrong on, or -1.
    """

    cost: float
    steps: float
    right: bool
    first_bad: int = -1


def score(program: Program, cases: Cases, max_steps: int, cost: Cost = STEPS) -> Score:
    """Run the program on all cases."""
    encoded = [encode(program)]
    found = evaluate_many(encoded, cases, Rules.of(cases.M, max_steps, cost.weights))
    paid, steps, right = float(found.cost[0]), float(found.cost[0]), bool(found.right[0])
    if cost.instructions != STEPS.instructions:
        steps = float(evaluate_many(encoded, cases, Rules.of(cases.M, max_steps)).cost[0])
    paid += cost.lines * program.L + cost.registers * program.R
    return Score(paid if right else np.inf, steps, right, int(found.first_bad[0]))

"""What a program costs on cases: mean steps by default, or what the user weighs instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.diagnostics import AncError, close_match
from anc.machine.batch import CaseArrays, encode, evaluate_many
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

    def of_size(self, L: int, R: int) -> float:
        """The part of the cost that does not depend on the cases."""
        return self.lines * L + self.registers * R


STEPS = Cost()


@dataclass(frozen=True)
class Score:
    """What a program costs on some cases (infinite unless it is right on all of them)."""

    cost: float
    steps: float
    right: bool
    wrong_cells: int


def score(program: Program, cases: CaseArrays, max_steps: int, cost: Cost = STEPS) -> Score:
    """Run the program on all cases."""
    return score_all([program], cases, max_steps, cost)[0]


def score_all(
    programs: Sequence[Program], cases: CaseArrays, max_steps: int, cost: Cost = STEPS
) -> list[Score]:
    """Run each program on all cases."""
    if not programs:
        return []
    encoded = [encode(program) for program in programs]
    found = evaluate_many(encoded, cases, max_steps, cost.weights)
    steps = found.cost
    if cost.instructions != STEPS.instructions:
        steps = evaluate_many(encoded, cases, max_steps).cost
    return [
        Score(
            float(found.cost[i]) + cost.of_size(program.L, program.R)
            if found.right[i]
            else float("inf"),
            float(steps[i]),
            bool(found.right[i]),
            int(found.wrong_cells[i]),
        )
        for i, program in enumerate(programs)
    ]

"""What a program costs on cases: mean steps by default, or what the user weighs instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anc import isa, limits
from anc.diagnostics import AncError, close_match, quoted
from anc.machine.batch import Rules, evaluate_many
from anc.machine.cases import Cases
from anc.machine.encoded import encode
from anc.program import Program

HEAVIEST = 1e9  # sums of weights stay exact enough to be compared
_OTHERS = ("lines", "registers")  # what has a weight beside instructions


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
        if len(self.instructions) != isa.N:
            raise AncError(f"a cost has {isa.N} weights for instructions")
        names = (*isa.NAMES, *_OTHERS)
        for name, number in zip(names, (*self.instructions, *self._others), strict=True):
            if not 0 <= number <= HEAVIEST:
                raise _no_weight(name, number)

    @staticmethod
    def of_instructions(
        weights: Mapping[str, float], lines: float = 0.0, registers: float = 0.0
    ) -> Cost:
        """Weights by name; an instruction that is not named costs 1."""
        for name in weights:
            if name not in isa.INDEX:
                match = close_match(name, (*isa.NAMES, *_OTHERS))
                known = f"known are {', '.join(isa.NAMES)}, lines and registers"
                raise AncError(
                    f"there is no instruction '{name}' to weigh",
                    f"did you mean {match}? {known}" if match else known,
                )
        values = tuple(float(weights.get(name, 1.0)) for name in isa.NAMES)
        return Cost(values, lines, registers)

    @staticmethod
    def named(weights: Mapping[str, float]) -> Cost:
        """Weights by name, those of `lines` and `registers` among them.

        >>> Cost.named({"READ": 3, "lines": 0.5}).named_weights
        {'READ': 3.0, 'lines': 0.5}
        """
        for name, value in weights.items():
            if limits.as_real(value) is None:
                raise _no_weight(name, value)
        instructions = {name: value for name, value in weights.items() if name not in _OTHERS}
        others = {name: float(weights.get(name, 0.0)) for name in _OTHERS}
        return Cost.of_instructions(instructions, **others)

    @property
    def named_weights(self) -> dict[str, float]:
        """The weights that are not the usual ones; none where the cost is the number of steps."""
        usual, others = (
            zip(isa.NAMES, self.instructions, strict=True),
            zip(_OTHERS, self._others, strict=True),
        )
        return {name: value for name, value in usual if value != 1.0} | {
            name: value for name, value in others if value
        }

    @property
    def _others(self) -> tuple[float, float]:
        return self.lines, self.registers

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


def _no_weight(name: str, value: object) -> AncError:
    return AncError(
        f"the weight of {name} is {quoted(value)}, expected a number from 0 to {HEAVIEST:,.0f}"
    )

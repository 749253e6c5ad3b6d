"""Cost models: the mean number of steps, or the sum of the weights of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from statistics import median_low

import numpy as np

from anc import isa
from anc.data.costs import STEPS_TABLE, STEPS_WORD, USUAL, CostTable, check_weight
from anc.isa import InstructionSet, Op
from anc.machine.batch import Rules, evaluate_many
from anc.machine.encoded import Cases, encode
from anc.program import Program
from anc.support.diagnostics import AncError, close_match

_OTHERS = ("lines", "registers")  # what has a weight, in addition to instructions


@dataclass(frozen=True)
class Cost:
    """Weights of each kind of executed instruction, of a program line and of a register.

    An instruction without a weight costs as much as ADD, which costs 1 if it has none, so that the default
    cost is the mean number of steps. `table` is the word of the table that the weights are from.

    >>> cost = Cost.named({"READ": 3, "lines": 0.5})
    >>> float(cost.of(isa.PAPER)[isa.PAPER.READ]), cost.lines
    (3.0, 0.5)
    """

    instructions: tuple[tuple[str, float], ...] = ()  # by name
    lines: float = 0.0
    registers: float = 0.0
    table: str = STEPS_WORD
    unit: str = "steps"
    digest: str | None = None  # of the table

    @staticmethod
    def named(
        weights: Mapping[str, float],
        instructions: InstructionSet = isa.PAPER,
        table: CostTable = STEPS_TABLE,
    ) -> Cost:
        """The weights of a table, overridden by weights by name, including `lines` and `registers`."""
        for name, value in weights.items():
            if name not in instructions and name not in _OTHERS:
                match = close_match(name, (*instructions.names, *_OTHERS))
                known = f"known are {', '.join(instructions.names)}, lines and registers"
                raise AncError(
                    f"there is no instruction '{name}' to weigh",
                    f"did you mean {match}? {known}" if match else known,
                )
            check_weight(f"the weight of {name}", value)
        lines, registers = (float(weights.get(name, 0.0)) for name in _OTHERS)
        given = {name: float(v) for name, v in weights.items() if name not in _OTHERS}
        if table.word == STEPS_WORD:
            return Cost(tuple((n, v) for n, v in given.items() if v != 1), lines, registers)
        shipped = dict(table.weights)
        paid = {name: shipped.get(name, table.usual) for name in instructions.names} | given
        told = table.word, table.unit, table.digest
        return Cost(tuple(paid.items()), lines, registers, *told)

    def overridden(self, weights: Mapping[str, float], instructions: InstructionSet) -> Cost:
        """The same cost with other weights by name."""
        if not self.digest:
            return Cost.named(self.named_weights | dict(weights), instructions)
        table = CostTable(self.table, self.unit, self.instructions)
        others = {name: getattr(self, name) for name in _OTHERS}
        found = Cost.named(others | dict(weights), instructions, table)
        return replace(found, digest=self.digest)

    @property
    def named_weights(self) -> dict[str, float]:
        """The weights that differ from the default."""
        others = {"lines": self.lines, "registers": self.registers}
        return dict(self.instructions) | {name: value for name, value in others.items() if value}

    @property
    def provenance(self) -> dict[str, dict[str, str]]:
        """What a result's provenance says of its table, if it has one."""
        if self.digest is None:
            return {}
        return {"cost": {"table": self.table, "unit": self.unit, "digest": self.digest}}

    @property
    def label(self) -> str:
        """Its name in reports."""
        return "cost" if self.table == STEPS_WORD else f"{self.table} cost"

    def amount(self, paid: float) -> str:
        """An amount with its unit, if it has one."""
        return f"{paid:.2f}" if self.table == STEPS_WORD else f"{paid:.2f} {self.unit}"

    def of(self, instructions: InstructionSet) -> np.ndarray:
        """(N,): the weight of each instruction of an instruction set."""
        weights = dict(self.instructions)
        usual = 1.0 if self.table == STEPS_WORD else weights.get(USUAL, 1.0)
        return np.array([weights.get(name, usual) for name in instructions.names])


STEPS = Cost()


@dataclass(frozen=True)
class Prices:
    """The weights of instructions by name; `step` is the weight of a usual one.

    Estimates in steps are multiplied by `step`, so that they can be compared with costs.
    """

    by_name: Mapping[str, float]
    step: float = 1.0
    multiply: str | None = None  # the instructions for products and remainders, if the set has them
    remain: str | None = None

    @classmethod
    def of(cls, cost: Cost, instructions: InstructionSet) -> Prices:
        weights = dict(zip(instructions.names, cost.of(instructions).tolist(), strict=True))
        step = median_low(weights.values()) or max(weights.values()) or 1.0
        return cls(weights, step, product_of(instructions), _like(instructions, isa.remain))

    def __getitem__(self, name: str) -> float:
        return self.by_name.get(name, self.step)

    @property
    def differ(self) -> bool:
        """Whether some instructions cost more than others."""
        return len(set(self.by_name.values())) > 1

    @property
    def stop(self) -> float:
        return self[Op.STOP]

    @property
    def jump(self) -> float:
        return self[Op.JUMP]

    @property
    def write(self) -> float:
        return self[Op.WRITE]

    @property
    def least(self) -> float:
        """The weight of the cheapest instruction."""
        return min(self.by_name.values(), default=self.step)


@cache
def _like(instructions: InstructionSet, meaning: isa.Meaning) -> str | None:
    """The first instruction with these outputs in small memories, such as a user's own product."""
    for row in instructions:
        if row.effect is isa.Effect.NONE and row.operands == 2:
            pairs = ((a, b, M) for M in (5, 8) for a in range(M) for b in range(1, M))
            if all(row.output(*pair) == meaning(*pair) for pair in pairs):
                return row.name
    return None


def product_of(instructions: InstructionSet) -> str | None:
    """The instruction for products, if the set has one."""
    return _like(instructions, isa.multiply)


PLAIN = Prices({})  # every instruction costs 1


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

"""The path condition of a symbolic run, and questions to z3 about it; every question has a time limit."""

from __future__ import annotations

from collections.abc import Sequence

import z3  # type: ignore[import-untyped]

from anc.verify.clock import Clock
from anc.verify.facts import Comparison, Fact, Sum
from anc.verify.formula import formula
from anc.verify.symbolic import Value, width
from anc.verify.verdict import Undecided

_LONGEST_CHECK = 10.0  # seconds that one question may take


class PathCondition:
    """What is known of the input tape on a path: the precondition and the choices made so far.

    `model` is a tape that satisfies it, while one is at hand.
    """

    def __init__(self, M: int, facts: Sequence[Fact], clock: Clock) -> None:
        self.clock = clock
        self.ctx = z3.Context()
        self.solver = z3.SolverFor("QF_BV", ctx=self.ctx)
        self.input = input_cells(M, facts, self.ctx)
        for cell in self.input:
            if not isinstance(cell, int):
                self.solver.add(z3.ULT(cell, M))
        for fact in facts:
            self.solver.add(formula(fact, self.input, self.ctx))
        self.depth = 0
        self.model: z3.ModelRef | None = None

    def allows(self, condition: z3.BoolRef | None = None) -> bool:
        """Whether some tape satisfies this path condition and one more; leaves its model."""
        if self.model is not None and (
            condition is None or z3.is_true(self.model.eval(condition, model_completion=True))
        ):
            return True
        left = min(self.clock.left, _LONGEST_CHECK)
        if left <= 0:
            raise Undecided("the time is over")
        self.solver.set("timeout", max(1, int(left * 1000)))
        self.solver.push()
        try:
            if condition is not None:
                self.solver.add(condition)
            answer = self.solver.check()
            if answer == z3.sat:
                self.model = self.solver.model()
            reason = self.solver.reason_unknown() if answer == z3.unknown else ""
        finally:
            self.solver.pop()
        if "keyboard" in reason:  # the solver catches Ctrl-C itself
            raise KeyboardInterrupt
        if answer == z3.unknown:
            raise Undecided(
                "the time is over" if self.clock.over else "the solver did not decide in time"
            )
        return answer == z3.sat

    def enter(self, depth: int, condition: z3.BoolRef | None, model: z3.ModelRef | None) -> None:
        """Go back to the first `depth` choices, then make one more, which `model` satisfies."""
        if depth < self.depth:
            self.solver.pop(self.depth - depth)
            self.depth = depth
        if condition is not None:
            self.solver.push()
            self.solver.add(condition)
            self.depth += 1
        self.model = model

    def tape(self) -> tuple[int, ...]:
        """A tape that satisfies the path condition; only when `allows` said yes."""
        return tuple(self.number(cell) for cell in self.input)

    def number(self, value: Value) -> int:
        """What a value is on that tape."""
        assert self.model is not None
        if isinstance(value, int):
            return value
        return self.model.eval(value, model_completion=True).as_long()

    def settle(self, value: Value) -> Value:
        """The number that a value must be on this path, or the value itself if it is not settled."""
        if isinstance(value, int):
            return value
        if not self.allows():
            raise Undecided("a path that was possible is not")
        number = self.number(value)
        return value if self.allows(value != number) else number

    def numbers(self, value: Value, condition: z3.BoolRef) -> list[tuple[int, z3.ModelRef | None]]:
        """All numbers that a value can be under a condition, each with a model."""
        found: list[tuple[int, z3.ModelRef | None]] = []
        while self.allows(condition):
            number = self.number(value)
            found.append((number, self.model))
            if isinstance(value, int):
                break
            condition = z3.And(condition, value != number)
        return found


def input_cells(M: int, facts: Sequence[Fact], ctx: z3.Context) -> list[Value]:
    """The input tape: cells known to be constant as numbers, cells known to be equal as one vector."""
    cells: list[Value] = [z3.BitVec(f"tape[{cell}]", width(M), ctx) for cell in range(M)]
    for fact in facts:
        match fact:
            case Comparison(Sum(((1, a),), 0), (("==", Sum(((1, b),), 0)),)):
                cells = [cells[b] if cell is cells[a] else cell for cell in cells]
    for fact in facts:
        match fact:
            case Comparison(Sum(((1, a),), 0), (("==", Sum((), number)),)) | Comparison(
                Sum((), number), (("==", Sum(((1, a),), 0)),)
            ) if 0 <= number < M and not isinstance(cells[a], int):
                cells = [number if cell is cells[a] else cell for cell in cells]
    return cells

"""Straight-line code for integer arithmetic on a machine that computes modulo M.

An *error* is a value that is 0 exactly when a condition holds: MAX is conjunction, MIN is disjunction. No
sum is formed that could wrap around unnoticed.
"""

from __future__ import annotations

from collections.abc import Sequence

from anc import isa
from anc.compiler.graph import READ, Constant, Graph, Operand, Variable
from anc.proof.facts import At, Sum

Cells = Sequence[tuple[int, int | At]]  # (factor, cell)

ZERO = Constant(0)
MOST_TERMS = 8  # in a sum: more would take too many lines


class CannotCheck(Exception):
    """A fact has no short check on this machine; the message gives the reason."""


class Arithmetic:
    """Emits code with common subexpressions shared."""

    def __init__(self, M: int, instructions: isa.InstructionSet = isa.PAPER) -> None:
        self.M, self.instructions = M, instructions
        self.graph = Graph(M=M)
        self.known: dict[tuple[str, tuple[Operand, ...]], Variable] = {}
        self.reads: dict[int, Variable] = {}  # the variable for each cell that is read

    def emit(self, op: str, *operands: Operand, name: str = "") -> Variable:
        key = (op, operands)
        if key not in self.known:
            self.known[key] = Variable(name or f"wrong{len(self.graph.nodes) + 1}")
            self.graph.append(op, *operands, out=self.known[key])
        return self.known[key]

    def compute(self, meaning: isa.Meaning, *operands: Operand) -> Operand:
        """Apply the instruction with this meaning; constants are folded."""
        numbers = [part.value for part in operands if isinstance(part, Constant)]
        if len(numbers) == len(operands):
            return Constant(meaning(numbers[0], numbers[1], self.M))
        op = self.instructions.with_meaning(meaning)
        if op is None:
            raise CannotCheck(f"this machine has no instruction that means '{meaning.__name__}'")
        return self.emit(self.instructions.names[op], *operands)

    def join(self, meaning: isa.Meaning, errors: Sequence[Operand]) -> Operand:
        """The maximum or minimum of errors, with constants folded."""
        neutral, absorbing = (0, 1) if meaning is isa.larger else (1, 0)
        unknown: list[Operand] = []
        for error in errors:
            if isinstance(error, Constant):
                if bool(error.value) == bool(absorbing):
                    return Constant(absorbing)
            elif error not in unknown:
                unknown.append(error)
        if not unknown:
            return Constant(neutral)
        total = unknown[0]
        for error in unknown[1:]:
            total = self.compute(meaning, total, error)
        return total

    def inverted(self, error: Operand) -> Operand:
        """0 exactly when the error is not 0."""
        if isinstance(error, Constant):
            return Constant(int(not error.value))
        return self.compute(
            isa.subtract, Constant(1), self.compute(isa.smaller, error, Constant(1))
        )

    # -- values --------------------------------------------------------------

    def read(self, place: int | At) -> Operand:
        if isinstance(place, At):
            return self.emit(READ, self.address(place.address))
        self.reads[place] = self.emit(READ, Constant(place), name=f"cell{place}")
        return self.reads[place]

    def address(self, total: Sum) -> Operand:
        """A sum modulo M."""
        found: Operand = Constant(total.constant % self.M)
        for place in self.unrolled(total.cells, str(total)):
            found = self.plus(found, self.read(place))
        for place in self.unrolled([(-t, place) for t, place in total.cells], str(total)):
            found = self.minus(found, self.read(place))
        return found

    def unrolled(self, cells: Cells, text: str) -> list[int | At]:
        """The cells with positive factors, each repeated by its factor."""
        if sum(max(0, times) for times, _ in cells) > MOST_TERMS:
            raise CannotCheck(f"'{text}' adds more than {MOST_TERMS} cells")
        return [place for times, place in cells for _ in range(times)]

    def plus(self, left: Operand, right: Operand) -> Operand:
        """The sum modulo M."""
        if left == ZERO or right == ZERO:
            return right if left == ZERO else left
        return self.compute(isa.add, left, right)

    def minus(self, left: Operand, right: Operand) -> Operand:
        """The difference modulo M."""
        if left == right:
            return ZERO
        return left if right == ZERO else self.compute(isa.subtract, left, right)

    def excess(self, value: Operand, limit: Operand) -> Operand:
        """By how much a value exceeds a limit, at least 0."""
        if limit == ZERO or value == ZERO:
            return value
        return self.minus(self.compute(isa.larger, value, limit), limit)

    def rest(self, value: Operand, divisor: Operand) -> Operand:
        """The remainder of a division; the value itself if the divisor is 0.

        Multiples of the divisor (2**k times it) are subtracted where they are not larger: the minimum
        selects the difference, because a negative difference wraps around and is larger.
        """
        multiples = [divisor]
        while 2 ** len(multiples) < self.M:
            multiples.append(self.doubled(multiples[-1]))
        for multiple in reversed(multiples):
            if multiple != ZERO:
                value = self.compute(isa.smaller, value, self.minus(value, multiple))
        return value

    def doubled(self, value: Operand) -> Operand:
        """Twice the value, or 0 if that overflows."""
        if isinstance(value, Constant):
            return Constant(2 * value.value if 2 * value.value < self.M else 0)
        half = self.excess(
            self.plus(value, value), value
        )  # the value, or 0 if the sum wrapped around
        return self.plus(half, half)

    # -- errors --------------------------------------------------------------

    def unequal(self, left: Operand, right: Operand) -> Operand:
        """0 exactly when both are equal."""
        if isinstance(left, Constant):
            left, right = right, left
        return self.minus(left, right)

    def at_most(self, left: list[Operand], right: list[Operand]) -> Operand:
        """The error of left <= right, for integer sums."""
        *others, last = left
        errors, right = self.used(others, right)
        for other in right:
            last = self.excess(last, other)
        return self.join(isa.larger, [*errors, last])

    def equal(self, left: list[Operand], right: list[Operand]) -> Operand:
        """The error of left == right, for integer sums."""
        if len(left) < len(right):
            left, right = right, left
        if len(right) != 1:
            errors, right = self.used(left, right)
            return self.join(isa.larger, [*errors, *right])
        *others, last = left
        errors, right = self.used(others, right)
        return self.join(isa.larger, [*errors, self.unequal(last, right[0])])

    def used(
        self, left: list[Operand], right: list[Operand]
    ) -> tuple[list[Operand], list[Operand]]:
        """The remainders of both sides after subtracting each value on the left from the right side.

        If the right side is a single value, it is correct only while no error remains on the left.
        """
        errors = []
        for value in left:
            if len(right) == 1:
                errors.append(self.excess(value, right[0]))
                right = [self.minus(right[0], value)]
                continue
            rests = []
            for other in right:
                common = self.compute(isa.smaller, value, other)
                value = self.minus(value, common)
                rests.append(self.minus(other, common))
            errors.append(value)
            right = rests
        return errors, right

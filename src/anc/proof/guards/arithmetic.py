"""Plain arithmetic on a machine that counts modulo M, as program lines without jumps.

An *error* is a value that is 0 when something holds: MAX joins what must hold together, MIN what may
hold instead. No sum is ever formed that could go round unnoticed.
"""

from __future__ import annotations

from collections.abc import Sequence

from anc import isa
from anc.compiler.graph import READ, Constant, Graph, Operand, Variable
from anc.proof.facts import At, Sum

Cells = Sequence[tuple[int, int | At]]  # (how many times, cell)

ZERO = Constant(0)
MOST_TERMS = 8  # a sum of more takes too many lines


class CannotCheck(Exception):
    """A fact has no short check on this machine; the message says why."""


class Arithmetic:
    """Lines that compute, written once for each value that is needed more than once."""

    def __init__(self, M: int, instructions: isa.InstructionSet = isa.PAPER) -> None:
        self.M, self.instructions = M, instructions
        self.graph = Graph(M=M)
        self.known: dict[tuple[str, tuple[Operand, ...]], Variable] = {}
        self.reads: dict[int, Variable] = {}  # the cells that are read, and what holds them

    def emit(self, op: str, *operands: Operand, name: str = "") -> Variable:
        key = (op, operands)
        if key not in self.known:
            self.known[key] = Variable(name or f"wrong{len(self.graph.nodes) + 1}")
            self.graph.append(op, *operands, out=self.known[key])
        return self.known[key]

    def compute(self, meaning: isa.Meaning, *operands: Operand) -> Operand:
        """What an instruction with this meaning outputs; numbers are computed here and now."""
        numbers = [part.value for part in operands if isinstance(part, Constant)]
        if len(numbers) == len(operands):
            return Constant(meaning(numbers[0], numbers[1], self.M))
        op = self.instructions.with_meaning(meaning)
        if op is None:
            raise CannotCheck(f"this machine has no instruction that means '{meaning.__name__}'")
        return self.emit(self.instructions.names[op], *operands)

    def join(self, meaning: isa.Meaning, errors: Sequence[Operand]) -> Operand:
        """The larger or the smaller one of errors, without those that are known."""
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
        """A sum that goes round at M."""
        found: Operand = Constant(total.constant % self.M)
        for place in self.unrolled(total.cells, str(total)):
            found = self.plus(found, self.read(place))
        for place in self.unrolled([(-t, place) for t, place in total.cells], str(total)):
            found = self.minus(found, self.read(place))
        return found

    def unrolled(self, cells: Cells, text: str) -> list[int | At]:
        """The cells that are added, each as often as it is."""
        if sum(max(0, times) for times, _ in cells) > MOST_TERMS:
            raise CannotCheck(f"'{text}' adds more than {MOST_TERMS} cells")
        return [place for times, place in cells for _ in range(times)]

    def plus(self, left: Operand, right: Operand) -> Operand:
        """The sum, which goes round."""
        if left == ZERO or right == ZERO:
            return right if left == ZERO else left
        return self.compute(isa.add, left, right)

    def minus(self, left: Operand, right: Operand) -> Operand:
        """The difference, which goes round."""
        if left == right:
            return ZERO
        return left if right == ZERO else self.compute(isa.subtract, left, right)

    def excess(self, value: Operand, limit: Operand) -> Operand:
        """How far a value is above a limit."""
        if limit == ZERO or value == ZERO:
            return value
        return self.minus(self.compute(isa.larger, value, limit), limit)

    def rest(self, value: Operand, divisor: Operand) -> Operand:
        """The remainder of a division; of one by 0, the value itself.

        Multiples of the divisor (2**k times it) are subtracted where they are not larger: what is
        left after that is the smaller one, because a difference below 0 goes round and is larger.
        """
        multiples = [divisor]
        while 2 ** len(multiples) < self.M:
            multiples.append(self.doubled(multiples[-1]))
        for multiple in reversed(multiples):
            if multiple != ZERO:
                value = self.compute(isa.smaller, value, self.minus(value, multiple))
        return value

    def doubled(self, value: Operand) -> Operand:
        """Twice the value, 0 if that is too large."""
        if isinstance(value, Constant):
            return Constant(2 * value.value if 2 * value.value < self.M else 0)
        half = self.excess(self.plus(value, value), value)  # the value, 0 if the sum went round
        return self.plus(half, half)

    # -- errors --------------------------------------------------------------

    def unequal(self, left: Operand, right: Operand) -> Operand:
        """0 exactly when both are equal."""
        if isinstance(left, Constant):
            left, right = right, left
        return self.minus(left, right)

    def at_most(self, left: list[Operand], right: list[Operand]) -> Operand:
        """The error of: the plain sum on the left is at most the plain sum on the right."""
        *others, last = left
        errors, right = self.used(others, right)
        for other in right:
            last = self.excess(last, other)
        return self.join(isa.larger, [*errors, last])

    def equal(self, left: list[Operand], right: list[Operand]) -> Operand:
        """The error of: the plain sums are equal."""
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
        """What is left of both sides when each value on the left is taken from the right side.

        A single value on the right is only kept right while nothing is left of the left side.
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

"""The graph builder: emits nodes in order, and folds constants as it goes."""

from __future__ import annotations

from anc import isa
from anc.compiler.graph import (
    ADD,
    END,
    JUMP,
    READ,
    STOP,
    WRITE,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.language.tree import NOWHERE
from anc.support.diagnostics import AncError, Span

LARGEST = 100_000  # nodes; a larger function fits into no memory


class TooLarge(Exception):
    """Unrolled loops and inlined helpers exceed LARGEST nodes."""


class Code:
    """Builds a graph node by node; a label is a node without an operation.

    `here` is the node that the next one follows; None after an unconditional jump.
    """

    def __init__(self, M: int, instructions: isa.InstructionSet) -> None:
        self.M = M
        self.graph = Graph(M=M, instructions=instructions)
        self.span = NOWHERE
        self.here: int | None = None
        self.entry = self.label()
        self.place(self.entry)
        self.failing = self.label()  # never placed: a jump there leaves the last line

    # -- nodes ------------------------------------------------------------------

    def emit(self, op: str | None, *operands: Operand, out: Variable | None = None) -> int:
        nodes = self.graph.nodes
        number = len(nodes)
        if number > LARGEST:
            raise TooLarge
        nodes[number] = Node(op, operands, out, END, False, self.span)
        if self.here is not None:
            nodes[self.here].after = number
        self.here = number
        return number

    def label(self) -> int:
        """A new jump target, to be placed later."""
        here, self.here = self.here, None
        number = self.emit(None)
        self.here = here
        return number

    def place(self, label: int) -> None:
        self.goto(label)
        self.here = label

    def goto(self, label: int) -> None:
        if self.here is not None:
            self.graph.nodes[self.here].after = label
        self.here = None

    def fork(self, condition: Operand, zero: int, other: int) -> None:
        """Branch to one label if the condition is 0, else to the other."""
        if isinstance(condition, Constant):
            self.goto(other if condition.value else zero)
            return
        if self.here is not None:
            self.emit(JUMP, condition, Target(zero))
        self.goto(other)

    def stop(self) -> None:
        self.emit(STOP)
        self.here = None

    # -- numbers ----------------------------------------------------------------

    def number(self, value: int) -> Constant:
        return Constant(value % self.M)

    def has(self, meaning: isa.Meaning) -> bool:
        """Whether the instruction set has an instruction with this meaning."""
        return self.graph.instructions.with_meaning(meaning) is not None

    def compute(self, meaning: isa.Meaning, *operands: Operand) -> Operand:
        """The output of the instruction with this meaning."""
        known = [each.value for each in operands if isinstance(each, Constant)]
        if len(known) == len(operands):
            return Constant(meaning(known[0], known[-1], self.M))
        instructions, out = self.graph.instructions, Variable("t")
        number = instructions.with_meaning(meaning)
        if number is None:
            raise AncError(f"Python functions need an instruction for {meaning.__name__}")
        self.emit(instructions[number].name, *operands, out=out)
        return out

    def add(self, first: Operand, second: Operand) -> Operand:
        if isinstance(first, Constant):
            first, second = second, first
        if isinstance(second, Constant):
            return self.shifted(first, second.value)
        return self.compute(isa.add, first, second)

    def subtract(self, first: Operand, second: Operand) -> Operand:
        if first == second:
            return Constant(0)
        if isinstance(second, Constant):
            return self.shifted(first, -second.value)
        return self.compute(isa.subtract, first, second)

    def shifted(self, operand: Operand, number: int) -> Operand:
        """An operand plus a known number."""
        number %= self.M
        if number == 0:
            return operand
        short = {1: isa.increment, self.M - 1: isa.decrement}.get(number)
        if short is not None:
            return self.compute(short, operand)
        return self.compute(isa.add, operand, Constant(number))

    def smaller(self, first: Operand, second: Operand) -> Operand:
        return self.compute(isa.smaller, first, second)

    def larger(self, first: Operand, second: Operand) -> Operand:
        return self.compute(isa.larger, first, second)

    def multiple(self, operand: Operand, factor: int) -> Operand:
        """An operand times a constant; by doubling, if one addition is enough or none multiplies.

        Later passes shorten the addition chain.
        """
        factor %= self.M
        if isinstance(operand, Constant) or factor == 0:
            return self.number(factor * operand.value if isinstance(operand, Constant) else 0)
        if factor not in (1, 2, self.M - 1) and self.has(isa.multiply):
            return self.compute(isa.multiply, operand, Constant(factor))
        below = self.M - factor
        if below.bit_length() + below.bit_count() < factor.bit_length() + factor.bit_count():
            return self.subtract(Constant(0), self.multiple(operand, below))
        found: Operand = operand
        for digit in bin(factor)[3:]:
            found = self.add(found, found)
            if digit == "1":
                found = self.add(found, operand)
        return found

    # -- cells and variables --------------------------------------------------------

    def read(self, address: Operand) -> Operand:
        out = Variable("t")
        self.emit(READ, address, out=out)
        return out

    def write(self, address: Operand, value: Operand) -> None:
        self.emit(WRITE, address, value)

    def assign(self, variable: Variable, value: Operand) -> None:
        """Copy a value to a variable.

        A value that the last node computed is computed in the variable instead, and copied back.
        """
        if value is variable:
            return
        node = None if self.here is None else self.graph.nodes[self.here]
        if node is not None and node.out is value:
            assert isinstance(value, Variable)
            node.out, value, variable = variable, variable, value
        self.emit(ADD, value, Constant(0), out=variable)

    def copied(self, value: Operand, name: str) -> Operand:
        """A copy of a value, which keeps it when its variable changes."""
        if isinstance(value, Constant):
            return value
        copy = Variable(name)
        self.assign(copy, value)
        return copy


def named(name: str, span: Span = NOWHERE) -> Variable:
    """The variable of a Python name; here, a name such as R1 does not pin a register."""
    found = Variable(name, span=span)
    return found if found.pinned is None else Variable(f"{name}_", span=span)

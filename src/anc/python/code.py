"""A graph that grows command by command, with what numbers already tell worked out on the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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

LARGEST = 100_000  # commands; a function of more is certainly too large for any memory


class TooLarge(Exception):
    """A function with loops over so many numbers, or helpers in helpers, that it never ends."""


class Code:
    """Commands one after the other; labels are nodes that only pass on.

    `here` is the node that the next command follows, None behind a jump that is always made.
    """

    def __init__(self, M: int, instructions: isa.InstructionSet) -> None:
        self.M = M
        self.graph = Graph(M=M, instructions=instructions)
        self.span = NOWHERE
        self.here: int | None = None
        self.place(self.label())
        self.failing = self.label()  # never placed: whoever goes there leaves the last line

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
        """A place to jump to, which is put somewhere later."""
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
        """Go to one label if the condition is 0, else to the other."""
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

    def compute(self, meaning: isa.Meaning, first: Operand, second: Operand) -> Operand:
        """The output of the instruction with this meaning."""
        if isinstance(first, Constant) and isinstance(second, Constant):
            return Constant(meaning(first.value, second.value, self.M))
        return self._output(meaning, first, second)

    def _output(self, meaning: isa.Meaning, *operands: Operand) -> Operand:
        instructions, out = self.graph.instructions, Passing("t")
        number = instructions.with_meaning(meaning)
        if number is None:
            raise AncError(f"Python functions need an instruction for {meaning.__name__}")
        self.emit(instructions[number].name, *operands, out=out)
        return out

    def add(self, first: Operand, second: Operand) -> Operand:
        if isinstance(first, Constant):
            first, second = second, first
        if isinstance(second, Constant) and isinstance(first, Variable):
            return self.shifted(first, second.value)
        return self.compute(isa.add, first, second)

    def subtract(self, first: Operand, second: Operand) -> Operand:
        if first == second:
            return Constant(0)
        if isinstance(second, Constant) and isinstance(first, Variable):
            return self.shifted(first, -second.value)
        return self.compute(isa.subtract, first, second)

    def shifted(self, variable: Operand, number: int) -> Operand:
        """A variable and a number that is known."""
        number %= self.M
        short = {0: None, 1: isa.increment, self.M - 1: isa.decrement}.get(number, isa.add)
        if short is None:
            return variable
        if short is isa.add or isinstance(variable, Constant):
            return self.compute(isa.add, variable, Constant(number))
        return self._output(short, variable)

    def smaller(self, first: Operand, second: Operand) -> Operand:
        return self._ordered(isa.smaller, first, second)

    def larger(self, first: Operand, second: Operand) -> Operand:
        return self._ordered(isa.larger, first, second)

    def _ordered(self, meaning: isa.Meaning, first: Operand, second: Operand) -> Operand:
        """MIN or MAX, unless one of the two is known to be it."""
        if first == second:
            return first
        for one, other in ((first, second), (second, first)):
            if isinstance(one, Constant) and one.value in (0, self.M - 1):
                decides = meaning(0, self.M - 1, self.M) == one.value
                return one if decides else other
        return self.compute(meaning, first, second)

    def multiple(self, operand: Operand, factor: int) -> Operand:
        """An operand times a number, in as few additions and subtractions as it takes."""
        if isinstance(operand, Constant):
            return self.number(operand.value * factor)
        held: list[Operand] = [Constant(0), operand]
        places = {"+": self.add, "-": self.subtract}
        for sign, one, two in multiples(factor % self.M, self.M):
            held.append(places[sign](held[one], held[two]))
        return held[-1] if factor % self.M else Constant(0)

    # -- cells and variables --------------------------------------------------------

    def read(self, address: Operand) -> Operand:
        out = Passing("t")
        self.emit(READ, address, out=out)
        return out

    def write(self, address: Operand, value: Operand) -> None:
        self.emit(WRITE, address, value)

    def assign(self, variable: Variable, value: Operand) -> Operand:
        """Give a variable a value; what was just computed for it goes there at once.

        Returns what holds the value from now on.
        """
        if value is variable:
            return variable
        node = None if self.here is None else self.graph.nodes[self.here]
        if node is not None and node.out is value and is_passing(value):
            node.out = variable
            return variable
        self.emit(ADD, value, Constant(0), out=variable)
        return value

    def copied(self, value: Operand, name: str) -> Operand:
        """A value that stays as it is when the variable that it came from changes."""
        if isinstance(value, Constant):
            return value
        if is_passing(value):
            return kept(value, name)
        new = Variable(name)
        self.emit(ADD, value, Constant(0), out=new)
        return new


@dataclass(eq=False)
class Passing(Variable):
    """What a command has just computed for a single reader; it may still become another variable."""

    is_kept: bool = False


def is_passing(value: Operand) -> bool:
    return isinstance(value, Passing) and not value.is_kept


def kept(value: Operand, name: str) -> Operand:
    """The same operand, which has many readers from now on."""
    if isinstance(value, Passing) and not value.is_kept:
        value.is_kept, value.name = True, name
    return value


def named(name: str, span: Span = NOWHERE) -> Variable:
    """The variable of a Python name; names such as R1 do not choose a register here."""
    found = Variable(name, span=span)
    return found if found.pinned is None else Variable(f"{name}_", span=span)


# -- multiples by a known factor: the shortest row of additions and subtractions ------


Step = tuple[str, int, int]  # + or -, and the places of two earlier values; 0 and x come first
DEEPEST = 4  # so many steps are tried in all ways


@lru_cache(maxsize=1_000)
def multiples(factor: int, M: int) -> tuple[Step, ...]:
    """The steps from 0 and x to factor * x modulo M.

    >>> multiples(3, 64)
    (('+', 1, 1), ('+', 1, 2))
    >>> multiples(63, 64)
    (('-', 0, 1),)
    """
    for depth in range(DEEPEST + 1):
        found = _searched((0, 1 % M), factor, M, depth)
        if found is not None:
            return found
    return _by_digits(factor)


def _searched(held: tuple[int, ...], factor: int, M: int, depth: int) -> tuple[Step, ...] | None:
    if depth == 0:
        return () if held[-1] == factor else None
    for one, a in enumerate(held):
        for two, b in enumerate(held):
            for sign, value in (("+", a + b), ("-", a - b)):
                if (sign == "-" or one <= two) and value % M not in held:
                    rest = _searched((*held, value % M), factor, M, depth - 1)
                    if rest is not None:
                        return (sign, one, two), *rest
    return None


def _by_digits(factor: int) -> tuple[Step, ...]:
    """Doubling, and one more x for each binary digit that is 1."""
    steps: list[Step] = []
    last = 1
    for digit in bin(factor)[3:]:
        steps.append(("+", last, last))
        last = len(steps) + 1
        if digit == "1":
            steps.append(("+", last, 1))
            last += 1
    return tuple(steps)

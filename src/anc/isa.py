"""The instruction table: the one place that lists the machine's instructions.

Every instruction says what it outputs *once*, over an abstract algebra of values. The exact machine
reads the table with plain numbers, the soft machine with probability distributions, the proof
engine with bit-vectors and the documentation with text; none of them lists instructions itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeVar

V = TypeVar("V")


class Algebra(Protocol[V]):
    """What a machine must be able to do with its values; all arithmetic is modulo M."""

    def constant(self, number: int) -> V: ...
    def shift(self, value: V, by: int) -> V: ...
    def add(self, left: V, right: V) -> V: ...
    def sub(self, left: V, right: V) -> V: ...
    def min(self, left: V, right: V) -> V: ...
    def max(self, left: V, right: V) -> V: ...
    def read(self, address: V) -> V: ...


class Effect(Enum):
    """What an instruction does beside writing its output register."""

    NONE = "-"
    STOP = "the run ends"
    WRITE = "tape[first] = second"
    JUMP = "the next line is second if first is 0"


@dataclass(frozen=True)
class Instruction:
    """One row of the table: its name, how many operands it takes, its output and its effect."""

    name: str
    operands: int
    output: Callable[[Algebra, V, V], V]
    effect: Effect = Effect.NONE


INSTRUCTIONS: tuple[Instruction, ...] = (
    Instruction("STOP", 0, lambda m, a, b: m.constant(0), Effect.STOP),
    Instruction("ZERO", 0, lambda m, a, b: m.constant(0)),
    Instruction("INC", 1, lambda m, a, b: m.shift(a, 1)),
    Instruction("DEC", 1, lambda m, a, b: m.shift(a, -1)),
    Instruction("ADD", 2, lambda m, a, b: m.add(a, b)),
    Instruction("SUB", 2, lambda m, a, b: m.sub(a, b)),
    Instruction("MIN", 2, lambda m, a, b: m.min(a, b)),
    Instruction("MAX", 2, lambda m, a, b: m.max(a, b)),
    Instruction("READ", 1, lambda m, a, b: m.read(a)),
    Instruction("WRITE", 2, lambda m, a, b: m.constant(0), Effect.WRITE),
    Instruction("JEZ", 2, lambda m, a, b: m.constant(0), Effect.JUMP),
)

N = len(INSTRUCTIONS)
NAMES: tuple[str, ...] = tuple(instruction.name for instruction in INSTRUCTIONS)
INDEX: dict[str, int] = {name: index for index, name in enumerate(NAMES)}


def instruction(name: str) -> Instruction:
    """The table's row of that name.

    >>> instruction("ADD").operands
    2
    """
    return INSTRUCTIONS[INDEX[name]]


def with_effect(effect: Effect) -> int:
    """The index of the one instruction with this effect."""
    (index,) = (i for i, row in enumerate(INSTRUCTIONS) if row.effect is effect)
    return index


STOP = with_effect(Effect.STOP)
WRITE = with_effect(Effect.WRITE)
JUMP = with_effect(Effect.JUMP)


class _Text:
    """The algebra of formulas, for documentation."""

    def constant(self, number: int) -> str:
        return str(number)

    def shift(self, value: str, by: int) -> str:
        return f"{value} {'+' if by > 0 else '-'} {abs(by)}"

    def add(self, left: str, right: str) -> str:
        return f"{left} + {right}"

    def sub(self, left: str, right: str) -> str:
        return f"{left} - {right}"

    def min(self, left: str, right: str) -> str:
        return f"min({left}, {right})"

    def max(self, left: str, right: str) -> str:
        return f"max({left}, {right})"

    def read(self, address: str) -> str:
        return f"tape[{address}]"


def formula(row: Instruction) -> str:
    """The output of an instruction as text, such as ``first + second``."""
    return row.output(_Text(), "first", "second")

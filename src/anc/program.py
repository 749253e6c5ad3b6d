"""Program: the discrete, exact form between text and weights.

A program is a tuple of lines ``(op, first, second, out)`` over numbered registers, with initial values and a
start line. It is immutable and always well formed: operands that an instruction does not take are *unused* (None),
all others are registers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from anc import isa
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.limits import MAX_MEMORY


@dataclass(frozen=True)
class Line:
    """One command: registers[out] = op(registers[first], registers[second])."""

    op: str
    first: int | None
    second: int | None
    out: int
    source_line: int | None = field(default=None, compare=False)

    @property
    def operands(self) -> tuple[int, ...]:
        """The registers that this line reads."""
        return tuple(r for r in (self.first, self.second) if r is not None)


@dataclass(frozen=True)
class Program:
    """Lines, initial registers (None: no initial value) and the start line.

    Equality compares what runs, on which instruction set. Register `names`, `memory` (the size that the
    program was written for) and source lines are for people only. Learning and search do not change
    `frozen` lines.
    """

    lines: tuple[Line, ...]
    registers: tuple[int | None, ...]
    start: int = 0
    names: tuple[str, ...] = field(default=(), compare=False)
    memory: int | None = field(default=None, compare=False)
    frozen: tuple[int, ...] = field(default=(), compare=False)
    instructions: isa.InstructionSet = isa.PAPER

    def __post_init__(self) -> None:
        if not isinstance(self.lines, tuple) or not isinstance(self.registers, tuple):
            raise AncError("this is not a program: its lines and registers are not tuples")
        problems = list(_problems(self))
        if problems:
            raise AncError("this is not a program: " + "; ".join(problems))

    @property
    def L(self) -> int:
        return len(self.lines)

    def row(self, line: Line) -> isa.Instruction:
        """The instruction of one of its lines."""
        return self.instructions[line.op]

    def in_set(self, instructions: isa.InstructionSet) -> Program | None:
        """The same program in another instruction set; None if one of its instructions is not in it."""
        rows = {self.row(line) for line in self.lines}
        return replace(self, instructions=instructions) if rows <= {*instructions} else None

    @property
    def R(self) -> int:
        return len(self.registers)

    def check_fits(self, M: int) -> None:
        """Raise unless every constant is below M and the program has at most M lines."""
        if self.smallest_memory > M:
            raise AncError(
                f"memory {M} is too small for this program: it has {self.L} lines and its largest"
                f" constant is {max((v for v in self.registers if v is not None), default=0)}",
                help=f"use a memory of at least {self.smallest_memory}",
            )

    @property
    def smallest_memory(self) -> int:
        """The smallest M on which the program can run."""
        largest = max((v for v in self.registers if v is not None), default=0)
        return max(1, self.L, largest + 1)

    @property
    def frozen_registers(self) -> frozenset[int]:
        """The constants that frozen lines read; they must keep their initial values."""
        read = {register for number in self.frozen for register in self.lines[number].operands}
        return frozenset(read - {line.out for line in self.lines})

    def with_frozen(self, lines: Iterable[int]) -> Program:
        """The same program with more frozen lines; at least one line stays free."""
        frozen = tuple(sorted({*self.frozen, *lines}))
        for number in frozen:
            if not _is_index(number, self.L):
                raise AncError(
                    f"there is no line {number} to freeze: the program has lines 0 to {self.L - 1}"
                )
        if len(frozen) == self.L:
            raise AncError(
                "all lines are frozen: nothing is left to learn",
                help="leave the lines free that may change",
            )
        return replace(self, frozen=frozen)

    def keeps(self, other: Program) -> bool:
        """Whether another program has the frozen lines of this one, and the constants that they read."""
        constants = self.frozen_registers
        if not self.frozen:
            return True
        return (
            self.frozen[-1] < other.L
            and all(other.lines[number] == self.lines[number] for number in self.frozen)
            and all((other.registers[r] or 0) == (self.registers[r] or 0) for r in constants)
            and not constants.intersection(line.out for line in other.lines)
        )

    def with_spare(self, count: int) -> Program:
        """The same program with unused registers added, for learning."""
        if count <= 0:
            return self
        names = self.names or tuple(map(self.name_of, range(self.R)))
        spare = tuple(f"spare{i + 1}" for i in range(count))
        registers = self.registers + (None,) * count
        return replace(self, registers=registers, names=names + spare)

    def name_of(self, register: int) -> str:
        """The name of a register: its variable, or R1, R2, ..."""
        return self.names[register] if self.names else f"R{register + 1}"

    def __str__(self) -> str:
        return intermediate(self)

    def to_json(self) -> str:
        """JSON text that `from_json` reads back to an equal program."""
        lines = [[line.op, line.first, line.second, line.out] for line in self.lines]
        data: dict[str, Any] = {"lines": lines, "registers": list(self.registers)}
        data |= {"start": self.start, "names": list(self.names), "memory": self.memory}
        if self.frozen:
            data["frozen"] = list(self.frozen)
        if self.instructions != isa.PAPER:
            data["instructions"] = list(self.instructions.names)
            data["digest"] = self.instructions.digest
        return json.dumps({"format": "anc-program", "version": 1} | data)

    @staticmethod
    def from_json(text: str, instructions: isa.InstructionSet | None = None) -> Program:
        """The program that `to_json` wrote; raises an AncError for anything else.

        >>> program = Program((Line("STOP", None, None, 0),), (None,))
        >>> Program.from_json(program.to_json()) == program
        True
        """
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError) as problem:
            raise AncError(f"not JSON: {problem}") from None
        if not isinstance(data, dict) or data.get("format") != "anc-program":
            raise AncError('not a program in JSON: "format" is not "anc-program"')
        known = isa.written_for(data.get("digest"), instructions)
        if known is None:
            raise AncError(
                f"the program has other instructions: {quoted(data.get('instructions'))}",
                help="name the file that defines them: anc --instructions FILE ...",
            )
        if data.get("version") != 1:
            raise AncError(f"program version {data.get('version')!r}; this anc reads version 1")
        try:
            lines = tuple(Line(op, first, second, out) for op, first, second, out in data["lines"])
            names = tuple(str(name) for name in data.get("names", ()))
            registers = tuple(data["registers"])
            frozen = tuple(data.get("frozen", ()))
            start, memory = data.get("start", 0), data.get("memory")
            program = Program(lines, registers, start, names, memory, frozen, known)
        except (KeyError, TypeError, ValueError) as problem:
            raise AncError(f"a field of the program is missing or malformed: {problem!r}") from None
        if program.memory is not None:
            program.check_fits(program.memory)
        return program


def _problems(program: Program):
    R, L = len(program.registers), len(program.lines)
    if L == 0:
        yield "it has no lines"
    if not _is_index(program.start, L):
        yield f"start {program.start!r} is not one of its {L} lines"
    if program.names and len(program.names) != R:
        yield f"{len(program.names)} names for {R} registers"
    if program.memory is not None and not _is_index(program.memory, MAX_MEMORY + 1):
        yield f"memory {quoted(program.memory)} is not a number up to {MAX_MEMORY}"
    for number in program.frozen:
        if not _is_index(number, L):
            yield f"the frozen line {number!r} is not one of its {L} lines"
    for register, value in enumerate(program.registers):
        if value is not None and not _is_index(value, None):
            yield f"the initial value {value!r} of R{register + 1} is not a number from 0 up"
    for number, line in enumerate(program.lines):
        if not isinstance(line, Line):
            yield f"line {number} is {quoted(line)}, expected a Line"
            continue
        if line.op not in program.instructions:
            match = close_match(str(line.op), program.instructions.names)
            hint = f" (did you mean {match}?)" if match else ""
            yield f"line {number}: unknown instruction {line.op!r}{hint}"
            continue
        taken = program.row(line).operands
        for place, operand in enumerate((line.first, line.second)):
            name = ("first", "second")[place]
            if place >= taken and operand is not None:
                yield f"line {number}: {line.op} does not take a {name} operand"
            elif place < taken and not _is_index(operand, R):
                yield f"line {number}: the {name} operand {operand!r} is not one of {R} registers"
        if not _is_index(line.out, R):
            yield f"line {number}: the output {line.out!r} is not one of {R} registers"


def _is_index(value: object, size: int | None) -> bool:
    return type(value) is int and value >= 0 and (size is None or value < size)


def intermediate(program: Program) -> str:
    """The program as the paper's intermediate representation (its Figure 2b)."""
    width = len(str(max(program.L - 1, 0)))
    values = ["-" if value is None else str(value) for value in program.registers]
    rows = [f"R{i + 1} = {value};" for i, value in enumerate(values)]
    if program.names:
        longest = max(map(len, rows))
        rows = [
            f"{row:<{longest}}  # {name}" for row, name in zip(rows, program.names, strict=True)
        ]
    text = ["Initial Registers:", *rows, "", f"Initial State: {program.start}", "", "Program:"]
    for number, line in enumerate(program.lines):
        out = f"R{line.out + 1}"
        operands = ", ".join(f"{_register(operand):<3}" for operand in (line.first, line.second))
        text.append(f"{number:>{width}}: {out:<3} = {line.op:<5} ({operands})")
    return "\n".join(text)


def _register(operand: int | None) -> str:
    return "R-" if operand is None else f"R{operand + 1}"

"""Moving a program to other lines: which of its numbers are line numbers?

A number that a JEZ jumps to must change when the program moves, and any other must not. A register
may hold both at different times (the compiler lets them share), so the question is asked for each
use: which values can the register have here? Only a use that always finds the register's first value
can become a label. A program that computes its jumps cannot move.
"""

from __future__ import annotations

from dataclasses import dataclass

from anc import isa
from anc.language.tree import Call, Declaration, Name, Number, Operand, Statement
from anc.program import Line, Program


@dataclass(frozen=True)
class Movable:
    """The jumps of a program that can be moved: each line that can be reached and its target."""

    targets: dict[int, int]
    written: dict[int, frozenset[int]]  # registers that may have been written before a line


@dataclass(frozen=True)
class Fixed:
    """Why a program cannot be moved."""

    reason: str


def examine(program: Program) -> Movable | Fixed:
    """Whether the program may start at another line, and why not.

    Suppose that every jump goes to its register's first value, and follow the lines. If under
    that supposition no jump can find another value, it is right: the first jump to break it would
    have found only the first value.
    """
    targets: dict[int, int] = {}
    jumps = {n: line for n, line in enumerate(program.lines) if _is_jump(line)}
    for number, line in jumps.items():
        assert line.second is not None
        targets[number] = program.registers[line.second] or 0
    written = _written_before(program, targets)
    for number, line in jumps.items():
        if number in written and line.second in written[number]:
            return Fixed(f"it computes where the jump in its line {number} goes")
    for number in written:
        line = program.lines[number]
        ends = line.instruction.effect is isa.Effect.STOP or _always_jumps(program, written, number)
        if not ends and number + 1 >= program.L:
            return Fixed("it can leave its last line without STOP")
        if number in targets and targets[number] >= program.L:
            return Fixed(f"the jump in its line {number} goes beyond its last line")
    reached = {number: line for number, line in targets.items() if number in written}
    return Movable(reached, written)


def _is_jump(line: Line) -> bool:
    return line.instruction.effect is isa.Effect.JUMP


def _written_before(program: Program, targets: dict[int, int]) -> dict[int, frozenset[int]]:
    """For each line that can be reached, the registers that may have been written by then."""
    written: dict[int, frozenset[int]] = {program.start: frozenset()}
    waiting = [program.start]
    while waiting:
        number = waiting.pop()
        line = program.lines[number]
        if line.instruction.effect is isa.Effect.STOP:
            continue
        after = written[number] | {line.out}
        following = [number + 1] if not _always_jumps(program, written, number) else []
        if number in targets:
            following.append(targets[number])
        for following_line in following:
            if following_line >= program.L:
                continue
            before = written.get(following_line)
            if before is None or not after <= before:
                written[following_line] = after | (before or frozenset())
                waiting.append(following_line)
    return written


def _always_jumps(program: Program, written: dict[int, frozenset[int]], number: int) -> bool:
    """Whether the line is a jump whose condition is a register that is always 0 there."""
    line = program.lines[number]
    if not _is_jump(line) or line.first is None:
        return False
    return line.first not in written[number] and not program.registers[line.first]


@dataclass(frozen=True)
class Body:
    """A program's lines as statements, its names under a prefix of their own."""

    program: Program
    declarations: tuple[Declaration, ...]
    statements: tuple[Statement, ...]


def body(program: Program, prefix: str, report: Movable | Fixed) -> Body:
    """The lines of a program; one that cannot be moved keeps its line numbers as numbers.

    A use that always finds a register's first value becomes that number.
    """
    everything = frozenset(line.out for line in program.lines)
    targets = report.targets if isinstance(report, Movable) else {}
    written = report.written if isinstance(report, Movable) else {}
    read = {
        register
        for number, line in enumerate(program.lines)
        for register in line.operands
        if register in written.get(number, everything)
    }
    names = _names(program, prefix, sorted(read))
    labels = {program.start, *targets.values()}
    found = []
    for number, line in enumerate(program.lines):
        operands: list[Operand] = []
        for place, register in enumerate((line.first, line.second)):
            if register is None:
                continue
            if place == 1 and number in targets:
                operands.append(Name(label(prefix, targets[number])))
            elif register in written.get(number, everything):
                operands.append(Name(names[register]))
            else:
                operands.append(Number(program.registers[register] or 0))
        here = (Name(label(prefix, number)),) if number in labels else ()
        out = Name(names[line.out]) if line.out in names else None
        found.append(Statement(here, out, Call(Name(line.op), tuple(operands))))
    declarations = tuple(
        Declaration(Name(name), Number(program.registers[r] or 0)) for r, name in names.items()
    )
    return Body(program, declarations, tuple(found))


def _names(program: Program, prefix: str, registers: list[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for register in registers:
        name = f"{prefix}_{program.name_of(register).split('/')[0]}"
        if not name.isidentifier() or not name.isascii() or name in found.values():
            name = f"{prefix}_{register + 1}_"
        found[register] = name
    return found


def label(prefix: str, line: int) -> str:
    return f"l_{prefix}_{line}"

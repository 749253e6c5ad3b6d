"""Random programs and mutations for the verification tests (plain `random`, so it is fast)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from anc import isa
from anc.program import Line, Program


def random_line(random: Random, R: int, instructions: isa.InstructionSet = isa.PAPER) -> Line:
    row = random.choice(instructions.rows)
    operands = [random.randrange(R) if i < row.operands else None for i in range(2)]
    return Line(row.name, *operands, random.randrange(R))


def random_program(
    random: Random, M: int, stops: float = 0.8, instructions: isa.InstructionSet = isa.PAPER
) -> Program:
    """A program that fits in M cells; with that probability its last line is STOP."""
    L, R = random.randint(1, M), random.randint(1, 4)
    lines = [random_line(random, R, instructions) for _ in range(L)]
    if random.random() < stops:
        lines[-1] = Line("STOP", None, None, random.randrange(R))
    registers = tuple(random.choice([None, *range(M)]) for _ in range(R))
    start = random.randrange(L) if random.random() < 0.3 else 0
    return Program(tuple(lines), registers, start, instructions=instructions)


def branching_program(
    random: Random, M: int, instructions: isa.InstructionSet = isa.PAPER
) -> Program:
    """A program whose jumps depend on the tape and go to known lines: its branches part and meet again."""
    L, data = random.randint(max(5, M // 2), M), 3
    values = [0, 0, 0]
    lines: list[Line] = []

    def constant(value: int) -> int:
        values.append(value)
        return len(values) - 1

    for register in range(data):
        lines.append(Line("READ", constant(random.randrange(M)), None, register))
    while len(lines) < L - 1:
        number, first, second, out = len(lines), *(random.randrange(data) for _ in range(3))
        kind = random.random()
        if kind < 0.35:
            back = random.random() < 0.1
            target = random.randrange(number + 1) if back else random.randint(number + 1, L - 1)
            first = constant(0) if random.random() < 0.2 else first
            lines.append(Line("JEZ", first, constant(target), out))
        elif kind < 0.5:
            address = first if random.random() < 0.2 else constant(random.randrange(M))
            lines.append(Line("WRITE", address, second, out))
        elif kind < 0.6:
            lines.append(Line("READ", first, None, out))
        else:
            others = [row.name for row in instructions if row.name not in isa.PAPER]
            row = random.choice(
                [instructions[n] for n in ("INC", "ADD", "SUB", "MIN", "MAX", *others)]
            )
            second = constant(random.randrange(M)) if random.random() < 0.4 else second
            lines.append(Line(row.name, first, second if row.operands > 1 else None, out))
    lines.append(Line("STOP", None, None, 0))
    sink = constant(0)
    kept = ("JEZ", "WRITE", "STOP")
    lines = [Line(x.op, x.first, x.second, sink if x.op in kept else x.out) for x in lines]
    return Program(tuple(lines), tuple(values), instructions=instructions)


def mutated(random: Random, program: Program, M: int) -> Program:
    """One or two lines or first values changed."""
    lines, registers = list(program.lines), list(program.registers)
    for _ in range(random.randint(1, 2)):
        if random.random() < 0.6:
            line = random_line(random, len(registers), program.instructions)
            lines[random.randrange(len(lines))] = line
        else:
            registers[random.randrange(len(registers))] = random.choice([None, *range(M)])
    return replace(program, lines=tuple(lines), registers=tuple(registers))

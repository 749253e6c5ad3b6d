"""Random programs that use most of what they compute, from a seed."""

from __future__ import annotations

from random import Random

from anc import isa
from anc.program import Line, Program

WEIGHTS = {"INC": 2, "DEC": 2, "ADD": 4, "SUB": 4, "MIN": 1, "MAX": 1, "READ": 1, "WRITE": 2}


def straight_program(random: Random, M: int, commands: int) -> Program:
    """READs, commands on recent values and numbers, and WRITEs, up to a STOP."""
    registers: list[int | None] = []
    lines: list[Line] = []

    def new(value: int | None = None) -> int:
        registers.append(value)
        return len(registers) - 1

    numbers = [new(value % M) for value in (random.randrange(M), 0, 1, -1)]
    recent: list[int] = []
    for _ in range(random.randint(1, 3)):
        recent.append(new())
        lines.append(Line("READ", new(random.randrange(min(M, 4))), None, recent[-1]))
    for op in random.choices(list(WEIGHTS), list(WEIGHTS.values()), k=commands):
        operands = [
            random.choice(recent[-4:] if random.random() < 0.8 else numbers)
            for _ in range(isa.PAPER[op].operands)
        ]
        if op == "WRITE" and random.random() < 0.5:
            operands[0] = random.choice(numbers)
        out = random.choice(recent) if op != "WRITE" and random.random() < 0.2 else new()
        if op != "WRITE" and out not in recent:
            recent.append(out)
        first, second = [*operands, None][:2]
        lines.append(Line(op, first, second, out))
    for _ in range(random.randint(1, 2)):
        cell = new(random.randrange(min(M, 4)))
        lines.append(Line("WRITE", cell, random.choice(recent[-3:]), new()))
    return Program((*lines[: M - 1], Line("STOP", None, None, new())), tuple(registers))


def with_jumps(random: Random, program: Program, M: int, back: float) -> Program:
    """The same commands with a few jumps between them; some of them go back."""
    lines: list[Line | int] = list(program.lines)
    registers = list(program.registers)
    for _ in range(min(random.randint(1, 3), M - len(lines))):
        computed = [x.out for x in lines[:-1] if isinstance(x, Line) and x.op != "WRITE"]
        lines.insert(random.randrange(1, len(lines)), random.choice(computed))
    found = []
    for number, line in enumerate(lines):
        if isinstance(line, int):
            ahead = random.randrange(number + 1, len(lines))
            registers += [random.randrange(len(lines)) if random.random() < back else ahead, None]
            line = Line("JEZ", line, len(registers) - 2, len(registers) - 1)
        found.append(line)
    return Program(tuple(found), tuple(registers))

"""Random programs and tapes, fast and from a seed."""

from __future__ import annotations

from random import Random

from anc import isa
from anc.program import Line, Program


def random_program(
    random: Random, M: int, max_registers: int = 6, instructions: isa.InstructionSet = isa.PAPER
) -> Program:
    """Any well-formed program that fits in M cells; one in four fills its memory."""
    L = M if random.random() < 0.25 else random.randint(1, M)
    R = random.randint(1, max_registers)
    lines = []
    for _ in range(L):
        row = random.choice(instructions.rows)
        operands = [random.randrange(R) if i < row.operands else None for i in range(2)]
        lines.append(Line(row.name, *operands, random.randrange(R)))
    values = tuple(random.choice([None, random.randrange(M)]) for _ in range(R))
    return Program(tuple(lines), values, random.randrange(L), memory=M, instructions=instructions)


def random_tape(random: Random, M: int) -> tuple[int, ...]:
    return tuple(random.randrange(M) for _ in range(M))

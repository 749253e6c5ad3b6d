"""Random programs, mutations and facts for the verification tests (plain `random`, so it is fast)."""

from __future__ import annotations

from random import Random

from anc import isa
from anc.program import Line, Program

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def random_line(random: Random, R: int) -> Line:
    row = random.choice(isa.INSTRUCTIONS)
    operands = [random.randrange(R) if i < row.operands else None for i in range(2)]
    return Line(row.name, *operands, random.randrange(R))


def random_program(random: Random, M: int, stops: float = 0.8) -> Program:
    """A program that fits in M cells; with that probability its last line is STOP."""
    L, R = random.randint(1, M), random.randint(1, 4)
    lines = [random_line(random, R) for _ in range(L)]
    if random.random() < stops:
        lines[-1] = Line("STOP", None, None, random.randrange(R))
    registers = tuple(random.choice([None, *range(M)]) for _ in range(R))
    start = random.randrange(L) if random.random() < 0.3 else 0
    return Program(tuple(lines), registers, start)


def mutated(random: Random, program: Program, M: int) -> Program:
    """One or two lines or first values changed."""
    lines, registers = list(program.lines), list(program.registers)
    for _ in range(random.randint(1, 2)):
        if random.random() < 0.6:
            lines[random.randrange(len(lines))] = random_line(random, len(registers))
        else:
            registers[random.randrange(len(registers))] = random.choice([None, *range(M)])
    return Program(tuple(lines), tuple(registers), program.start)


def random_sum(random: Random, M: int) -> str:
    terms = [f"tape[{random.randrange(M)}]" for _ in range(random.randint(0, 2))]
    if not terms or random.random() < 0.4:
        terms.append(str(random.randrange(M + 1)))
    text = " + ".join(terms)
    if random.random() < 0.2:
        text = "-" + text
    return text + (f" - tape[{random.randrange(M)}]" if random.random() < 0.2 else "")


def random_fact(random: Random, M: int, depth: int = 2) -> str:
    """The text of a fact, anything that the grammar allows."""
    if depth == 0 or random.random() < 0.55:
        if random.random() < 0.3:
            return f"tape[{random.randrange(M)}] == {random.randrange(M)}"
        parts = [random_sum(random, M), random_sum(random, M)]
        if random.random() < 0.2:
            parts.append(random_sum(random, M))
        return "".join(p + f" {random.choice(COMPARISONS)} " for p in parts[:-1]) + parts[-1]
    if random.random() < 0.2:
        return f"not ({random_fact(random, M, depth - 1)})"
    word = random.choice(["and", "or", "implies"])
    left, right = (random_fact(random, M, depth - 1) for _ in range(2))
    return f"({left}) {word} ({right})"


def checkable_fact(random: Random, M: int) -> str:
    """The text of a fact that a guarded program can check."""

    def atom() -> str:
        i, j, c, d = (random.randrange(M) for _ in range(4))
        op = random.choice(COMPARISONS)
        return random.choice(
            [
                f"tape[{i}] {op} {c}",
                f"{min(c, d)} <= tape[{i}] <= {max(c, d)}",
                f"tape[{i}] {op} tape[{j}]",
                f"tape[{i}] {op} tape[{j}] {random.choice('+-')} {c}",
            ]
        )

    return random.choice(
        [atom(), f"{atom()} implies {atom()}", f"{atom()} or {atom()}", f"not ({atom()})"]
    )

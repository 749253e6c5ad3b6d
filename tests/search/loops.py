"""Programs with loops: written by hand as people bring them, and random ones."""

from __future__ import annotations

from random import Random

from anc import isa
from anc.compiler import compile_source
from anc.data.tasks.cases import Case
from anc.language.source import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Line, Program

SUM = """
var p = 1; var sum = 0; var x
l: x = READ(p); JEZ(x, e); sum = ADD(sum, x); p = INC(p); JEZ(0, l)
e: WRITE(0, sum); STOP()
"""
UPPER = """
var p = 1; var x; var t
l: x = READ(p); JEZ(x, e)
t = MAX(x, 10); t = SUB(t, x); JEZ(t, large); JEZ(0, next)
large: x = SUB(x, 5); WRITE(p, x)
next: p = INC(p); JEZ(0, l)
e: STOP()
"""
COUNT = """
var p = 1; var n = 0; var x; var t
l: x = READ(p); JEZ(x, e); t = SUB(x, 3); JEZ(t, found); JEZ(0, next)
found: n = INC(n)
next: p = INC(p); JEZ(0, l)
e: WRITE(0, n); STOP()
"""
DIGITS = """
var p = 1; var n = 0; var x; var two; var four
l: x = READ(p); JEZ(x, e); x = SUB(x, 5)
two = ADD(n, n); four = ADD(two, two); n = ADD(four, four); n = ADD(n, two); n = ADD(n, x)
p = INC(p); JEZ(0, l)
e: WRITE(0, n); STOP()
"""
LENGTH_AND_COPY = """
var p = 1; var n = 0; var q; var x
l: x = READ(p); JEZ(x, e); n = INC(n); p = INC(p); JEZ(0, l)
e: WRITE(0, n); p = ADD(1, 0); q = ADD(12, 0)
c: x = READ(p); JEZ(x, done); WRITE(q, x); p = INC(p); q = INC(q); JEZ(0, c)
done: WRITE(q, 0); STOP()
"""
LARGEST = """
var p = 1; var m = 0; var at = 0; var x; var t
l: x = READ(p); JEZ(x, e); t = MAX(x, m); t = SUB(t, m); JEZ(t, next)
m = ADD(x, 0); at = ADD(p, 0)
next: p = INC(p); JEZ(0, l)
e: WRITE(0, m); WRITE(11, at); STOP()
"""
CHECKSUM = """
var p = 1; var a = 1; var b = 0; var x; var n
n = READ(0)
l: JEZ(n, e); x = READ(p); a = ADD(a, x); b = ADD(b, a); p = INC(p); n = DEC(n); JEZ(0, l)
e: WRITE(10, a); WRITE(11, b); STOP()
"""
SORT = """
var p; var q; var x; var y; var t; var swapped
again: swapped = ZERO(); p = INC(0); x = READ(p); JEZ(x, check)
l: q = INC(p); y = READ(q); JEZ(y, check); t = MAX(x, y); t = SUB(t, y); JEZ(t, ordered)
WRITE(p, y); WRITE(q, x); swapped = INC(0); JEZ(0, go)
ordered: x = ADD(y, 0)
go: p = INC(p); JEZ(0, l)
check: JEZ(swapped, e); JEZ(0, again)
e: STOP()
"""
BY_HAND = {
    "sum": SUM, "upper": UPPER, "count": COUNT, "digits": DIGITS, "copy": LENGTH_AND_COPY,
    "largest": LARGEST, "checksum": CHECKSUM, "sort": SORT,
}  # fmt: skip


def by_hand(name: str, M: int) -> Program:
    return compile_source(Source(BY_HAND[name]), M).program


def list_tape(random: Random, M: int, shortest: int, longest: int) -> tuple[int, ...]:
    """A list from cell 1 on, its length in front of it; other cells are 0."""
    values = [random.randint(1, min(M - 1, 14)) for _ in range(random.randint(shortest, longest))]
    return (len(values), *values, *[0] * (M - 1 - len(values)))


def random_loops(random: Random, M: int) -> Program:
    """Jumps go to fixed lines, mostly on registers that change; the last line stops."""
    L, R = random.randint(4, 14), random.randint(2, 4)
    values = [random.choice([0, 0, 1, 2, random.randrange(M)]) for _ in range(R)]
    constants = [*range(L), 0, 1, random.randrange(M)]
    operands = [*range(R)] * 3 + [R + L, R + L + 1, R + L + 2]
    rows = [row for row in isa.PAPER if row.effect is not isa.Effect.STOP]
    jump, sink = isa.PAPER[isa.Op.JUMP], R + len(constants)
    lines = []
    for _ in range(L - 1):
        row = jump if random.random() < 0.15 else random.choice(rows)
        taken = [random.choice(operands) if i < row.operands else None for i in range(2)]
        out = random.randrange(R) if row.effect in (isa.Effect.NONE, isa.Effect.READ) else sink
        if row is jump:
            taken[1] = R + random.randrange(L)
        lines.append(Line(row.name, *taken, out if random.random() < 0.9 else random.randrange(R)))
    lines.append(Line(isa.Op.STOP.value, None, None, sink))
    return Program(tuple(lines), (*values, *constants, None), memory=M)


def cases_of(program: Program, tapes: list[tuple[int, ...]], max_steps: int = 1_000) -> Cases:
    """What the program does to those tapes on which it stops."""
    runs = {tape: exact.run(program, tape, max_steps) for tape in tapes}
    return Cases.distinct(
        Case(tape, run.tape, (True,) * len(tape))
        for tape, run in runs.items()
        if run.stop is exact.Stop.STOPPED
    )

"""Listings from the grammar of the language: valid, and nearly so."""

from __future__ import annotations

from random import Random

from anc import isa
from anc.data import programs
from fuzzing.mutate import mutated_text

WORDS = (
    *isa.PAPER.names, "var", "memory", "start", "?", "? in (ADD, SUB)", "@frozen", "# run: 1 2 -> 3", "//",
    "R1", "R2", "R99", "x", "y", "l_loop", ":", ";", "=", "(", ")", ",", "sink", "0", "1", "in",
)  # fmt: skip
SHIPPED = tuple(programs.source(name).text for name in programs.names())


def listing(random: Random, M: int | None = None, holes: float = 0.0) -> str:
    """A listing for M cells; each place may be a hole with that probability."""
    M = random.choice((2, 4, 7, 10, 20)) if M is None else M
    L = random.randint(1, min(M, random.choice((3, 6, 20))))
    names = random.sample(
        ("x", "y", "k", "p_out", "a1", "R1", "R2", "R3", "_", "in2"), random.randint(1, 5)
    )
    labels = {random.randrange(L): f"l_{i}" for i in range(random.randint(0, 3))}

    def number() -> str:
        return str(random.randrange(M))

    def operand() -> str:
        if random.random() < holes:
            some = f"? in ({', '.join(random.choice((number(), random.choice(names))) for _ in range(2))})"
            return random.choice(("?", some))
        kinds = [random.choice(names)] * 3 + [number()] * 2 + list(labels.values())
        return random.choice(kinds)

    rows = [f"memory {M}"] if random.random() < 0.9 else []
    if random.random() < 0.15:
        rows.append(f"start {random.choice([str(random.randrange(L)), *labels.values()])}")
    for name in names:
        first = random.choice(
            ["", "", f" = {number()}", f" = {number()}", *(f" = {x}" for x in labels.values())]
        )
        first = " = ?" if random.random() < holes else first
        rows.append(f"var {name}{first}")
    for place in range(L):
        row = random.choice(isa.PAPER.rows)
        if place == L - 1 and random.random() < 0.8:
            row = isa.PAPER["STOP"]
        op = random.choice(("?", "? in (ADD, SUB, MAX)")) if random.random() < holes else row.name
        taken = 2 if op.startswith("?") else row.operands
        call = f"{op}({', '.join(operand() for _ in range(taken))})"
        out = f"{random.choice(names)} = " if random.random() < 0.7 else ""
        mark = "@frozen " if random.random() < 0.05 else ""
        label = f"{labels[place]}: " if place in labels else ""
        rows.append(
            f"{mark}{label}{out}{call}{random.choice(('', '', '', ';', ' # why', ' // x'))}"
        )
    if random.random() < 0.2:
        tape = " ".join(number() for _ in range(random.randint(1, M)))
        rows.append(f"# run: {tape} -> {tape}")
    between = "\n" if random.random() < 0.8 else "; "
    return (
        between.join(rows)
        if "#" not in "".join(rows) and "//" not in "".join(rows)
        else "\n".join(rows)
    )


def any_listing(random: Random) -> str:
    """A listing of any kind: from the grammar, shipped, mutated, or nonsense."""
    kind = random.random()
    if kind < 0.4:
        return listing(random)
    if kind < 0.5:
        return listing(random, holes=0.1)
    if kind < 0.7:
        return mutated_text(random, listing(random), WORDS)
    if kind < 0.95:
        return mutated_text(random, random.choice(SHIPPED), WORDS)
    return random.choice(("", " ", "\n")).join(
        random.choice(WORDS) for _ in range(random.randint(0, 30))
    )

"""The instruction table: the one place that lists the machine's instructions.

A row says what an instruction outputs *once*, as a function of whole numbers modulo M. Everything else
is derived from it: the exact machine calls it, the batched machine and the search tabulate it, the soft
machine pushes distributions forward through it (``out[f(i, j)] += a[i] b[j]``) and the training engines
pull gradients back. A machine may know a faster way for a *meaning* (addition is a convolution); such a
fast path belongs to the function, never to the name, and is compared with the derived one by a test.

A process has one table. ANC_INSTRUCTIONS names a Python file that defines another one::

    from anc.isa import PAPER, Instruction

    INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import ModuleType

from anc.diagnostics import AncError

Meaning = Callable[[int, int, int], int]  # (first, second, M) -> output, all from 0 to M - 1


def zero(a: int, b: int, M: int) -> int:
    return 0


def increment(a: int, b: int, M: int) -> int:
    return (a + 1) % M


def decrement(a: int, b: int, M: int) -> int:
    return (a + M - 1) % M


def add(a: int, b: int, M: int) -> int:
    return (a + b) % M


def subtract(a: int, b: int, M: int) -> int:
    return (a + M - b) % M


def smaller(a: int, b: int, M: int) -> int:
    return min(a, b)


def larger(a: int, b: int, M: int) -> int:
    return max(a, b)


class Effect(Enum):
    """What an instruction does beside writing its output register; one instruction has each."""

    NONE = "-"
    READ = "the output is tape[first]"
    STOP = "the run ends"
    WRITE = "tape[first] = second"
    JUMP = "the next line is second if first is 0"


@dataclass(frozen=True)
class Instruction:
    """One row: a name, how many operands it takes, its output and its effect.

    The output is plain arithmetic of its operands (0 for those that it does not take) and M. Machines
    look it up; only for memories of more than 256 cells must numba be able to compile it.
    """

    name: str
    operands: int
    output: Meaning = zero
    effect: Effect = Effect.NONE


PAPER: tuple[Instruction, ...] = (
    Instruction("STOP", 0, effect=Effect.STOP),
    Instruction("ZERO", 0),
    Instruction("INC", 1, increment),
    Instruction("DEC", 1, decrement),
    Instruction("ADD", 2, add),
    Instruction("SUB", 2, subtract),
    Instruction("MIN", 2, smaller),
    Instruction("MAX", 2, larger),
    Instruction("READ", 1, effect=Effect.READ),
    Instruction("WRITE", 2, effect=Effect.WRITE),
    Instruction("JEZ", 2, effect=Effect.JUMP),
)
NEEDED = PAPER[4:6]  # ADD and SUB, which the compiler makes copies, sums and distances of
OPERANDS_OF_EFFECTS = {Effect.READ: 1, Effect.STOP: 0, Effect.WRITE: 2, Effect.JUMP: 2}


def _same(one: Instruction, other: Instruction) -> bool:
    return (one.output, one.operands, one.effect) == (other.output, other.operands, other.effect)


def checked(rows: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """The rows, if a machine can be made of them."""
    wrong = [row for row in rows if not isinstance(row, Instruction)]
    if wrong:
        raise AncError(f"{wrong[0]!r} is no row of the table, expected an Instruction")
    names = [row.name for row in rows]
    for row in rows:
        if not (row.name.isascii() and row.name.isidentifier() and row.name.isupper()):
            raise AncError(f"'{row.name}' is not a name for an instruction", help="write it as MUL")
        if names.count(row.name) > 1:
            raise AncError(
                f"{names.count(row.name)} instructions are called {row.name}, expected one"
            )
        wanted = OPERANDS_OF_EFFECTS.get(row.effect)
        if row.operands not in (0, 1, 2) or wanted not in (None, row.operands):
            expected = "0, 1 or 2" if wanted is None else wanted
            raise AncError(f"{row.name} takes {row.operands} operands, expected {expected}")
        if wanted is not None and row.output is not zero:
            raise AncError(
                f"{row.name} has an effect; only instructions without one have an output"
            )
    for effect in OPERANDS_OF_EFFECTS:
        found = [row.name for row in rows if row.effect is effect]
        if len(found) != 1:
            raise AncError(f"{len(found)} instructions with the effect {effect.name}, expected one")
    for row in NEEDED:
        if not any(_same(each, row) for each in rows):
            raise AncError(
                f"no instruction has the meaning of {row.name}, which the compiler needs",
                help=f"keep the row {row.name} of PAPER",
            )
    for row in rows:
        for M in (2, 3, 7):
            for a in range(M):
                for b in range(M if row.operands > 1 else 1):
                    try:
                        value = repr(row.output(a, b, M))
                    except Exception as problem:
                        value = f"an error ({problem})"
                    if not value.isdecimal() or int(value) >= M:
                        raise AncError(
                            f"{row.name} outputs {value} for {a} and {b} with M = {M},"
                            f" expected a number from 0 to {M - 1}"
                        )
    return tuple(rows)


MAX_BYTES = 1_000_000  # of a file of instructions: some files have no end


def load(path: str) -> tuple[Instruction, ...]:
    """The table that a Python file defines."""
    # Compiled code that is kept on disk asks for its functions' module by name.
    module = sys.modules["anc_instructions"] = ModuleType("anc_instructions")
    try:
        with open(path, "rb") as file:
            exec(compile(file.read(MAX_BYTES), path, "exec"), vars(module))
    except Exception as problem:
        raise AncError(f"{path}: {problem}, expected a Python file with INSTRUCTIONS") from None
    if "INSTRUCTIONS" not in vars(module):
        raise AncError(f"{path}: no INSTRUCTIONS, expected a sequence such as (*PAPER, MUL)")
    try:
        return checked(vars(module)["INSTRUCTIONS"])
    except AncError as problem:
        raise AncError(f"{path}: {problem.message}", help=problem.help) from None
    except (TypeError, AttributeError) as problem:
        raise AncError(f"{path}: {problem}, expected INSTRUCTIONS such as (*PAPER, MUL)") from None


INSTRUCTIONS = load(os.environ["ANC_INSTRUCTIONS"]) if "ANC_INSTRUCTIONS" in os.environ else PAPER
N = len(INSTRUCTIONS)
NAMES: tuple[str, ...] = tuple(row.name for row in INSTRUCTIONS)
INDEX: dict[str, int] = {name: index for index, name in enumerate(NAMES)}


def instruction(name: str) -> Instruction:
    """The table's row of that name.

    >>> instruction("ADD").operands
    2
    """
    return INSTRUCTIONS[INDEX[name]]


def with_effect(effect: Effect) -> int:
    """The index of the one instruction with this effect."""
    return next(i for i, row in enumerate(INSTRUCTIONS) if row.effect is effect)


STOP = with_effect(Effect.STOP)
READ = with_effect(Effect.READ)
WRITE = with_effect(Effect.WRITE)
JUMP = with_effect(Effect.JUMP)
ADD, SUB = (
    next(i for i, row in enumerate(INSTRUCTIONS) if _same(row, wanted)) for wanted in NEEDED
)


def with_meaning(output: Meaning) -> int | None:
    """The index of the first instruction without effects that outputs this, if there is one."""
    rows = enumerate(INSTRUCTIONS)
    return next((i for i, r in rows if r.output is output and r.effect is Effect.NONE), None)

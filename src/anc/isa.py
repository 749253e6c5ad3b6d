"""The instruction set: the one place that lists the machine's instructions.

A row defines the output of an instruction once, as a function of integers modulo M. Everything else is derived:
the exact machine calls it, the batched machine and the search tabulate it, the soft machine pushes distributions
forward through it (``out[f(i, j)] += a[i] b[j]``), and training pulls gradients back. A machine may have a fast
path for a *meaning* (addition is a convolution); it belongs to the function, never to the name, and a test compares
it with the derived one.

A program and its weights belong to one `InstructionSet`. `PAPER` is the paper's; `WIDE` adds what processors and
Python do in one operation; `BITS` is about words of bits, as Hacker's Delight has it. A Python file defines another::

    from anc.isa import PAPER, Instruction

    INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cached_property
from types import CodeType, ModuleType
from typing import Any, overload

from anc.support.diagnostics import AncError

Meaning = Callable[[int, int, int], int]  # (first, second, M) -> output, from 0 to M - 1


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


def multiply(a: int, b: int, M: int) -> int:
    return a * b % M


def divide(a: int, b: int, M: int) -> int:
    """a // b, and 0 if b is 0."""
    return a // b if b else 0


def remain(a: int, b: int, M: int) -> int:
    """a % b, and a if b is 0."""
    return a % b if b else a


def less(a: int, b: int, M: int) -> int:
    return 1 % M if a < b else 0


def at_most(a: int, b: int, M: int) -> int:
    return 1 % M if a <= b else 0


def equal(a: int, b: int, M: int) -> int:
    return 1 % M if a == b else 0


def unequal(a: int, b: int, M: int) -> int:
    return 1 % M if a != b else 0


def bits_and(a: int, b: int, M: int) -> int:
    return a & b


def bits_or(a: int, b: int, M: int) -> int:
    return (a | b) % M


def bits_xor(a: int, b: int, M: int) -> int:
    return (a ^ b) % M


def shift_left(a: int, b: int, M: int) -> int:
    """a << b modulo M, by squaring: the shift itself may be too large for a processor's integers."""
    result, power = a, 2 % M
    while b:
        if b & 1:
            result = result * power % M
        power = power * power % M
        b >>= 1
    return result


def shift_right(a: int, b: int, M: int) -> int:
    return a >> min(b, 62)  # no number has more bits, and processors shift by no more


def invert(a: int, b: int, M: int) -> int:
    """M - 1 - a: where M is a power of two, all bits the other way."""
    return M - 1 - a


def negate(a: int, b: int, M: int) -> int:
    return (M - a) % M


# In what follows the upper half of the numbers is negative: a stands for a - M.


def shift_right_signed(a: int, b: int, M: int) -> int:
    return ((a - M if 2 * a >= M else a) >> min(b, 62)) % M


def less_signed(a: int, b: int, M: int) -> int:
    return 1 % M if (a - M if 2 * a >= M else a) < (b - M if 2 * b >= M else b) else 0


def at_most_signed(a: int, b: int, M: int) -> int:
    return 1 % M if (a - M if 2 * a >= M else a) <= (b - M if 2 * b >= M else b) else 0


class Effect(Enum):
    """What an instruction does in addition to its output; each effect belongs to one instruction."""

    NONE = "-"
    READ = "the output is tape[first]"
    STOP = "the run ends"
    WRITE = "tape[first] = second"
    JUMP = "the next line is second if first is 0"


@dataclass(frozen=True)
class Instruction:
    """One row: a name, the number of operands, the output and the effect.

    The output is plain arithmetic on the operands (0 for those that it does not take) and M. Machines
    tabulate it; for memories of more than 256 cells, numba must be able to compile it.
    """

    name: str
    operands: int
    output: Meaning = zero
    effect: Effect = Effect.NONE


class Op(StrEnum):
    """The names of the six instructions that are in every set."""

    STOP = "STOP"
    READ = "READ"
    WRITE = "WRITE"
    JUMP = "JEZ"
    ADD = "ADD"
    SUB = "SUB"


_ROWS = (
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
_WIDE_ROWS = (
    Instruction("MUL", 2, multiply),
    Instruction("DIV", 2, divide),
    Instruction("MOD", 2, remain),
    Instruction("LT", 2, less),
    Instruction("LE", 2, at_most),
    Instruction("EQ", 2, equal),
    Instruction("NE", 2, unequal),
    Instruction("AND", 2, bits_and),
    Instruction("OR", 2, bits_or),
    Instruction("XOR", 2, bits_xor),
    Instruction("SHL", 2, shift_left),
    Instruction("SHR", 2, shift_right),
)
REQUIRED = tuple(row for row in _ROWS if row.name in tuple(Op))
OPERANDS_OF_EFFECTS = {Effect.READ: 1, Effect.STOP: 0, Effect.WRITE: 2, Effect.JUMP: 2}


def _number(op: Op) -> cached_property[int]:
    """The number of a required instruction, as an attribute of its set."""
    return cached_property(lambda instructions: instructions.code[op])


@dataclass(frozen=True, eq=False)
class InstructionSet:
    """The instructions of a program, of its weights, and of all that runs or proves them.

    The order of the rows numbers the instructions. The six of `Op` are required. Sets are equal if their
    rows do the same, also across processes.

    >>> PAPER.N, PAPER["ADD"].operands, PAPER.code["READ"]
    (11, 2, 8)
    >>> InstructionSet((*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))).names[-1]
    'MUL'
    """

    rows: tuple[Instruction, ...]
    text: str | None = None  # of the Python file that defines it, if any
    path: str | None = None  # its name in listings: of that file, or of a set that anc has

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", checked(self.rows))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each instruction, by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @property
    def N(self) -> int:
        return len(self.rows)

    STOP, READ, WRITE = _number(Op.STOP), _number(Op.READ), _number(Op.WRITE)
    JUMP, ADD, SUB = _number(Op.JUMP), _number(Op.ADD), _number(Op.SUB)

    @overload
    def __getitem__(self, which: str | int) -> Instruction: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Instruction, ...]: ...
    def __getitem__(self, which: str | int | slice) -> Instruction | tuple[Instruction, ...]:
        """A row by name or number, or a slice of rows."""
        return self.rows[self.code[which] if isinstance(which, str) else which]

    def __contains__(self, name: object) -> bool:
        return name in self.code

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def with_meaning(self, output: Meaning) -> int | None:
        """The number of the first instruction with this output and no effect, if there is one."""
        return self._numbers.get(output)

    @cached_property
    def _numbers(self) -> dict[Meaning, int]:
        rows = reversed(list(enumerate(self.rows)))
        return {row.output: number for number, row in rows if row.effect is Effect.NONE}

    @cached_property
    def digest(self) -> str:
        """A hash of the set, 16 hexadecimal digits, the same in every process."""
        found = hashlib.sha256()
        if self.text is not None:
            found.update(self.text.encode())
        for row in self.rows:
            what = "" if self.text is not None else _described(row.output)
            found.update(repr((row.name, row.operands, row.effect.name, what)).encode())
        return found.hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, InstructionSet) and self.digest == other.digest)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        known = next((name for name, each in NAMED.items() if each == self), None)
        if known is not None:
            return known.upper()
        others = [name for name in self.names if name not in PAPER]
        return f"InstructionSet({len(self)} instructions{', with ' if others else ''}{', '.join(others)})"

    def __reduce__(self) -> Any:
        if self in NAMED.values():
            return repr(self)
        if self.text is not None:
            return _defined, (self.text, self.path or "instructions.py")
        from numba import cloudpickle  # pickles lambdas, too

        return _unpickled, (cloudpickle.dumps((self.rows, self.digest)),)


def _described(output: Meaning) -> str:
    """A function's code and closure, the same in every process."""
    code = getattr(output, "__code__", None)
    if code is None or getattr(output, "__module__", None) == __name__:
        return f"{output.__module__}.{output.__qualname__}"
    cells = [repr(cell.cell_contents) for cell in output.__closure__ or ()]
    return repr((_plain(code), cells, output.__defaults__))


def _plain(code: CodeType) -> str:
    """A code object without its location."""
    consts = [_plain(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return repr((marshal.dumps(code.co_code).hex(), consts, code.co_names, code.co_varnames))


def _unpickled(data: bytes) -> InstructionSet:
    from numba import cloudpickle

    rows, digest = cloudpickle.loads(data)
    found = InstructionSet(rows)
    found.__dict__["digest"] = digest  # a pickled function may be described differently
    return found


def checked(rows: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """The rows, if they make an instruction set; else raises an AncError."""
    if not isinstance(rows, Sequence):
        raise AncError(f"{rows!r} is no sequence of instructions, expected (*PAPER, MUL)")
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
    for row in REQUIRED:
        if row not in rows:
            raise AncError(
                f"the instruction {row.name} of the paper is missing, and every set needs it",
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


MAX_BYTES = 1_000_000  # of an instruction file: some files have no end


def load(path: str, folder: str = "") -> InstructionSet:
    """The set of this name, `paper`, `wide` or `bits`, or the one that a Python file in a folder defines."""
    if path in NAMED:
        return NAMED[path]
    path = os.path.join(folder, path)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MAX_BYTES)
    except (OSError, ValueError) as problem:
        raise AncError(f"{path}: {problem}, expected a Python file with INSTRUCTIONS") from None
    return _defined(text, path)


_DEFINED: dict[str, InstructionSet] = {}  # by text: the functions of a file are made once


def _defined(text: str, path: str) -> InstructionSet:
    """The set that a Python text defines; `path` is for messages."""
    if text in _DEFINED:
        return _DEFINED[text]
    # Compiled code in the cache looks up the module of its functions by name.
    name = f"anc_instructions_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    module = sys.modules[name] = ModuleType(name)
    try:
        exec(compile(text, path, "exec"), vars(module))
    except Exception as problem:
        raise AncError(f"{path}: {problem}, expected a Python file with INSTRUCTIONS") from None
    if "INSTRUCTIONS" not in vars(module):
        raise AncError(f"{path}: no INSTRUCTIONS, expected a sequence such as (*PAPER, MUL)")
    try:
        return _DEFINED.setdefault(
            text, InstructionSet(tuple(vars(module)["INSTRUCTIONS"]), text, path)
        )
    except AncError as problem:
        raise AncError(f"{path}: {problem.message}", help=problem.help) from None
    except (TypeError, AttributeError) as problem:
        raise AncError(f"{path}: {problem}, expected INSTRUCTIONS such as (*PAPER, MUL)") from None


PAPER = InstructionSet(_ROWS)
WIDE = InstructionSet((*_ROWS, *_WIDE_ROWS), path="wide")
_BITS_ROWS = (
    Instruction("NOT", 1, invert),
    Instruction("NEG", 1, negate),
    Instruction("SAR", 2, shift_right_signed),
    Instruction("SLT", 2, less_signed),
    Instruction("SLE", 2, at_most_signed),
)
# In this order the required instructions have the numbers that they have in PAPER: machines share their code.
_BITS_ORDER = (
    "STOP NOT NEG AND ADD SUB OR XOR READ WRITE JEZ MUL DIV SHL SHR SAR EQ NE LT LE SLT SLE"
)
_BITS = {row.name: row for row in (*WIDE, *_BITS_ROWS)}
BITS = InstructionSet(tuple(_BITS[name] for name in _BITS_ORDER.split()), path="bits")
NAMED = {"paper": PAPER, "wide": WIDE, "bits": BITS}


def written_for(digest: str | None, given: InstructionSet | None) -> InstructionSet | None:
    """The set with this digest (None: the paper's): the given one, or one with a name; None if there is none."""
    sets = NAMED.values() if given is None else (given,)
    return next((each for each in sets if each.digest == (digest or PAPER.digest)), None)

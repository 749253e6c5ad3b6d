"""Symbolic semantics of instructions, on terms or on bit-vectors of the solver.

Plain numbers are computed by the instruction's row. Some meanings have a formula or are an `Operation`; all others
are looked up in a table of outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc import isa
from anc.program import Program
from anc.proof.operations import OPERATIONS, Operation
from anc.proof.verdict import Undecided

Word = Any  # int | z3.BitVecRef
Truth = Any  # bool | z3.BoolRef

# `values` is a domain with sums, comparisons and choices: a `Space` or `Words`.
FORMULAS: dict[isa.Meaning, Callable[[Any, Any, Any], Any]] = {
    isa.zero: lambda values, a, b: 0,
    isa.increment: lambda values, a, b: values.sum(a, 1),
    isa.decrement: lambda values, a, b: values.difference(a, 1),
    isa.add: lambda values, a, b: values.sum(a, b),
    isa.subtract: lambda values, a, b: values.difference(a, b),
    isa.smaller: lambda values, a, b: values.smaller(a, b),
    isa.larger: lambda values, a, b: values.larger(a, b),
    isa.less: lambda values, a, b: _truth(values, values.opposite(values.at_most(b, a))),
    isa.at_most: lambda values, a, b: _truth(values, values.at_most(a, b)),
    isa.equal: lambda values, a, b: _truth(values, values.equal(a, b)),
    isa.unequal: lambda values, a, b: _truth(values, values.opposite(values.equal(a, b))),
}


def _truth(values: Any, condition: Truth) -> Any:
    return values.choice(condition, 1 % values.M, 0)


def output(row: isa.Instruction, values: Any, a: Any, b: Any) -> Any:
    """The output of an instruction that does not read the tape."""
    if isinstance(a, int) and isinstance(b, int):
        return row.output(a, b, values.M)
    formula, operation = FORMULAS.get(row.output), OPERATIONS.get(row.output)
    if formula is not None:
        return formula(values, a, b)
    return values.looked_up(row, a, b) if operation is None else values.computed(operation, a, b)


def has_operations(program: Program) -> bool:
    """Whether some line of a program is an `Operation`."""
    return any(program.row(line).output in OPERATIONS for line in program.lines)


def execute(
    program: Program,
    here: int,
    registers: list[Any],
    values: Any,
    read: Callable[[Any], Any],
    write: Callable[[Any, Any], None],
) -> tuple[isa.Effect, Any, Any]:
    """Execute one line and update the registers; returns its effect and its operands.

    The caller decides where the run continues, because the condition of a jump may be undecided.
    """
    line = program.lines[here]
    row = program.row(line)
    first = registers[line.first] if line.first is not None else 0
    second = registers[line.second] if line.second is not None else 0
    value: Any = 0
    if row.effect is isa.Effect.NONE:
        value = output(row, values, first, second)
    elif row.effect is isa.Effect.READ:
        value = read(first)
    elif row.effect is isa.Effect.WRITE:
        write(first, second)
    registers[line.out] = value
    return row.effect, first, second


class Vectors:
    """Bit-vectors for the numbers below M, in one context of the solver.

    They have as few bits as possible. If M is a power of two, they wrap around without a reduction.
    """

    def __init__(self, M: int, ctx: z3.Context) -> None:
        self.M, self.ctx, self.width = M, ctx, max(1, (M - 1).bit_length())
        self.wraps = 1 << self.width == M

    def variable(self, name: str) -> z3.BitVecRef:
        return z3.BitVec(name, self.width, self.ctx)

    def number(self, value: int, bits: int = 0) -> z3.BitVecRef:
        return z3.BitVecVal(value, bits or self.width, self.ctx)

    def vector(self, value: Any) -> z3.BitVecRef:
        return self.number(value) if isinstance(value, int) else value

    def added(self, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        """a + b, modulo M."""
        return a + b if self.wraps else self._reduced(z3.ZeroExt(1, a) + z3.ZeroExt(1, b))

    def subtracted(self, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        """a - b, modulo M."""
        return a - b if self.wraps else self._reduced(z3.ZeroExt(1, a) + self.M - z3.ZeroExt(1, b))

    def reduced(self, vector: z3.BitVecRef) -> z3.BitVecRef:
        """Bits as a number, modulo M."""
        return vector if self.wraps else z3.If(z3.UGE(vector, self.M), vector - self.M, vector)

    def _reduced(self, total: z3.BitVecRef) -> z3.BitVecRef:
        """A sum below 2 M, which has one more bit, modulo M."""
        total = z3.If(z3.UGE(total, self.M), total - self.M, total)
        return z3.Extract(self.width - 1, 0, total)

    def one_of(
        self, at: z3.BitVecRef, allowed: np.ndarray, among: np.ndarray | None = None
    ) -> z3.BoolRef:
        """The condition that a vector is one of the values where `allowed` (M,) is true, as ranges.

        If the vector is known to be `among` some values, others do not matter.
        """
        values = np.arange(self.M) if among is None else among
        inside = allowed[values].astype(np.int8)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], inside, [0]])))
        ranges = []
        for low, high in zip(
            values[edges[::2]].tolist(), values[edges[1::2] - 1].tolist(), strict=True
        ):
            is_single = low == high
            ranges.append(at == low if is_single else z3.And(z3.UGE(at, low), z3.ULE(at, high)))
        return z3.Or(ranges)


class Words(Vectors):
    """Arithmetic modulo M on words: plain numbers where they are known, bit-vectors elsewhere."""

    def __init__(self, M: int) -> None:
        super().__init__(M, z3.Context())

    def is_word(self, word: Word) -> Truth:
        """The condition that a word is below M."""
        return True if self.wraps or isinstance(word, int) else z3.ULE(word, self.M - 1)

    def looked_up(self, row: isa.Instruction, a: Word, b: Word) -> Word:
        raise Undecided(f"induction knows no formula of {row.name}")

    def computed(self, operation: Operation, a: Word, b: Word) -> Word:
        largest = (self.M - 1) ** 2
        return _plain(operation.vectors(self, self.vector(a), self.vector(b), largest))

    def sum(self, a: Word, b: Word) -> Word:
        if isinstance(a, int) and isinstance(b, int):
            return (a + b) % self.M
        return _plain(self.added(self.vector(a), self.vector(b)))

    def difference(self, a: Word, b: Word) -> Word:
        if isinstance(a, int) and isinstance(b, int):
            return (a - b) % self.M
        return _plain(self.subtracted(self.vector(a), self.vector(b)))

    def smaller(self, a: Word, b: Word) -> Word:
        return self.choice(self.at_most(a, b), a, b)

    def larger(self, a: Word, b: Word) -> Word:
        return self.choice(self.at_most(a, b), b, a)

    def opposite(self, condition: Truth) -> Truth:
        return negated(condition)

    def choice(self, condition: Truth, yes: Word, no: Word) -> Word:
        if isinstance(condition, bool):
            return yes if condition else no
        return _plain(z3.If(condition, self.vector(yes), self.vector(no)))

    def equal(self, a: Word, b: Word) -> Truth:
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        return truth(self.vector(a) == self.vector(b))

    def at_most(self, a: Word, b: Word) -> Truth:
        if isinstance(a, int) and isinstance(b, int):
            return a <= b
        return truth(z3.ULE(self.vector(a), self.vector(b)))

    def within(self, word: Word, allowed: np.ndarray) -> Truth:
        """The condition that `allowed` (M truth values) is true for a word."""
        if isinstance(word, int):
            return bool(allowed[word])
        if allowed.all() or not allowed.any():
            return bool(allowed.all())
        return truth(self.one_of(word, allowed))

    def all_of(self, truths: list[Truth]) -> Truth:
        if any(part is False for part in truths):
            return False
        left = [part for part in truths if part is not True]
        return z3.And(left) if left else True

    def any_of(self, truths: list[Truth]) -> Truth:
        if any(part is True for part in truths):
            return True
        left = [part for part in truths if part is not False]
        return z3.Or(left) if left else False


def key_of(word: Word) -> Any:
    """A key that equal words share."""
    return word if isinstance(word, int) else ("word", word.get_id())


def number_in(model: z3.ModelRef, word: Word) -> int:
    """The value of a word in a model."""
    return word if isinstance(word, int) else model.eval(word, model_completion=True).as_long()


def _plain(vector: z3.BitVecRef) -> Word:
    """A word simplified by the solver; a plain number if it is constant."""
    simple = z3.simplify(vector)
    return simple.as_long() if z3.is_bv_value(simple) else simple


def truth(condition: z3.BoolRef) -> Truth:
    """A condition simplified by the solver; a plain truth value if it is constant."""
    simple = z3.simplify(condition)
    return True if z3.is_true(simple) else False if z3.is_false(simple) else simple


def negated(condition: Truth) -> Truth:
    return not condition if isinstance(condition, bool) else truth(z3.Not(condition))


def implied(premise: Truth, conclusion: Truth) -> Truth:
    """The implication of two conditions."""
    if premise is False or conclusion is True:
        return True
    if premise is True:
        return conclusion
    return negated(premise) if conclusion is False else z3.Implies(premise, conclusion)


def read(tape: Sequence[Any], address: Any) -> Any:
    """The cell at an address; cells and address are numbers or bit-vectors."""
    return tape[address] if isinstance(address, int) else entry(enumerate(tape), address)


def entry(entries: Iterable[tuple[int, Any]], at: z3.BitVecRef) -> Any:
    """The entry at an address, which is one of the given places; equal entries share a condition."""
    places: dict[Any, list[int]] = {}
    for place, value in entries:
        places.setdefault(value, []).append(place)
    *others, last = sorted(places, key=lambda value: len(places[value]))
    found = last
    for value in reversed(others):
        here = z3.Or([at == place for place in places[value]])
        found = z3.If(here, _vector(value, at), _vector(found, at))
    return found


def _vector(value: Any, like: z3.BitVecRef) -> z3.BitVecRef:
    return z3.BitVecVal(value, like.size(), like.ctx) if isinstance(value, int) else value

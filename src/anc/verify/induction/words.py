"""The machine's numbers as the solver has them: numbers where they are known, bit-vectors elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc import isa
from anc.verify.lower import width
from anc.verify.verdict import Undecided

Word = Any  # int | z3.BitVecRef
Truth = Any  # bool | z3.BoolRef


class Words:
    """Arithmetic modulo M in one context of the solver."""

    def __init__(self, M: int) -> None:
        self.M, self.width, self.ctx = M, width(M), z3.Context()
        self.wraps = 1 << self.width == M
        self._outputs: dict[isa.Meaning, Callable[[Word, Word], Word]] = {
            isa.zero: lambda a, b: 0,
            isa.increment: lambda a, b: self.sum(a, 1),
            isa.decrement: lambda a, b: self.difference(a, 1),
            isa.add: self.sum,
            isa.subtract: self.difference,
            isa.smaller: lambda a, b: self.either(self.at_most(a, b), a, b),
            isa.larger: lambda a, b: self.either(self.at_most(a, b), b, a),
        }

    def variable(self, name: str) -> z3.BitVecRef:
        return z3.BitVec(name, self.width, self.ctx)

    def is_word(self, variable: z3.BitVecRef) -> Truth:
        """That a variable is below M."""
        return True if self.wraps else z3.ULE(variable, self.M - 1)

    def vector(self, word: Word) -> z3.BitVecRef:
        return z3.BitVecVal(word, self.width, self.ctx) if isinstance(word, int) else word

    def output(self, row: isa.Instruction, a: Word, b: Word) -> Word:
        """What an instruction that does not read the tape outputs."""
        if isinstance(a, int) and isinstance(b, int):
            return row.output(a, b, self.M)
        formula = self._outputs.get(row.output)
        if formula is None:
            raise Undecided(f"induction knows no formula of {row.name}")
        return formula(a, b)

    def sum(self, a: Word, b: Word) -> Word:
        if isinstance(a, int) and isinstance(b, int):
            return (a + b) % self.M
        return self._reduced(lambda x, y: x + y, a, b)

    def difference(self, a: Word, b: Word) -> Word:
        if isinstance(a, int) and isinstance(b, int):
            return (a - b) % self.M
        return self._reduced(lambda x, y: x - y if self.wraps else x + self.M - y, a, b)

    def _reduced(self, total: Callable[[Any, Any], Any], a: Word, b: Word) -> Word:
        x, y = self.vector(a), self.vector(b)
        if self.wraps:
            return _plain(total(x, y))
        wide = total(z3.ZeroExt(1, x), z3.ZeroExt(1, y))
        reduced = z3.If(z3.UGE(wide, self.M), wide - self.M, wide)
        return _plain(z3.Extract(self.width - 1, 0, reduced))

    def either(self, condition: Truth, yes: Word, no: Word) -> Word:
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
        """That a word is one of those for which `allowed` (M truth values) is true."""
        if isinstance(word, int):
            return bool(allowed[word])
        if allowed.all():
            return True
        edges = np.flatnonzero(np.diff(np.concatenate([[0], allowed.astype(np.int8), [0]])))
        ranges = [
            word == int(low)
            if high == low + 1
            else z3.And(z3.UGE(word, int(low)), z3.ULE(word, int(high) - 1))
            for low, high in zip(edges[::2], edges[1::2], strict=True)
        ]
        return truth(z3.Or(ranges)) if ranges else False

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
    """What equal words have in common."""
    return word if isinstance(word, int) else ("word", word.get_id())


def number_in(model: z3.ModelRef, word: Word) -> int:
    """What a word is in a model."""
    return word if isinstance(word, int) else model.eval(word, model_completion=True).as_long()


def _plain(vector: z3.BitVecRef) -> Word:
    """The same word in the solver's normal form; a number where it is one."""
    simple = z3.simplify(vector)
    return simple.as_long() if z3.is_bv_value(simple) else simple


def truth(condition: z3.BoolRef) -> Truth:
    """The same condition in the solver's normal form; a truth value where it is one."""
    simple = z3.simplify(condition)
    return True if z3.is_true(simple) else False if z3.is_false(simple) else simple


def negated(condition: Truth) -> Truth:
    return not condition if isinstance(condition, bool) else truth(z3.Not(condition))


def implied(premise: Truth, conclusion: Truth) -> Truth:
    """That the conclusion holds if the premise does."""
    if premise is False or conclusion is True:
        return True
    if premise is True:
        return conclusion
    return negated(premise) if conclusion is False else z3.Implies(premise, conclusion)

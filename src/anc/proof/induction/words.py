"""The machine's numbers as the solver has them: numbers where they are known, bit-vectors elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc import isa
from anc.proof.semantics import Vectors
from anc.proof.verdict import Undecided

Word = Any  # int | z3.BitVecRef
Truth = Any  # bool | z3.BoolRef


class Words(Vectors):
    """Arithmetic modulo M in a context of its own."""

    def __init__(self, M: int) -> None:
        super().__init__(M, z3.Context())

    def is_word(self, word: Word) -> Truth:
        """That a word is below M."""
        return True if self.wraps or isinstance(word, int) else z3.ULE(word, self.M - 1)

    def looked_up(self, row: isa.Instruction, a: Word, b: Word) -> Word:
        raise Undecided(f"induction knows no formula of {row.name}")

    def sum(self, a: Word, b: Word) -> Word:
        if isinstance(a, int) and isinstance(b, int):
            return (a + b) % self.M
        return _plain(self.added(self.vector(a), self.vector(b)))

    def difference(self, a: Word, b: Word) -> Word:
        if isinstance(a, int) and isinstance(b, int):
            return (a - b) % self.M
        return _plain(self.subtracted(self.vector(a), self.vector(b)))

    def smaller(self, a: Word, b: Word) -> Word:
        return self.either(self.at_most(a, b), a, b)

    def larger(self, a: Word, b: Word) -> Word:
        return self.either(self.at_most(a, b), b, a)

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

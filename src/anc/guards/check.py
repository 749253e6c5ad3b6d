"""Facts as program lines: code that leaves 0 in a variable exactly when all facts hold.

The machine counts modulo M, facts do not; a sum that could go round gets a bound of its own. An
*error* is a value that is 0 when something holds: MAX joins what must hold together, MIN what may
hold instead. Only READs touch the tape, so that it is unchanged whatever the check finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from anc import isa
from anc.compiler.graph import READ, Constant, Graph, Operand, Variable
from anc.verify.facts import (
    OPPOSITE,
    And,
    Comparison,
    Fact,
    Implies,
    Not,
    Or,
    Sum,
    compare,
    conjuncts,
    merged,
)

_ZERO = Constant(0)


class CannotCheck(Exception):
    """A fact has no short check on this machine; the message says why."""


class Check:
    """The lines of a check, written once for each value that is needed more than once."""

    def __init__(self, M: int) -> None:
        self.M = M
        self.graph = Graph(M=M)
        self.known: dict[tuple[str, tuple[Operand, ...]], Variable] = {}
        self.reads: dict[int, Variable] = {}  # the cells that it reads, and what holds them

    @property
    def lines(self) -> int:
        """How many lines are spent on it, with the jump that decides."""
        return len(self.graph.nodes) + 1

    def add(self, facts: Sequence[Fact]) -> Operand:
        """The error of all facts together."""
        total: Operand = _ZERO
        for fact in merged(conjuncts(facts)):
            total = self.join(isa.larger, [total, self.error(fact)])
        return total

    def emit(self, op: str, *operands: Operand, name: str = "") -> Variable:
        key = (op, operands)
        if key not in self.known:
            self.known[key] = Variable(name or f"wrong{self.lines}")
            self.graph.append(op, *operands, out=self.known[key])
        return self.known[key]

    def compute(self, meaning: isa.Meaning, *operands: Operand) -> Operand:
        op = isa.with_meaning(meaning)
        if op is None:
            raise CannotCheck(f"this machine has no instruction that means '{meaning.__name__}'")
        return self.emit(isa.NAMES[op], *operands)

    def join(self, meaning: isa.Meaning, errors: Sequence[Operand]) -> Operand:
        """The larger or the smaller one of errors, without those that are known."""
        neutral, absorbing = (0, 1) if meaning is isa.larger else (1, 0)
        unknown: list[Operand] = []
        for error in errors:
            if isinstance(error, Constant):
                if bool(error.value) == bool(absorbing):
                    return Constant(absorbing)
            elif error not in unknown:
                unknown.append(error)
        if not unknown:
            return Constant(neutral)
        total = unknown[0]
        for error in unknown[1:]:
            total = self.compute(meaning, total, error)
        return total

    def error(self, fact: Fact) -> Operand:
        match fact:
            case Comparison(Sum((), low), (("<=", Sum(((1, of),), 0)), ("<=", Sum((), high)))) if (
                0 < low <= high < self.M
            ):  # cell - low (which goes round) <= high - low
                shifted = self.difference(self.read(of), Constant(low))
                return self.excess(shifted, Constant(high - low))
            case Comparison():
                return self.join(isa.larger, [self.link(a, op, b) for a, op, b in fact.links()])
            case And(parts):
                return self.join(isa.larger, [self.error(part) for part in parts])
            case Or(parts):
                return self.join(isa.smaller, [self.error(part) for part in parts])
            case Implies((premise, conclusion)):
                return self.error(Or((premise.negated(), conclusion)))
            case Not((part,)):
                return self.error(part.negated())
        raise TypeError(f"not a fact: {fact!r}")

    # -- one comparison ------------------------------------------------------

    def link(self, left: Sum, op: str, right: Sum) -> Operand:
        """The error of `left op right`, with all cells brought to the side where they are added."""
        total = left.plus(right, -1)
        signs = Counter[int]()
        for sign, cell in total.cells:
            signs[cell] += sign
        added = [cell for cell, sign in signs.items() if sign == 1]
        taken = [cell for cell, sign in signs.items() if sign == -1]
        if any(abs(sign) > 1 for sign in signs.values()) or max(len(added), len(taken)) > 1:
            text = f"{left} {op} {right}"
            raise CannotCheck(f"'{text}' adds cells, and the machine's sums go round at {self.M}")
        c = total.constant  # added + c  op  taken
        terms = tuple((sign, cell) for cell, sign in signs.items() if sign)
        settled = compare(Sum(terms, c), op, 0).judge({}, self.M)
        if settled is not None:
            return Constant(int(not settled))
        if op == "!=":
            return self.inverted(self.link(left, OPPOSITE[op], right))
        if op in (">", ">="):
            added, taken, c = taken, added, -c
        small, large = (self.read(side[0]) if side else _ZERO for side in (added, taken))
        if op == "==":
            return self.equal(small, c, large)
        return self.at_most(small, c + (op in ("<", ">")), large)  # whole numbers

    def equal(self, small: Operand, c: int, large: Operand) -> Operand:
        """small + c == large, which some tapes satisfy and others do not."""
        if c <= 0:
            small, large = large, small
        by = Constant(abs(c))
        if by == _ZERO or small == _ZERO:
            return self.difference(large, by if small == _ZERO else small)
        enough = self.lack(large, by)
        same = self.difference(self.compute(isa.subtract, large, by), small)
        return self.join(isa.larger, [enough, same])

    def at_most(self, small: Operand, c: int, large: Operand) -> Operand:
        """small + c <= large, which some tapes satisfy and others do not."""
        by = Constant(abs(c))
        if c <= 0:
            return self.excess(self.excess(small, by), large)
        enough = self.lack(large, by)
        if small == _ZERO:
            return enough
        below = self.excess(small, self.compute(isa.subtract, large, by))
        return self.join(isa.larger, [enough, below])

    def excess(self, value: Operand, limit: Operand) -> Operand:
        """How far a value is above a limit."""
        if limit == _ZERO:
            return value
        return self.difference(self.compute(isa.larger, value, limit), limit)

    def lack(self, value: Operand, limit: Operand) -> Operand:
        """Something that is 0 exactly when a value is not below a limit."""
        return self.difference(self.compute(isa.smaller, value, limit), limit)

    def read(self, cell: int) -> Operand:
        self.reads[cell] = self.emit(READ, Constant(cell), name=f"cell{cell}")
        return self.reads[cell]

    def difference(self, left: Operand, right: Operand) -> Operand:
        """0 exactly when both are equal."""
        if left == right:
            return Constant(0)
        if left == _ZERO or right == _ZERO:
            return right if left == _ZERO else left
        return self.compute(isa.subtract, left, right)

    def inverted(self, error: Operand) -> Operand:
        """0 exactly when the error is not 0."""
        if isinstance(error, Constant):
            return Constant(int(not error.value))
        return self.compute(
            isa.subtract, Constant(1), self.compute(isa.smaller, error, Constant(1))
        )

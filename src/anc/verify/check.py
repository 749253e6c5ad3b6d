"""Facts as program lines: code that leaves 0 in a variable exactly when all facts hold.

The machine counts modulo M, facts do not; a sum that could go round gets a bound of its own. An
*error* is a value that is 0 when something holds: MAX joins what must hold together, MIN what may
hold instead. Only READs touch the tape, so that it is unchanged whatever the check finds.
"""

from __future__ import annotations

from collections.abc import Sequence

from anc.language.tree import Call, Declaration, Name, Number, Operand, Statement
from anc.verify.facts import (
    OPPOSITE,
    And,
    Comparison,
    Fact,
    Implies,
    Not,
    Or,
    Sum,
    conjuncts,
    merged,
)


class CannotCheck(Exception):
    """A fact has no short check on this machine; the message says why."""


class Check:
    """The lines of a check, written once for each value that is needed more than once."""

    def __init__(self, M: int) -> None:
        self.M = M
        self.lines: list[Statement] = []
        self.known: dict[tuple[str, tuple[Operand, ...]], Operand] = {}

    def declarations(self) -> list[Declaration]:
        return [Declaration(line.out, None) for line in self.lines if line.out is not None]

    def reads(self) -> dict[int, Name]:
        """The cells that the check reads, and the variables that hold them."""
        found = {}
        for (op, operands), out in self.known.items():
            if op == "READ" and isinstance(operands[0], Number) and isinstance(out, Name):
                found[operands[0].value] = out
        return found

    def add(self, facts: Sequence[Fact]) -> Operand:
        """The error of all facts together."""
        total: Operand = Number(0)
        for fact in merged(conjuncts(facts)):
            total = self.join("MAX", [total, self.error(fact)])
        return total

    def emit(self, op: str, *operands: Operand) -> Operand:
        key = (op, operands)
        if key not in self.known:
            first = operands[0]
            place = first.value if op == "READ" and isinstance(first, Number) else None
            name = f"wrong{len(self.lines) + 1}" if place is None else f"cell{place}"
            out = Name(name)
            self.lines.append(Statement((), out, Call(Name(op), operands)))
            self.known[key] = out
        return self.known[key]

    def join(self, op: str, errors: Sequence[Operand]) -> Operand:
        """The MAX or MIN of errors, without those that are known."""
        neutral, absorbing = (0, 1) if op == "MAX" else (1, 0)
        unknown: list[Operand] = []
        for error in errors:
            if isinstance(error, Number):
                if bool(error.value) == bool(absorbing):
                    return Number(absorbing)
            elif error not in unknown:
                unknown.append(error)
        if not unknown:
            return Number(neutral)
        total = unknown[0]
        for error in unknown[1:]:
            total = self.emit(op, total, error)
        return total

    def error(self, fact: Fact) -> Operand:
        match fact:
            case Comparison(Sum((), low), (("<=", Sum(((1, of),), 0)), ("<=", Sum((), high)))) if (
                low > 0
            ):
                return self.within(low, of, high)
            case Comparison():
                return self.join("MAX", [self.link(a, op, b) for a, op, b in fact.links()])
            case And(parts):
                return self.join("MAX", [self.error(part) for part in parts])
            case Or(parts):
                return self.join("MIN", [self.error(part) for part in parts])
            case Implies(premise, conclusion):
                return self.join("MIN", [self.error(Not(premise)), self.error(conclusion)])
            case Not(Not(part)):
                return self.error(part)
            case Not(part):
                return self.error(part.negated())
        raise TypeError(f"not a fact: {fact!r}")

    # -- one comparison ------------------------------------------------------

    def link(self, left: Sum, op: str, right: Sum) -> Operand:
        """The error of `left op right`, with all cells brought to the side where they are added."""
        total = left.plus(right, -1)
        signs: dict[int, int] = {}
        for sign, cell in total.cells:
            signs[cell] = signs.get(cell, 0) + sign
        added = [cell for cell, sign in signs.items() if sign == 1]
        taken = [cell for cell, sign in signs.items() if sign == -1]
        if any(abs(sign) > 1 for sign in signs.values()) or max(len(added), len(taken)) > 1:
            text = f"{left} {op} {right}"
            raise CannotCheck(f"'{text}' adds cells, and the machine's sums go round at {self.M}")
        c = total.constant  # added - taken + c  op  0
        if op in (">", ">="):
            return self.link(right, {">": "<", ">=": "<="}[op], left)
        if op == "<":
            op, c = "<=", c + 1  # whole numbers
        if op == "<=":
            return self.at_most(added, taken, c)
        if op == "==":
            return self.equal(added, taken, c)
        assert op == "!="
        return self.inverted(self.link(left, OPPOSITE[op], right))

    def equal(self, added: list[int], taken: list[int], c: int) -> Operand:
        """added - taken + c == 0."""
        if not added and not taken:
            return Number(int(c != 0))
        if not added or not taken:
            number = -c if added else c
            if not 0 <= number < self.M:
                return Number(1)
            return self.difference(self.read((added or taken)[0]), Number(number))
        small, large = (added[0], taken[0]) if c > 0 else (taken[0], added[0])
        by = Number(abs(c))  # small + by == large: large >= by, and large - by == small
        if by.value >= self.M:
            return Number(1)
        if by.value == 0:
            return self.difference(self.read(large), self.read(small))
        enough = self.difference(self.emit("MIN", self.read(large), by), by)
        same = self.difference(self.emit("SUB", self.read(large), by), self.read(small))
        return self.join("MAX", [enough, same])

    def within(self, low: int, of: int, high: int) -> Operand:
        """low <= cell <= high, as cell - low (which goes round) <= high - low."""
        if not 0 <= low <= high < self.M:
            return self.join("MAX", [self.at_most([], [of], low), self.at_most([of], [], -high)])
        width = Number(high - low)
        shifted = self.difference(self.read(of), Number(low))
        if width.value == 0:
            return shifted
        return self.difference(self.emit("MAX", shifted, width), width)

    def at_most(self, added: list[int], taken: list[int], c: int) -> Operand:
        """added - taken + c <= 0."""
        top = self.M - 1
        if not added and not taken:
            return Number(int(c > 0))
        if not taken:  # added <= -c
            if -c >= top:
                return Number(0)
            if c > 0:
                return Number(1)
            limit = Number(-c)
            value = self.read(added[0])
            return value if c == 0 else self.difference(self.emit("MAX", value, limit), limit)
        if not added:  # taken >= c
            if c <= 0:
                return Number(0)
            if c > top:
                return Number(1)
            return self.difference(self.emit("MIN", self.read(taken[0]), Number(c)), Number(c))
        small, large = self.read(added[0]), self.read(taken[0])
        if c > 0:  # small + c <= large: large >= c, and small <= large - c
            if c > top:
                return Number(1)
            enough = self.difference(self.emit("MIN", large, Number(c)), Number(c))
            lowered = self.emit("SUB", large, Number(c))
            below = self.difference(self.emit("MAX", small, lowered), lowered)
            return self.join("MAX", [enough, below])
        if c < 0:  # small <= large - c: small is at most -c, or small + c <= large
            if -c >= top:
                return Number(0)
            lowered = self.emit("SUB", self.emit("MAX", small, Number(-c)), Number(-c))
            return self.difference(self.emit("MAX", lowered, large), large)
        return self.difference(self.emit("MAX", small, large), large)

    def read(self, cell: int) -> Operand:
        return self.emit("READ", Number(cell))

    def difference(self, left: Operand, right: Operand) -> Operand:
        """0 exactly when both are equal."""
        if left == right:
            return Number(0)
        return left if right == Number(0) else self.emit("SUB", left, right)

    def inverted(self, error: Operand) -> Operand:
        """0 exactly when the error is not 0."""
        if isinstance(error, Number):
            return Number(int(not error.value))
        return self.emit("SUB", Number(1), self.emit("MIN", error, Number(1)))

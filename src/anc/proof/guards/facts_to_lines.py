"""Compiles facts to program lines: straight-line code that leaves 0 in a variable exactly when all facts hold.

The machine computes modulo M, facts are about integers. The code only READs the tape, so that the tape is
unchanged whatever the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from anc import isa
from anc.compiler.graph import Constant, Operand
from anc.proof.facts import (
    And,
    At,
    Comparison,
    Count,
    Different,
    Fact,
    Implies,
    Member,
    Not,
    Or,
    Relation,
    Remainder,
    Sorted,
    Stepwise,
    Sum,
    compare,
    conjuncts,
    merged,
    spelt,
    times,
)
from anc.proof.guards.arithmetic import MOST_TERMS, ZERO, Arithmetic, CannotCheck, Cells

_FEW = 8  # values up to which a remainder is checked by comparing with each
_RANGE = 3  # consecutive numbers from which on a range is checked


class Check(Arithmetic):
    """The code of a check."""

    @property
    def lines(self) -> int:
        """The number of lines, including the final jump."""
        return len(self.graph.nodes) + 1

    def add(self, facts: Sequence[Fact]) -> Operand:
        """The error of the conjunction of the facts."""
        return self.all(merged(conjuncts(facts, pairs=False)))

    def all(self, facts: Sequence[Fact]) -> Operand:
        return self.join(isa.larger, [self.error(fact) for fact in facts])

    def any(self, facts: Sequence[Fact]) -> Operand:
        return self.join(isa.smaller, [self.error(fact) for fact in facts])

    def error(self, fact: Fact) -> Operand:
        settled = fact.judge({}, self.M) if isinstance(fact, Relation | Count) else None
        if settled is not None:
            return Constant(int(not settled))
        match fact:
            case Comparison(Sum((), low), (("<=", Sum(((1, of),), 0)), ("<=", Sum((), high)))) if (
                0 < low <= high < self.M
            ):  # cell - low (modulo M) <= high - low
                shifted = self.minus(self.read(of), Constant(low))
                return self.excess(shifted, Constant(high - low))
            case Comparison(first, ((op, right),)):
                return self.comparison(first.plus(right, -1).collected, op, str(fact))
            case Comparison():
                return self.all([compare(a, op, b) for a, op, b in fact.links()])
            case Remainder():
                return self.remainder(fact)
            case Member((part,), words):
                return self.any(list(_among(part, sorted({number for (number,) in words}))))
            case Member(terms, words):
                return self.any([And(tuple(spelt(terms, word))) for word in words])
            case Sorted():
                return self.all(fact.pairs())
            case Different():
                return self.inverted(self.any([pair.negated() for pair in fact.pairs()]))
            case Stepwise():
                error: Operand = ZERO
                for condition, then in reversed(fact.steps):
                    said = self.join(isa.larger, [self.error(then), error])
                    error = self.join(isa.smaller, [self.error(condition.negated()), said])
                return error
            case Count():
                return self.count(fact)
            case And(parts):
                return self.all(parts)
            case Or(parts):
                return self.any(parts)
            case Implies((premise, conclusion)):
                return self.any([premise.negated(), conclusion])
            case Not((part,)):
                opposite = part.negated()
                return self.inverted(self.error(part)) if opposite == fact else self.error(opposite)
        raise TypeError(f"not a fact: {fact!r}")

    def comparison(self, total: Sum, op: str, text: str) -> Operand:
        """The error of comparing a sum with 0; each cell goes to the side where its factor is positive."""
        if op == "!=":
            return self.inverted(self.comparison(total, "==", text))
        if op in (">", ">="):
            total, op = times(-1, total), {">": "<", ">=": "<="}[op]
        if op == "<":  # whole numbers
            total, op = Sum(total.cells, total.constant + 1), "<="
        factor = gcd(*(number for number, _ in total.cells))
        constant, unfit = divmod(total.constant, factor)
        if op == "==" and unfit:
            return Constant(1)
        constant += bool(unfit)
        cells = [(number // factor, place) for number, place in total.cells]
        left = self.terms(constant, cells, text)
        right = self.terms(-constant, [(-number, place) for number, place in cells], text)
        return self.equal(left, right) if op == "==" else self.at_most(left, right)

    def terms(self, constant: int, cells: Cells, text: str) -> list[Operand]:
        """The summands: a constant, split into parts below M, and cells."""
        if max(0, constant) // self.M >= MOST_TERMS:
            raise CannotCheck(f"'{text}' has a number that is too large")
        found: list[Operand] = []
        while constant > 0:
            found.append(Constant(min(constant, self.M - 1)))
            constant -= self.M - 1
        return found + [self.read(place) for place in self.unrolled(cells, text)]

    def count(self, fact: Count) -> Operand:
        """The error of a count; the code adds up the elements that are not counted."""
        many = len(fact.steps)
        if many >= self.M:
            raise CannotCheck(f"'{fact}' may count more than {self.M - 1} elements")
        total: Operand = ZERO
        ended: Operand = ZERO
        for condition, element in fact.steps:
            ended = self.join(isa.larger, [ended, self.error(condition)])
            wrong = self.join(isa.larger, [ended, self.error(element)])
            total = self.plus(total, self.compute(isa.smaller, wrong, Constant(1)))
        others = many - fact.number  # not counted if the count is met
        if fact.op in ("==", "!="):
            error = self.unequal(total, Constant(others))
            return error if fact.op == "==" else self.inverted(error)
        if fact.op in (">", ">="):
            return self.at_most([total], [Constant(others - (fact.op == ">"))])
        return self.at_most([Constant(others + (fact.op == "<"))], [total])

    # -- remainders ----------------------------------------------------------

    def remainder(self, fact: Remainder) -> Operand:
        error = self.inverted(self.rests(fact)) if fact.op == "!=" else self.rests(fact)
        return self.join(isa.larger, [error, self.error(compare(fact.divisor, "!=", 0))])

    def rests(self, fact: Remainder) -> Operand:
        """The error of the remainder, for a non-zero divisor."""
        if not fact.divisor.cells:
            return self.remains(fact.dividend.collected, fact.divisor.constant, fact.rest)
        dividend, divisor = (self.value(side) for side in (fact.dividend, fact.divisor))
        if not 0 <= fact.rest < self.M:
            return Constant(1)
        return self.unequal(self.rest(dividend, divisor), Constant(fact.rest))

    def value(self, part: Sum) -> Operand:
        low, high = part.bounds({}, self.M)
        if low < 0 or high >= self.M:
            raise CannotCheck(
                f"'{part}' in a remainder can be below 0 or above {self.M - 1}, and the machine's"
                " sums wrap around"
            )
        return self.address(part)

    def remains(self, total: Sum, divisor: int, rest: int) -> Operand:
        """The error of the remainder for a constant divisor."""
        if divisor < 0:
            total, divisor, rest = times(-1, total), -divisor, -rest
        match total:
            case Sum(((1 | -1 as sign, place),), constant):
                wanted = sign * (rest - constant) % divisor
                if wanted >= self.M:
                    return Constant(1)
                return self.unequal(self.modulo(place, divisor), Constant(wanted))
        low, high = total.bounds({}, self.M)
        numbers = range(low + (rest - low) % divisor, high + 1, divisor)
        if len(numbers) <= _FEW:
            return self.any([compare(total, "==", number) for number in numbers])
        if 2 * divisor > self.M:
            raise CannotCheck(f"the remainder of '{total}' by {divisor} has too many values")
        return self.unequal(self.modulo_sum(total, divisor), Constant(rest))

    def modulo(self, place: int | At, divisor: int) -> Operand:
        value = self.read(place)
        return value if divisor >= self.M else self.rest(value, Constant(divisor))

    def modulo_sum(self, total: Sum, divisor: int) -> Operand:
        """The remainder of a sum by a constant of at most M / 2."""
        cells = [
            (number % divisor - (divisor if 2 * (number % divisor) > divisor else 0), place)
            for number, place in total.cells
        ]
        by = Constant(divisor)
        added = [self.modulo(place, divisor) for place in self.unrolled(cells, str(total))]
        negative = [(-number, place) for number, place in cells]
        for place in self.unrolled(negative, str(total)):
            added.append(self.minus(by, self.modulo(place, divisor)))
        found: Operand = Constant(total.constant % divisor)
        for value in added:
            more = self.plus(found, value)
            found = self.compute(isa.smaller, more, self.minus(more, by))
        return found


def _among(part: Sum, numbers: list[int]) -> Iterator[Fact]:
    """Comparisons and ranges whose disjunction is membership in these ascending numbers."""
    while numbers:
        low, length = numbers[0], 1
        while length < len(numbers) and numbers[length] == low + length:
            length += 1
        if length < _RANGE:
            yield compare(part, "==", low)
            numbers = numbers[1:]
        else:
            yield compare(low, "<=", part, "<=", low + length - 1)
            numbers = numbers[length:]

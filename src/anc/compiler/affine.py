"""Affine normal forms of values: a number plus multiples of atoms, modulo M.

An atom is an unknown value (what a READ returns, a merge of two paths) or the output of an instruction that
is not a sum (MIN of two forms). Equal forms are equal values on any tape.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from anc import isa
from anc.compiler.abstract_state import SUMS, outputs
from anc.compiler.ranges import Range, range_of
from anc.isa import InstructionSet, Meaning

Terms = tuple[tuple[int, int], ...]  # (atom, factor), sorted; no factor is 0

ORDERS = (isa.smaller, isa.larger)
_OPPOSITES: dict[Meaning, Meaning] = {
    isa.less: isa.at_most,
    isa.at_most: isa.less,
    isa.equal: isa.unequal,
    isa.unequal: isa.equal,
}
COMMUTING = (*ORDERS, isa.multiply, isa.equal, isa.unequal, isa.bits_and, isa.bits_or, isa.bits_xor)
WIDEST = 6  # terms; a longer sum becomes an atom, so that long chains of sums stay cheap
DEEPEST = 12  # nested outputs; a deeper atom is opaque
LARGEST_TRIED = 64  # the largest M for which all pairs of operands are tried


class AffineForm(NamedTuple):
    """A constant, plus factor * atom for each of the terms, modulo M."""

    constant: int = 0
    terms: Terms = ()


ZERO = AffineForm()
Equalities = Mapping[int, AffineForm]  # atoms with known values


def combined(one: AffineForm, two: AffineForm, factor: int, M: int) -> AffineForm:
    """one + factor * two"""
    constant = (one.constant + factor * two.constant) % M
    if not two.terms:
        return AffineForm(constant, one.terms)
    if not one.terms and factor == 1:
        return AffineForm(constant, two.terms)
    terms = dict(one.terms)
    for atom, multiple in two.terms:
        total = (terms.get(atom, 0) + factor * multiple) % M
        if total:
            terms[atom] = total
        else:
            terms.pop(atom, None)
    return AffineForm(constant, tuple(sorted(terms.items()) if len(terms) > 1 else terms.items()))


class Values:
    """The forms of one graph; equal instructions on equal operands share an atom."""

    def __init__(self, M: int, instructions: InstructionSet) -> None:
        self.M, self.instructions = M, instructions
        self._atoms: dict[Hashable, int] = {}
        self._parts: list[
            tuple[str, AffineForm, AffineForm] | None
        ] = []  # of what is an instruction's output
        self._depth: list[int] = []
        self._ranges: list[Range] = []

    def atom(self, key: Hashable) -> AffineForm:
        """The atom of this name."""
        return self._made(key, None, 0)

    def sum(self, one: AffineForm, two: AffineForm, factor: int = 1) -> AffineForm:
        """one + factor * two; a long sum becomes an atom"""
        found = combined(one, two, factor, self.M)
        if len(found.terms) > WIDEST:
            return AffineForm(found.constant, self._made((0, found.terms), None, 0).terms)
        return found

    def negated(self, form: AffineForm) -> AffineForm:
        M = self.M
        return AffineForm(
            -form.constant % M, tuple((atom, M - factor) for atom, factor in form.terms)
        )

    def scaled(self, form: AffineForm) -> AffineForm:
        """The representative of all multiples that are 0 exactly where this form is."""
        M = self.M
        factor = form.terms[0][1]
        inverse = _inverse(factor, M)
        if inverse is None:
            return min(form, self.negated(form))
        if factor == 1:
            return form
        return AffineForm(
            form.constant * inverse % M, tuple((atom, f * inverse % M) for atom, f in form.terms)
        )

    def output(self, op: str, first: AffineForm, second: AffineForm) -> AffineForm:
        """What an instruction without an effect outputs."""
        row = self.instructions[op]
        factors = SUMS.get(row.output)
        if factors is not None:
            if factors == (0, 0, 0):
                return ZERO
            start = AffineForm((first.constant + factors[2]) % self.M, first.terms)
            return self.sum(start, second, factors[1]) if factors[1] else start
        if row.operands < 2:
            second = ZERO
        opposite = self.opposite(op)
        if opposite is not None and row.output in (isa.at_most, isa.unequal):
            if row.output is isa.at_most:
                first, second = second, first
            return self.sum(AffineForm(1 % self.M), self.output(opposite, first, second), -1)
        if not second.terms and (simpler := self._simpler(op, first, second.constant)):
            return self.output(*simpler)
        ends = self.range(first), self.range(second)
        low, high = range_of(row.output, *ends, self.M)
        if low < high and row.output in _OPPOSITES:
            low, high = range_of(row.output, (0, 0), self._apart(first, second), self.M)
        if low == high:
            return AffineForm(low)
        if first == second or not (first.terms and second.terms):
            numbers = [None if form.terms else form.constant for form in (first, second)]
            unknown, among = (first, ends[0]) if first.terms else (second, ends[1])
            line = _in_one_unknown(row.output, numbers[0], numbers[1], self.M, among)
            if line is not None:
                return self.sum(AffineForm(line[1]), unknown, line[0])
        if row.output in ORDERS:
            found = self._by_order(op, first, second) or self._by_order(op, second, first)
            if found is not None:
                return found
        if second < first and row.operands == 2 and _commutes(row.output, self.M):
            first, second = second, first
        inside = [self._depth[atom] for form in (first, second) for atom, _ in form.terms]
        depth = 1 + max(inside, default=0)
        return self._made((op, first, second), (op, first, second), depth, (low, high))

    def opposite(self, op: str) -> str | None:
        """The comparison that is 1 where this one is 0; of an order, with the operands exchanged."""
        meaning = _OPPOSITES.get(self.instructions[op].output)
        number = None if meaning is None else self.instructions.with_meaning(meaning)
        return None if number is None else self.instructions.names[number]

    def _simpler(
        self, op: str, first: AffineForm, number: int
    ) -> tuple[str, AffineForm, AffineForm] | None:
        """An instruction with the same output, if the second operand is a number."""
        meaning, M = self.instructions[op].output, self.M
        instead: tuple[Meaning, int] | None = None
        if meaning is isa.shift_right:
            instead = isa.divide, 1 << min(number, M.bit_length())
        elif meaning is isa.bits_and and number & (number + 1) == 0:
            instead = isa.remain, number + 1
        other = None if instead is None else self.instructions.with_meaning(instead[0])
        if instead is not None and other is not None and instead[1] < M:
            return self.instructions.names[other], first, AffineForm(instead[1])
        inner = self.parts(first)
        if inner is None or inner[0] != op or inner[2].terms or not number:
            return None
        if meaning is isa.divide and 0 < inner[2].constant * number < M:
            return op, inner[1], AffineForm(inner[2].constant * number)
        if meaning is isa.remain and inner[2].constant and inner[2].constant % number == 0:
            return op, inner[1], AffineForm(number)
        return None

    def range(self, form: AffineForm) -> Range:
        """The least and the greatest value of a form."""
        low, high = self._sum_range(form.terms)
        for constant in (form.constant, form.constant - self.M):
            if low + constant >= 0 and high + constant < self.M:
                return low + constant, high + constant
        return 0, self.M - 1

    def _sum_range(self, terms: Terms) -> Range:
        """The range of a sum, as if numbers did not wrap around; large factors are negative."""
        low = high = 0
        for atom, factor in terms:
            times = factor if factor <= self.M // 2 else factor - self.M
            ends = sorted(times * end for end in self._ranges[atom])
            low, high = low + ends[0], high + ends[1]
        return low, high

    def _apart(self, first: AffineForm, second: AffineForm) -> Range:
        """The range of second - first, as numbers.

        It is known where one of them is the other plus something that does not wrap around.
        """
        M = self.M
        for one, two, sign in ((first, second, 1), (second, first, -1)):
            terms, ends = combined(two, one, -1, M), self.range(one)
            low, high = self._sum_range(terms.terms)
            for constant in (terms.constant, terms.constant - M):
                if ends[0] + low + constant >= 0 and ends[1] + high + constant < M:
                    least, most = sorted((sign * (low + constant), sign * (high + constant)))
                    return least, most
        return 1 - M, M - 1

    def either(self, key: Hashable, forms: Iterable[AffineForm]) -> AffineForm:
        """The atom of this name, which is one of some forms."""
        ends = [self.range(form) for form in forms]
        return self._made(
            key, None, 0, (min(low for low, _ in ends), max(high for _, high in ends))
        )

    def implied(self, atom: int, value: AffineForm) -> Iterator[tuple[AffineForm, bool]]:
        """Forms that are 0, or are not, where a comparison has this value."""
        parts = self._parts[atom]
        if parts is None or value.terms:
            return
        op, first, second = parts
        meaning = self.instructions[op].output
        if meaning is isa.less and value.constant:
            yield self.output(op, second, first), True
        elif meaning is isa.equal:
            yield self.sum(first, second, -1), bool(value.constant)

    def shares(self, one: AffineForm, two: AffineForm) -> bool:
        """Whether two forms have an atom in common."""
        atoms = {atom for atom, _ in one[1]}
        return any(atom in atoms for atom, _ in two.terms)

    def can_be_zero(self, form: AffineForm) -> bool:
        """Whether a form with terms may be 0; MAX of 1 and something cannot."""
        if self.range(form)[0] > 0:
            return False
        (atom, factor), *others = form.terms
        parts = self._parts[atom]
        if others or parts is None or (parts[1][1] and parts[2][1]):
            return True
        first, second = (None if operand.terms else operand.constant for operand in parts[1:])
        return _reaches_zero(
            self.instructions[parts[0]].output, first, second, (form.constant, factor), self.M
        )

    def parts(self, form: AffineForm) -> tuple[str, AffineForm, AffineForm] | None:
        """The instruction and the operands that an atom is the output of."""
        if form.constant or len(form.terms) != 1 or form.terms[0][1] != 1:
            return None
        return self._parts[form.terms[0][0]]

    def _by_order(self, op: str, one: AffineForm, two: AffineForm) -> AffineForm | None:
        """Simplifies MIN or MAX where `one` is a MIN or MAX itself."""
        parts, choose = self.parts(one), self.instructions[op].output
        inner = None if parts is None else self.instructions[parts[0]].output
        if parts is None or inner not in ORDERS:
            return None
        if two in parts[1:]:
            return one if inner is choose else two
        first, second = parts[1:] if not parts[1][1] else (parts[2], parts[1])
        if first.terms or two.terms:
            return None
        if inner is choose:
            return self.output(op, AffineForm(choose(first.constant, two.constant, self.M)), second)
        return two if choose(first.constant, two.constant, self.M) == two.constant else None

    def settled(self, form: AffineForm, equal: Equalities) -> AffineForm:
        """A form with known equalities substituted."""
        known: dict[int, AffineForm] = {}
        for atom, _ in form.terms if equal else ():
            value, parts = equal.get(atom), self._parts[atom]
            if value is None and parts is not None:
                op, *operands = parts
                first, second = (self.settled(operand, equal) for operand in operands)
                if (first, second) != parts[1:]:
                    value = self.output(op, first, second)
                    if len(value.terms) == 1 and value.constant == 0 and value.terms[0][1] == 1:
                        value = equal.get(value.terms[0][0], value)
            if value is not None:
                known[atom] = value
        if not known:
            return form
        new = AffineForm(form.constant, tuple(term for term in form.terms if term[0] not in known))
        for atom, factor in form.terms:
            if atom in known:
                new = self.sum(new, known[atom], factor)
        return new

    def solved(self, form: AffineForm) -> tuple[int, AffineForm] | None:
        """Solves form = 0 for its newest atom, if it has one solution."""
        if not form.terms:
            return None
        atom, factor = form.terms[-1]
        inverse = _inverse(factor, self.M)
        if inverse is None:
            return None
        return atom, self.sum(ZERO, AffineForm(form.constant, form.terms[:-1]), -inverse)

    def _made(
        self,
        key: Hashable,
        parts: tuple[str, AffineForm, AffineForm] | None,
        depth: int,
        ends: Range | None = None,
    ) -> AffineForm:
        number = self._atoms.setdefault(key, len(self._parts))
        if number == len(self._parts):
            self._parts.append(parts if depth <= DEEPEST else None)
            self._depth.append(depth if depth <= DEEPEST else 0)
            self._ranges.append(ends or (0, self.M - 1))
        return AffineForm(0, ((number, 1),) if self.M > 1 else ())


def certainly_differ(one: AffineForm, two: AffineForm) -> bool:
    """Whether two forms cannot be equal: they differ by a number.

    >>> certainly_differ(AffineForm(1, ((7, 1),)), AffineForm(2, ((7, 1),)))
    True
    """
    return one.terms == two.terms and one.constant != two.constant


@lru_cache(maxsize=10_000)
def _in_one_unknown(
    output: Meaning, first: int | None, second: int | None, M: int, ends: Range
) -> tuple[int, int] | None:
    """(factor, number) if the output is always factor * unknown + number, between the ends of the unknown.

    All operands that are None are the same unknown.

    >>> _in_one_unknown(isa.larger, None, 0, 10, (0, 9)), _in_one_unknown(isa.equal, None, 0, 10, (0, 1))
    ((1, 0), (9, 1))
    """

    def result(unknown: int) -> int:
        return output(unknown if first is None else first, unknown if second is None else second, M)

    low, high = ends
    factor = (result(min(low + 1, high)) - result(low)) % M
    number = (result(low) - factor * low) % M
    fits = all(result(guess) == (factor * guess + number) % M for guess in range(low, high + 1))
    return (factor, number) if fits else None


@lru_cache(maxsize=10_000)
def _reaches_zero(
    output: Meaning, first: int | None, second: int | None, line: tuple[int, int], M: int
) -> bool:
    """Whether a number plus a multiple of an output can be 0."""
    number, factor = line
    return any((number + factor * value) % M == 0 for value in outputs(output, first, second, M))


@lru_cache(maxsize=1_000)
def _inverse(factor: int, M: int) -> int | None:
    return pow(factor, -1, M) if gcd(factor, M) == 1 else None


@lru_cache(maxsize=1_000)
def _commutes(output: Meaning, M: int) -> bool:
    if output in COMMUTING:
        return True
    return M <= LARGEST_TRIED and all(
        output(a, b, M) == output(b, a, M) for a in range(M) for b in range(a)
    )

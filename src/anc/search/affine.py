"""Affine values in few instructions: linear combinations of cells, reassociated.

Available values (a difference that is needed anyway) and subexpressions of several sums make a sum shorter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from anc.compiler.affine import AffineForm, combined
from anc.compiler.graph import ADD, READ, SUB
from anc.search.addition_chains import cost_of, summed
from anc.search.cost import PLAIN, Prices
from anc.search.straight_line_synthesis import Derivation, Operand
from anc.support.clock import look

FEW = 3  # wanted values of which all orders are tried
PARTS = 40  # available values that are tried as parts of a sum


def column_of(form: AffineForm, inputs: np.ndarray) -> np.ndarray:
    """The value of a sum of cells on each tape."""
    total = np.full(len(inputs), form.constant, np.int64)
    for cell, factor in form.terms:
        total += factor * inputs[:, cell]
    return total % inputs.shape[1]


def folded(form: AffineForm, inputs: np.ndarray) -> AffineForm:
    """The same on these tapes, with constant cells folded into the constant."""
    terms, constant = [], form.constant
    for cell, factor in form.terms:
        if (inputs[:, cell] == inputs[0, cell]).all():
            constant += factor * int(inputs[0, cell])
        else:
            terms.append((cell, factor))
    return AffineForm(constant % inputs.shape[1], tuple(terms))


def centred(number: int, M: int) -> int:
    """The representative modulo M with the smallest absolute value."""
    return (number + (M - 1) // 2) % M - (M - 1) // 2


class AffineRemainder(NamedTuple):
    """The remainder of a form, whose value is below modulus * 2 ** stages, by a constant modulus."""

    form: AffineForm
    modulus: int
    stages: int
    smaller: str  # the instruction that computes the minimum


class Extreme(NamedTuple):
    """The minimum or maximum of some forms, by the instruction for two."""

    op: str
    forms: tuple[AffineForm, ...]


Wanted = AffineForm | AffineRemainder | Extreme


class InstructionBuilder:
    """Builds instructions for affine values; `numbers` are the available ones, new ones count from `begin`."""

    def __init__(
        self, numbers: Mapping[AffineForm, Operand], begin: int, M: int, prices: Prices = PLAIN
    ) -> None:
        self.numbers, self.begin, self.M, self.prices = dict(numbers), begin, M, prices
        self.forms = {number: form for form, number in self.numbers.items()}
        self.multiply = prices.multiply
        self.instructions: list[tuple[int, Derivation]] = []

    def _made(self, op: str, *operands: Operand) -> Operand:
        number = self.begin + len(self.instructions)
        self.instructions.append((number, Derivation(op, operands, self.prices[op])))
        return number

    def _had(self, form: AffineForm, make: Callable[[], Operand]) -> Operand:
        """The value of a form: the available one, or a new one."""
        number = self.numbers.get(form)
        if number is None:
            number = self.numbers[form] = make()
            self.forms[number] = form
        return number

    def cell(self, cell: int) -> Operand:
        return self._had(AffineForm(0, ((cell, 1),)), lambda: self._made(READ, -1 - cell))

    def add(self, first: Operand, second: Operand) -> Operand:
        form = combined(self.forms[first], self.forms[second], 1, self.M)
        return self._had(form, lambda: self._made(ADD, first, second))

    def subtract(self, first: Operand, second: Operand) -> Operand:
        form = combined(self.forms[first], self.forms[second], -1, self.M)
        return self._had(form, lambda: self._made(SUB, first, second))

    def wanted(self, wanted: Wanted) -> Operand:
        """The number of a wanted value, made if necessary."""
        if isinstance(wanted, AffineForm):
            if not wanted.terms:
                return -1 - wanted.constant
            return self._had(wanted, lambda: self._shifted(wanted, *self.sum(wanted)))
        if isinstance(wanted, Extreme):
            first, *more = map(self.wanted, wanted.forms)
            for other in more:
                first = self._made(wanted.op, first, other)
            return first
        value = self.wanted(wanted.form)
        if self.prices.remain is not None:
            return self._made(self.prices.remain, value, -1 - wanted.modulus)
        for stage in reversed(range(wanted.stages)):  # below 0 numbers are large ones
            less = self._made(SUB, value, -1 - (wanted.modulus << stage))
            value = self._made(wanted.smaller, value, less)
        return value

    def sum(self, form: AffineForm) -> tuple[int, Operand]:
        """A sign, and a value with the factors of this form times the sign."""
        terms = self._multiplied(self._terms(form))
        found = [
            (f, number if number >= 0 else self.cell(-1 - number)) for number, f in terms.items()
        ]
        # In the order of cells, so that sums of the same values have common prefixes.
        found.sort(key=lambda term: self.forms[term[1]].terms)
        return summed(found, self.add, self.subtract)

    def _multiplied(self, terms: Mapping[Operand, int]) -> dict[Operand, int]:
        """The terms, with products instead of factors where these are cheaper than additions."""
        large = [abs(factor) for factor in terms.values() if abs(factor) > 1]
        if self.multiply is None or not large:
            return dict(terms)
        additions = (cost_of(list(terms.values())) - len(terms) + 1) * self.prices[ADD]
        if len(large) * self.prices[self.multiply] >= additions:
            return dict(terms)
        found: dict[Operand, int] = {}
        for number, factor in terms.items():
            size = abs(factor)
            value = number if number >= 0 or size == 1 else self.cell(-1 - number)
            if size > 1:
                value = self._product(value, size)
            found[value] = found.get(value, 0) + (1 if factor > 0 else -1)
        return {number: factor for number, factor in found.items() if factor}

    def _product(self, value: Operand, factor: int) -> Operand:
        assert self.multiply is not None
        form = combined(AffineForm(), self.forms[value], factor, self.M)
        made = partial(self._made, self.multiply, value, -1 - factor)
        return self._had(form, made)

    def _shifted(self, wanted: AffineForm, sign: int, value: Operand) -> Operand:
        constant = (wanted.constant - sign * self.forms[value].constant) % self.M
        if sign < 0:
            return self._made(SUB, -1 - constant, value)
        return self._made(ADD, value, -1 - constant) if constant else value

    def _terms(self, form: AffineForm) -> dict[Operand, int]:
        """A cheap decomposition: available values and cells (as -1 - cell) with their factors."""
        single = {
            f.terms[0][0]: number
            for f, number in reversed(self.numbers.items())
            if len(f.terms) == 1 and f.terms[0][1] == 1
        }

        def with_cells(terms: dict[Operand, int], rest: AffineForm) -> dict[Operand, int]:
            found = dict(terms)
            for cell, factor in rest.terms:
                number = single.get(cell, -1 - cell)
                found[number] = centred(found.get(number, 0) + factor, self.M)
            return {number: factor for number, factor in found.items() if factor}

        parts = [
            (f, number)
            for f, number in self.numbers.items()
            if f.terms and (len(f.terms) > 1 or f.terms[0][1] not in (1, self.M - 1))
        ][-PARTS:]
        chosen: dict[Operand, int] = {}
        rest = form
        best = with_cells(chosen, rest)
        while True:
            found = None
            look()
            for part, number in parts:
                for factor in _factors(part, rest, self.M):
                    left = combined(rest, part, -factor, self.M)
                    if len(left.terms) > len(rest.terms):
                        continue
                    times = chosen.get(number, 0) + factor
                    terms = with_cells({**chosen, number: times}, left)
                    if terms and _cost(terms) < _cost(best):
                        found, best = (number, times, left), terms
            if found is None:
                return best
            number, times, rest = found
            chosen[number] = times


def _factors(part: AffineForm, whole: AffineForm, M: int) -> Iterable[int]:
    """Candidate factors of a part in a sum."""
    cells = dict(whole.terms)
    pairs = ((cells[c], factor) for c, factor in part.terms if c in cells)
    sizes = ((centred(f, M), centred(p, M)) for f, p in pairs)
    return {centred(f // p, M) for f, p in sizes if f % p == 0}


def _cost(terms: Mapping[Operand, int]) -> int:
    """The instructions of a sum of these terms, with the READs of cells."""
    return sum(number < 0 for number in terms) + cost_of(list(terms.values()))


class StraightLine(NamedTuple):
    """Instructions, and the number of each wanted value."""

    instructions: list[tuple[int, Derivation]]
    numbers: list[Operand]

    @property
    def cost(self) -> float:
        return sum(way.cost for _, way in self.instructions)


def together(
    wanted: Sequence[Wanted],
    numbers: Mapping[AffineForm, Operand],
    begin: int,
    M: int,
    prices: Prices = PLAIN,
) -> StraightLine:
    """All wanted values in cheap instructions, from the available ones."""
    places = tuple(range(len(wanted)))
    orders = permutations(places) if len(wanted) <= FEW else (places, places[::-1])
    classes = _classes([form for each in wanted for form in _forms(each)])
    best: StraightLine | None = None
    for order in orders:
        for first in ((), classes) if classes else ((),):
            look()
            chain = InstructionBuilder(numbers, begin, M, prices)
            for form in first:
                chain.sum(form)
            made = {i: chain.wanted(wanted[i]) for i in order}
            line = _used(StraightLine(chain.instructions, [made[i] for i in range(len(wanted))]))
            if best is None or line.cost < best.cost:
                best = line
    assert best is not None
    return best


def _forms(wanted: Wanted) -> tuple[AffineForm, ...]:
    """The forms that a wanted value is made of."""
    if isinstance(wanted, Extreme):
        return wanted.forms
    return (wanted.form if isinstance(wanted, AffineRemainder) else wanted,)


def _classes(forms: Sequence[AffineForm]) -> tuple[AffineForm, ...]:
    """Common subexpressions: sums of cells with equal factors in each of several forms."""
    cells: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for number, form in enumerate(forms):
        for cell, factor in form.terms:
            cells[cell][number] = factor
    classes: defaultdict[tuple[tuple[int, int], ...], list[int]] = defaultdict(list)
    for cell, factors in cells.items():
        if len(factors) > 1:
            classes[tuple(sorted(factors.items()))].append(cell)
    return tuple(
        AffineForm(0, tuple((cell, 1) for cell in sorted(found)))
        for found in classes.values()
        if len(found) > 1
    )


def _used(line: StraightLine) -> StraightLine:
    """Without dead instructions."""
    needed, kept = set(line.numbers), []
    for number, way in reversed(line.instructions):
        if number in needed:
            needed.update(way.operands)
            kept.append((number, way))
    return StraightLine(kept[::-1], line.numbers)

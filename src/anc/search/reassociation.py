"""Reassociation: the affine form of each value of a run, and straight lines that compute it in another order.

Provenance is tracked case by case. Where an instruction selects one of its operands (MIN, MAX), the value has the
form of that operand; so a form says how a value was computed in this case, not in others. Values that are not affine
are derived as usual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import gcd

import numpy as np

from anc import isa
from anc.compiler.abstract_state import SUMS
from anc.compiler.affine import AffineForm, combined
from anc.isa import Effect
from anc.machine.encoded import encode
from anc.search.affine import (
    AffineRemainder,
    Extreme,
    StraightLine,
    Wanted,
    column_of,
    folded,
    together,
)
from anc.search.cost import PLAIN, Prices, product_of
from anc.search.observed_values import Hints
from anc.search.straight_line_synthesis import Derivations
from anc.support.clock import look

MOST_TERMS = 48  # of a form
MOST_FORMS = 50_000
LIKELY = 4  # forms of the same value that are tried
UNKNOWN = 0
_CODE = 1 << 20
MOST_KINDS = 100  # forms of one wanted value in different cases
SIDES = 8  # forms of which a value is the minimum or maximum
Pairs = Sequence[tuple[np.ndarray, np.ndarray]]  # columns of addresses and of values


class Origins:
    """The forms of all values that runs computed, and of the final tapes."""

    def __init__(self, hints: Hints) -> None:
        self.hints, self.M = hints, hints.cases.M
        self.forms: list[AffineForm | None] = [None]
        self._numbers: dict[AffineForm, int] = {}
        self._sums: dict[int, int] = {}
        self._follow()

    def _number(self, form: AffineForm) -> int:
        number = self._numbers.get(form)
        if number is None:
            if len(form.terms) > MOST_TERMS or len(self.forms) > MOST_FORMS + 2 * self.M:
                return UNKNOWN
            number = self._numbers[form] = len(self.forms)
            self.forms.append(form)
        return number

    def _follow(self) -> None:
        traces, program, M = self.hints.traces, self.hints.program, self.M
        T, C = traces.lines.shape
        constants = np.array([self._number(AffineForm(value)) for value in range(M)])
        cells = np.array([self._number(AffineForm(0, ((cell, 1),))) for cell in range(M)])
        instructions = program.instructions
        affine = {
            op: SUMS[row.output]
            for op, row in enumerate(instructions)
            if row.effect is Effect.NONE and row.output in SUMS
        }
        product = instructions.code.get(product_of(instructions) or "", -1)
        encoded = encode(program)
        ops, first, second, out = encoded.lines.astype(np.int64).T
        held = np.tile(constants[encoded.values], (C, 1))
        held[:, program.R] = 0  # an operand that is not used
        self.tape = np.repeat(cells[None], C, axis=0)
        self.written = np.full((C, M), UNKNOWN)  # the forms of the addresses
        self.results = np.zeros((T, C), np.int64)
        for t in range(T):
            look()
            running = np.flatnonzero(traces.lines[t] >= 0)
            line = traces.lines[t, running]
            op = ops[line]
            a, b, value = (part[t, running] for part in traces.values)
            of_a, of_b = held[running, first[line]], held[running, second[line]]
            result = np.where(value == a, of_a, np.where(value == b, of_b, UNKNOWN))
            effects = np.isin(op, (instructions.STOP, instructions.WRITE, instructions.JUMP))
            result[effects] = constants[value[effects]]
            reads, writes = op == instructions.READ, op == instructions.WRITE
            result[reads] = self.tape[running[reads], a[reads]]
            self.tape[running[writes], a[writes]] = of_b[writes]
            self.written[running[writes], a[writes]] = of_a[writes]
            for k, sides in affine.items():
                mine = op == k
                if mine.any():
                    result[mine] = self._computed(k, of_a[mine], of_b[mine], sides)
            mine = op == product
            if mine.any():
                result[mine] = self._computed(product, of_a[mine], of_b[mine], None)
            self.results[t, running] = held[running, out[line]] = result

    def _computed(
        self, op: int, first: np.ndarray, second: np.ndarray, sides: tuple[int, int, int] | None
    ) -> np.ndarray:
        """The forms of sums and differences, or of products, each distinct one computed once."""
        codes, places = np.unique((op * _CODE + first) * _CODE + second, return_inverse=True)
        found = np.empty(len(codes), np.int64)
        for i, code in enumerate(codes.tolist()):
            number = self._sums.get(code)
            if number is None:
                pair = code // _CODE % _CODE, code % _CODE
                number = self._product(*pair) if sides is None else self._sum(*pair, sides)
                self._sums[code] = number
            found[i] = number
        return found[places.ravel()]

    def _product(self, first: int, second: int) -> int:
        """The form of a product with a number."""
        forms = self.forms[first], self.forms[second]
        for one, other in (forms, forms[::-1]):
            if one is not None and other is not None and not other.terms:
                return self._number(combined(AffineForm(), one, other.constant, self.M))
        return UNKNOWN

    def _sum(self, first: int, second: int, sides: tuple[int, int, int]) -> int:
        total = AffineForm(sides[2] % self.M)
        for number, factor in ((first, sides[0]), (second, sides[1])):
            form = self.forms[number]
            if factor and form is None:
                return UNKNOWN
            if factor and form is not None:
                total = combined(total, form, factor, self.M)
        return self._number(total)

    # -- for some cases -------------------------------------------------------

    def shared(self, rows: np.ndarray) -> list[AffineForm]:
        """The forms of the values with one form in all these cases."""
        numbers: dict[int, None] = {}
        for visits in self.hints.visits(rows):
            found = self.results[visits.at, rows]
            same = found[(found == found[:, :1]).all(axis=1), 0]
            numbers.update(dict.fromkeys(same.tolist()))
        forms = (self.forms[number] for number in numbers)
        return [form for form in forms if form is not None and form.terms]

    def distinct(self, numbers: np.ndarray, inputs: np.ndarray) -> list[AffineForm]:
        """The forms with these numbers on these tapes, most frequent first; none if one is unknown."""
        counts: Counter[AffineForm] = Counter()
        for number, count in Counter(numbers.tolist()).items():
            form = self.forms[number]
            if form is None:
                return []
            counts[folded(form, inputs)] += count
        return [form for form, _ in counts.most_common()]

    def likely(self, numbers: np.ndarray, inputs: np.ndarray) -> list[AffineForm]:
        """The forms with these numbers, without constants, most frequent first."""
        counts: Counter[tuple[tuple[int, int], ...]] = Counter()
        for number, count in Counter(numbers.tolist()).items():
            form = self.forms[number]
            if form is not None and (terms := folded(form, inputs).terms):
                counts[terms] += count
        return [AffineForm(0, terms) for terms, _ in counts.most_common(LIKELY)]


class Regrouping:
    """The forms of the values of a program's runs, and straight lines that use them."""

    def __init__(self, hints: Hints, prices: Prices = PLAIN) -> None:
        self.hints, self.M, self.prices = hints, hints.cases.M, prices
        self.origins = Origins(hints)
        instructions = hints.program.instructions
        self.smaller, self.larger = (
            None if op is None else instructions.names[op]
            for op in map(instructions.with_meaning, (isa.smaller, isa.larger))
        )

    def forms(self, rows: np.ndarray, wanted: Pairs) -> list[Wanted | None]:
        """The form of each address and value that is written, if it has one."""
        found: list[Wanted | None] = []
        for address, value in wanted:
            places = rows, address[rows]
            found.append(self.form(rows, address[rows], self.origins.written[places]))
            found.append(self.form(rows, value[rows], self.origins.tape[places]))
        return found

    def form(self, rows: np.ndarray, goal: np.ndarray, numbers: np.ndarray) -> Wanted | None:
        """The form of a column: a sum, the minimum or maximum of some, or a remainder."""
        if (goal == goal[0]).all():
            return None
        inputs = self.hints.inputs[rows]
        sums = list(self.origins.likely(numbers, inputs))
        for form in sums:
            missing = (goal - column_of(form, inputs)) % self.M
            if (missing == missing[0]).all():
                return form._replace(constant=(form.constant + int(missing[0])) % self.M)
        return self.extreme(numbers, goal, inputs) or self.remainder(sums, goal, inputs)

    def extreme(self, numbers: np.ndarray, goal: np.ndarray, inputs: np.ndarray) -> Extreme | None:
        """The few forms of a column in different cases, if it is always their minimum or maximum."""
        forms = self.origins.distinct(numbers, inputs)
        if not 1 < len(forms) <= SIDES:
            return None
        columns = {form: column_of(form, inputs) for form in forms}
        for op, taken in ((self.smaller, np.minimum), (self.larger, np.maximum)):
            if op is not None and (taken.reduce(list(columns.values())) == goal).all():
                for form in reversed(forms):
                    rest = [column for other, column in columns.items() if other != form]
                    if (taken.reduce(rest) == goal).all():
                        del columns[form]
                return Extreme(op, tuple(columns))
        return None

    def remainder(
        self, sums: Sequence[AffineForm], goal: np.ndarray, inputs: np.ndarray
    ) -> AffineRemainder | None:
        """A sum plus a constant whose remainder by some modulus is the column."""
        if self.smaller is None:
            return None
        for form in sums:
            missing = (goal - column_of(form, inputs)) % self.M
            for top in np.unique(missing).tolist():
                less = (top - missing) % self.M
                modulus = gcd(*less.tolist())
                times = int(less.max()) // modulus
                stages = times.bit_length()
                fits = goal.max() < modulus and (goal + less).max() < self.M
                if modulus > 1 and fits and modulus << stages <= self.M:
                    # Other cases may need slightly larger or smaller quotients.
                    spare = ((1 << stages) - 1 - times) // 2
                    constant = (form.constant + top + spare * modulus) % self.M
                    shifted = form._replace(constant=constant)
                    return AffineRemainder(shifted, modulus, stages, self.smaller)
        return None

    def kinds(self, rows: np.ndarray, wanted: Pairs) -> np.ndarray:
        """A class for each case: cases of one class need the same forms."""
        labels = [np.zeros(len(rows), np.int64)]
        inputs = self.hints.inputs[rows]
        for address, value in wanted:
            numbers = np.unique(self.origins.tape[rows, address[rows]]).tolist()
            forms = [form for number in numbers if (form := self.origins.forms[number]) is not None]
            if len(forms) > MOST_KINDS:
                return np.arange(len(rows))
            right = np.array([column_of(f, inputs) == value[rows] for f in forms], np.bool_)
            labels.append(_covered(right.reshape(-1, len(rows))))
        _, kinds = np.unique(labels, axis=1, return_inverse=True)
        return kinds.ravel()

    def line(
        self,
        rows: np.ndarray,
        found: Derivations,
        goals: Sequence[np.ndarray],
        forms: Sequence[Wanted | None],
    ) -> StraightLine | None:
        """The cheapest line that computes all goals on these cases: as derived, or reassociated."""
        derived = _derived(found, goals)
        wanted = [form for form in forms if form is not None]
        if not wanted:
            return derived
        others = _derived(found, [g for g, form in zip(goals, forms, strict=True) if form is None])
        least = self.prices.least
        if others is None or (derived is not None and derived.cost <= others.cost + least):
            return derived
        there = [*range(found.free), *(number for number, _ in others.instructions)]
        numbers = self.numbers(rows, found, there)
        made = together(wanted, numbers, len(found.columns), self.M, self.prices)
        sources = iter(others.numbers), iter(made.numbers)
        line = StraightLine(
            others.instructions + made.instructions,
            [next(sources[form is not None]) for form in forms],
        )
        return line if derived is None or line.cost < derived.cost else derived

    def numbers(
        self, rows: np.ndarray, found: Derivations, there: Sequence[int]
    ) -> dict[AffineForm, int]:
        """The forms of available columns, with the numbers of the columns."""
        inputs = self.hints.inputs[rows]
        cells = np.flatnonzero((inputs != inputs[0]).any(axis=0)).tolist()
        forms = [AffineForm(0, ((cell, 1),)) for cell in cells]
        forms += [folded(form, inputs) for form in self.origins.shared(rows)]
        columns = {
            column_of(form, inputs).tobytes(): form for form in reversed(forms) if form.terms
        }
        return {
            columns[key]: number
            for number in reversed(there)
            if (key := found.columns[number].tobytes()) in columns
        }


def _covered(right: np.ndarray) -> np.ndarray:
    """For each case one of few forms that are right for it (a greedy set cover); else a number of its own."""
    labels = -1 - np.arange(right.shape[1])
    while (open_ones := right & (labels < 0)).any():
        most = int(np.argmax(open_ones.sum(axis=1)))
        labels[open_ones[most]] = most
    return labels


def _derived(found: Derivations, goals: Sequence[np.ndarray]) -> StraightLine | None:
    """The derivation of all goals, if there is one."""
    places = [found.place(goal) for goal in goals]
    numbers = [place for place in places if place is not None]
    if len(numbers) < len(places):
        return None
    instructions = found.instructions([number for number in numbers if number >= 0])
    return None if instructions is None else StraightLine(instructions, numbers)

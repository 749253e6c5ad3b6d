"""Origins: which sum of the tape's first numbers each value of a run is, followed case by case.

Where an instruction only takes one of its operands (MIN, MAX), the value comes from where that one
comes from; so a value's origin says how it was made in this case, not what it would be in another.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from anc.compiler.affine import SUMS
from anc.isa import Effect
from anc.machine.encoded import encode
from anc.search.observed_values import Hints
from anc.support.clock import look

MOST_TERMS = 48  # of a form
MOST_FORMS = 50_000
LIKELY = 4  # ways of making the same value that are tried
UNKNOWN = 0
_CODE = 1 << 20


class Form(NamedTuple):
    """sum of factor * cell, plus a constant, modulo M; factors from -M/2 to M/2 and never 0."""

    terms: tuple[tuple[int, int], ...]  # cells in order, with their factors
    constant: int = 0

    @property
    def cells(self) -> dict[int, int]:
        return dict(self.terms)

    def column(self, inputs: np.ndarray) -> np.ndarray:
        """Its value on each tape."""
        total = np.full(len(inputs), self.constant, np.int64)
        for cell, factor in self.terms:
            total += factor * inputs[:, cell]
        return total % inputs.shape[1]


def combined(first: Form, second: Form, factor: int, M: int) -> Form:
    """first + factor * second."""
    cells = first.cells
    for cell, times in second.terms:
        cells[cell] = centred(cells.get(cell, 0) + factor * times, M)
    terms = tuple(sorted((cell, times) for cell, times in cells.items() if times))
    return Form(terms, (first.constant + factor * second.constant) % M)


def folded(form: Form, inputs: np.ndarray) -> Form:
    """The same on these tapes, with cells that are always the same as part of the constant."""
    terms, constant = [], form.constant
    for cell, factor in form.terms:
        if (inputs[:, cell] == inputs[0, cell]).all():
            constant += factor * int(inputs[0, cell])
        else:
            terms.append((cell, factor))
    return Form(tuple(terms), constant % inputs.shape[1])


def centred(number: int, M: int) -> int:
    """The number of smallest size that is the same modulo M."""
    return (number + (M - 1) // 2) % M - (M - 1) // 2


class Origins:
    """The forms of all values that runs computed, and of what the tapes hold in the end."""

    def __init__(self, hints: Hints) -> None:
        self.hints, self.M = hints, hints.cases.M
        self.forms: list[Form | None] = [None]
        self._numbers: dict[Form, int] = {}
        self._sums: dict[int, int] = {}
        self._follow()

    def _number(self, form: Form) -> int:
        number = self._numbers.get(form)
        if number is None:
            if len(form.terms) > MOST_TERMS or len(self.forms) > MOST_FORMS:
                return UNKNOWN
            number = self._numbers[form] = len(self.forms)
            self.forms.append(form)
        return number

    def _follow(self) -> None:
        traces, program, M = self.hints.traces, self.hints.program, self.M
        T, C = traces.lines.shape
        constants = np.array([self._number(Form((), value)) for value in range(M)])
        cells = np.array([self._number(Form(((cell, 1),))) for cell in range(M)])
        instructions = program.instructions
        affine = {
            op: SUMS[row.output]
            for op, row in enumerate(instructions)
            if row.effect is Effect.NONE and row.output in SUMS
        }
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
            self.results[t, running] = held[running, out[line]] = result

    def _computed(
        self, op: int, first: np.ndarray, second: np.ndarray, sides: tuple[int, int, int]
    ) -> np.ndarray:
        """The forms of sums and differences, each distinct one worked out once."""
        codes, places = np.unique((op * _CODE + first) * _CODE + second, return_inverse=True)
        found = np.empty(len(codes), np.int64)
        for i, code in enumerate(codes.tolist()):
            number = self._sums.get(code)
            if number is None:
                number = self._sums[code] = self._sum(code // _CODE % _CODE, code % _CODE, sides)
            found[i] = number
        return found[places.ravel()]

    def _sum(self, first: int, second: int, sides: tuple[int, int, int]) -> int:
        total = Form((), sides[2] % self.M)
        for number, factor in ((first, sides[0]), (second, sides[1])):
            form = self.forms[number]
            if factor and form is None:
                return UNKNOWN
            if factor and form is not None:
                total = combined(total, form, factor, self.M)
        return self._number(total)

    # -- for some cases -------------------------------------------------------

    def shared(self, rows: np.ndarray) -> list[Form]:
        """The forms of the values that all these cases compute in the same way."""
        numbers: dict[int, None] = {}
        for visits in self.hints.visits(rows):
            found = self.results[visits.at, rows]
            same = found[(found == found[:, :1]).all(axis=1), 0]
            numbers.update(dict.fromkeys(same.tolist()))
        forms = (self.forms[number] for number in numbers)
        return [form for form in forms if form is not None and form.terms]

    def distinct(self, numbers: np.ndarray, inputs: np.ndarray) -> list[Form]:
        """The forms with these numbers on these tapes, the most frequent first; none if one is unknown."""
        counts: Counter[Form] = Counter()
        for number, count in Counter(numbers.tolist()).items():
            form = self.forms[number]
            if form is None:
                return []
            counts[folded(form, inputs)] += count
        return [form for form, _ in counts.most_common()]

    def likely(self, numbers: np.ndarray, inputs: np.ndarray) -> list[Form]:
        """The sums with these numbers, as far as their factors differ, the most frequent first."""
        counts: Counter[tuple[tuple[int, int], ...]] = Counter()
        for number, count in Counter(numbers.tolist()).items():
            form = self.forms[number]
            if form is not None and (terms := folded(form, inputs).terms):
                counts[terms] += count
        return [Form(terms) for terms, _ in counts.most_common(LIKELY)]

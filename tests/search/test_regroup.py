"""Straight lines of which the affine part is put together anew, from programs that add up in loops."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from search.planning import compiled, first_cell_of

from anc.compiler.affine import AffineForm
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.affine import AffineRemainder, column_of
from anc.search.cost import score
from anc.search.decision_tree import planned
from anc.search.observed_values import Hints, addressed
from anc.search.reassociation import Origins, Regrouping

M = 64
NUMBERS = """
var p = 1; var total = 0; var number; var digit; var twice
l_next: digit = READ(p)
JEZ(digit, l_end)
p = INC(p)
number = ADD(digit, digit)
twice = ADD(number, number)
number = ADD(twice, number)
digit = READ(p)
p = INC(p)
number = ADD(number, digit)
total = ADD(total, number)
JEZ(0, l_next)
l_end: WRITE(0, total)
STOP()
"""  # the sum of numbers of two digits each, 6 * first + second
CHECK_DIGIT = """
var p = 1; var total = 0; var value; var test
l_next: value = READ(p)
JEZ(value, l_end)
p = INC(p)
total = ADD(total, value)
test = MIN(total, 4)
test = SUB(total, test)
JEZ(test, l_next)
total = SUB(total, 5)
JEZ(0, l_next)
l_end: JEZ(total, l_write)
total = SUB(5, total)
l_write: WRITE(0, total)
STOP()
"""  # what lacks to a multiple of 5, of numbers below 5
NEXT = """
var p = 2; var wait = 63; var now; var time; var test
now = READ(1)
l_next: time = READ(p)
JEZ(time, l_end)
p = INC(p)
test = MAX(time, now)
test = SUB(test, time)
JEZ(test, l_later)
JEZ(0, l_next)
l_later: test = SUB(time, now)
wait = MIN(wait, test)
JEZ(0, l_next)
l_end: WRITE(0, wait)
STOP()
"""  # how long it is until the first of some times that is not over
MODES = """
var p = 2; var number; var mode; var argument
number = READ(0)
l_next: mode = READ(p)
JEZ(mode, l_end)
p = INC(p)
argument = READ(p)
p = INC(p)
mode = DEC(mode)
JEZ(mode, l_add)
mode = DEC(mode)
JEZ(mode, l_subtract)
JEZ(0, l_next)
l_add: number = ADD(number, argument)
JEZ(0, l_next)
l_subtract: number = SUB(number, argument)
JEZ(0, l_next)
l_end: WRITE(0, number)
STOP()
"""  # mode 1 adds an argument, mode 2 subtracts it, mode 3 does nothing
TABLE = """
var entry = 20; var key; var wanted; var test
wanted = READ(1)
l_next: key = READ(entry)
JEZ(key, l_none)
test = SUB(key, wanted)
JEZ(test, l_found)
entry = ADD(entry, 3)
JEZ(0, l_next)
l_found: entry = INC(entry)
test = READ(entry)
WRITE(0, test)
l_none: STOP()
"""  # entries of three cells: a key, what it stands for, and something else


def cases_of(program: Program, tapes: list[list[int]]) -> Cases:
    return first_cell_of(program, tapes, M)


def numbers(n: int, lengths: list[int], below: int) -> list[list[int]]:
    random = Random(n)
    chosen = (random.choice(lengths) for _ in range(n))
    return [[0, *(random.randrange(1, below) for _ in range(length))] for length in chosen]


def tables(n: int) -> list[list[int]]:
    random = Random(n)
    found = []
    for _ in range(n):
        entries = [(key, random.randrange(M), random.randrange(M)) for key in range(1, 9)]
        found.append([0, random.randint(1, 8), *[0] * 18, *(x for entry in entries for x in entry)])
    return found


def best_steps(program: Program, cases: Cases, fresh: Cases, most: int = 3) -> float:
    """The steps of the best of the first plans."""
    plans = (plan for plan in planned(program, cases) if plan is not None)
    scored = [score(plan, fresh, 999) for _, plan in zip(range(most), plans, strict=False)]
    return min(s.steps for s in scored if s.right)


def test_sums_are_put_together_anew() -> None:
    program = compiled(NUMBERS, M)
    cases, fresh = (cases_of(program, numbers(n, [6], 6)) for n in (60, 200))
    # six READs, two sums of three, 6 * tens + units in four, WRITE and STOP
    assert best_steps(program, cases, fresh) == 6 + 4 + 4 + 2


def test_texts_of_several_lengths_are_parted_first() -> None:
    program = compiled(NUMBERS, M)
    cases, fresh = (cases_of(program, numbers(n, [2, 4, 6], 6)) for n in (90, 200))
    lengths = (fresh.inputs != 0).sum(axis=1) - (fresh.inputs[:, 0] != 0)
    # the READs that look for the end are those of the next number's first digit
    expected = {2: 2 + 1 + 0 + 4 + 2 + 1, 4: 4 + 1 + 2 + 4 + 2 + 2, 6: 6 + 0 + 4 + 4 + 2 + 2}
    mean = float(np.mean([expected[int(n)] for n in lengths]))
    assert best_steps(program, cases, fresh, most=9) <= mean


def test_a_remainder_is_taken_in_the_end() -> None:
    program = compiled(CHECK_DIGIT, M)
    cases, fresh = (cases_of(program, numbers(n, [6], 5)) for n in (120, 300))
    # six READs, the sum, what lacks to 25, twice SUB and MIN, WRITE and STOP
    assert best_steps(program, cases, fresh, most=1) == 6 + 5 + 1 + 4 + 2


def test_a_remainder_is_recognised_by_what_is_missing() -> None:
    program = compiled(CHECK_DIGIT, M)
    cases = cases_of(program, numbers(120, [6], 5))
    hints = Hints.of(program, cases, 999)
    assert hints is not None
    wanted = np.zeros(cases.C, np.int64), cases.outputs[:, 0].astype(np.int64)
    address, value = Regrouping(hints).forms(np.arange(cases.C), [wanted])
    assert address is None
    assert isinstance(value, AffineRemainder)
    assert value.modulus == 5
    assert value.form.terms == tuple((cell, M - 1) for cell in range(1, 7))
    assert value.form.constant % 5 == 0


def test_what_is_one_of_few_sums_may_be_the_smallest_of_them() -> None:
    program = compiled(NEXT, M)

    def tapes(n: int) -> list[list[int]]:
        random = Random(n)
        times = (sorted(random.sample(range(1, 60), 4)) for _ in range(n))
        # only the first time may be over
        return [[0, random.randint(1, t[1]), *t] for t in times]

    cases, fresh = (cases_of(program, tapes(n)) for n in (80, 300))
    # three READs, what is missing to two times, the smaller one, WRITE and STOP
    assert best_steps(program, cases, fresh, most=1) == 3 + 2 + 1 + 2


def test_cases_are_told_apart_by_the_sums_that_they_need() -> None:
    program = compiled(MODES, M)

    def tapes(n: int) -> list[list[int]]:
        random = Random(n)
        found = []
        for _ in range(n):
            modes = [random.randint(1, 3) for _ in range(2)]
            pairs = [(mode, 0 if mode == 3 else random.randrange(M)) for mode in modes]
            found.append([random.randrange(M), 0, *(x for pair in pairs for x in pair)])
        return found

    cases, fresh = (cases_of(program, tapes(n)) for n in (80, 300))
    # where the argument of mode 3 is 0, only mode 2 is a case of its own:
    # twice READ, SUB and JEZ, three READs, two sums, WRITE and STOP
    assert best_steps(program, cases, fresh) <= 6 + 3 + 2 + 2


def test_as_few_forms_as_can_be_are_taken_for_all_cases() -> None:
    program = compiled(MODES, M)
    cases = cases_of(
        program, [[n, 0, mode, n * (mode < 3)] for n in range(9) for mode in (1, 2, 3)]
    )
    hints = Hints.of(program, cases, 999)
    assert hints is not None
    wanted = np.zeros(cases.C, np.int64), cases.outputs[:, 0].astype(np.int64)
    kinds = Regrouping(hints).kinds(np.arange(cases.C), [wanted])
    modes = cases.inputs[:, 2]
    assert len(set(kinds.tolist())) == 2
    assert len(set(kinds[(modes == 2) & (cases.inputs[:, 0] > 0)].tolist())) == 1


def test_an_entry_of_a_table_is_read_where_it_is() -> None:
    program = compiled(TABLE, M)
    cases, fresh = (cases_of(program, tables(n)) for n in (60, 200))
    # READ, three times that in two, 18 more, READ, WRITE, STOP
    assert best_steps(program, cases, fresh, most=1) == 1 + 2 + 1 + 1 + 2


def test_addresses_come_with_the_way_to_them() -> None:
    program = compiled(TABLE, M)
    cases = cases_of(program, tables(60))
    hints = Hints.of(program, cases, 999)
    assert hints is not None
    rows = np.arange(cases.C)
    key = hints.inputs[:, 1]
    found = addressed(hints, rows, key[None])
    assert any((column == (3 * key + 18) % M).all() for column in found)
    assert not addressed(hints, rows, hints.inputs[:, 60:61].T)


@pytest.mark.parametrize("lengths", [[6], [2, 4, 6]])
def test_origins_are_what_runs_computed(lengths: list[int]) -> None:
    program = compiled(NUMBERS, M)
    cases = cases_of(program, numbers(40, lengths, 6))
    hints = Hints.of(program, cases, 999)
    assert hints is not None
    origins = Origins(hints)
    for t, values in enumerate(hints.traces.values[2]):
        for case, value in enumerate(values.tolist()):
            form = origins.forms[origins.results[t, case]]
            if hints.traces.lines[t, case] >= 0:
                assert form is not None
                assert column_of(form, hints.inputs[case : case + 1])[0] == value
    shared = origins.shared(np.arange(cases.C))
    assert AffineForm(0, ((1, 6), (2, 1))) in shared
    assert (
        AffineForm(0, tuple((cell, 6 if cell % 2 else 1) for cell in range(1, 7))) in shared
    ) == (lengths == [6])

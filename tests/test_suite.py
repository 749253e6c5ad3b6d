"""The suite of programs: oracle, generic program and reference agree on every entry."""

from __future__ import annotations

import doctest
from random import Random

import pytest
import suite.entry
from suite import Entry, entries
from suite.__main__ import README
from suite.table import evaluated

from anc.compiler import compile_source
from anc.machine import exact
from anc.machine.tapes import fill

ALL = entries()


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_both_programs_do_what_the_oracle_says_and_the_reference_takes_fewer_steps(
    entry: Entry,
) -> None:
    cases = entry.cases(200, seed=1)
    found = evaluated(entry, cases)
    wrong = [cases[bad].input for bad in found.first_bad if bad >= 0]
    assert found.right.all(), f"the first wrong case of each program that is not right: {wrong}"
    assert found.cost[1] < found.cost[0]


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_the_program_is_as_a_person_writes_it(entry: Entry) -> None:
    compiled = compile_source(entry.source)
    assert entry.source.text.startswith("# ")
    assert compiled.warnings == ()
    assert 10 <= entry.program.L <= 50
    assert 12 <= entry.M <= 256
    assert entry.reference.memory == entry.M
    assert compiled.examples
    for example in compiled.examples:
        run = exact.run(entry.program, fill(example.input, entry.M), 20_000)
        assert run.stop is exact.Stop.STOPPED
        assert run.tape == fill(example.output, entry.M)


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_inputs_are_mostly_different_and_something_changes(entry: Entry) -> None:
    cases = entry.cases(200, seed=2)
    assert len({case.input for case in cases}) >= 120
    assert any(not case.is_right(case.input) for case in cases)
    tape = entry.draw(Random(3))
    assert set(entry.counts(tape)) <= set(entry.oracle(tape))


def test_the_examples_of_the_interface_hold() -> None:
    found = doctest.testmod(suite.entry)
    assert found.attempted and not found.failed


def test_a_problem_has_four_different_sets_of_cases() -> None:
    problem = ALL[0].problem(seed=1, pool=20, test=20)
    again = ALL[0].problem(seed=1, pool=20, test=20)
    other = ALL[0].problem(seed=2, pool=20, test=20)
    first = [s[0] for s in (problem.pool, problem.validation, problem.confirmation, problem.test)]
    assert len(set(first)) == 4
    assert again.pool == problem.pool != other.pool


def test_the_suite_is_large_and_a_third_of_it_is_held_out() -> None:
    names = [entry.name for entry in ALL]
    assert len(set(names)) == len(names) >= 30
    assert len(entries(held_out=True)) * 3 == len(ALL)
    large = [entry for entry in ALL if entry.M == 256 and entry.program.L >= 30]
    assert len(large) >= 10
    assert len({entry.kind for entry in ALL}) >= 9


def test_the_readme_has_a_row_for_every_entry() -> None:
    rows = README.read_text(encoding="utf-8").split("| name |")[1].splitlines()[2:]
    assert sorted(row.split(" | ")[0] for row in rows) == sorted(f"| {e.name}" for e in ALL)

"""Checks: lines without jumps that leave 0 exactly where a fact holds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from proof.checking import left_by
from proof.random_facts import random_fact

from anc.compiler import compile_source
from anc.isa import PAPER, InstructionSet
from anc.language import Source
from anc.machine.exact import run
from anc.proof import Fact, parse_fact
from anc.proof.guards import guard
from anc.proof.guards.arithmetic import CannotCheck
from anc.proof.guards.facts_to_lines import Check


def agrees(fact: Fact, M: int, tapes: Sequence[Sequence[int]]) -> bool:
    check = Check(M)
    error = check.add([fact])
    return all((left_by(check, error, tape) == 0) is fact.holds(tape) for tape in tapes)


def test_random_facts_on_all_tapes() -> None:
    random = Random(4)
    checked = 0
    for _ in range(700):
        M = random.choice([1, 2, 3, 3, 4])
        fact = parse_fact(random_fact(random, M), M)
        tapes = list(itertools.product(range(M), repeat=M))
        try:
            assert agrees(fact, M, random.sample(tapes, min(40, len(tapes)))), (fact.text, M)
            checked += 1
        except CannotCheck as reason:
            assert "wrap around" in str(reason) or "more than" in str(reason)
    assert checked > 600


@pytest.mark.parametrize("M", [2, 3, 5, 8])
@pytest.mark.parametrize(
    "text",
    [
        "tape[0] + tape[1] == {}",
        "tape[0] + tape[1] <= {}",
        "tape[0] - tape[1] > {}",
        "2 * tape[0] + 1 < tape[1] + {}",
        "3 * tape[0] - 2 * tape[1] != {}",
        "2 * tape[0] == {}",
        "tape[0] % tape[1] == {}",
        "tape[0] % tape[1] != {}",
        "(tape[0] + 1) % 3 == {}",
        "(tape[0] + 2 * tape[1]) % 2 == {}",
        "(2 * tape[0] - tape[1]) % 3 != {}",
        "-tape[0] % -3 == -{}",
        "tape[0] in (0, {}, 2, 3, 6, 9)",
        "tape[0] + tape[1] in ({}, 3, 4, 5)",
    ],
)
def test_two_cells_on_all_tapes(text: str, M: int) -> None:
    """No carry is lost whatever the numbers: all values of two cells."""
    tapes = [(a, b, *[0] * (M - 2)) for a in range(M) for b in range(M)]
    for number in range(2 * M):
        fact = parse_fact(text.format(number), M)
        assert agrees(fact, M, tapes), (fact.text, M)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("tape[1] == 3", 2),
        ("tape[1] <= tape[2]", 4),
        ("tape[1] + tape[2] == tape[3]", 8),
        ("tape[1] + tape[2] <= tape[3]", 9),
        ("tape[1] % 3 == 2", 16),
        ("tape[1] % tape[2] == 0", 49),
        ("tape[1] in (1, 2, 3, 7)", 6),
        ("sorted(tape[1:5])", 12),
        ("different(tape[1:5])", 17),
        ("tape[tape[1] + 1] == 5", 4),
    ],
)
def test_how_many_lines_a_check_takes(text: str, lines: int) -> None:
    check = Check(256)
    check.add([parse_fact(text, 256)])
    assert len(check.graph.nodes) == lines


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(tape[0] + tape[1]) % tape[2] == 0", "sums wrap around"),
        ("2 % (2 + tape[0] - tape[1]) != -1", "sums wrap around"),
        ("20 * tape[0] <= tape[1]", "adds more than 8 cells"),
        ("(tape[0] + 7 * tape[1] + tape[2]) % 33 == 1", "has too many values"),
    ],
)
def test_what_has_no_check(text: str, reason: str) -> None:
    with pytest.raises(CannotCheck, match=reason):
        Check(40).add([parse_fact(text, 40)])


def test_a_check_takes_the_instructions_of_its_machine() -> None:
    renamed = [replace(row, name="LEAST") if row.name == "MIN" else row for row in PAPER]
    check = Check(40, InstructionSet(tuple(renamed)))
    check.add([parse_fact("tape[0] == 3 or tape[1] == 5", 40)])
    assert "LEAST" in {node.op for node in check.graph.nodes.values()}
    few = InstructionSet(tuple(row for row in PAPER if row.name != "MAX"))
    with pytest.raises(CannotCheck, match="no instruction that means 'larger'"):
        Check(40, few).add([parse_fact("tape[0] <= tape[1]", 40)])


def test_guarded_programs_check_facts_of_all_kinds() -> None:
    """On the exact machine: one program leaves 1 in the last cell, the other 2."""
    random, M = Random(8), 120
    generic, adapted = (
        compile_source(Source(f"WRITE({M - 1}, {mark}); STOP()"), memory=M).program
        for mark in (2, 1)
    )
    built = 0
    for _ in range(150):
        small = 6  # facts about few cells, so that both answers are met
        fact = parse_fact(random_fact(random, small), M)
        guarded = guard(generic, adapted, [fact], M)
        if guarded.program is None:
            assert guarded.reason
            continue
        built += 1
        for _ in range(8):
            values = [random.choice([0, 1, 2, 3, small, M // 2, M - 1]) for _ in range(M)]
            found = run(guarded.program, values, 300)
            assert found.tape[-1] == (1 if fact.holds(values) else 2), fact.text
            assert found.tape[:-1] == tuple(values[:-1])
    assert built > 110

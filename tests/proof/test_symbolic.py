"""The meaning of instructions and programs on terms, compared with the exact machine."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
import z3
from proof.everything import Everything
from proof.random_facts import random_fact
from proof.random_programs import branching_program, random_program

from anc import isa
from anc.compiler import compile_source
from anc.language import Source
from anc.machine import exact
from anc.machine.columns import output_column
from anc.machine.encoded import outputs_of
from anc.program import Line, Program
from anc.proof import Claim, parse_fact, prove
from anc.proof import state_merging as joining_module
from anc.proof.claim import Inquiry
from anc.proof.operations import OPERATIONS
from anc.proof.path_state import Path
from anc.proof.sampler import Tapes
from anc.proof.semantics import FORMULAS, Words, output
from anc.proof.smt_queries import first_witnesses
from anc.proof.space import Space
from anc.proof.symbolic_execution import Worklist, by_paths
from anc.proof.symbolic_step import Machine, SymbolicState
from anc.proof.terms import Form
from anc.proof.value_sets import Domains
from anc.proof.verdict import Undecided
from anc.support.clock import Clock


def taken(row: isa.Instruction, *operands):
    """The operands, with 0 for those that the instruction does not take."""
    return (value if i < row.operands else 0 for i, value in enumerate(operands))


@pytest.mark.parametrize("M", range(1, 9))
def test_every_formula_against_the_table(M: int) -> None:
    """The formula of each meaning, and the look-up that every meaning has without one."""
    rows = [row for row in isa.WIDE.rows if row.effect is isa.Effect.NONE]
    assert {row.output for row in rows} == {*FORMULAS, *OPERATIONS}
    every = Everything(M)
    for row in rows:
        table = outputs_of(row, M)
        wanted = [int(table[tuple(taken(row, *pair))]) for pair in every.pairs]
        found = output(row, every.space, *taken(row, every.a, every.b))
        assert every.values(found) == wanted
        for x in range(M):
            wanted = [int(table[tuple(taken(row, x, b))]) for _, b in every.pairs]
            assert every.values(output(row, every.space, *taken(row, x, every.b))) == wanted
            wanted = [int(table[tuple(taken(row, a, x))]) for a, _ in every.pairs]
            assert every.values(output(row, every.space, *taken(row, every.a, x))) == wanted


@pytest.mark.parametrize("M", range(1, 9))
def test_columns_of_numbers_and_words_against_the_table(M: int) -> None:
    """The same formulas on arrays of numbers, and on what induction asks the solver about."""
    pairs = list(itertools.product(range(M), repeat=2))
    words = Words(M)
    x, y = words.variable("x"), words.variable("y")
    for row in isa.WIDE.rows:
        if row.effect is not isa.Effect.NONE:
            continue
        operands = np.array([list(taken(row, *pair)) for pair in pairs])
        wanted = [row.output(a, b, M) for a, b in operands.tolist()]
        for meaning in (row.output, lambda a, b, M, row=row: row.output(a, b, M)):
            found = output_column(meaning, operands[:, 0], operands[:, 1], M)
            assert np.broadcast_to(found, len(pairs)).tolist() == wanted
        formula = words.vector(output(row, words, *taken(row, x, y)))
        for (a, b), value in zip(pairs, wanted, strict=True):
            numbers = (x, words.number(a)), (y, words.number(b))
            assert z3.simplify(z3.substitute(formula, *numbers)).as_long() == value


@pytest.mark.parametrize("M", [2, 3, 4, 5, 7, 8])
def test_random_terms_mean_the_same_everywhere(M: int) -> None:
    """Evaluation, solver and domains agree on terms, and with how the terms were made."""
    random = Random(M)
    for _ in range(3):
        domains = [np.array([random.random() < 0.7 for _ in range(M)]) for _ in range(M)]
        for domain in domains:
            domain[random.sample(range(M), 2)] = True
        every = Everything(M, domains)
        for _ in range(5 if M < 7 else 2):
            x, y = every.random_value(random, 2), every.random_value(random, 2)
            xs, ys = np.array(every.values(x)), np.array(every.values(y))
            condition = every.random_condition(random, 2)
            holds = np.array(every.holds(condition))
            space = every.space
            assert every.holds(space.opposite(condition)) == (~holds).tolist()
            assert every.holds(space.zero(x)) == (xs == 0).tolist()
            assert every.holds(space.at_most(x, y)) == (xs <= ys).tolist()
            assert every.values(space.choice(condition, x, y)) == np.where(holds, xs, ys).tolist()
            assert every.values(space.larger(x, y)) == np.maximum(xs, ys).tolist()
            assert every.values(space.smaller(x, y)) == np.minimum(xs, ys).tolist()
            assert every.values(space.difference(x, y)) == ((xs - ys) % M).tolist()


def test_equal_values_are_one() -> None:
    """What needs no solver: sums in any order, the largest of several, decisions about one cell."""
    every = Everything(6)
    space, (a, b, c) = every.space, (every.space.cell(cell) for cell in range(3))
    assert space.sum(space.sum(a, b), c) is space.sum(b, space.sum(c, a))
    assert space.larger(a, space.larger(b, c)) is space.larger(c, space.larger(a, b))
    is_less = space.zero(space.difference(space.larger(a, b), b))
    assert is_less is space.at_most(a, b)
    assert is_less is space.zero(space.difference(space.smaller(a, b), a))
    assert space.choice(is_less, b, a) is space.larger(a, b)
    assert space.choice(is_less, a, b) is space.smaller(a, b)
    small = space.at_most(a, 2)
    other = space.opposite(space.zero(space.difference(space.smaller(a, 2), a)))
    assert space.choice(small, 1, 0) is space.choice(
        space.opposite(other), 1, space.choice(other, 0, 1)
    )


def test_a_look_up_is_no_larger_than_it_must_be() -> None:
    M = 6
    every = Everything(M)
    numbers = np.arange(M)
    product, square = numbers[:, None] * numbers % M, numbers[:, None] ** 2 % M + 0 * numbers
    assert every.space.mapped(product[0], every.a) == 0
    assert every.space.mapped(product[1], every.b) is every.b
    found = every.space.mapped2(square, every.a, every.b)
    assert isinstance(found, Form) and found.support == 1
    large = Space(Domains(257, [np.ones(257, np.bool_)] * 257))
    with pytest.raises(Undecided, match="too large"):
        large.looked_up(isa.PAPER["ADD"], large.cell(0), large.cell(1))


@pytest.mark.parametrize("M", [1, 2, 3, 4, 5, 7, 8])
def test_cells_are_read_and_written_at_any_address(M: int) -> None:
    every = Everything(M)
    tape = [every.a if cell % 3 == 2 else (3 * cell + 1) % M for cell in range(M)]
    machine = Machine.__new__(Machine)
    machine.space, machine.cell = every.space, tape.__getitem__
    cells = list(range(M)) if M > 1 else [0]
    machine.cells_at = lambda path, address: [address] if isinstance(address, int) else cells
    state = SymbolicState(Program((Line("STOP", None, None, 0),), (0,)), 0, [0], Path())
    tapes = [
        [a if cell % 3 == 2 else (3 * cell + 1) % M for cell in range(M)] for a, _ in every.pairs
    ]
    wanted = [tape[b] for tape, (_, b) in zip(tapes, every.pairs, strict=True)]
    assert every.values(machine.read(state, every.b)) == wanted
    machine.write(state, every.b, every.a)
    for cell in range(M):
        wanted = [
            a if cell == b else tape[cell] for tape, (a, b) in zip(tapes, every.pairs, strict=True)
        ]
        assert every.values(machine.read(state, cell)) == wanted
    assert every.values(machine.read(state, every.b)) == every.values(every.a)


def test_an_instruction_of_ones_own_is_proved_and_refuted() -> None:
    product_row = isa.Instruction("MUL", 2, lambda a, b, M: a * b % M)
    instructions = isa.InstructionSet((*isa.PAPER, product_row))

    def program(text: str):
        source = Source("var a; var b; a = READ(0); b = READ(1); " + text)
        return compile_source(source, 8, instructions).program

    product = program("a = MUL(a, b); WRITE(2, a); STOP()")
    turned = program("a = MUL(b, a); WRITE(2, a); STOP()")
    double = program("a = ADD(b, b); WRITE(2, a); STOP()")
    twice = [parse_fact("tape[0] == 2")]
    for method in ("auto", "exhaustive", "paths"):
        assert prove(Claim(product, turned, 8, [True] * 8), 20.0, method).proved
        assert prove(Claim(product, double, 8, [True] * 8, twice), 20.0, method).proved
    wrong = Claim(product, double, 8, [True] * 8)
    for found in (prove(wrong), by_paths(Inquiry(wrong, Clock(20.0)), Clock(20.0))):
        a, b = found.counterexample[:2]
        assert found.refuted and a * b % 8 != 2 * b % 8


def test_every_tape_has_one_end_and_it_is_the_exact_machines(monkeypatch) -> None:
    """Runs part and meet again; the ends together still say what the exact machine does."""
    monkeypatch.setattr(joining_module, "_FEW", 0)  # even where it is of no use
    random = Random(1)
    stops = []
    counts = [0, 0]  # ends of runs that stay apart, and that are joined
    for _ in range(120):
        M, limit = random.choice([1, 2, 3, 4, 12, 16, 20]), random.choice([6, 40])
        program = (random_program if M < 5 else branching_program)(random, M)
        facts = [parse_fact(random_fact(random, M), M) for _ in range(random.choice([0, 0, 1]))]
        if Tapes(facts, M).find(random, Clock(5.0)) is None:
            continue
        claim = Claim(program, program, M, [True] * M, facts, limit)
        for joining in (False, True):
            machine = Machine(claim, first_witnesses(claim, Clock(60.0)), Clock(60.0))
            try:
                ends = list(Worklist(machine, program, machine.everything(), joining).ends())
            except Undecided as reason:
                assert joining and "merged" in str(reason)
                continue
            counts[joining] += len(ends)
            for tape in map(tuple, Tapes(facts, M).many(random, 6).tolist()):
                number = np.array([machine.witnesses.add(tape)])
                (end,) = [end for end in ends if on_path(machine, end, number)]
                wanted = exact.run(program, tape, limit)
                content = [
                    end.written[c] if c in end.written else machine.cell(c) for c in range(M)
                ]
                found = [int(machine.witnesses.values(value, number)[0]) for value in content]
                assert tuple(found) == wanted.tape
                assert end.least <= wanted.steps <= end.most
                assert end.stopped == (wanted.stop is exact.Stop.STOPPED)
                stops.append(wanted.stop)
    assert min(stops.count(stop) for stop in exact.Stop) > 20
    assert counts[True] < 0.9 * counts[False], counts


def on_path(machine: Machine, end: SymbolicState, number: np.ndarray) -> bool:
    return all(machine.witnesses.holds(choice, number)[0] for choice in end.path.choices())

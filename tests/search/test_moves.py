"""Every move keeps programs well formed."""

from __future__ import annotations

import inspect
import re
from random import Random

import numpy as np
import pytest
from handbook import ROOT
from search.random_programs import random_program

from anc import isa
from anc.isa import PAPER
from anc.machine.encoded import Encoded, decode, encode
from anc.machine.weights import Weights, shapes
from anc.search.chain import NO_GUIDES, Guides
from anc.search.moves import (
    MOVES,
    WEIGHTS,
    chances,
    change_initial_register,
    move,
    put_number,
)


def some_guides(M: int, R: int) -> Guides:
    random = np.random.default_rng(0)
    return Guides((), Weights.of((random.normal(size=s) for s in shapes(M, R)), lines=M))


def test_every_move_has_a_weight() -> None:
    assert len(MOVES) == len(WEIGHTS) == 12
    assert min(WEIGHTS) > 0


def test_moves_for_larger_sets_are_never_drawn_for_the_papers() -> None:
    paper, wide = chances(PAPER), chances(isa.WIDE)
    assert MOVES[-1] is put_number and paper[-1] == paper[-2] < wide[-1]
    assert (paper[:-1] == wide[:-1]).all()


def test_values_are_below_m_where_programs_have_less_room() -> None:
    rng, M = np.array([5], np.uint64), 60_000
    lines = np.zeros((8, 4), np.uint16)
    program = Encoded(lines, np.zeros(4, np.uint16), np.array([2, 0]))
    seen = set()
    for _ in range(300):
        change_initial_register(program, NO_GUIDES.of(isa.PAPER, M), rng)
        seen |= set(program.values[:-1].tolist())
    assert max(seen) > 1_000 and max(seen) < M


def test_the_recipe_shows_how_a_move_is_decorated() -> None:
    (given,) = re.findall(r"^@move\((.*)\)$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    asked = [part.split("=") for part in given.split(", ")]
    inspect.signature(move).bind(**{name: float(value) for name, value in asked})


@pytest.mark.parametrize("change", MOVES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("guided", [False, True])
def test_a_move_keeps_programs_well_formed(change, guided: bool) -> None:
    random = Random(9)
    rng = np.array([7], np.uint64)
    changed = 0
    for _ in range(200):
        M = random.randint(2, 9)
        encoded = encode(random_program(random, M), spare=2)
        guide = (some_guides(M, encoded.R) if guided else NO_GUIDES).of(isa.PAPER)
        lines = np.zeros((M, 4), np.uint16)
        lines[: encoded.L] = encoded.lines
        program = Encoded(lines, encoded.values, encoded.head)
        changed += change(program, guide, rng)
        assert 1 <= program.L <= M
        assert program.values[-1] == 0
        for op, first, second, _ in lines[: program.L].tolist():  # unused: behind the last register
            taken = isa.PAPER[op].operands
            assert [r == program.R for r in (first, second)] == [taken < 1, taken < 2]
        decode(program, PAPER, M).check_fits(M)  # refuses what is not well formed
    assert changed > 20

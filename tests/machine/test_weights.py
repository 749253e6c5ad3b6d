from dataclasses import replace

import numpy as np
import pytest
from generated import programs
from hypothesis import given
from hypothesis import strategies as st

import anc
from anc import isa
from anc.machine.weights import ARRAYS, harden, soften, softmax
from anc.program import Line, Program
from anc.support.diagnostics import AncError


@given(programs(), st.floats(1e-3, 100), st.integers(0, 5), st.integers(0, 6))
def test_harden_undoes_soften(program, sharpness, seed, room):
    weights = soften(program, program.memory + room, sharpness, seed)
    assert harden(weights) == program


def test_a_memory_of_one_cell_tells_0_from_no_initial_value():
    for value in (0, None):
        program = Program((Line("STOP", None, None, 0),), (value,), memory=1)
        assert harden(soften(program)) == program


def test_listk_has_the_probabilities_of_the_paper_s_figure():
    weights = soften(anc.load("listk"), 20, 5)
    e = np.exp(5.0)
    assert softmax(weights.registers)[:6].max(-1) == pytest.approx(e / (e + 19))
    assert softmax(weights.out)[:10].max(-1) == pytest.approx(e / (e + 6))
    assert softmax(weights.op)[:10].max(-1) == pytest.approx(e / (e + 10))
    assert softmax(weights.second)[0] == pytest.approx(1 / 7)
    assert softmax(weights.registers)[6] == pytest.approx(1 / 20)


def test_rows_after_the_program_come_from_the_seed():
    listk = anc.load("listk")
    one, same, other = (soften(listk, seed=seed) for seed in (1, 1, 2))
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(same, name))
    assert not np.array_equal(one.op[10:], other.op[10:])
    assert np.array_equal(one.op[:10], other.op[:10])
    assert 0 < np.abs(one.op[10:]).max() <= 1 / np.sqrt(20)


@pytest.mark.parametrize("sharpness", [0, -1, float("nan"), float("inf")])
def test_impossible_sharpness(sharpness):
    with pytest.raises(AncError, match="sharpness"):
        soften(anc.load("listk"), 20, sharpness)


def test_a_program_that_does_not_fit():
    with pytest.raises(AncError, match="at least 10"):
        soften(anc.load("listk"), 9)
    with pytest.raises(AncError, match="how much memory"):
        soften(anc.compile("STOP()"))


def test_wrong_shapes_and_numbers_are_refused():
    weights = soften(anc.load("listk"))
    with pytest.raises(AncError, match="'op' have the shape"):
        replace(weights, op=np.zeros((3, isa.PAPER.N)))
    with pytest.raises(AncError, match="not finite"):
        replace(weights, op=np.full((20, isa.PAPER.N), np.nan))

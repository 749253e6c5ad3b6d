"""Soft layers: the paper's machine begun with distributions, and how far it is from the truth."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from layers.subjects import ADD, rows_of, twice

import anc


def test_soft_is_exact_for_the_sum_of_two_cells():
    a, b = rows_of(0, 2, 3, 6)
    exactly, softly = (anc.layer(ADD, [0, 1], 2, mode, memory=12) for mode in ("exact", "soft"))

    def five(layer, a):
        found = layer.details(a, b)
        return found.cells[:, 2, 5].sum(), found

    slopes = (jax.jit(jax.grad(partial(five, layer), has_aux=True)) for layer in (exactly, softly))
    for one, other in zip(*(jax.tree.leaves(slope(a)) for slope in slopes), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_a_value_that_is_used_twice_counts_as_two():
    row = rows_of(1, 9)
    layer = anc.layer(twice)
    wanted = np.zeros(20)
    wanted[: 2 * len(row) : 2] = row  # even numbers only
    np.testing.assert_allclose(layer(row), wanted, atol=1e-6)
    independent = np.pad(np.convolve(row, row), (0, 3))
    gap = 0.5 * np.abs(wanted - independent).sum()
    assert layer.gap(row) == pytest.approx(gap, abs=1e-5)
    assert gap > 0.3


def test_program_and_network_can_be_trained_together():
    layer = anc.layer(ADD, [0, 1], 2, "soft", memory=8)
    weights = anc.soften(anc.compile(ADD, memory=8), sharpness=4)
    a, b = rows_of(2, 2, 8)

    @jax.jit
    @partial(jax.value_and_grad, argnums=(0, 1))
    def loss(row, weights):
        return -jnp.log(layer(row, b, weights=weights)[3])

    before, (of_row, of_weights) = loss(jnp.asarray(a), weights)
    assert np.abs(of_row).max() > 1e-3
    step = jax.tree.map(lambda w, slope: w - 0.01 * slope, weights, of_weights)
    assert loss(jnp.asarray(a), step)[0] < before


def test_soft_layers_know_batches_lists_and_logarithms():
    rows = rows_of(3, 3, 2, 6)
    layer = anc.layer(ADD, "0:2", [2], "soft", memory=12, log=True)
    wanted = [[np.pad(np.convolve(*both), (0, 1))] for both in rows]
    np.testing.assert_allclose(jnp.exp(layer(np.log(rows))), wanted, atol=1e-5)

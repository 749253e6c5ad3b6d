"""The distributions of several outputs come from one diagram, and are those of a diagram for each."""

from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from layers.subjects import rows_of

import anc
from anc.layers.exact import execute

Two = Annotated[list[int], anc.Size(2)]


@anc.function(memory=60)
def added(a: Two, b: Two, total: Annotated[list[int], anc.Size(3)]):
    carry = 0
    for k in range(2):
        s = a[1 - k] + b[1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[2 - k] = s
    total[0] = carry


@anc.function(memory=60)
def sorted_pair(a: Two):
    if a[0] > a[1]:
        a[0], a[1] = a[1], a[0]


def from_each(layer, rows):
    """The distributions from a diagram for each output."""
    stack = layer.rows.stack(layer.rows.read(rows))
    plans = [layer.spec.plan(stack.sizes, cell) for cell in layer.spec.outputs]
    return jnp.stack([execute(plan, stack, layer.log)[0] for plan in plans], -2)


def slope(layer, found, rows, weights):
    """The gradient along the distributions of the rows."""

    def score(rows):
        values = found(rows)
        return (jnp.where(jnp.isfinite(values), values, 0) * weights).sum()

    slopes = jax.grad(score)(jnp.asarray(rows))
    masses = np.exp(rows) if layer.log else 0.1
    return slopes - masses * slopes.sum(-1, keepdims=True)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("function", "output"), [(added, "total"), (sorted_pair, "a")])
def test_one_diagram_gives_what_one_for_each_gives(function, output, log, monkeypatch):
    inputs = ["a", "b"] if function is added else ["a"]
    layer = anc.layer(function, inputs, output, values=10, log=log)
    rows = rows_of(0, len(inputs), 3, 2, 10)
    rows = np.log(rows) if log else rows
    plan = layer.spec.likelihood((10,) * 2 * len(inputs))
    monkeypatch.setattr(type(layer.spec), "together", lambda spec, sizes: plan)
    found = layer(*rows)
    np.testing.assert_allclose(found, from_each(layer, rows), rtol=1e-4, atol=1e-6)
    weights = np.random.default_rng(1).normal(size=found.shape)
    one = slope(layer, lambda rows: layer(*rows), rows, weights)
    each = slope(layer, lambda rows: from_each(layer, rows), rows, weights)
    np.testing.assert_allclose(one, each, rtol=1e-3, atol=1e-4)


def test_outputs_that_are_known_at_once():
    listing = "var x = READ(0); WRITE(1, 3); WRITE(2, x); STOP()"
    layer = anc.layer(listing, inputs=[0], output=[1, 2], memory=8)
    found = layer(np.array([0.25, 0.75], np.float32))
    assert found[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0] and found[1, :2].tolist() == [0.25, 0.75]


def test_it_is_smaller():
    layer = anc.layer(added, ["a", "b"], "total", values=10)
    sizes = (10,) * 4
    each = sum(layer.spec.plan(sizes, cell).branches for cell in layer.spec.outputs)
    assert layer.spec.likelihood(sizes).branches < each / 2
    assert layer.spec.together(sizes) is layer.spec.likelihood(sizes)

"""Joint distributions over groups of inputs: values, gradients and inference, against sums over all values."""

import itertools
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from layers.subjects import rows_of

import anc


@anc.function(memory=60)
def mixed(a: int, b: int, c: int) -> int:
    if a > c:
        return a + 2 * b
    return b * c


@anc.function(memory=60)
def summed(digits: Annotated[list[int], anc.Size(3)]) -> int:
    return sum(digits) + digits[0]


def result(a, b, c):
    return a + 2 * b if a > c else b * c


def joint_rows(seed, *shape, values=2):
    """Random distributions over the last axes."""
    rows = rows_of(seed, *shape[:-values], int(np.prod(shape[-values:])))
    return rows.reshape(shape)


def grouped(**more):
    return anc.layer(mixed, ["a", ("c", "b")], values=4, **more)


def summed_up(a, cb, M=60):
    found = np.zeros(M)
    for x, y, z in itertools.product(range(4), repeat=3):
        found[result(x, y, z)] += a[x] * cb[z, y]
    return found


def test_values_are_those_of_all_runs():
    layer, a, cb = grouped(), rows_of(0, 4), joint_rows(1, 4, 4)
    np.testing.assert_allclose(layer(a, cb), summed_up(a, cb), atol=1e-6)
    seen = np.flatnonzero(summed_up(a, cb))
    likelihood = layer.log_likelihood(a, cb, observed=seen)
    np.testing.assert_allclose(np.exp(likelihood), summed_up(a, cb)[seen], rtol=1e-5)
    details = layer.details(a, cb)
    np.testing.assert_allclose(details.cells[1, :4], cb.sum(0), atol=1e-6)
    np.testing.assert_allclose(details.cells[2, :4], cb.sum(1), atol=1e-6)


def test_independent_ones_are_a_special_case():
    a, b, c = rows_of(2, 3, 5, 4)
    both = c[:, :, None] * b[:, None, :]
    alone = anc.layer(mixed, values=4)
    np.testing.assert_allclose(grouped()(a, both), alone(a, b, c), atol=1e-6)
    logs = grouped(log=True).log_likelihood(np.log(a), np.log(both), observed=6)
    np.testing.assert_allclose(logs, alone.log_likelihood(a, b, c, observed=6), rtol=1e-5)


def test_gradients_are_the_posterior():
    layer, a, cb = grouped(log=True), np.log(rows_of(3, 4)), np.log(joint_rows(4, 4, 4))
    slopes = jax.grad(lambda cb: layer.log_likelihood(a, cb, observed=6))(jnp.asarray(cb))
    wanted = np.zeros((4, 4))
    for x, y, z in itertools.product(range(4), repeat=3):
        if result(x, y, z) == 6:
            wanted[z, y] += np.exp(a[x] + cb[z, y])
    wanted /= wanted.sum()
    np.testing.assert_allclose(slopes, wanted, atol=1e-5)
    of_a, of_cb = layer.posterior(a, cb, observed=6)
    assert of_a.shape == (4,) and of_cb.shape == (4, 4)
    np.testing.assert_allclose(of_cb, wanted, atol=1e-5)
    best = layer.most_likely(a, cb, observed=6)
    x, (z, y) = int(best.values[0]), best.values[1].tolist()
    assert result(x, y, z) == 6
    every = [
        (a[x] + cb[z, y], x, z, y)
        for x, y, z in itertools.product(range(4), repeat=3)
        if result(x, y, z) == 6
    ]
    assert (x, z, y) == max(every)[1:]
    x, zy = layer.sample(np.tile(a, (50, 1)), cb, observed=6, key=1)
    assert [result(int(i), int(k), int(j)) for i, (j, k) in zip(x, zy, strict=True)] == [6] * 50


def test_whole_numbers_and_a_list_as_one():
    layer = grouped()
    assert int(layer(3, np.array([1, 2])).argmax()) == result(3, 2, 1)
    assert layer(np.array([3, 0]), np.array([[1, 2], [3, 3]])).argmax(-1).tolist() == [7, 9]
    layer = anc.layer(summed, [("digits",)], values=3)
    rows = joint_rows(5, 3, 3, 3, values=3)
    found = np.zeros(60)
    for digits in itertools.product(range(3), repeat=3):
        found[sum(digits) + digits[0]] += rows[digits]
    np.testing.assert_allclose(layer(rows), found, atol=1e-6)


def test_a_shortcut_is_about_the_cells():
    assert grouped().shortcuts().maps == anc.layer(mixed, values=4).shortcuts().maps


def test_pytorch_has_the_same_values_and_gradients():
    torch = pytest.importorskip("torch")
    layer, a, cb = grouped(log=True), np.log(rows_of(6, 3, 4)), np.log(joint_rows(7, 3, 4, 4))
    given = torch.tensor(cb, requires_grad=True)
    seen = np.array([6, 0, 3])
    found = layer.module().log_likelihood(torch.tensor(a), given, observed=torch.tensor(seen))
    np.testing.assert_allclose(
        found.detach(), layer.log_likelihood(a, cb, observed=seen), rtol=1e-5, atol=1e-6
    )
    found.sum().backward()
    slopes = jax.grad(lambda cb: layer.log_likelihood(a, cb, observed=seen).sum())(jnp.asarray(cb))
    np.testing.assert_allclose(given.grad, slopes, atol=1e-5)
    whole = layer.module()(torch.tensor([3]), torch.tensor([[1, 2]]))
    assert int(whole.argmax()) == 7


def test_what_is_refused():
    layer = grouped()
    with pytest.raises(anc.AncError, match=r"shape \(4,\), expected \(\.\.\., 4, 4\)"):
        layer(np.full(4, 0.25), np.full(4, 0.25))
    with pytest.raises(anc.AncError, match="has the sum 4"):
        layer(np.full(4, 0.25), np.full((4, 4), 0.25))
    with pytest.raises(anc.AncError, match="a group of 1 cells"):
        anc.layer(mixed, ["a", ("b",)])
    with pytest.raises(anc.AncError, match="only an exact layer"):
        grouped(prune=3)
    with pytest.raises(anc.AncError, match="each input by itself"):
        layer.gap(np.full(4, 0.25), np.full((4, 4), 1 / 16))

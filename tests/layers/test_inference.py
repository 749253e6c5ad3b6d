"""What follows about the inputs from observed outputs: against all inputs, one by one."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from layers.subjects import ADD, rows_of
from layers.test_likelihood import added, adder, torch

import anc

SKIPPED = "var x = READ(0); JEZ(x, end); var y = READ(1); x = MIN(x, y); end: WRITE(2, x); STOP()"


def likelihoods(program, rows, observed):
    """The probability of all inputs that give the observed output, as an array with an axis for each."""
    shape = [len(row) for row in rows]
    found = np.zeros(shape)
    for values in itertools.product(*map(range, shape)):
        if anc.run(program, list(values) + [0] * 6).tape[2] == observed:
            found[values] = np.prod([row[v] for row, v in zip(rows, values, strict=True)])
    return found


@pytest.mark.parametrize("observed", [0, 1, 2])
def test_inputs_that_some_runs_do_not_read(observed):
    rows = rows_of(observed, 3), rows_of(7, 4)
    layer = anc.layer(SKIPPED, [0, 1], 2, memory=8)
    every = likelihoods(SKIPPED, rows, observed)
    given = every / every.sum()
    first, second = layer.posterior(*rows, observed=observed)
    np.testing.assert_allclose(first, given.sum(1), atol=1e-6)
    np.testing.assert_allclose(second, given.sum(0), atol=1e-6)
    found = layer.most_likely(*rows, observed=observed)
    assert tuple(map(int, found.values)) == np.unravel_index(given.argmax(), given.shape)
    assert np.exp(found.log) == pytest.approx(given.max(), abs=1e-6)
    many = [np.broadcast_to(row, (4000, len(row))) for row in rows]
    drawn = layer.sample(*many, observed=observed, key=3)
    counts = np.zeros_like(given)
    np.add.at(counts, tuple(map(np.asarray, drawn)), 1 / 4000)
    np.testing.assert_allclose(counts, given, atol=0.04)


def test_impossible_observations_leave_nothing():
    layer = anc.layer(ADD, [0, 1], 2, memory=20)
    rows = rows_of(0, 2, 5)
    assert np.isnan(layer.posterior(*rows, observed=9)[0]).all()
    assert layer.most_likely(*rows, observed=9).log == -np.inf


def test_digits_of_a_sum():
    layer = adder(added, log=True)
    rows = np.log(rows_of(3, 2, 5, 2, 10))
    observed = np.array([[0, 5, 7], [1, 2, 0], [1, 9, 8], [0, 0, 0], [0, 9, 9]])
    slope = jax.grad(lambda r: layer.log_likelihood(*r, observed=observed).sum())(jnp.asarray(rows))
    np.testing.assert_allclose(layer.posterior(*rows, observed=observed), slope, atol=1e-5)
    for a, b in (
        layer.most_likely(*rows, observed=observed).values,
        layer.sample(*rows, observed=observed, key=jax.random.key(1)),
    ):
        total = (a + b) @ np.array([10, 1])
        assert total.tolist() == (observed @ np.array([100, 10, 1])).tolist()


def test_long_sums_go_back_through_the_scan():
    @anc.function(memory=200)
    def digit_sum(digits: "Annotated[list[int], anc.Size(20)]") -> int:  # noqa: F821
        s = 0
        for digit in digits:
            s += digit
        return s

    layer = anc.layer(digit_sum, values=10)
    rows = rows_of(2, 20, 10)
    (values,) = layer.sample(rows, observed=100, key=0)
    assert values.sum() == 100
    (values,), _ = layer.most_likely(rows, observed=3)
    assert values.sum() == 3


def test_expectations_have_gradients():
    layer = anc.layer(ADD, [0, 1], 2, memory=20)
    a, b = rows_of(1, 2, 3, 5)
    mean = layer.expectation(lambda total: total, a, b)
    np.testing.assert_allclose(mean, a @ np.arange(5) + b @ np.arange(5), rtol=1e-5)
    wanted = np.array([1, 4, 6])
    error = layer.expectation(lambda total: abs(total - wanted), a, b)
    np.testing.assert_allclose(
        error, (layer(a, b) * abs(np.arange(20) - wanted[:, None])).sum(1), rtol=1e-5
    )
    slope = jax.grad(lambda a: layer.expectation(lambda t: t >= 4, a, b).sum())(a)
    np.testing.assert_allclose(slope, np.cumsum(b[:, ::-1], 1), rtol=1e-5)
    number = adder(added).expectation(lambda d: d @ np.array([100, 10, 1]), *rows_of(5, 2, 2, 10))
    assert 0 < number < 198


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed: make test TORCH=torch")
def test_torch_says_the_same():
    layer = adder(added)
    module, rows = layer.module(), rows_of(3, 2, 3, 2, 10)
    observed = np.array([[0, 5, 7], [1, 2, 0], [1, 9, 8]])
    tensors = [torch.tensor(row) for row in rows]
    for one, other in zip(
        module.posterior(*tensors, observed=observed),
        layer.posterior(*rows, observed=observed),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, atol=1e-5)
    found, wanted = (each.most_likely for each in (module, layer))
    found, wanted = found(*tensors, observed=observed), wanted(*rows, observed=observed)
    np.testing.assert_array_equal(found.values, wanted.values)
    np.testing.assert_allclose(found.log, wanted.log, atol=1e-4)
    a, b = module.sample(*tensors, observed=observed, key=5)
    assert ((a + b) @ torch.tensor([10, 1])).tolist() == [57, 120, 198]
    weights = np.array([100, 10, 1])
    np.testing.assert_allclose(
        module.expectation(lambda d: d @ weights, *tensors),
        layer.expectation(lambda d: d @ weights, *rows),
        rtol=1e-5,
    )

"""The likelihood of observed outputs: against runs on every value, differences, and PyTorch."""

import itertools
import os
from random import Random
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from double_precision import enable_x64
from layers.subjects import ADD, count_three, less, rows_of
from proof.random_programs import branching_program, random_program

import anc
from anc.layers.diagram import grow
from anc.machine import exact

if os.environ.get("ANC_NEEDS_TORCH"):
    import torch
else:
    try:
        import torch
    except ImportError:
        torch = None

Two = Annotated[list[int], anc.Size(2)]
Long = Annotated[list[int], anc.Size(200)]


@anc.function(memory=64)
def added(a: Two, b: Two, total: Annotated[list[int], anc.Size(3)]) -> None:
    carry = 0
    for k in range(2):
        s = a[1 - k] + b[1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[2 - k] = s
    total[0] = carry


@anc.function(memory=700)
def added_long(a: Long, b: Long, total: Annotated[list[int], anc.Size(201)]) -> None:
    carry = 0
    for k in range(200):
        s = a[199 - k] + b[199 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[200 - k] = s
    total[0] = carry


@anc.function(memory=1900)
def digit_sum(digits: Long) -> int:
    s = 0
    for digit in digits:
        s += digit
    return s


def adder(function, **settings):
    return anc.layer(function, ["a", "b"], "total", values=10, **settings)


def followed(diagram, rows, seen):
    """The probability of runs that emit the numbers seen, None where one is missing, level by level."""
    mass = np.array([float(all(seen[o] in (None, value) for o, value in diagram.begun))])
    for level in diagram.levels:
        R, K = level.reading, level.values
        each = (mass[:R, None] * rows[level.input]).reshape(R * K)
        each = np.concatenate([each, mass[R:]])
        for output, values in level.emitted:
            if seen[output] is not None:
                each = np.where((values == -1) | (values == seen[output]), each, 0)
        mass = np.zeros(level.size)
        np.add.at(mass, level.targets, each)
    return mass.sum()


def test_random_programs_agree_with_runs_on_every_value():
    """Cells that are written again, read again or never, in every order."""
    random = Random(5)
    compared = partly = 0
    while compared < 60:
        M = random.randint(5, 7)
        make = branching_program if random.random() < 0.7 else random_program
        program = make(random, M)
        inputs, outputs = (random.sample(range(M), random.randint(1, 3)) for _ in range(2))
        tape = np.array([random.randrange(M) for _ in range(M)])
        rows = [rows_of(compared + i, random.randint(2, M)) for i in range(len(inputs))]
        unknown = tape.copy()
        unknown[inputs] = M + np.arange(len(inputs))
        sizes = [len(row) for row in rows]
        if grow(program, unknown, sizes, (), 60).longest >= 60:
            continue  # the limit is counted from branch to branch
        diagram = grow(program, unknown, sizes, outputs, 60, emits=True)
        masses: dict[tuple[int, ...], float] = {}
        for values in itertools.product(*map(range, sizes)):
            tape[inputs] = values
            end = tuple(exact.run(program, tape.tolist(), 60).tape[cell] for cell in outputs)
            mass = np.prod([row[value] for row, value in zip(rows, values, strict=True)])
            masses[end] = masses.get(end, 0.0) + float(mass)
        for end in masses:
            seen = [value if random.random() < 0.7 else None for value in end]
            fits = (all(s in (None, v) for s, v in zip(seen, e, strict=True)) for e in masses)
            wanted = sum(mass for mass, fit in zip(masses.values(), fits, strict=True) if fit)
            assert followed(diagram, rows, seen) == pytest.approx(wanted, abs=1e-5)
            partly += 0.01 < wanted < 0.99
        compared += 1
    assert partly > 50


@pytest.mark.parametrize("log", [False, True])
def test_values_differ_and_may_be_missing(log):
    rows = rows_of(0, 2, 3, 2, 10)
    observed = np.array([[0, 5, 7], [1, 2, 0], [1, 9, 9]])
    mask = np.array([[True, True, True], [True, False, True], [False, False, False]])
    wanted = np.zeros(3)
    for sample, values in itertools.product(range(3), itertools.product(range(10), repeat=4)):
        total = 10 * (values[0] + values[2]) + values[1] + values[3]
        digits = np.array([total // 100, total // 10 % 10, total % 10])
        if (digits == observed[sample])[mask[sample]].all():
            pairs = zip(rows[:, sample].reshape(4, 10), values, strict=True)
            wanted[sample] += np.prod([row[value] for row, value in pairs])
    given = np.log(rows) if log else rows
    layer = adder(added, log=log)

    def likelihood(given, observed, mask=None):
        return layer.log_likelihood(*given, observed=observed, mask=mask)

    for call in (likelihood, jax.jit(likelihood), jax.vmap(likelihood, (1, 0, 0))):
        np.testing.assert_allclose(np.exp(call(given, observed, mask)), wanted, atol=1e-6)
    assert likelihood(given[:, 0], observed[0, None], mask[0]).shape == (1,)
    none = layer.log_likelihood(*given[:, 0], observed=np.array([1, 9, 9]))
    assert none == -np.inf  # 99 + 99 is 198
    slope = jax.grad(lambda given: likelihood(given, np.array([1, 9, 9])))(given[:, 0])
    assert (slope == 0).all()


@pytest.mark.parametrize("log", [False, True])
def test_gradients_agree_with_differences(log):
    layer = adder(added, log=log, check=False)
    observed, mask = np.array([1, 2, 7]), np.array([True, False, True])
    with enable_x64(True):
        rows = jnp.asarray(rows_of(4, 2, 2, 10), jnp.float64)
        direction = jnp.asarray(rows_of(5, 2, 2, 10) - rows_of(6, 2, 2, 10), jnp.float64)

        @jax.jit
        def score(rows):
            rows = jnp.log(rows) if log else rows
            return layer.log_likelihood(*rows, observed=observed, mask=mask)

        slope = jnp.vdot(jax.grad(score)(rows), direction)
        step = 1e-5
        wanted = (score(rows + step * direction) - score(rows - step * direction)) / (2 * step)
        np.testing.assert_allclose(slope, wanted, rtol=1e-6)
        certain = jnp.asarray(jax.nn.one_hot(jnp.array([[0, 9], [9, 7]]), 10), jnp.float64)
        if not log:  # 9 + 97 is 106: another digit would have done
            slope = jax.grad(lambda r: layer.log_likelihood(*r, observed=[1, 0, 6]))(certain)
            assert slope[1, 0].tolist() == [0] * 9 + [1] and slope.sum() == 4


def test_two_hundred_digits_are_one_loop():
    layer = adder(added_long, log=True, check=False)
    plan = layer.spec.likelihood((10,) * 400)
    assert max(plan.states) == 11 and len(plan.blocks) <= 6
    rows = np.log(rows_of(0, 2, 2, 200, 10)) * 30  # very sure of itself, and mostly wrong
    rows = jax.nn.log_softmax(rows)
    observed = np.random.default_rng(0).integers(0, 10, (2, 201))
    observed[:, 0] = 0, 1
    value, slope = jax.jit(
        jax.value_and_grad(lambda r: layer.log_likelihood(*r, observed=observed).sum())
    )(rows)
    assert np.isfinite(value) and value < -10_000
    np.testing.assert_allclose(slope.sum(-1), np.ones((2, 2, 200)), atol=1e-3)


def test_a_long_sum_grows_in_a_scan():
    layer = anc.layer(digit_sum, values=10, log=True)
    rows = jnp.log(jnp.full((200, 10), 0.1))
    plan = layer.spec.likelihood((10,) * 200)
    assert max(plan.states[:-1]) == 1792 and len(plan.blocks) <= 6
    value, slope = jax.value_and_grad(lambda r: layer.log_likelihood(r, observed=1795))(rows)
    ways = np.array([1], object)
    for _ in range(200):  # to lose up to 5 of 1800
        ways = np.convolve(ways, np.ones(10, object))[:6]
    assert value == pytest.approx(np.log(float(ways[5])) - 200 * np.log(10), rel=1e-5)
    np.testing.assert_allclose(slope.sum(-1), np.ones(200), rtol=1e-4)


def test_inputs_on_which_python_does_something_else_are_left_out():
    layer = anc.layer(less, outside="drop")
    rows = rows_of(2, 5), rows_of(3, 5)
    wanted = layer(*rows)
    found = [np.exp(layer.log_likelihood(*rows, observed=value)) for value in range(5)]
    np.testing.assert_allclose(found, wanted[:5], atol=1e-6)
    missing = layer.log_likelihood(*rows, observed=0, mask=np.array(False))
    assert np.exp(missing) == pytest.approx(float(wanted.sum()), abs=1e-6)


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed: make test TORCH=torch")
@pytest.mark.parametrize("log", [False, True])
def test_torch_says_the_same(log):
    for layer, shape, observed in (
        (adder(added, log=log), (3, 2, 2, 10), [[0, 5, 7], [1, 2, 0], [1, 9, 9]]),
        (anc.layer(count_three, log=log), (3, 1, 3, 10), [0, 1, 3]),
    ):
        rows = rows_of(0, *shape)
        rows = np.log(rows) if log else rows
        observed = np.array(observed)
        mask = np.arange(observed.size).reshape(observed.shape) % 4 != 1

        def likelihood(rows, layer=layer, observed=observed, mask=mask):
            parts = [rows[:, i] for i in range(rows.shape[1])]
            return layer.log_likelihood(*parts, observed=observed, mask=mask)

        tensor = torch.tensor(rows, requires_grad=True)
        found = layer.module().log_likelihood(*tensor.unbind(1), observed=observed, mask=mask)
        np.testing.assert_allclose(found.detach(), likelihood(rows), atol=1e-5)
        found.sum().backward()
        slope = jax.grad(lambda rows: likelihood(rows).sum())(rows)
        np.testing.assert_allclose(tensor.grad, slope, atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "observed", "message"),
    [
        ({}, 20, "'observed' holds 20, but cell 2 can be 0 to 19"),
        ({}, -1, "'observed' holds -1, but cell 2 can be 0 to 19"),
        ({}, 0.5, "'observed' holds float32, expected whole numbers"),
        ({"output": [2]}, 3, r"'observed' has the shape \(\), expected \(..., 1\)"),
        ({"prune": 5}, 3, "only an exact layer that is not pruned has a likelihood"),
    ],
)
def test_what_cannot_be_observed(settings, observed, message):
    layer = anc.layer(ADD, **({"inputs": [0, 1], "output": 2, "memory": 20} | settings))
    with pytest.raises(anc.AncError, match=message):
        layer.log_likelihood(*rows_of(0, 2, 10), observed=observed)

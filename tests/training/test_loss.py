"""Each term against a slow literal version of its formula, the total against the authors' numbers."""

import authors
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anc
from anc.machine import soft
from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count, stack
from anc.training import jax_engine, loss
from anc.training.interface import TrainingObjective

one_step = jax.jit(soft.step)


def random_population(M, R, S, seed, scale=1.0):
    flat = scale * np.random.default_rng(seed).normal(size=(S, parameter_count(M, R)))
    return Weights.of_flat(flat, M, R)


def random_cases(M, P, seed):
    random = np.random.default_rng(seed)
    masks = random.integers(0, 2, (P, M), np.uint16)
    masks[:, 0] = 1
    tapes = random.integers(0, M, (2, P, M), np.uint16)
    return Cases(*tapes, masks * ALL_BITS, np.ones(P))


def literal_terms(weights, tape, target, mask, max_steps, threshold):
    """The formulas of appendix B, iteration by iteration, with the paper's own indices."""
    M = len(tape)
    wanted = np.eye(M)[target]
    states = [soft.initial_state(weights, np.asarray(tape))]
    while float(states[-1].stop) <= threshold and len(states) <= max_steps:
        states.append(one_step(weights, states[-1]))
    p = {t: float(s.stop) for t, s in enumerate(states, start=1)}
    memory = {t: np.asarray(s.memory) for t, s in enumerate(states, start=1)}
    T = len(states)

    def error(t):
        total = 0.0
        for i in range(M):
            for j in range(M):
                total += mask[i] * (memory[t][i, j] - wanted[i, j]) ** 2
        return total

    return {
        "correctness": error(T),
        "halting": (1 - p[T]) * (max_steps + 1 == T and p[T] <= threshold),
        "efficiency": sum(1 - p[t] for t in range(1, T + 1)),  # the last one too: see loss.py
        "confidence": sum((p[t] - p[t - 1]) * error(t) for t in range(2, T + 1)),
    }, T - 1


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_each_term_equals_its_formula(seed):
    M, R, T, threshold = 5, 3, 9, 0.6
    population = random_population(M, R, 1, seed, scale=2.0)
    cases = random_cases(M, 1, seed)
    objective = TrainingObjective(T, 1.5, 0.7, 0.4, 0.2, threshold=threshold)
    found, _ = jax_engine.gradient(population, cases, objective)
    weights = population[0].map(np.float32)
    wanted, steps = literal_terms(
        weights, cases.inputs[0], cases.outputs[0], cases.masks[0] != 0, T, threshold
    )
    for name, value in wanted.items():
        assert getattr(found, name)[0] == pytest.approx(value, rel=1e-4, abs=1e-5)
    assert found.steps[0] == steps
    total = 1.5 * wanted["correctness"] + 0.7 * wanted["halting"]
    total += 0.4 * wanted["confidence"] + 0.2 * wanted["efficiency"]
    assert found.total[0] == pytest.approx(total, rel=1e-4)


def test_the_named_functions_on_numbers_done_by_hand():
    wanted = loss.LossTarget(np.eye(2)[[1, 0]], np.array([1.0, 0.0]))
    memory = np.array([[0.25, 0.75], [0.5, 0.5]])
    assert float(loss.correctness(memory, wanted)) == pytest.approx(2 * 0.25**2)
    assert float(loss.halting(np.float32(0.4), 0.9)) == pytest.approx(0.6)
    assert float(loss.halting(np.float32(0.95), 0.9)) == 0
    assert float(loss.efficiency(np.float32(0.25))) == 0.75
    assert float(loss.confidence(np.float32(0.25), np.float32(0.5), np.float32(2.0))) == 0.5


@pytest.mark.parametrize("name", authors.NAMES)
def test_total_and_gradients_equal_the_authors(name):
    data = authors.stored(name)
    population = authors.as_population(data["weights"])
    for sample in data["samples"]:
        report, gradient = jax_engine.gradient(
            population, authors.as_cases(sample), authors.objective(data)
        )
        assert report.steps[0] + 1 == sample["n_outputs"]
        weighted = data["alpha"] * report.correctness[0]
        assert weighted == pytest.approx(sample["loss_response"], rel=1e-4)
        assert report.total[0] - weighted == pytest.approx(sample["loss_time"], rel=1e-4)
        wanted = authors.as_population(sample["grads"])
        for found, right in zip(gradient, wanted, strict=True):
            assert np.abs(found - right).max() < 1e-4 * np.abs(right).max()


def test_the_loop_with_its_own_backward_pass_equals_plain_differentiation():
    M, T, B = 5, 9, 3
    loop = anc.compile("var x; x = READ(0); l: JEZ(x, e); x = DEC(x); JEZ(0, l); e: STOP()", M)
    with jax.enable_x64(True):
        weights = anc.soften(loop, sharpness=5)
        population = stack([weights]).map(np.float64)
        population = population.map(
            lambda part: part + 0.3 * np.sin(np.arange(part.size)).reshape(part.shape)
        )
        cases = random_cases(M, B, 4)
        cases.inputs[:, 0] = (0, 1, 3)
        objective = TrainingObjective(T, 1.5, 0.7, 0.4, 0.2, threshold=0.5, stop_gradient="full")
        _, gradient = jax_engine.gradient(population, cases, objective, "float64")

        def total(weights, tape, target, mask):
            wanted = loss.LossTarget(jax.nn.one_hot(target, M), jnp.asarray(mask != 0, float))
            factors = loss.LossWeights(1.5, 0.7, 0.4, 0.2)
            final, states = soft.differentiable_run(weights, tape, T, 0.5, observe=lambda s: s)
            first = soft.initial_state(weights, tape)
            before = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b[:-1]]), first, states)
            price = jax.vmap(loss.step_cost, in_axes=(None, 0, 0, None))
            costs = price(factors, before, states, wanted)
            spent = jnp.where(before.stop <= 0.5, costs, 0).sum()  # nothing after halting
            return spent + loss.final_cost(factors, final.state, wanted, 0.5), final.steps

        slope = jax.jit(jax.grad(total, has_aux=True))
        one = population[0].map(jnp.asarray)
        each = [slope(one, *map(jnp.asarray, case)) for case in zip(*cases[:3], strict=True)]
        assert len({int(steps) for _, steps in each}) > 1  # some halt early, some do not
        slopes = jax.tree.map(lambda *parts: sum(parts), *(found for found, _ in each))
        for found, right in zip(gradient, slopes, strict=True):
            assert found[0] == pytest.approx(np.asarray(right), rel=1e-9, abs=1e-12)

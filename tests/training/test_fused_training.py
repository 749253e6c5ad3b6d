"""The fused engine's training loop: optimisers, clipping, pulls, noise, resuming, and independence of members."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from anc.training.fused import engine, gradient
from anc.training.interface import Report, Schedule, TrainingObjective, TrainingState, Work

M, R, STEPS = 10, 3, 8


def train(state, cases, indices, objective, schedule=None, threads=None, **more) -> Report:
    """Train as these words say."""
    work = Work.checked(state, cases, indices, objective, schedule, **more)
    return engine.train(state, work, objective, threads)


def random_weights(S: int, seed: int, scale: float = 1.5) -> Weights:
    flat = np.random.default_rng(seed).normal(size=(S, parameter_count(M, R))) * scale
    return Weights.of_flat(flat.astype(np.float32), M, R)


def random_cases(P: int, seed: int) -> Cases:
    rng = np.random.default_rng(seed)
    masks = rng.integers(0, 2, (P, M), np.uint16)
    masks[:, 0] = 1
    return Cases(*rng.integers(0, M, (2, P, M), np.uint16), masks * ALL_BITS, np.ones(P))


def some_indices(K: int, S: int, B: int, P: int, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, P, (K, S, B))


def arrays_of(state: TrainingState) -> list[np.ndarray]:
    return [state.weights, state.moment1, state.moment2, state.applied, state.skipped]


def assert_same_bits(a: TrainingState, b: TrainingState) -> None:
    for x, y in zip(arrays_of(a), arrays_of(b), strict=True):
        assert x.tobytes() == y.tobytes()


# ------------------------------------------------------------------ against plain numpy


def softmax_rows(flat: np.ndarray) -> list[np.ndarray]:
    out = []
    for part in Weights.of_flat(flat, M, R):
        y = np.exp(part - part.max(axis=-1, keepdims=True))
        out.append(y / y.sum(axis=-1, keepdims=True))
    return out


def pull_gradient(flat: np.ndarray, reference: np.ndarray, on_weights: float, on_softmax: float):
    g = 2 * on_weights * (flat - reference)
    for part, y, y0 in zip(
        Weights.of_flat(g, M, R), softmax_rows(flat), softmax_rows(reference), strict=True
    ):
        d = y - y0
        part += 2 * on_softmax * y * (d - (y * d).sum(axis=-1, keepdims=True))
    return g


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
@pytest.mark.parametrize("clip", [0.0, 0.5])
def test_updates_are_those_of_plain_numpy(optimiser, clip):
    S, K, B = 3, 4, 2
    weights, cases = random_weights(S, 1), random_cases(6, 2)
    reference = random_weights(S, 3)
    indices = some_indices(K, S, B, 6)
    rng = np.random.default_rng(5)
    rate = np.array([0.1, 0.03, 0.3])
    correctness, efficiency = np.array([1.0, 2.0, 3.0]), 0.2
    schedule = Schedule(
        rate_scale=rng.uniform(0.5, 1, K),
        pull_weights=np.array([0.0, 0.3, 0.0, 0.1]),
        pull_probabilities=np.array([0.0, 0.0, 2.0, 0.5]),
        efficiency_scale=rng.uniform(0, 2, K),
    )
    loss = {"halting": 0.5, "confidence": 0.25, "correctness": correctness}
    settings = TrainingObjective(
        STEPS, efficiency=efficiency, rate=rate, clip=clip, optimiser=optimiser, **loss
    )
    state = TrainingState.fresh(weights, "float64")
    report = train(state, cases, indices, settings, schedule, reference=reference)

    w = weights.flat("float64")
    m, v, total = np.zeros_like(w), np.zeros_like(w), 0.0
    for k in range(K):
        scaled = TrainingObjective(
            STEPS, efficiency=efficiency * schedule.efficiency_scale[k], **loss
        )
        parts = Weights.of_flat(w, M, R)
        seen, g = gradient(parts, cases, scaled, indices[k], dtype="float64")
        total = total + seen.total / K
        pulls = schedule.pull_weights[k], schedule.pull_probabilities[k]
        g = g.flat("float64") + pull_gradient(w, reference.flat("float64"), *pulls)
        if clip:
            norm = np.sqrt((g**2).sum(axis=1, keepdims=True))
            g = g * np.minimum(1, clip / norm)
        step = (rate * schedule.rate_scale[k])[:, None]
        if optimiser == "sgd":
            w = w - step * g
        else:
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            t = k + 1
            w = w - step * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    np.testing.assert_allclose(state.weights, w, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(report.total, total, rtol=1e-7)
    assert (state.applied == K).all()
    assert (state.skipped == 0).all()


def test_noise_is_gaussian_and_depends_on_key_iteration_and_parameter_only():
    S, K = 40, 1
    weights, cases = random_weights(S, 1), random_cases(2, 2)
    keys = np.arange(S, dtype=np.uint64) // 2  # pairs of members share a key
    indices = np.zeros((K, S, 1), int)
    settings = TrainingObjective(STEPS, correctness=0.0, rate=1.0, optimiser="sgd")

    def drawn(iteration: int, deviation: float) -> np.ndarray:
        state = TrainingState.fresh(weights)
        state.iteration = iteration
        train(state, cases, indices, settings, Schedule(noise=deviation), keys=keys)
        return weights.flat() - state.weights

    noise = drawn(0, 0.25)
    np.testing.assert_allclose(noise[::2], noise[1::2], atol=1e-6)
    z = noise[::2].ravel() / 0.25
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert abs(z.std() - 1) < 4 / np.sqrt(2 * z.size)
    assert abs((z**4).mean() - 3) < 4 * np.sqrt(96 / z.size)
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 4 / np.sqrt(z.size)
    assert abs(np.corrcoef(noise.ravel(), drawn(1, 0.25).ravel())[0, 1]) < 0.06
    np.testing.assert_allclose(drawn(0, 0.5), 2 * noise, atol=1e-5)


# ------------------------------------------------------------------ the same whatever is around


def everything(S: int) -> tuple[TrainingObjective, Schedule, np.ndarray]:
    settings = TrainingObjective(STEPS, 2.0, 1.0, 0.5, 0.1, rate=np.linspace(0.1, 0.3, S), clip=1.0)
    return settings, Schedule(noise=0.01, pull_weights=0.01), np.arange(S, dtype=np.uint64)


def test_a_run_in_pieces_ends_like_an_uninterrupted_one():
    S, K = 9, 12
    weights, cases, indices = random_weights(S, 1), random_cases(6, 2), some_indices(K, S, 2, 6)
    settings, schedule, keys = everything(S)
    more = {"keys": keys, "reference": random_weights(S, 9)}
    whole = TrainingState.fresh(weights)
    train(whole, cases, indices, settings, schedule, **more)
    pieces = TrainingState.fresh(weights)
    for a, b in ((0, 1), (1, 5), (5, 12)):
        pieces = copy.deepcopy(pieces)
        train(pieces, cases, indices[a:b], settings, schedule, **more)
    assert_same_bits(whole, pieces)
    assert whole.iteration == pieces.iteration == K


def test_a_member_does_not_notice_the_others():
    S, K = 11, 6
    weights, cases, indices = (
        random_weights(S, 1, 3.0),
        random_cases(6, 2),
        some_indices(K, S, 2, 6),
    )
    weights.op[::3, :, 0] += 4.0  # some halt early
    settings, schedule, keys = everything(S)
    reference = random_weights(S, 9)
    whole = TrainingState.fresh(weights)
    report = train(whole, cases, indices, settings, schedule, keys=keys, reference=reference)
    for some in ([0], [10], [3, 9, 1], list(range(10, -1, -1))):
        alone = TrainingState.fresh(weights[some])
        only = TrainingObjective(STEPS, 2.0, 1.0, 0.5, 0.1, settings.rate[some], clip=1.0)
        their_reference = reference[some]
        more = {"keys": keys[some], "reference": their_reference}
        theirs = train(alone, cases, indices[:, some], only, schedule, **more)
        for x, y in zip(arrays_of(alone), arrays_of(whole), strict=True):
            assert x.tobytes() == y[some].tobytes()
        np.testing.assert_array_equal(theirs.total, report.total[some])
        np.testing.assert_array_equal(theirs.steps, report.steps[some])


def test_threads_change_nothing():
    S = 20
    weights, cases, indices = random_weights(S, 1), random_cases(6, 2), some_indices(5, S, 1, 6)
    settings, schedule, keys = everything(S)
    states = []
    for threads in (1, 3):
        state = TrainingState.fresh(weights)
        more = {"keys": keys, "reference": weights, "threads": threads}
        train(state, cases, indices, settings, schedule, **more)
        states.append(state)
    assert_same_bits(*states)


# ------------------------------------------------------------------ when gradients break


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_a_gradient_that_is_not_finite_is_skipped_and_counted(optimiser):
    S, K = 3, 4
    weights, cases, indices = random_weights(S, 1), random_cases(6, 2), some_indices(K, S, 1, 6)
    correctness = np.array([1.0, 3e38, 1.0])
    settings = TrainingObjective(STEPS, correctness=correctness, rate=0.1, optimiser=optimiser)
    state = TrainingState.fresh(weights)
    train(state, cases, indices, settings)
    np.testing.assert_array_equal(state.skipped, [0, K, 0])
    np.testing.assert_array_equal(state.applied, [K, 0, K])
    np.testing.assert_array_equal(state.weights[1], weights.flat()[1])
    assert all(np.isfinite(x).all() for x in arrays_of(state))


def test_clipping_survives_gradients_whose_squares_overflow():
    weights, cases, indices = random_weights(2, 1), random_cases(6, 2), some_indices(1, 2, 1, 6)
    settings = TrainingObjective(STEPS, correctness=1e30, rate=1.0, clip=0.5, optimiser="sgd")
    state = TrainingState.fresh(weights)
    train(state, cases, indices, settings)
    moved = np.linalg.norm(state.weights - weights.flat(), axis=1)
    np.testing.assert_allclose(moved, 0.5, rtol=1e-4)


def test_noise_and_pulls_ask_for_what_they_need():
    state, cases = TrainingState.fresh(random_weights(1, 1)), random_cases(1, 1)
    indices = np.zeros((1, 1, 1), int)
    with pytest.raises(ValueError, match="keys"):
        train(state, cases, indices, TrainingObjective(3), Schedule(noise=0.1))
    with pytest.raises(ValueError, match="reference"):
        train(state, cases, indices, TrainingObjective(3), Schedule(pull_weights=0.1))

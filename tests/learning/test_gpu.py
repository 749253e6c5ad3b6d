"""The kernels of the engine `gpu`, compiled for one thread, against the fused engine on a CPU.

What threads do together is tested where there is a card (benchmarks/gpu.py).
"""

import numpy as np
import pytest
from host_card import HostCard

from anc.learning import fused, gpu
from anc.learning.interface import Objective, Schedule, TrainingState, Work
from anc.machine.cases import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count

M, R, S, C = 7, 3, 3, 6
OBJECTIVE = Objective(
    12, 10.0, np.array([5.0, 1.0, 2.0]), 2.0, 0.1, rate=0.05, clip=np.array([0.5, 0.0, 50.0])
)


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    return HostCard(tmp_path_factory.mktemp("kernels"))


def members(seed: int = 0, scale: float = 1.5) -> Weights:
    flat = np.random.default_rng(seed).normal(size=(S, parameter_count(M, R))) * scale
    return Weights.of_flat(flat, M, R)


def some_cases(seed: int = 0) -> Cases:
    rng = np.random.default_rng(seed)
    inputs, outputs = (rng.integers(0, M, (C, M)).astype(np.uint16) for _ in range(2))
    masks = (rng.random((C, M)) < 0.6).astype(np.uint16) * ALL_BITS
    return Cases(inputs, outputs, masks, np.ones(C))


@pytest.mark.parametrize("stop_gradient", ["cut", "full"])
def test_gradients_are_those_of_the_fused_engine(card, stop_gradient):
    from dataclasses import replace

    objective = replace(OBJECTIVE, stop_gradient=stop_gradient)
    wanted_report, wanted = fused.gradient(members(), some_cases(), objective, dtype="float64")
    report, found = gpu.gradient(members(), some_cases(), objective, dtype="float64", card=card)
    for one, two in zip(found, wanted, strict=True):
        assert np.allclose(one, two, rtol=1e-9, atol=1e-9)
    assert np.allclose(report.total, wanted_report.total, rtol=1e-12)
    assert np.allclose(report.steps, wanted_report.steps)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_trajectories_are_those_of_the_fused_engine(card, optimiser):
    """Noise, pulls, clipping, frozen parameters and both optimisers, for fifty iterations."""
    from dataclasses import replace

    objective = replace(OBJECTIVE, optimiser=optimiser, rate=0.01)
    K, rng = 50, np.random.default_rng(1)
    schedule = Schedule(np.linspace(1, 0.5, K), 0.1, 0.02, np.linspace(0.3, 0, K), 0.7)
    trainable = rng.random(parameter_count(M, R)) < 0.9
    states = []
    for engine, more in ((fused, {}), (gpu, {"card": card})):
        state = TrainingState.fresh(members(), "float64")
        work = Work.checked(
            state, some_cases(), np.random.default_rng(2).integers(0, C, (K, S, 2)), objective,
            schedule, np.arange(S, dtype=np.uint64) + 5, members(3), trainable,
        )  # fmt: skip
        report = engine.train(state, work, objective, **more)
        states.append((state, report))
    (wanted, wanted_report), (found, report) = states
    assert np.abs(wanted.weights - members().flat("float64")).max() > 0.05
    assert np.allclose(found.weights, wanted.weights, rtol=1e-7, atol=1e-8)
    assert np.allclose(found.moment2, wanted.moment2, rtol=1e-6, atol=1e-10)
    assert np.array_equal(found.applied, wanted.applied)
    assert found.iteration == K
    assert np.allclose(report.total, wanted_report.total, rtol=1e-8)


def test_evaluations_are_those_of_the_fused_engine(card):
    wanted = fused.evaluate(members(4, 4.0), some_cases(), 30, dtype="float64")
    found = gpu.evaluate(members(4, 4.0), some_cases(), 30, dtype="float64", card=card)
    assert 0 < wanted.halted.mean() < 1
    for one, two in zip(found, wanted, strict=True):
        assert np.allclose(one, two, rtol=1e-10)


def test_updates_that_are_not_finite_are_skipped(card):
    weights = members()
    weights.op[1] = np.nan
    state = TrainingState.fresh(weights)
    work = Work.checked(state, some_cases(), np.zeros((4, S, 1), int), OBJECTIVE)
    gpu.train(state, work, OBJECTIVE, card=card)
    assert state.applied.tolist() == [4, 0, 4]
    assert state.skipped.tolist() == [0, 4, 0]

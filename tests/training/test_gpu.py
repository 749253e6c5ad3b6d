"""The kernels of the engine `gpu` without a GPU, on threads of this machine, against the fused engine.

One thread computes what kernels compute; several, in warps, groups and blocks, also need the meetings that
they have on a GPU. Only its own macros (card.h) are compared with one: benchmarks/gpu.py.
"""

from dataclasses import replace

import numpy as np
import pytest
from host_device import ROOM, HostDevice

from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from anc.support.diagnostics import AncError
from anc.training import fused, gpu
from anc.training.gpu.sizes import Sizes
from anc.training.interface import Schedule, TrainingObjective, TrainingState, Work

M, R, S, C = 10, 3, 3, 6  # a size that other tests compile, too
OBJECTIVE = TrainingObjective(
    12, 10.0, np.array([5.0, 1.0, 2.0]), 2.0, 0.1, rate=0.05, clip=np.array([0.5, 0.0, 50.0])
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def device(folder):
    return HostDevice(folder)


def members(seed: int = 0, scale: float = 1.5) -> Weights:
    flat = np.random.default_rng(seed).normal(size=(S, parameter_count(M, R))) * scale
    return Weights.of_flat(flat, M, R)


def some_cases(seed: int = 0) -> Cases:
    rng = np.random.default_rng(seed)
    inputs, outputs = (rng.integers(0, M, (C, M)).astype(np.uint16) for _ in range(2))
    masks = (rng.random((C, M)) < 0.6).astype(np.uint16) * ALL_BITS
    return Cases(inputs, outputs, masks, np.ones(C))


@pytest.mark.parametrize("stop_gradient", ["cut", "full"])
def test_gradients_are_those_of_the_fused_engine(device, stop_gradient):
    objective = replace(OBJECTIVE, stop_gradient=stop_gradient)
    wanted_report, wanted = fused.gradient(members(), some_cases(), objective, dtype="float64")
    report, found = gpu.gradient(members(), some_cases(), objective, dtype="float64", device=device)
    for one, two in zip(found, wanted, strict=True):
        assert np.allclose(one, two, rtol=1e-9, atol=1e-9)
    assert np.allclose(report.total, wanted_report.total, rtol=1e-12)
    assert np.allclose(report.steps, wanted_report.steps)


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_trajectories_are_those_of_the_fused_engine(device, optimiser):
    """Noise, pulls, clipping, frozen parameters and both optimisers, for fifty iterations."""
    objective = replace(OBJECTIVE, optimiser=optimiser, rate=0.01)
    K, rng = 50, np.random.default_rng(1)
    schedule = Schedule(np.linspace(1, 0.5, K), 0.1, 0.02, np.linspace(0.3, 0, K), 0.7)
    trainable = rng.random(parameter_count(M, R)) < 0.9
    states = []
    for engine, more in ((fused, {}), (gpu, {"device": device})):
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


def test_evaluations_are_those_of_the_fused_engine(device):
    wanted = fused.evaluate(members(4, 4.0), some_cases(), 30, dtype="float64")
    found = gpu.evaluate(members(4, 4.0), some_cases(), 30, dtype="float64", device=device)
    assert 0 < wanted.halted.mean() < 1
    for one, two in zip(found, wanted, strict=True):
        assert np.allclose(one, two, rtol=1e-10)


def test_updates_that_are_not_finite_are_skipped(device):
    weights = members()
    weights.op[1] = np.nan
    state = TrainingState.fresh(weights)
    work = Work.checked(state, some_cases(), np.zeros((4, S, 1), int), OBJECTIVE)
    gpu.train(state, work, OBJECTIVE, device=device)
    assert state.applied.tolist() == [4, 0, 4]
    assert state.skipped.tolist() == [0, 4, 0]


@pytest.mark.parametrize(
    "shape",
    [
        {"groups": 2, "count": 2, "order": 2},
        {"warp": 4, "groups": 2, "inside": False, "columns": False},
        {"warp": 8, "columns": False, "order": 3},
    ],
    ids=["several groups", "several warps, memory outside", "several warps"],
)
def test_threads_compute_the_same_in_any_company_and_order(folder, shape):
    device = HostDevice(folder, **shape)
    few = some_cases()
    short = replace(OBJECTIVE, max_steps=5)
    _, wanted = fused.gradient(members(), few, short, dtype="float64")
    _, found = gpu.gradient(members(), few, short, dtype="float64", device=device)
    for one, two in zip(found, wanted, strict=True):
        assert np.allclose(one, two, rtol=1e-9, atol=1e-9)
    states = []
    for engine, more in ((fused, {}), (gpu, {"device": device})):
        state = TrainingState.fresh(members(), "float64")
        indices = np.random.default_rng(2).integers(0, C, (2, S, 3))
        work = Work.checked(
            state, few, indices, short, Schedule(1, 0.1, 0.02, 0.3, 0.7),
            np.arange(S, dtype=np.uint64), members(3),
        )  # fmt: skip
        engine.train(state, work, short, **more)
        states.append(state.weights)
    assert np.allclose(*states, rtol=1e-9, atol=1e-9)
    wanted = fused.evaluate(members(4, 4.0), few, 8, dtype="float64")
    found = gpu.evaluate(members(4, 4.0), few, 8, dtype="float64", device=device)
    for one, two in zip(found, wanted, strict=True):
        assert np.allclose(one, two, rtol=1e-10)


def test_every_size_has_groups_and_a_source():
    """Also those for which a block has hardly room."""
    for M, R in ((2, 1), (7, 3), (33, 4), (100, 18), (256, 6)):
        sizes = Sizes.chosen(M, R, "float32", ROOM)
        assert sizes.groups(1) == 1
        assert sizes.group >= M and 32 <= sizes.group * sizes.groups(100) <= 512
        assert f"#define M {M}\n" in sizes.source
    assert Sizes.chosen(10, 5, "float32", ROOM).groups(5) == 5
    assert Sizes.chosen(100, 18, "float32", ROOM).groups(5) > 1
    assert not Sizes.chosen(100, 18, "float32", ROOM).inside


def test_threads_have_fewer_registers_where_they_are_many():
    """As many as they want would be more than a multiprocessor has: blocks of them could not begin."""
    sizes = Sizes.chosen(20, 7, "float32", ROOM)
    assert sizes.shared_by(100, 5, 132).registers is None
    assert sizes.shared_by(10_000, 5, 132).registers == 128
    assert sizes.shared_by(1, 15, 132).registers == 128
    assert Sizes.chosen(256, 6, "float32", ROOM).shared_by(1, 2, 132).registers == 128


def test_a_memory_that_is_too_large_for_a_block_is_refused():
    small = 101_376  # what a block of many smaller GPUs has
    assert Sizes.chosen(100, 6, "float32", small)
    with pytest.raises(AncError, match="shared memory, and this GPU has 99 KiB"):
        Sizes.chosen(256, 18, "float32", small)
    with pytest.raises(AncError, match="memories of up to 512 cells, found 600"):
        Sizes.chosen(600, 3, "float32", ROOM)

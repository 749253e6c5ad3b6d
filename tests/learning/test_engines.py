"""The two engines against each other: on every task, at initial and at trained weights."""

import jax
import numpy as np
import pytest

from anc import tasks
from anc.learning import fused, jax_engine, problem
from anc.learning.interface import Objective, Population, Schedule, TrainingState
from anc.learning.members import Members, starting_population
from anc.learning.settings import TrainingSettings, load_settings

NAMES = [task.name for task in tasks.all_tasks()]
SIX = ["access", "increment", "swap", "listk", "addition", "sort"]


def start(name, seeds, settings):
    given = problem.from_task(tasks.get(name), pool=64, test=20)
    members = Members((settings,) * seeds, tuple(range(seeds)))
    population = starting_population(given, members, [0] * seeds)
    return given, members, population


def settings_for(name):
    if name in SIX:
        return load_settings(name, "published")
    limit = min(tasks.get(name).max_steps, 120)
    return TrainingSettings(max_steps=limit, batch=2, iterations=100)


def agree(found, wanted, tolerance):
    """Compared part by part, relative to the largest gradient of the part's member."""
    size = max(np.abs(part).max() for part in wanted)
    for one, two in zip(found, wanted, strict=True):
        assert np.abs(one - two).max() <= tolerance * size


@pytest.mark.parametrize("name", NAMES)
def test_gradients_agree_at_initial_and_at_trained_weights(name):
    settings = settings_for(name)
    given, members, population = start(name, 2, settings)
    cases = problem.as_arrays(given.pool[:2])
    objective = members.objective()
    state = TrainingState.fresh(population)
    indices = np.random.default_rng(0).integers(0, 64, (30, 2, settings.batch))
    fused.train(state, problem.as_arrays(given.pool), indices, objective)
    for now in (population, state.logits):
        with jax.enable_x64(True):
            report, judge = jax_engine.gradient(now, cases, objective, "float64")
        found, single = fused.gradient(now, cases, objective)
        assert found.total == pytest.approx(report.total, rel=1e-3)
        assert found.steps == pytest.approx(report.steps)
        agree(single, judge, 5e-3)
        if name in ("access", "listk"):  # one of each arrangement; a compilation takes a while
            found, double = fused.gradient(now, cases, objective, dtype="float64")
            assert found.total == pytest.approx(report.total, rel=1e-9)
            agree(double, judge, 1e-8)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_training_agrees(optimiser):
    given, _, population = start("access", 3, load_settings("access", "published"))
    pool = problem.as_arrays(given.pool)
    indices = np.random.default_rng(1).integers(0, 64, (6, 3, 2))
    objective = Objective(10, 10, 1, 0.5, 0.1, 0.05, clip=1.0, optimiser=optimiser)
    schedule = Schedule(
        rate_scale=np.linspace(1, 0.5, 6), pull_weights=0.01, pull_probabilities=0.1
    )
    reference = Population(*(part + 0.1 for part in population))
    states = [TrainingState.fresh(population, "float64") for _ in range(2)]
    with jax.enable_x64(True):
        reports = [
            engine.train(state, pool, indices, objective, schedule, reference=reference)
            for engine, state in zip((fused, jax_engine), states, strict=True)
        ]
    assert states[0].weights == pytest.approx(states[1].weights, rel=1e-6, abs=1e-8)
    assert reports[0].total == pytest.approx(reports[1].total, rel=1e-6)
    assert list(states[0].applied) == list(states[1].applied) == [6, 6, 6]


def test_evaluation_agrees():
    given, _, population = start("listk", 3, load_settings("listk", "published"))
    cases = problem.as_arrays(given.test)
    one = fused.evaluate(population, cases, 75)
    two = jax_engine.evaluate(population, cases, 75)
    assert np.array_equal(one.steps, two.steps)
    assert np.array_equal(one.right, two.right)
    assert np.array_equal(one.halted, two.halted)
    assert one.certainty == pytest.approx(two.certainty, abs=1e-5)


def test_a_gradient_that_is_not_finite_is_skipped_and_counted_in_jax_too():
    given, _, population = start("access", 2, load_settings("access", "published"))
    population.op[1, 0, 0] = np.float32(3e38)
    population.op[1, 0, 1] = np.float32(-3e38)
    state = TrainingState.fresh(population)
    state.weights[1, 0] = np.inf
    before = state.weights[1].copy()
    objective = Objective(10, 10, 1, learning_rate=1.0, optimiser="sgd")
    jax_engine.train(state, problem.as_arrays(given.pool), np.zeros((4, 2, 1), int), objective)
    assert list(state.skipped) == [0, 4]
    assert np.array_equal(state.weights[1], before)
    assert np.all(np.isfinite(state.weights[0]))

"""The two engines against each other: on every task, at initial and at trained weights."""

import jax
import numpy as np
import pytest

from anc.data import tasks
from anc.data.tasks import Case
from anc.machine import soft
from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import soften, stack
from anc.program import Line, Program
from anc.training import fused, jax_engine, problem
from anc.training.interface import Schedule, TrainingObjective, TrainingState, Work
from anc.training.members import Members, starting_population
from anc.training.settings import load_settings

SMALL, LARGE = (20, 7), (100, 23)  # M and R: every size is compiled, so every task takes one of two


def start(name, seeds, settings):
    given = problem.from_task(tasks.get(name), pool=64, test=20)
    members = Members.alike(settings, seeds)
    return given, starting_population(given, members, [0] * seeds)


def widened(name, M, R):
    """A task's program softened, and some of its cases, for a larger memory and more registers.

    What the program does there is of no interest here; all tasks of one size share compiled code.
    """
    task = tasks.get(name)
    program = task.program.with_spare(R - task.program.R)
    population = stack([soften(program, M, sharpness, 0) for sharpness in (4.0, 6.0)])
    zeros = (0,) * (M - task.M)
    cases = [
        Case(case.input + zeros, case.output + zeros, case.mask + (False,) * len(zeros))
        for case in task.draw(True, 16, 0)
    ]
    return population, Cases.of(cases)


def agree(found, wanted, tolerance):
    """Compared part by part, relative to the largest gradient of the part's member."""
    size = max(np.abs(part).max() for part in wanted)
    for one, two in zip(found, wanted, strict=True):
        assert np.abs(one - two).max() <= tolerance * size


def compare(name, M, R, steps, dtype, tolerance, iterations=30):
    """Losses and gradients of both engines, at initial and at trained weights."""
    population, cases = widened(name, M, R)
    objective = TrainingObjective(steps, 10, 5, 2, 0.1, rate=0.1)
    state = TrainingState.fresh(population, dtype)
    indices = np.random.default_rng(0).integers(0, cases.C, (iterations, 2, 2))
    fused.train(state, Work.checked(state, cases, indices, objective), objective)
    some = cases.choose([0, 1])
    for now in (population, state.logits):
        with jax.enable_x64(True):
            report, judge = jax_engine.gradient(now, some, objective, "float64")
        found, gradient = fused.gradient(now, some, objective, dtype=dtype)
        assert found.total == pytest.approx(report.total, rel=tolerance / 5)
        assert found.steps == pytest.approx(report.steps)
        agree(gradient, judge, tolerance)


@pytest.mark.parametrize("task", tasks.all_tasks(), ids=lambda task: task.name)
def test_gradients_agree_at_initial_and_at_trained_weights(task):
    if SMALL[0] >= task.M and SMALL[1] >= task.program.R:
        compare(task.name, *SMALL, 60, "float32", 5e-3)
    else:
        compare(task.name, *LARGE, 60, "float32", 5e-3, iterations=10)


def test_gradients_agree_in_double_precision():
    compare("access", 10, 3, 10, "float64", 1e-8)


def train_access(engine, optimiser, spoil=lambda state: None):
    """Train three members for six iterations in double precision: the trained state and its report."""
    given, population = start("access", 3, load_settings("access", "published"))
    indices = np.random.default_rng(1).integers(0, 64, (6, 3, 2))
    objective = TrainingObjective(10, 10, 1, 0.5, 0.1, 0.05, clip=1.0, optimiser=optimiser)
    schedule = Schedule(
        rate_scale=np.linspace(1, 0.5, 6), pull_weights=0.01, pull_probabilities=0.1
    )
    reference = population.map(lambda part: part + 0.1)
    state = TrainingState.fresh(population, "float64")
    spoil(state)
    work = Work.checked(
        state, Cases.of(given.pool), indices, objective, schedule, reference=reference
    )
    with jax.enable_x64(True):
        return state, engine.train(state, work, objective)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_training_agrees(optimiser):
    found = [train_access(engine, optimiser) for engine in (fused, jax_engine)]
    states, reports = zip(*found, strict=True)
    assert states[0].weights == pytest.approx(states[1].weights, rel=1e-6, abs=1e-8)
    assert reports[0].total == pytest.approx(reports[1].total, rel=1e-6)
    assert list(states[0].applied) == list(states[1].applied) == [6, 6, 6]


def test_evaluation_agrees():
    given, population = start("listk", 3, load_settings("listk", "published"))
    cases = Cases.of(given.test)
    one = fused.evaluate(population, cases, 75)
    two = jax_engine.evaluate(population, cases, 75)
    assert np.array_equal(one.steps, two.steps)
    assert np.array_equal(one.right, two.right)
    assert np.array_equal(one.halted, two.halted)
    assert one.certainty == pytest.approx(two.certainty, abs=1e-5)


def test_a_gradient_that_is_not_finite_is_skipped_and_counted_in_jax_too():
    before = []

    def spoil(state):
        state.weights[1, 0] = np.inf
        before.append(state.weights.copy())

    state, _ = train_access(jax_engine, "sgd", spoil)
    assert list(state.skipped) == [0, 6, 0]
    assert np.array_equal(state.weights[1], before[0][1])
    assert np.all(np.isfinite(state.weights[[0, 2]]))
    assert np.all(np.any(state.weights[[0, 2]] != before[0][[0, 2]], axis=1))


def test_doubling_in_single_precision_keeps_distributions_whole_in_every_engine():
    """Without normalised operands the rounding error of a sum doubles with every ADD(x, x)."""
    M, x, zero, trash = 10, 0, 1, 2
    lines = (Line("ADD", x, x, x), Line("WRITE", zero, x, trash), Line("JEZ", zero, zero, trash))
    weights = stack([soften(Program(lines, (1, 0, 0), 0, (), M), M, sharpness=20.0)])
    outputs = np.zeros((M, M), np.uint16)
    outputs[:, 0] = np.arange(M)  # one case for each value that the first cell may have
    masks = np.zeros((M, M), np.uint16)
    masks[:, 0] = ALL_BITS
    cases = Cases(np.zeros((M, M), np.uint16), outputs, masks, np.ones(M))
    run = jax.jit(soft.run, static_argnums=2)
    for steps in (30, 180):  # 10 and 60 doublings
        state = run(weights[0].nameless(), cases.inputs[0], steps).state
        assert np.asarray(state.registers.sum(-1)) == pytest.approx(1, abs=1e-5)
        wanted = np.asarray(state.memory[0])
        assert wanted.sum() == pytest.approx(1, abs=1e-5)
        for engine in (fused, jax_engine):
            found = engine.evaluate(weights, cases, steps)
            assert found.certainty[0] == pytest.approx(wanted, abs=1e-4)
            assert found.certainty.sum() == pytest.approx(1, abs=1e-5)

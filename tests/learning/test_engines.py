"""The two engines against each other: on every task, at initial and at trained weights."""

import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from anc import tasks
from anc.learning import fused, jax_engine, problem
from anc.learning.interface import Objective, Schedule, TrainingState, Work
from anc.learning.members import Members, starting_population
from anc.learning.settings import load_settings
from anc.machine import soft
from anc.machine.cases import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count, soften, stack
from anc.program import Line, Program
from anc.tasks import Case

NAMES = [task.name for task in tasks.all_tasks() if task.name != "dijkstra"]


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


def compare(name, M, R, steps, dtype, tolerance):
    """Losses and gradients of both engines, at initial and at trained weights."""
    population, cases = widened(name, M, R)
    objective = Objective(steps, 10, 5, 2, 0.1, rate=0.1)
    state = TrainingState.fresh(population, dtype)
    indices = np.random.default_rng(0).integers(0, cases.C, (30, 2, 2))
    fused.train(state, Work.checked(state, cases, indices, objective), objective)
    some = cases.choose([0, 1])
    for now in (population, state.logits):
        with jax.enable_x64(True):
            report, judge = jax_engine.gradient(now, some, objective, "float64")
        found, gradient = fused.gradient(now, some, objective, dtype=dtype)
        assert found.total == pytest.approx(report.total, rel=tolerance / 5)
        assert found.steps == pytest.approx(report.steps)
        agree(gradient, judge, tolerance)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_agree_at_initial_and_at_trained_weights(name):
    compare(name, 30, 13, 60, "float32", 5e-3)


def test_gradients_agree_in_double_precision():
    compare("access", 10, 3, 10, "float64", 1e-8)


def test_gradients_agree_on_a_hundred_cells():
    compare("dijkstra", 100, 23, 20, "float32", 5e-3)


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_training_agrees(optimiser):
    given, population = start("access", 3, load_settings("access", "published"))
    pool = Cases.of(given.pool)
    indices = np.random.default_rng(1).integers(0, 64, (6, 3, 2))
    objective = Objective(10, 10, 1, 0.5, 0.1, 0.05, clip=1.0, optimiser=optimiser)
    schedule = Schedule(
        rate_scale=np.linspace(1, 0.5, 6), pull_weights=0.01, pull_probabilities=0.1
    )
    reference = population.map(lambda part: part + 0.1)
    states = [TrainingState.fresh(population, "float64") for _ in range(2)]
    with jax.enable_x64(True):
        reports = [
            engine.train(
                state,
                Work.checked(state, pool, indices, objective, schedule, reference=reference),
                objective,
            )
            for engine, state in zip((fused, jax_engine), states, strict=True)
        ]
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
    given, population = start("access", 2, load_settings("access", "published"))
    population.op[1, 0, 0] = np.float32(3e38)
    population.op[1, 0, 1] = np.float32(-3e38)
    state = TrainingState.fresh(population)
    state.weights[1, 0] = np.inf
    before = state.weights[1].copy()
    objective = Objective(10, 10, 1, rate=1.0, optimiser="sgd")
    work = Work.checked(state, Cases.of(given.pool), np.zeros((4, 2, 1), int), objective)
    jax_engine.train(state, work, objective)
    assert list(state.skipped) == [0, 4]
    assert np.array_equal(state.weights[1], before)
    assert np.all(np.isfinite(state.weights[0]))


def test_doubling_in_single_precision_keeps_distributions_whole_in_every_engine():
    """Without normalised operands the rounding error of a sum doubles with every ADD(x, x)."""
    M, x, zero, trash = 5, 0, 1, 2
    lines = (Line("ADD", x, x, x), Line("WRITE", zero, x, trash), Line("JEZ", zero, zero, trash))
    weights = stack([soften(Program(lines, (1, 0, 0), 0, (), M), M, sharpness=20.0)])
    outputs = np.zeros((M, M), np.uint16)
    outputs[:, 0] = np.arange(M)  # one case for each value that the first cell may have
    masks = np.zeros((M, M), np.uint16)
    masks[:, 0] = ALL_BITS
    cases = Cases(np.zeros((M, M), np.uint16), outputs, masks, np.ones(M))
    run = jax.jit(soft.run, static_argnums=2)
    for steps in (30, 90, 180):  # 10, 30 and 60 doublings
        state = run(weights[0].nameless(), cases.inputs[0], steps).state
        assert np.asarray(state.registers.sum(-1)) == pytest.approx(1, abs=1e-5)
        wanted = np.asarray(state.memory[0])
        assert wanted.sum() == pytest.approx(1, abs=1e-5)
        for engine in (fused, jax_engine):
            found = engine.evaluate(weights, cases, steps)
            assert found.certainty[0] == pytest.approx(wanted, abs=1e-4)
            assert found.certainty.sum() == pytest.approx(1, abs=1e-5)


# ------------------------------------------------------------------ other tables of instructions

ANOTHER = """
from anc.isa import PAPER, Instruction, add
INSTRUCTIONS = (
    *PAPER[:4],
    Instruction("MUL", 2, lambda a, b, M: a * b % M),
    *PAPER[4:],
    Instruction("PLUS", 2, add),
    Instruction("TWICE", 1, lambda a, b, M: 2 * a % M),
    Instruction("ONE", 0, lambda a, b, M: 1),
)
"""
WITHOUT_FAST_PATHS = """
from dataclasses import replace
from anc.isa import PAPER, Effect

def again(meaning):
    return lambda a, b, M: meaning(a, b, M)

INSTRUCTIONS = tuple(
    replace(row, output=again(row.output)) if row.effect is Effect.NONE else row for row in PAPER
)
"""
GRADIENTS = """
import sys
import jax, numpy as np
from test_engines import some_work
from anc.learning import fused, jax_engine
work = some_work()
with jax.enable_x64(True):
    report, judge = jax_engine.gradient(*work, "float64")
found, slopes = fused.gradient(*work, dtype="float64")
np.savez(sys.argv[1], judge=judge.flat("float64"), slopes=slopes.flat("float64"),
         totals=np.array([report.total, found.total]))
"""


def some_work() -> tuple[Weights, Cases, Objective]:
    """Three members on four cases, for any table of instructions."""
    M, R, S, C = 5, 3, 3, 4
    random = np.random.default_rng(3)
    weights = Weights.of_flat(1.5 * random.normal(size=(S, parameter_count(M, R))), M, R)
    tapes = random.integers(0, M, (2, C, M), np.uint16)
    cases = Cases(*tapes, np.full((C, M), ALL_BITS), np.ones(C))
    return weights, cases, Objective(9, 2.0, 1.0, 0.5, 0.1)


@pytest.mark.parametrize("table", [ANOTHER, WITHOUT_FAST_PATHS], ids=["another", "derived"])
def test_gradients_agree_for_other_tables_of_instructions(tmp_path, table):
    (tmp_path / "table.py").write_text(table)
    result = tmp_path / "found.npz"
    here = os.path.dirname(__file__)
    env = dict(os.environ, ANC_INSTRUCTIONS=str(tmp_path / "table.py"))
    env["PYTHONPATH"] = os.pathsep.join([here, *filter(None, sys.path)])
    subprocess.run([sys.executable, "-c", GRADIENTS, str(result)], env=env, check=True)
    found = np.load(result)
    assert found["totals"][0] == pytest.approx(found["totals"][1], rel=1e-10)
    agree(found["slopes"], found["judge"], 1e-9)
    if table is WITHOUT_FAST_PATHS:
        report, slopes = fused.gradient(*some_work(), dtype="float64")
        assert found["totals"][1] == pytest.approx(report.total, rel=1e-12)
        agree(found["slopes"], slopes.flat("float64"), 1e-11)

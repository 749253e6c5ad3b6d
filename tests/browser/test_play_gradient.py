"""The page's gradients are those of Python's reference engine."""

from dataclasses import asdict, replace

import numpy as np
import pytest

import anc
from anc.data import tasks
from anc.machine.encoded import Cases
from anc.machine.weights import stack
from anc.pages.play_data import TASKS
from anc.training import jax_engine
from anc.training.members import Members, starting_weights
from anc.training.problem import from_task
from anc.training.settings import load_settings

GRADIENT = """
const { program } = engine.compile(row.text);
const weights = engine.weightsOf(Float32Array.from(row.flat), row.M, row.R, program.set);
return engine.lossAndGradient(weights, row.cases, row.settings);
"""
TERMS = ("correctness", "halting", "confidence", "efficiency", "total", "steps")


def plain(cases):
    return [{"input": c.input, "output": c.output, "mask": list(map(int, c.mask))} for c in cases]


def compare(engine, text, weights, cases, settings):
    report, wanted = jax_engine.gradient(
        stack([weights]), Cases.of(cases), Members.alike(settings, 1).objective()
    )
    row = {"text": text, "flat": weights.flat().tolist(), "M": weights.M, "R": weights.R}
    (found,) = engine.each(GRADIENT, [row | {"cases": plain(cases), "settings": asdict(settings)}])
    for name in TERMS:
        assert found["terms"][name] == pytest.approx(
            float(getattr(report, name)[0]), rel=1e-4, abs=1e-5
        )
    gradient, wanted = np.array(found["gradient"]), wanted.flat()[0]
    assert np.linalg.norm(wanted) > 0
    assert np.linalg.norm(gradient - wanted) < 1e-4 * np.linalg.norm(wanted)
    assert np.abs(gradient - wanted).max() < 1e-4 * np.abs(wanted).max()


OTHERS = {"confidence": 3.0, "efficiency": 0.7, "stop_gradient": "full"}


@pytest.mark.parametrize(
    ("name", "change"), [*((name, {}) for name in TASKS), ("increment", OTHERS), ("listk", OTHERS)]
)
def test_gradients_of_the_tasks(engine, name, change):
    task, settings = tasks.get(name), replace(load_settings(name, "ours"), **change)
    problem = from_task(task, pool=4, test=4)
    weights = starting_weights(problem, settings, seed=7)
    compare(engine, task.source.text, weights, problem.pool, settings)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_of_random_weights(engine, seed):
    task, settings = tasks.get("listk"), load_settings("listk", "ours")
    settings = replace(settings, start="random", max_steps=25)
    problem = from_task(task, pool=3, test=3)
    compare(
        engine, task.source.text, starting_weights(problem, settings, seed), problem.pool, settings
    )


def test_gradients_through_all_wide_instructions(engine):
    text = "instructions wide\nmemory 11\nvar x = 5\nvar y = 3\nx = MUL(x, y)\nWRITE(y, x)\nSTOP()"
    program = anc.compile(text)
    settings = replace(load_settings("listk", "ours"), max_steps=8, registers=0)
    cases = tasks.get("access").draw(biased=True, n=2, seed=1)
    cases = [type(c)((*c.input, 0), (*c.output, 0), (*c.mask, False)) for c in cases]
    compare(engine, text, anc.soften(program, sharpness=0.5, seed=2), cases, settings)

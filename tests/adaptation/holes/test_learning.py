"""Gradient descent on some of the weights only, and search that leaves lines alone."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from sketch_cases import OnOwnCases

import anc
from anc.adaptation.holes.descent import SETTINGS, FillingDescent, trainable
from anc.adaptation.holes.reading import sketch_of
from anc.data import tasks
from anc.language import Source
from anc.machine.encoded import Cases
from anc.search import Search, SearchSettings
from anc.support.diagnostics import AncError
from anc.support.folders import TRAINING, claimed
from anc.training import fused, jax_engine, members
from anc.training.folder import RunFolder
from anc.training.members import Members
from anc.training.problem import from_task
from anc.training.settings import changed, usual_settings
from anc.training.training import Training

# As large as the task `access`, so that they share compiled code.
ACCESS = """memory 10
var k = READ(0)
k = ? in (DEC, INC)(k)
k = ? in (READ, INC)(? in (0, k))
WRITE(0, ? in (0, k))
STOP()
"""


@pytest.mark.parametrize("engine", [fused, jax_engine], ids=lambda engine: engine.name)
def test_gradient_descent_fills_a_sketch(engine):
    sketch = sketch_of(Source(ACCESS))
    cases = Cases.of(tasks.get("access").draw(False, 40, 0))
    settings = replace(SETTINGS, iterations=120)
    descent = FillingDescent(sketch, cases, engine, range(8), 8, settings)
    before, mask = descent.state.weights.copy(), trainable(sketch)
    assert mask.sum() == 8
    descent.advance()
    after = descent.state.weights
    assert np.array_equal(before[:, ~mask], after[:, ~mask])
    assert (before[:, mask] != after[:, mask]).mean() > 0.9
    while not descent.is_done:
        descent.advance()
    assert descent.right >= 6
    assert {found[0] for found in descent.best if found[1].is_right} == {(1, 0, 1, 1)}
    assert np.array_equal(before[:, ~mask], descent.state.weights[:, ~mask])


def test_members_may_have_cases_of_their_own():
    """Cases of another program for half of the members: they fill the hole differently."""
    sketch = sketch_of(Source(ACCESS))
    random = Random(0)
    inputs = [[random.randint(1, 8), *(random.randrange(10) for _ in range(9))] for _ in range(20)]
    both = []
    for filling in ((1, 0, 1, 1), (0, 0, 1, 1)):
        program = sketch.filled(filling)
        both += [tasks.Case(tuple(t), anc.run(program, t).tape, (True,) * 10) for t in inputs]
    chosen = [np.arange(20), np.arange(20, 40)] * 4
    settings = replace(SETTINGS, iterations=120)
    descent = OnOwnCases(sketch, Cases.of(both), fused, 50, settings, chosen)
    while not descent.is_done:
        descent.advance()
    fillings = [found[0] if found[1].is_right else None for found in descent.best]
    assert set(fillings[::2]) - {None} == {(1, 0, 1, 1)}
    assert set(fillings[1::2]) - {None} == {(0, 0, 1, 1)}


def test_training_leaves_frozen_lines_alone():
    problem = from_task(tasks.get("access"), pool=64, test=20).with_frozen([0, 3])
    values = {"iterations": 30, "validate_every": 15, "noise": 0.5, "pull_weights": 0.01}
    settings = changed(usual_settings("access"), values | {"registers": 3})
    training = Training(problem, Members.alike(settings, 8), fused)
    before = training.state.weights.copy()
    free = members.trainable(problem.program, problem.M)
    while not training.is_done:
        training.advance()
    after = training.state.weights
    assert np.array_equal(before[:, ~free], after[:, ~free])
    assert (before[:, free] != after[:, free]).mean() > 0.9
    weights = training.state.logits[0]
    for line in (0, 3):
        wanted = problem.program.lines[line]
        assert np.argmax(weights.first[line]) == wanted.first
        assert np.argmax(weights.out[line]) == wanted.out
    zero = problem.program.lines[0].first
    assert zero in problem.program.frozen_registers
    assert (np.argmax(weights.out[:5], axis=1) != zero).all()


def test_a_run_folder_remembers_what_is_frozen(tmp_path):
    problem = from_task(tasks.get("access"), pool=64, test=20).with_frozen([1])
    origin = {"kind": "task", "name": "access", "biased": True, "seed": 0, "pool": 64, "test": 20}
    folder = RunFolder(tmp_path)
    members = Members.alike(usual_settings("access"), 2)
    with claimed(tmp_path, TRAINING) as place:
        folder.begin(place, problem, members, "fused", origin | {"frozen": [1]})
    assert folder.problem().program.frozen == (1,)


def test_search_leaves_frozen_lines_alone():
    task = tasks.get("access")
    cases = task.draw(True, 40, 0)
    program = task.program.with_frozen([0, 3])
    settings = SearchSettings(seed=1, evaluations=150_000)
    search = Search(program, cases, task.M, settings)
    search.run()
    best = search.best
    assert best.steps == 3
    assert program.keeps(best.program)
    assert best.program.frozen == (0, 3)
    assert best.program.lines[0] == program.lines[0]
    assert best.method == "anneal"
    free = Search(task.program, cases, task.M, settings)
    free.run()
    assert not program.keeps(free.best.program)


def test_what_frozen_lines_mean_for_adapting():
    with pytest.raises(AncError, match="'specialise' writes new programs"):
        anc.adapt("access", method="specialise", freeze=[0])
    with pytest.raises(AncError, match="all lines are frozen"):
        anc.adapt("access", freeze=range(5))

    @anc.function(memory=20)
    def double(x: int) -> int:
        return x + x

    with pytest.raises(AncError, match="lines of a Python function cannot be frozen"):
        anc.train(double, [[1]], freeze=[0])

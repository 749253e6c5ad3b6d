"""Training in the page: the same iterations as `anc train`, valid cases, and a worker that succeeds."""

from collections import Counter
from dataclasses import asdict, replace

import numpy as np
import pytest

from anc.compiler import compile_source, to_text
from anc.data import tasks
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.machine.weights import soften, stack
from anc.pages.play_data import TASKS, play_data
from anc.training import jax_engine
from anc.training.interface import TrainingState, Work
from anc.training.members import Members, starting_weights, trainable, with_frozen_lines
from anc.training.problem import from_task
from anc.training.settings import load_settings

ITERATIONS = 20
LEARN = """
const { program } = engine.compile(row.text);
const { Learner } = engine.internals;
const weights = engine.weightsOf(Float32Array.from(row.flat), row.M, row.R, program.set);
const learner = new Learner(weights, row.settings);
const losses = row.indices.map((batch) => {
  learner.iterate(batch.map((i) => row.cases[i]));
  return learner.adjoint.terms[4] / batch.length;
});
return { losses, flat: weights.flat, judged: learner.judge(weights, row.cases) };
"""
WORKER = """
const [message, after, done] = arguments;
const worker = engine.startWorker(String(playEngine));
const found = [];
worker.onmessage = ({ data }) => {
  const { flat, ...rest } = data;
  found.push({ ...rest, parameters: flat ? flat.length : null });
  if (after[data.type]) worker.postMessage(after[data.type]);
  if (data.type === "end" || data.type === "problem") {
    worker.terminate();
    done(found);
  }
};
worker.postMessage(message);
"""


def message(task, **changes):
    about = play_data()["tasks"][task]
    settings = about["settings"] | changes.pop("settings", {})
    return {
        "type": "train",
        "task": task,
        "seed": 1,
        "text": about["text"],
        "settings": settings,
    } | changes


def answers(engine, message, after=None):
    """All messages of a worker, until it ends."""
    engine.browser.driver.set_script_timeout(120)
    return engine.browser.driver.execute_async_script(WORKER, message, after or {})


@pytest.mark.parametrize(
    ("name", "change"),
    [*((name, {}) for name in TASKS), ("access", {"optimiser": "adam", "rate": 0.05, "clip": 0.7})],
)
def test_iterations_are_those_of_anc_train(engine, name, change):
    """The loss curve, the weights and the judgement after 20 iterations from the same weights on the same cases."""
    settings = replace(load_settings(name, "ours"), **change)
    problem = from_task(tasks.get(name), pool=30, test=4)
    weights = starting_weights(problem, settings, seed=2)
    random = np.random.default_rng(5)
    indices = random.integers(30, size=(ITERATIONS, 1, settings.batch), dtype=np.int32)
    cases, objective = Cases.of(problem.pool), Members.alike(settings, 1).objective()
    state = TrainingState.fresh(stack([weights]))
    wanted = []
    for batch in indices:
        report = jax_engine.train(
            state, Work.checked(state, cases, batch[None], objective), objective
        )
        wanted.append(float(report.total[0]))
    plain = [
        {"input": c.input, "output": c.output, "mask": list(map(int, c.mask))} for c in problem.pool
    ]
    about = {"text": tasks.get(name).source.text, "settings": asdict(settings), "cases": plain}
    row = about | {"flat": weights.flat().tolist(), "M": weights.M, "R": weights.R}
    (found,) = engine.each(LEARN, [row | {"indices": indices[:, 0].tolist()}])
    assert found["losses"] == pytest.approx(wanted, rel=2e-3)
    moved = np.linalg.norm(state.weights[0] - weights.flat())
    assert np.linalg.norm(np.array(found["flat"]) - state.weights[0]) < 0.02 * moved
    judged = jax_engine.evaluate(state.logits, cases, settings.max_steps, settings.threshold)
    assert found["judged"]["right"] == pytest.approx(
        (judged.right & judged.halted).mean(), abs=0.04
    )
    assert found["judged"]["steps"] == pytest.approx(judged.steps.mean(), rel=0.02)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("biased", [False, True])
def test_cases_are_right_and_distributed_as_in_python(engine, name, biased):
    count = 3000
    drawn = engine.js(
        f"return engine.drawCases('{name}', {'true' if biased else 'false'}, {count}, 3)"
    )
    task = tasks.get(name)
    for case in drawn[:300]:
        tape = exact.run(task.program, case["input"], 10_000).tape
        assert all(
            a == b
            for a, b, counts in zip(tape, case["output"], case["mask"], strict=True)
            if counts
        )
    ours = task.draw(biased, count, 8)
    assert len(drawn[0]["input"]) == task.M
    for part in ("input", "output", "mask"):
        here = np.array([case[part] for case in drawn])
        there = np.array([getattr(case, part) for case in ours]).astype(int)
        assert np.abs(here.mean(0) - there.mean(0)).max() < 0.05 * task.M  # of means
        for cell in range(task.M):
            one, two = Counter(here[:, cell].tolist()), Counter(there[:, cell].tolist())
            apart = sum(abs(one[value] - two[value]) for value in {*one, *two}) / (2 * count)
            assert apart < 0.08  # total variation of each cell


def test_the_same_seed_draws_the_same_cases_and_another_others(engine):
    draw = "JSON.stringify(engine.drawCases('listk', true, 20, {}))"
    found = engine.js(f"return [{draw.format(1)}, {draw.format(1)}, {draw.format(2)}]")
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("name", ["access", "swap"])
def test_a_worker_learns_and_says_how_it_goes(engine, name):
    begin, *progress, end = answers(engine, message(name, every=0.02, more=200))
    assert begin["type"] == "begin" and end["type"] == "end" and progress
    assert end["reason"] == "succeeded" and end["succeeded"] and end["right"] == 1
    assert end["steps"] < begin["genericSteps"] and end["best"]["steps"] < begin["genericSteps"]
    iterations = [each["iteration"] for each in progress]
    assert iterations == sorted(set(iterations)) and iterations[-1] <= end["iteration"]
    assert all(each["parameters"] == end["parameters"] > 0 for each in progress)
    assert all(set(each["loss"]) >= {"correctness", "total", "steps"} for each in progress)
    assert all(each["listing"].startswith("memory 10") for each in progress)
    # the exact program of the best weights is right and fast in Python, too
    program = compile_source(Source(end["listing"])).program
    cases = tasks.get(name).draw(biased=True, n=200, seed=11)
    runs = [exact.run(program, case.input, 50) for case in cases]
    assert end["hardRight"] == 1
    assert all(case.is_right(run.tape) for case, run in zip(cases, runs, strict=True))
    assert np.mean([run.steps for run in runs]) == pytest.approx(end["hardSteps"], abs=0.3)
    assert set(end["visited"]) <= set(range(len(program.lines)))
    found = compile_source(Source(end["exact"]["listing"])).program
    assert all(case.is_right(exact.run(found, case.input, 50).tape) for case in cases)
    assert end["exact"]["steps"] < begin["genericSteps"]


FROZEN = """
const { program } = engine.compile(row.text);
const { trainable, withFrozenLines, Learner } = engine.internals;
const free = trainable(program);
const weights = engine.weightsOf(Float32Array.from(row.flat), program.memory, row.R, program.set);
withFrozenLines(weights, program, free);
const begin = weights.flat.slice();
const learner = new Learner(weights, row.settings, free);
for (let i = 0; i < 5; i++) learner.iterate(row.cases);
return { free, begin, moved: weights.flat.map((value, i) => Number(value !== begin[i])) };
"""


@pytest.mark.parametrize("lines", [[8], [0, 2, 7]])
def test_frozen_lines_stay(engine, lines):
    program = tasks.get("listk").program.with_frozen(lines)
    settings = load_settings("listk", "ours")
    cases = tasks.get("listk").draw(biased=True, n=4, seed=2)
    plain = [{"input": c.input, "output": c.output, "mask": list(map(int, c.mask))} for c in cases]
    weights = soften(program, sharpness=settings.sharpness, seed=3)
    row = {"text": to_text(program), "flat": weights.flat().tolist(), "R": program.R}
    (found,) = engine.each(FROZEN, [row | {"settings": asdict(settings), "cases": plain}])
    free = trainable(program, weights.M)
    assert np.array_equal(np.array(found["free"], bool), free) and not free.all()
    assert np.abs(found["begin"] - with_frozen_lines(weights, program).flat()).max() < 1e-6
    moved = np.array(found["moved"], bool)
    assert moved[free].mean() > 0.9 and not moved[~free].any()


def test_a_worker_keeps_frozen_lines(engine):
    text = play_data()["tasks"]["swap"]["text"].replace(
        "p_val = READ(p)", "@frozen p_val = READ(p)"
    )
    end = answers(engine, message("swap", text=text, settings={"iterations": 300}, until="end"))[-1]
    begin, learnt = (compile_source(Source(x)).program for x in (text, end["listing"]))
    assert "@frozen" in text and learnt.lines[4] == begin.lines[4]


def test_a_worker_is_stopped(engine):
    found = answers(engine, message("sort", until="end"), {"progress": {"type": "stop"}})
    assert found[-1]["reason"] == "stopped" and 0 < found[-1]["iteration"] < found[0]["iterations"]


def test_a_worker_keeps_the_pace(engine):
    found = answers(
        engine, message("access", pace=500, every=0.2, settings={"iterations": 300}, until="end")
    )
    assert found[-1]["reason"] == "iterations" and found[-1]["iteration"] == 300
    assert 0.4 < found[-1]["seconds"] < 1.5 and len(found) >= 4


def test_the_same_seed_learns_the_same(engine):
    asked = message("access", until="end", settings={"iterations": 400})
    one, two, other = (answers(engine, asked | {"seed": seed})[-1] for seed in (5, 5, 6))
    assert one["listing"] == two["listing"] and one["best"] == two["best"]
    assert (one["best"], one["attempt"], one["listing"]) != (
        other["best"],
        other["attempt"],
        other["listing"],
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": "var k = 1\nk = REED(k)"}, "unknown instruction 'REED'"),
        ({"text": "memory 10\n@frozen STOP()"}, "all lines are frozen"),
        ({"text": "memory 12\nSTOP()"}, "has 10 cells, and the program a memory of 12"),
        ({"text": "var x\nl: x = ZERO()\nJEZ(0, l)"}, "wrong on some of the task's inputs"),
        ({"text": "memory 10\nSTOP()"}, "wrong on some of the task's inputs"),
        ({"settings": {"noise": 0.5}}, "knows noise = 0 only, found 0.5"),
    ],
)
def test_what_cannot_be_trained_is_said(engine, changes, words):
    (problem,) = answers(engine, message("access", **changes))
    assert problem["type"] == "problem" and words in problem["message"]

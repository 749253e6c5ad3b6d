"""Filling for an objective: against brute force, by climbing, by gradient, and what is said about it."""

import itertools
import json
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from click.testing import CliRunner

import anc
from anc.adaptation.holes import fill_by_score
from anc.adaptation.holes.fill_by_score import fill_for
from anc.adaptation.holes.reading import sketch_of
from anc.adaptation.holes.result import Scored
from anc.adaptation.objectives.objective import Instances, Objective
from anc.commands.main import app
from anc.language import Source
from anc.machine import exact
from anc.machine.exact import Stop
from anc.support.diagnostics import AncError
from anc.support.records import read

# Adds up a list of four; with the first choices it never ends, with others it leaves the tape alone.
TOTAL = """memory 8
var i = ? in (4, 0, 1)
var total = 0
var x
l_loop: x = READ(i)
total = ?(total, x)
i = ? in (DEC, INC)(i)
x = SUB(i, ? in (total, 4))
JEZ(x, ? in (l_loop, l_end))
JEZ(0, l_loop)
l_end: WRITE(5, ? in (0, total, x))
STOP()
"""
LIMIT = 60
INPUTS = [[1 + n % 3, (n // 3) % 3, n % 2, (n // 9) % 2, n % 5] for n in range(40)]


def distance(given, final):
    return abs(final[5] - max(given[:4]))


def kept(given, final):
    return final[:5] == given[:5] and final[5] > 0


def brute_force(sketch, inputs):
    """Every filling with its invalid runs and its mean score, by the plain exact machine."""
    found = {}
    for filling in itertools.product(*(range(len(hole.choices)) for hole in sketch.holes)):
        scores = []
        for tape in inputs:
            run = exact.run(sketch.filled(filling), tuple(tape), LIMIT)
            if run.stop is Stop.STOPPED and kept(tuple(tape), run.tape):
                scores.append(distance(tape, run.tape))
        mean = np.mean(scores) if scores else np.inf
        found[filling] = len(inputs) - len(scores), round(float(mean), 9)
    return found


def filled(**more):
    sketch, instances = sketch_of(Source(TOTAL)), Instances.of([t + [0] * 3 for t in INPUTS])
    objective = Objective.of(distance, kept, False, 8)
    return sketch, instances, fill_for("t", sketch, instances, objective, max_steps=LIMIT, **more)


def test_every_filling_is_judged_and_equals_are_named():
    sketch, instances, result = filled()
    seen = np.concatenate([instances.searched, instances.chosen]).tolist()
    everything = brute_force(sketch, seen)
    least = min(everything.values())
    best = [filling for filling, grade in everything.items() if grade == least]
    assert result.tried == sketch.size == len(everything)
    assert result.filling in best and result.fillings == len(best)
    assert (result.violations, everything[result.filling]) == (least[0], least)
    for number, decided in enumerate(result.holes):
        assert decided.is_certain
        words = {sketch.holes[number].words[filling[number]] for filling in best}
        assert {decided.word, *decided.alternatives} == words
    assert not result.is_determined
    assert result.comparison.violations_generic == 8 == result.comparison.instances
    assert "valid on 8; with the first choices, on 0" in str(result)
    again = str(read(Scored, result.to_dict(), "result.json"))
    assert again.replace("alone or with others", "with others") == str(result)


def test_climbing_finds_it_too(monkeypatch):
    _, _, everything = filled()
    monkeypatch.setattr(fill_by_score, "EVERYTHING", 0)
    sketch, _, climbed = filled(seed=1)
    assert (climbed.violations, climbed.score) == (everything.violations, everything.score)
    assert climbed.tried < sketch.size and climbed.fillings is None
    assert not any(decided.is_certain for decided in climbed.holes)
    assert f"not all of the {sketch.size:,} fillings were tried" in str(climbed)
    _, _, few = filled(proposals=20)
    assert few.tried == 20


def test_gradient_descent_on_the_holes_alone():
    text = "memory 4; var x = READ(0); x = ?(x, ? in (0, 2, 1)); WRITE(? in (0, 2), x); STOP()"
    sketch, instances = sketch_of(Source(text)), Instances.of([[n % 2, 0, 0, 0] for n in range(20)])
    score = anc.score(lambda given, memory: memory[2] @ jnp.arange(4.0), soft=True)
    aim = sketch, instances, Objective.of(score, None, True, 4)
    settings = replace(fill_by_score.USUAL, iterations=30)
    result = fill_for("g", *aim, method="gradient", seeds=4, settings=settings)
    assert result.method == "gradient descent" and result.members == 4
    assert result.members_right >= 2
    assert result.score == fill_for("s", *aim, method="search").score == 2.5


def test_a_python_function_takes_arguments():
    @anc.function(memory=20)
    def price(length: int) -> int:
        return length + anc.hole((1, 2, 3)) - anc.hole((0, 1))

    result = anc.fill(
        price, inputs=[[n] for n in range(10)], objective=lambda given, final: final[1] - given[0]
    )
    assert "        return length + 1 - 1\n" in result.text
    assert result.score == 0 and result.is_determined


def test_a_score_that_fails_here_and_there_is_named():
    def inverse(given, final):
        return 1 / final[0]

    text = "memory 8; var x = READ(0); x = ? in (DEC, INC)(x); WRITE(0, x); STOP()"
    inputs = [[1], [2], [2], [7]]
    result = anc.fill(text, inputs=[[3], *inputs], objective=inverse)
    assert (result.is_valid, result.violations) == (False, 1)
    assert "this one is not on 1 of 5" in str(result)
    assert "where it is not valid: 'objective': 'inverse' failed: ZeroDivisionError" in str(result)


def fails(given, final):
    return final[99]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"objective": fails}, "'objective': 'fails' failed: IndexError"),
        (
            {"objective": distance, "constraint": lambda given, final: 0},
            "none of 4 fillings is valid on any input.*'constraint': the function is 0",
        ),
        ({"objective": distance, "method": "gradient"}, "has no gradient"),
        ({"objective": distance, "cases": []}, "'cases' and 'objective' exclude each other"),
        ({"objective": distance, "inputs": None}, "'inputs' is missing"),
        ({"objective": distance, "fresh": []}, "'fresh' is empty"),
        ({"objective": distance, "inputs": [{"input": [1], "output": [2]}]}, "expected answer"),
        ({"constraint": distance}, "'constraint' needs an 'objective'"),
        ({"inputs": None}, "no cases to fill the holes from, no specification and no objective"),
    ],
)
def test_what_cannot_be_filled(arguments, words):
    text = "memory 8; var x = READ(?); x = ? in (INC, DEC)(x); WRITE(5, x); STOP()"
    with pytest.raises(AncError, match=words):
        anc.fill(text, **{"inputs": [[1, 2, 3]], **arguments})


def test_the_command(tmp_path):
    texts = {
        "sketch.anc": "memory 8\nvar x = READ(0)\nx = ? in (DEC, INC)(x)\nWRITE(1, x)\nSTOP()\n",
        "score.anc": "memory 8\nvar x = READ(1)\nWRITE(4, x)\nSTOP()\n",
        "inputs.jsonl": "".join(f"[{n % 6}]\n" for n in range(1, 40)),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    sketch, score, data = (str(tmp_path / name) for name in texts)
    words = ["fill", sketch, "--data", data, "--objective", score, "--score-cell", "4"]
    done = CliRunner().invoke(app, [*words, "--maximise", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert f"sketch: maximise {score}: 1 hole filled by search" in done.stdout
    assert "(determined)" in done.stdout
    assert "x = INC(x)" in (tmp_path / "out" / "filled.anc").read_text()
    found = json.loads((tmp_path / "out" / "result.json").read_text())
    assert found["valid"] and found["comparison"]["violations_adapted"] == 0
    done = CliRunner().invoke(app, [*words, "--engine", "fused"])
    assert "--engine does not go with --objective" in str(done.exception)
    done = CliRunner().invoke(app, ["fill", sketch, "--data", data, "--maximise"])
    assert "--maximise needs an --objective" in str(done.exception)

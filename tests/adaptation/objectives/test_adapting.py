"""Adapting to an objective: what is found, what is said about it, and where it is kept."""

import json
import random

import jax.numpy as jnp
import numpy as np
import pytest
from click.testing import CliRunner
from command_line import anc as command

import anc
from anc.adaptation.objectives.objective import Instances, Judged, Objective
from anc.adaptation.objectives.result import PairedComparison
from anc.commands.main import app

GENERIC = "memory 8; var x = READ(0); WRITE(1, x); STOP()"
DISTANCE = "memory 8; var a = READ(1); var b = MAX(a, 6); a = MIN(a, 6); b = SUB(b, a); WRITE(2, b); STOP()"
INPUTS = [[number % 8, 0, 0, number // 8] for number in range(60)]


def test_a_search_finds_a_better_program_and_compares_it_on_fresh_instances():
    result = anc.adapt(
        GENERIC,
        inputs=INPUTS,
        objective=anc.score(DISTANCE, cell=2),
        constraint=lambda given, final: final[0] == given[0],
        method="search",
        proposals=1500,
    )
    assert result.improved and result.method == "search"
    c = result.comparison
    assert c.instances == 12 and c.adapted == 0 and c.violations_adapted == 0
    for tape in INPUTS:
        final = anc.run(result.program, tape).tape
        assert (final[0], final[1]) == (tape[0], 6)
    assert "not proved" in str(result) and "12 held-out instances" in str(result)
    assert [m.score for m in result.history] == sorted(
        (m.score for m in result.history), reverse=True
    )


def test_maximise_turns_it_round():
    found = {}
    for maximise in (False, True):
        result = anc.adapt(
            GENERIC, inputs=INPUTS, objective=lambda given, final: final[1], maximise=maximise,
            method="search", proposals=800,
        )  # fmt: skip
        found[maximise] = result.comparison.adapted
    assert found == {False: 0, True: 7}


def test_the_same_seed_and_proposals_give_the_same_program():
    def adapted():
        return anc.adapt(
            GENERIC, inputs=INPUTS, objective=lambda given, final: abs(final[1] - given[3]),
            method="search", proposals=600, seed=3,
        ).program  # fmt: skip

    assert adapted() == adapted()


def test_gradient_descent_on_a_soft_score_leaves_frozen_lines_alone():
    program = anc.compile("memory 4; var x = READ(0); @frozen WRITE(1, x); STOP()")
    result = anc.train(
        program,
        inputs=[[number % 3] for number in range(40)],
        objective=anc.score(lambda given, memory: memory[1] @ (3 - jnp.arange(4.0)), soft=True),
        seeds=4,
        iterations=100,
        rate=0.2,
    )
    assert result.method == "gradient" and len(result.members) == 4
    assert program.keeps(result.program) and result.program.frozen == (1,)
    assert result.comparison.adapted < 0.5 < result.comparison.generic
    assert "equal one that was seen before" in str(result)


def test_the_comparison_is_paired():
    def judged(scores):
        numbers = np.array(scores, float)
        return Judged(numbers, np.isfinite(numbers), np.full(len(numbers), 5))

    objective = Objective.of(lambda given, final: 0, None, False, 4)
    before, after = [3, 3, 5, 9, 4, 4, np.nan], [2, 3, 4, np.nan, 3, 5, 1]
    c = PairedComparison.of(objective, judged(before), judged(after))
    assert (c.generic, c.adapted, c.difference) == pytest.approx((3.8, 3.4, -0.4))
    assert (c.better, c.equal, c.worse) == pytest.approx((0.6, 0.2, 0.2))
    assert (c.violations_generic, c.violations_adapted) == (1, 1)
    half = 2.776 * np.std([-1, 0, -1, -1, 1], ddof=1) / np.sqrt(5)
    assert (c.low, c.high) == pytest.approx((-0.4 - half, -0.4 + half), rel=0.01)
    assert not c.improved


def test_gradient_descent_may_be_pulled_to_the_generic_program():
    pulled = anc.train(
        GENERIC, inputs=INPUTS[:8], objective=anc.score(DISTANCE, cell=2), seeds=1, iterations=5,
        pull_weights=1.0,
    )  # fmt: skip
    assert pulled.comparison.adapted <= pulled.comparison.generic


def test_instances_are_split_and_repetitions_are_said():
    distinct = Instances.of([[i // 10, i % 10] for i in range(100)])
    sizes = [len(part) for part in (distinct.searched, distinct.chosen, distinct.fresh)]
    assert sizes == [60, 20, 20] and distinct.note == "" and distinct.are_fresh
    assert "20 of the 20" in Instances.of([[1, 2]] * 100).note
    few = Instances.of([[1, 2], [2, 1]])
    assert not few.are_fresh and "only 2 inputs" in few.note


@pytest.mark.parametrize(
    ("words", "help"),
    [
        ("adapt --data inputs.jsonl", "--score-cell N"),
        ("adapt --data inputs.jsonl --score-cell 2 --constraint distance.anc", "--constraint-cell"),
        ("train --data inputs.jsonl", "--score-cell N"),
        ("adapt", "--data inputs.jsonl"),
    ],
)
def test_the_command_says_which_option_is_missing(words, help, tmp_path):
    (tmp_path / "inputs.jsonl").write_text("[1, 2]\n[2, 1]\n")
    (tmp_path / "generic.anc").write_text(GENERIC.replace("; ", "\n"))
    (tmp_path / "distance.anc").write_text(DISTANCE.replace("; ", "\n"))
    given = [*words.split(), "generic.anc", "--objective", "distance.anc"]
    refused = command(*given, cwd=tmp_path)
    assert refused.returncode == 2 and help in refused.stderr.partition("help: ")[2]


def test_the_command_keeps_what_it_found(tmp_path):
    rng = random.Random(0)
    lines = [json.dumps([rng.randrange(8), 0, 0, rng.randrange(8)]) for _ in range(100)]
    (tmp_path / "inputs.jsonl").write_text("\n".join(lines))
    (tmp_path / "generic.anc").write_text(GENERIC.replace("; ", "\n"))
    (tmp_path / "distance.anc").write_text(DISTANCE.replace("; ", "\n"))
    where = [
        str(tmp_path / name) for name in ("generic.anc", "inputs.jsonl", "distance.anc", "out")
    ]
    words = ["adapt", where[0], "--data", where[1], "--objective", where[2], "--score-cell", "2"]
    words += ["--evaluations", "1000", "-o", where[3]]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "on 20 held-out instances: mean score 0.000 instead of" in done.output
    data = json.loads((tmp_path / "out" / "result.json").read_text())
    assert data["improved"] and data["comparison"]["adapted"] == 0
    assert anc.run(tmp_path / "out" / "adapted.anc", [3]).tape[1] == 6

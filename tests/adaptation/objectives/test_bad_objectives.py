"""What is wrong with an objective is said at once, with the argument that it is about."""

import math

import jax.numpy as jnp
import pytest
from click.testing import CliRunner

import anc
from anc.commands.main import app

GENERIC = "memory 6; var x = READ(0); WRITE(1, x); STOP()"
INPUTS = [[number % 6, number // 6] for number in range(36)]
NO_END = "memory 6; var x = READ(5); again: JEZ(x, again); WRITE(0, x); STOP()"


@anc.function(memory=11)
def too_far(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> int:
    return g


def first(given, final):
    return final[1]


def gradient(function):
    return {"objective": anc.score(function, soft=True), "method": "gradient"}


BAD = {
    "'objective': 'first' is a Python function on exact tapes, which has no gradient": {
        "objective": first,
        "method": "gradient",
    },
    "the gradient of the function is zero": gradient(
        lambda given, memory: memory[1].argmax().astype(float)
    ),
    "the gradient of the function is not finite": gradient(
        lambda given, memory: jnp.sqrt(memory[1].max() - 1)
    ),
    "'objective': the function returns an array of shape (6,)": gradient(
        lambda given, memory: memory[1]
    ),
    "'objective': JAX cannot run the function": gradient(lambda given, memory: memory[1, 0] @ 3),
    "'objective': <program> does not stop within 10,000 steps": {"objective": NO_END},
    "'objective': no run of <program> writes cell 3": {"objective": anc.score(GENERIC, cell=3)},
    "'objective': there is no cell 9, the cells of <program> go from 0 to 5": {
        "objective": anc.score(GENERIC, cell=9)
    },
    "'objective': the arguments of 'too_far' reach to cell 6": {"objective": too_far},
    "'objective': <program> has a memory of 4 cells, the tapes that it judges have 6": {
        "objective": GENERIC.replace("memory 6", "memory 4")
    },
    "'objective': the function gives nan for the final tape": {
        "objective": lambda given, final: math.nan
    },
    "'objective': the function failed: IndexError": {"objective": lambda given, final: final[99]},
    "'objective': 'nowhere.anc' is neither a file nor a shipped program": {
        "objective": "nowhere.anc"
    },
    "'objective' is of type int": {"objective": 7},
    "'constraint': the function is 0, which means violated, for every final tape": {
        "objective": first,
        "constraint": lambda given, final: 0,
    },
    "'constraint': 'first' is a Python function on exact tapes": {
        "objective": GENERIC.replace("WRITE(1", "WRITE(0"),
        "constraint": first,
        "method": "gradient",
    },
    "'samples' and 'objective' exclude each other": {"objective": first, "samples": INPUTS},
    "'output' is an expected answer, but there is an objective instead": {
        "objective": first,
        "inputs": [{"input": [1], "output": [1, 1]}],
    },
    "'constraint' needs an 'objective'": {"constraint": first},
    "'maximise' needs an 'objective'": {"maximise": True},
    "method is 'specialise'": {"objective": first, "method": "specialise"},
    "'inputs' is empty": {"objective": first, "inputs": []},
    "'inputs' is missing": {"objective": first, "inputs": None},
    "the program stops on none of": {"objective": first, "program": NO_END},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_objectives_are_refused_by_name(message):
    given = {"program": GENERIC, "inputs": INPUTS, "proposals": 10} | BAD[message]
    given = given if "objective" in given else BAD[message] | {"program": GENERIC}
    if given.get("method") == "gradient":
        del given["proposals"]  # of a search
    with pytest.raises(anc.AncError) as problem:
        anc.adapt(given.pop("program"), **given)
    assert message in str(problem.value)


def test_a_cell_is_for_programs_and_soft_for_functions():
    with pytest.raises(anc.AncError, match="'cell' is for programs"):
        anc.score(first, cell=2)
    with pytest.raises(anc.AncError, match="'soft' is for functions"):
        anc.score(GENERIC, soft=True)


def test_training_with_answers_and_an_objective():
    with pytest.raises(anc.AncError, match="'samples' and 'objective' exclude each other"):
        anc.train(GENERIC, INPUTS, objective=first)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--score-cell", "2"], "--score-cell needs an --objective"),
        (["--constraint", "x.anc"], "--constraint needs an --objective"),
        (
            ["--objective", "x.anc", "--assume", "tape[0] == 1"],
            "--assume does not go with --objective",
        ),
        (["--objective", "x.anc", "--constraint-cell", "1"], "needs a --constraint"),
    ],
)
def test_options_that_do_not_fit(words, message):
    done = CliRunner().invoke(app, ["adapt", "access", *words])
    assert isinstance(done.exception, anc.AncError) and message in str(done.exception)

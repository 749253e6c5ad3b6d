"""Scores as functions, as functions of JAX and as programs say the same about the same tapes."""

import functools
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import anc
from anc.adaptation.objectives.objective import Objective
from anc.adaptation.objectives.scores import make_score
from anc.machine.batch import run_all

M = 6
LISTING = "memory 6; var a = READ(1); var b = READ(2); a = ADD(a, b); WRITE(4, a); STOP()"
TAPES = np.random.default_rng(0).integers(0, 3, (20, M)).astype(np.uint16)


@anc.function(memory=M)
def total(first: int, a: int, b: int) -> int:
    return a + b


@anc.function(memory=2 * M + 2)
def moved(
    final: Annotated[list[int], anc.Size(6)], given: Annotated[list[int], anc.Size(6)]
) -> int:
    n = 0
    for i in range(6):
        if final[i] != given[i]:
            n += 1
    return n


def by_jax(given, memory):
    return (memory[1] + memory[2]) @ jnp.arange(M)


ALIKE = [
    anc.score(LISTING, cell=4),
    total,
    lambda given, final: final[1] + final[2],
    anc.score(by_jax, soft=True),
    functools.cache(lambda given, final: final[1] + final[2]),
    anc.score(jax.jit(by_jax), soft=True),
    functools.wraps(total)(lambda given, final: final[1] + final[2]),  # which is called itself
]
IDS = ["listing", "function", "Python", "JAX", "wrapped Python", "compiled JAX", "wrapper"]


@pytest.mark.parametrize("what", ALIKE, ids=IDS)
def test_all_kinds_of_scores_agree(what):
    score = make_score(what, M, "objective")
    score.check(TAPES, TAPES)
    assert score.exact(TAPES, TAPES).tolist() == (TAPES[:, 1] + TAPES[:, 2]).tolist()


def test_a_program_with_room_for_both_tapes_sees_the_input():
    other = (TAPES + (np.arange(M) % 2)) % M
    score = make_score(moved, M, "objective")
    assert score.exact(TAPES, other.astype(np.uint16)).tolist() == [3] * len(TAPES)
    assert score.exact(TAPES, TAPES).tolist() == [0] * len(TAPES)


def test_the_soft_score_of_a_program_is_the_expected_one():
    score = make_score(ALIKE[0], M, "objective")
    score.check(TAPES, TAPES)
    memory = np.eye(M)[[0, 0, 0, 0, 0, 0]]
    memory[1], memory[2] = [0.5, 0.5, 0, 0, 0, 0], [0.25, 0, 0.75, 0, 0, 0]
    given = jnp.zeros(M, jnp.int32)
    value, slope = jax.jit(jax.value_and_grad(score.soft, argnums=1))(given, jnp.asarray(memory))
    assert float(value) == pytest.approx(0.5 + 1.5, abs=1e-3)
    # one more unit of mass on value v of a cell adds v and, as mass, the mean of the other cell
    assert np.diff(slope[1][:3]) == pytest.approx([1, 1], abs=1e-2)
    assert np.abs(slope[3]).max() < 1e-3
    violated = jax.jit(score.soft_violation)(given, jnp.asarray(memory))
    assert float(violated) == pytest.approx(0.125, abs=1e-3)


def test_runs_that_violate_the_constraint_or_do_not_stop_are_not_valid():
    program = anc.compile("memory 6; var x = READ(0); l: JEZ(x, l); WRITE(3, x); STOP()")
    objective = Objective.of(
        lambda given, final: final[3], lambda given, final: final[3] != 2, False, M
    )
    judged = objective.judge(TAPES, run_all(program, TAPES, 50))
    assert judged.valid.tolist() == (TAPES[:, 0] == 1).tolist()
    assert np.isnan(judged.scores[~judged.valid]).all()
    assert set(judged.scores[judged.valid]) == {1.0}

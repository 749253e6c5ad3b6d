"""Exact layers: compared with runs on every value, and their gradients with differences."""

from random import Random
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from double_precision import enable_x64
from layers.enumeration import enumerated
from layers.subjects import ADD, count, count_three, rows_of
from proof.random_programs import branching_program, random_program

import anc
from anc.layers.diagram import grow
from anc.layers.reduced import reduced


def random_cases(number):
    """Programs with inputs, and a cell that they write."""
    random = Random(3)
    while number:
        M = random.randint(5, 7)
        make = branching_program if random.random() < 0.7 else random_program
        program = make(random, M)
        inputs = random.sample(range(M), random.randint(1, 3))
        fixed = [random.randrange(M) for _ in range(M)]
        tape, sizes = np.array(fixed), [random.randint(2, M) for _ in inputs]
        tape[inputs] = M + np.arange(len(inputs))
        ending = grow(program, tape, sizes, (), 60)
        if ending.written and ending.longest < 60:  # the limit is counted from branch to branch
            number -= 1
            cell = random.choice(sorted(ending.written))
            rows = [rows_of(number + i, K) for i, K in enumerate(sizes)]
            yield program, M, inputs, fixed, tape, cell, rows


def followed(levels, rows):
    """The probability of each state after the last level, by the definition of a level."""
    masses = np.ones(1)
    for level in levels:
        R, K = level.reading, level.values
        read = masses[:R, None] * rows[level.input][None, :]
        each = np.concatenate([read.reshape(R * K), masses[R:]])
        masses = np.zeros(level.size)
        np.add.at(masses, level.targets, each)
    return masses


def test_diagrams_of_random_programs_agree_with_runs_on_every_value():
    for program, M, inputs, fixed, tape, cell, rows in random_cases(60):
        wanted, _, _ = enumerated(program, M, inputs, rows, 60, fixed)
        diagram = grow(program, tape, [len(row) for row in rows], (cell,), 60)
        ends = np.array([leaf.values[0] for leaf in diagram.leaves])
        found = np.zeros(M)
        np.add.at(found, ends, followed(diagram.levels, rows))
        np.testing.assert_allclose(found, wanted[cell], atol=1e-5)
        if diagram.levels:
            fewer = reduced(diagram.levels, ends, M)
            np.testing.assert_allclose(followed(fewer, rows), wanted[cell], atol=1e-5)


def test_layers_of_random_programs_agree_with_runs_on_every_value():
    for program, M, inputs, fixed, _, cell, rows in random_cases(6):
        settings = {"memory": M, "fixed": fixed, "max_steps": 60, "unstopped": "keep"}
        layer = anc.layer(program, inputs, cell, **settings)
        wanted, stop, steps = enumerated(program, M, inputs, rows, 60, fixed)
        np.testing.assert_allclose(layer(*rows), wanted[cell], atol=1e-5)
        found = layer.details(*rows)
        np.testing.assert_allclose(found.cells, wanted, atol=1e-5)
        np.testing.assert_allclose(found.stop, stop, atol=1e-5)
        np.testing.assert_allclose(found.steps, steps, rtol=1e-5)


def test_the_sum_of_two_digits_has_19_states():
    layer = anc.layer(ADD, [0, 1], 2, memory=20, values=10, output_values=19)
    assert layer.spec.plan((10, 10), 2).states == (1, 10, 19)
    a, b = rows_of(0, 2, 5, 10)
    wanted = [np.convolve(left, right) for left, right in zip(a, b, strict=True)]
    np.testing.assert_allclose(layer(a, b), wanted, atol=1e-6)


def test_a_count_over_eight_digits_needs_no_hundred_million_runs():
    layer = anc.layer(count, values=10)
    assert sum(layer.spec.plan((10,) * 8, 8).states[:-1]) == 36
    rows = rows_of(1, 3, 8, 10)
    wanted = [[1.0] for _ in rows]
    for i, row in enumerate(rows):
        for digit in row:
            hit = digit[3] + digit[4]
            wanted[i] = np.convolve(wanted[i], [1 - hit, hit])
    np.testing.assert_allclose(layer(rows)[:, :9], wanted, atol=1e-6)


def test_values_that_are_only_moved_are_not_branched_on():
    text = "var x = READ(0); WRITE(3, x); x = READ(1); WRITE(2, x); STOP()"
    layer = anc.layer(text, [0, 1], 2, memory=6)
    assert layer.spec.plan((6, 6), 2).states == (1, 6)
    a, b = rows_of(2, 2, 6)
    np.testing.assert_allclose(layer(a, b), b, atol=1e-6)


def test_gradients_agree_with_differences():
    layer = anc.layer(count_three, check=False)
    with enable_x64(True):
        rows = jnp.asarray(rows_of(4, 3, 10), jnp.float64)
        direction = jnp.asarray(rows_of(5, 3, 10) - rows_of(6, 3, 10), jnp.float64)
        weights = jnp.asarray(rows_of(7, 20), jnp.float64)

        @jax.jit
        def score(rows):
            return jnp.log(layer(rows) @ weights)

        slope = jnp.vdot(jax.grad(score)(rows), direction)
        step = 1e-5
        wanted = (score(rows + step * direction) - score(rows - step * direction)) / (2 * step)
        np.testing.assert_allclose(slope, wanted, rtol=1e-6)


def test_jit_grad_vmap_and_batches_say_the_same():
    layer = anc.layer(ADD, [0, 1], 2, memory=20)
    a, b = rows_of(8, 2, 3, 4, 10)
    plain = layer(a, b)
    assert plain.shape == (3, 4, 20)
    np.testing.assert_allclose(jax.jit(layer)(a, b), plain, atol=1e-6)
    np.testing.assert_allclose(jax.vmap(jax.vmap(layer))(a, b), plain, atol=1e-6)
    np.testing.assert_allclose(layer(a[0, 0], b)[0, 0], plain[0, 0], atol=1e-6)  # broadcast
    slope = jax.jit(jax.grad(lambda a: layer(a, b)[..., 4].sum()))(a)
    np.testing.assert_allclose(slope[1, 2], [*b[1, 2, 4::-1], 0, 0, 0, 0, 0], atol=1e-6)


def test_whole_numbers_are_certain_values():
    layer = anc.layer(ADD, [0, 1], 2, memory=20)
    a = rows_of(9, 2, 5)
    np.testing.assert_allclose(layer(a, np.array([3, 7]))[1, 7:12], a[1], atol=1e-6)
    assert layer(2, 3).argmax() == 5
    assert anc.layer(count)(np.arange(8)).argmax() == 2


def test_fixed_cells_ranges_and_names():
    a, b = rows_of(10, 2, 6)
    given = anc.layer(ADD, inputs=[0], output=2, memory=20, fixed={1: 4})
    np.testing.assert_allclose(given(a)[4:10], a, atol=1e-6)
    tape = anc.layer(ADD, inputs="0:2", output=slice(2, 3), memory=20)
    both = anc.layer(ADD, inputs=[0, 1], output=2, memory=20)(a, b)
    np.testing.assert_allclose(tape(np.stack([a, b]))[0], both, atol=1e-6)

    @anc.function(memory=20)
    def above(values: Annotated[list[int], anc.Size(up_to=2)], limit: int) -> int:
        return sum(v > limit for v in values)

    found = anc.layer(above, inputs=["values"], fixed={"limit": 2})(np.stack([a, b]))
    one, other = a[3:].sum(), b[3:].sum()
    np.testing.assert_allclose(found[1], one * (1 - other) + other * (1 - one), atol=1e-6)


def test_several_outputs_have_marginals_and_a_joint_distribution():
    text = "var x = READ(0); var y = READ(1); var z = MIN(x, y); WRITE(2, z); z = MAX(x, y)"
    text += "; WRITE(3, z); STOP()"
    layer = anc.layer(text, [0, 1], [2, 3], memory=9)
    a, b = rows_of(11, 2, 4)
    joint, values = layer.joint(a, b)
    wanted = np.zeros((9, 9))
    for x in range(4):
        for y in range(4):
            wanted[min(x, y), max(x, y)] += a[x] * b[y]
    np.testing.assert_allclose(joint, wanted[values[:, 0], values[:, 1]], atol=1e-6)
    np.testing.assert_allclose(layer(a, b), [wanted.sum(1), wanted.sum(0)], atol=1e-6)


def test_logarithms_reach_where_probabilities_are_zero():
    layer, usual = anc.layer(count_three, log=True), anc.layer(count_three)
    rows = rows_of(12, 3, 10)
    np.testing.assert_allclose(np.exp(layer(np.log(rows))), usual(rows), atol=1e-6)
    sure = np.log(np.full((3, 10), 1e-30, np.float32))
    sure[:, 0] = 0
    assert usual(np.exp(sure))[2] == 0
    wanted = np.log(3.0) + 2 * np.log(2e-30)  # two of three are 3 or 4
    assert layer(sure)[2] == pytest.approx(wanted, rel=1e-5)
    slope = jax.jit(jax.grad(lambda rows: layer(rows)[2]))(sure)
    assert np.isfinite(slope).all()
    assert slope[:, 3:5].sum() == pytest.approx(2, rel=1e-4)  # two of them are needed


def test_pruned_layers_say_what_they_leave_out():
    exactly, pruned = anc.layer(count_three), anc.layer(count_three, prune=100)
    rows = rows_of(13, 2, 3, 10)
    missing = pruned.details(rows).missing
    assert ((missing > 0.01) & (missing < 0.9)).all()
    short = np.asarray(exactly(rows)) - np.asarray(jax.jit(jax.vmap(pruned))(rows))
    assert (short > -1e-6).all()
    np.testing.assert_allclose(short.sum(-1), missing, atol=1e-5)


def test_a_pruned_layer_that_leaves_nothing_out_is_exact():
    layers = [anc.layer(ADD, [0, 1], 2, memory=20, prune=prune) for prune in (100, None)]
    a, b = rows_of(14, 2, 10)
    found = [jax.jit(jax.value_and_grad(lambda a: each(a, b)[7]))(a) for each in layers]  # noqa: B023
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_program_that_does_not_always_stop_may_be_kept():
    text = "var x = READ(0); WRITE(1, 1); again: JEZ(x, again); WRITE(1, 2); STOP()"
    row = rows_of(15, 6)
    kept = anc.layer(text, [0], 1, memory=6, max_steps=50, unstopped="keep")
    assert kept.details(row).stop == pytest.approx(1 - row[0], abs=1e-6)
    np.testing.assert_allclose(kept(row)[1:3], [row[0], 1 - row[0]], atol=1e-6)

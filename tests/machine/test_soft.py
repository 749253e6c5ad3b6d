"""The soft machine against the exact one, and against calculus."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from double_precision import enable_x64
from generated import programs, tapes
from hypothesis import given, settings
from hypothesis import strategies as st

import anc
from anc import isa
from anc.machine import exact, soft
from anc.machine.softrun import run_soft, trace_soft
from anc.machine.weights import Weights, shapes, soften

FIXTURES = Path(__file__).parent.parent / "training" / "fixtures"
# jit compiles for every size: few sizes, many examples of each
SIZES = st.sampled_from([(4, 3), (7, 4)])


def random_weights(M, R, seed, scale, dtype=np.float32):
    random = np.random.default_rng(seed)
    arrays = (jnp.asarray(scale * random.normal(size=s), dtype) for s in shapes(M, R))
    return Weights.of(arrays, lines=M)


@pytest.mark.parametrize("meaning", soft.FAST, ids=lambda meaning: meaning.__name__)
def test_a_fast_path_equals_the_derived_meaning(meaning):
    operands = next(row.operands for row in isa.PAPER.rows if row.output is meaning)
    random = np.random.default_rng(0)
    # any vectors, not only distributions: the derived meaning is bilinear, so must the fast one be
    numbers = [random.normal(size=(3, M)) for M in (2, 3, 4, 7)]

    def values_and_gradients(numbers, way):
        found = []
        for first, second, weight in numbers:
            value, pull = jax.vjp(way, first, second)
            found.append((value, *pull(weight)))
        return found

    with enable_x64(True):
        ways = (soft.FAST[meaning], partial(soft.push_forward, meaning, operands))
        fast, derived = (jax.jit(partial(values_and_gradients, way=way))(numbers) for way in ways)
    for one, two in zip(fast, derived, strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(two), abs=1e-12)


def test_an_instruction_that_always_outputs_the_same_needs_no_table():
    first, second = jnp.array([0.25, 0.5, 0.125, 0.125]), jnp.array([0.5, 0.0, 0.0, 0.5])
    always = partial(soft.push_forward, lambda a, b, M: 3, 2)
    assert always(first, second).tolist() == [0, 0, 0, 1]
    slope = jax.grad(lambda first, second: always(first, second)[3], argnums=(0, 1))(
        first, 3 * second
    )
    assert [part.tolist() for part in slope] == [[3] * 4, [1] * 4]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_sharp_soft_run_equals_the_exact_run_at_every_step(data):
    M, R = data.draw(SIZES)
    program = data.draw(programs(M=M, full=True, initial=True, max_registers=R))
    spare = R - program.R
    program = anc.Program(program.lines, program.registers + (0,) * spare, program.start, memory=M)
    tape = data.draw(tapes(M))
    reference = exact.run(program, tape, 25, trace=True)
    trace = trace_soft(soften(program, M, sharpness=80), tape, 25)
    assert len(trace.steps) == reference.steps
    for step, wanted in zip(trace.steps, reference.trace, strict=True):
        assert (step.line.argmax(), step.op.argmax()) == (wanted.line, isa.PAPER.code[wanted.op])
        assert step.registers[np.arange(R), wanted.registers] == pytest.approx(1, abs=1e-5)
        assert step.memory[np.arange(M), wanted.tape] == pytest.approx(1, abs=1e-5)
    assert (trace.stop is exact.Stop.STOPPED) == (reference.stop is exact.Stop.STOPPED)


watched_run = jax.jit(partial(soft.differentiable_run, max_steps=30, observe=lambda s: s))


@settings(max_examples=40, deadline=None)
@given(SIZES, st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0, 100.0]))
def test_every_distribution_stays_a_distribution_for_random_weights(size, seed, scale):
    M, R = size
    random = np.random.default_rng(seed)
    weights = random_weights(M, R, seed, scale)
    final, seen = watched_run(weights, random.integers(0, M, M))
    for values in (seen.memory, seen.registers, seen.line):
        assert np.all(np.isfinite(values))
        assert np.all(values >= -1e-6)
        assert np.asarray(values.sum(-1)) == pytest.approx(1, abs=1e-4)
    assert np.all((seen.stop >= 0) & (seen.stop <= 1 + 1e-6))
    assert np.all(np.diff(seen.stop) >= -1e-6)
    assert int(final.steps) <= 30


@partial(jax.jit, static_argnames="cut_gradient")
@partial(jax.value_and_grad, argnums=0)
def value_and_gradient(weights, tape, memory_weight, cut_gradient):
    final, _ = soft.differentiable_run(weights, tape, 8, threshold=2.0, cut_gradient=cut_gradient)
    stop_weight = 0.0 if cut_gradient else 1.0  # the cut changes the gradient of p on purpose
    return (final.state.memory * memory_weight).sum() + stop_weight * final.state.stop


@pytest.mark.parametrize("cut_gradient", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_gradients_agree_with_finite_differences_in_float64(seed, cut_gradient):
    M, R = 5, 3
    with enable_x64(True):
        random = np.random.default_rng(seed)
        weights = random_weights(M, R, seed, 1.0, np.float64)
        direction = random_weights(M, R, seed + 100, 1.0, np.float64)
        on = (random.integers(0, M, M), random.normal(size=(M, M)), cut_gradient)
        moved = [
            value_and_gradient(jax.tree.map(lambda w, d, h=h: w + h * d, weights, direction), *on)
            for h in (1e-5, -1e-5)
        ]
        slope = (moved[0][0] - moved[1][0]) / 2e-5
        _, gradient = value_and_gradient(weights, *on)
        product = sum(jnp.vdot(g, d) for g, d in zip(gradient, direction, strict=True))
        assert float(product) == pytest.approx(float(slope), rel=1e-6, abs=1e-9)


def test_the_cut_gradient_treats_the_remaining_mass_as_a_constant():
    with enable_x64(True):
        weights = random_weights(4, 2, 0, 1.0, np.float64)
        tape = np.zeros(4, int)

        def stop(weights, cut):
            final, seen = soft.differentiable_run(
                weights, tape, 3, threshold=2.0, cut_gradient=cut, observe=lambda s: s.stop
            )
            return final.state.stop, seen

        def literal(weights, remaining):
            # the sum of e_stop,t times fixed numbers
            state, total = soft.initial_state(weights, tape), 0.0
            for mass in remaining:
                total += soft.command_at(weights, state.line).op[isa.PAPER.STOP] * mass
                state = soft.step(weights, state)
            return total

        gradient = jax.jit(jax.grad(stop, has_aux=True), static_argnums=1)
        full, seen = gradient(weights, False)
        remaining = 1 - np.concatenate([[0.0], np.asarray(seen[:-1])])
        wanted = jax.jit(jax.grad(literal))(weights, remaining)
        found, _ = gradient(weights, True)
        assert np.asarray(found.op) == pytest.approx(np.asarray(wanted.op), abs=1e-12)
        assert np.abs(found.op - full.op).max() > 1e-4


one_run = jax.jit(partial(soft.run, max_steps=20))
case_runs = jax.vmap(partial(soft.run, max_steps=20), in_axes=(None, 0))
all_runs = jax.jit(jax.vmap(case_runs, in_axes=(0, None)))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_a_batch_equals_its_parts(seed):
    M, R, S, B = 5, 3, 3, 4
    random = np.random.default_rng(seed)
    members = [random_weights(M, R, seed + i, 2.0) for i in range(S)]
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *members)
    batch = jnp.asarray(random.integers(0, M, (B, M)))
    both = all_runs(stacked, batch)
    for i, member in enumerate(members):
        for j in range(B):
            single = one_run(member, batch[j])
            assert int(single.steps) == int(both.steps[i, j])
            assert np.asarray(single.state.memory) == pytest.approx(
                np.asarray(both.state.memory[i, j]), abs=1e-5
            )


def test_the_differentiable_run_ends_where_the_plain_one_does():
    weights = soften(anc.load("listk"), 20, 6)
    tape = jnp.asarray([3, 2, 2, 5, 4, 7, 5] + [0] * 13)
    plain = soft.run(weights, tape, 60)
    other, _ = soft.differentiable_run(weights, tape, 60)
    assert int(plain.steps) == int(other.steps)
    assert np.asarray(plain.state.memory) == pytest.approx(np.asarray(other.state.memory), abs=1e-6)


def test_halting_and_the_step_limit():
    program = anc.compile("var x = 0\nl: x = INC(x)\nJEZ(0, l)", memory=4)
    (result,) = run_soft(soften(program, 4, 30), [(0, 0, 0, 0)], 12)
    assert (result.stop, result.steps) == (exact.Stop.STEP_LIMIT, 12)


def test_rounding_errors_do_not_double_with_every_addition():
    program = anc.compile("var x = 1\nl: x = ADD(x, x)\nJEZ(0, l)", memory=5)
    (result,) = run_soft(soften(program, 5, 8), [(0,) * 5], 200)
    trace = trace_soft(soften(program, 5, 8), (0,) * 5, 200)
    assert trace.steps[-1].registers.sum(-1) == pytest.approx(1, abs=1e-4)
    assert result.confidence <= 1 + 1e-4


@pytest.mark.parametrize("name", ["access", "increment", "listk"])
def test_parity_with_the_authors_own_numbers(name):
    stored = json.loads((FIXTURES / f"{name}.json").read_text())
    order = ["STOP", "ZERO", "INC", "ADD", "SUB", "DEC", "MIN", "MAX", "READ", "WRITE", "JEZ"]
    rows = [order.index(op) for op in isa.PAPER.names]
    w = {key: jnp.asarray(value, jnp.float32) for key, value in stored["weights"].items()}
    choices = (w["instr"].T[:, rows], w["arg1"].T, w["arg2"].T, w["out"].T)
    weights = Weights.of((w["init"][0], w["init"][1:], *choices), lines=len(choices[0]))
    watch = jax.jit(
        partial(soft.differentiable_run, max_steps=stored["max_rec"], observe=lambda s: s.stop)
    )
    for sample in stored["samples"]:
        final, stops = watch(weights, np.argmax(sample["input"], -1))
        steps = int(final.steps)
        assert steps + 1 == sample["n_outputs"]
        assert np.asarray(stops[:steps]) == pytest.approx(np.array(sample["stop"][1:]), rel=1e-5)
        close = partial(pytest.approx, rel=1e-5, abs=1e-6)
        assert np.asarray(final.state.memory) == close(np.array(sample["final_memory"]))
        lines_then_registers = np.array(sample["final_registers"])
        assert np.asarray(final.state.registers) == close(lines_then_registers[1:])


DIJKSTRA = """
import jax, jax.numpy as jnp, numpy as np
import anc
from anc.machine import exact, soft

nodes, first = 5, 7
tape = [52] + [first + 9 * i for i in range(nodes)] + [0]
for i in range(nodes):
    for j in range(nodes):
        if i != j:
            tape += [j + 1, 1 + (3 * i + 5 * j) % 17]
    tape += [0]
tape += [0] * (100 - len(tape))
program = anc.load("dijkstra").with_spare(5)
assert program.R == 23, program.R
wanted = exact.run(program, tape, 2000)
assert wanted.steps > 500, wanted.steps
weights = anc.soften(program, 100, 20.0).nameless()
T = wanted.steps + 5

def error(weights):
    final, _ = soft.differentiable_run(weights, jnp.asarray(tape), T)
    target = jax.nn.one_hot(jnp.asarray(wanted.tape), 100)
    return ((final.state.memory - target) ** 2).sum(), final.steps

(loss, steps), gradient = jax.jit(jax.value_and_grad(error, has_aux=True))(weights)
assert int(steps) == wanted.steps, (int(steps), wanted.steps)
assert float(loss) < 1e-3
assert all(np.isfinite(g).all() for g in gradient)
# the high-water mark of this process alone: getrusage would count its parent's too
print([int(x.split()[1]) // 1024 for x in open("/proc/self/status") if x.startswith("VmHWM")][0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to measure memory")
def test_dijkstra_forward_and_backward_in_less_than_2_gb():
    done = subprocess.run([sys.executable, "-c", DIJKSTRA], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 2000

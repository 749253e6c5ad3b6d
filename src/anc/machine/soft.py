"""The soft machine: the exact machine on probability distributions, differentiable.

Every value is a distribution over 0..M-1, and every choice is a convex combination (the paper's section
3.2 and appendix A). One step costs O(M² + M·(3R+N)); no table is larger than M × M.

Shapes: M cells and values, R registers, N instructions, T steps, B batch. All functions take one case;
`jax.vmap` adds the axes of batches of cases and weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from anc import isa
from anc.machine.weights import Weights

_SQUARES = 8  # M × M arrays in one step, measured: the memory before and after, ADD and SUB
THRESHOLD = 0.9  # a run halts when its stop probability passes this (published experiments)


jax.tree_util.register_pytree_node(
    Weights,
    lambda weights: ((*weights,), (weights.lines, weights.names, weights.instructions)),
    lambda about, arrays: Weights.of(arrays, *about),
)


class State(NamedTuple):
    """The state of a run: distributions along the last axis, and the stop probability."""

    memory: Array  # (M, M): row i is the distribution of cell i
    registers: Array  # (R, M)
    line: Array  # (M,): the instruction register
    stop: Array  # (): the probability that the program has stopped


class Choice(NamedTuple):
    """The controller's choices: four distributions."""

    op: Array  # (N,)
    first: Array  # (R,)
    second: Array  # (R,)
    out: Array  # (R,)


def push_forward(output: isa.Meaning, operands: int, first: Array, second: Array) -> Array:
    """The distribution of ``output(first, second)``: ``out[f(i, j)] += first[i] second[j]``.

    This derived meaning is correct for every instruction; `FAST` has faster versions for some.
    """
    M = first.shape[-1]
    nowhere = jnp.zeros(M, first.dtype)
    if operands == 0:
        return nowhere.at[output(0, 0, M)].set(1)
    if operands == 1:
        return nowhere.at[np.array([output(a, 0, M) for a in range(M)])].add(first)
    table = np.array([output(a, b, M) for a in range(M) for b in range(M)])
    if (table == table[0]).all():
        return nowhere.at[table[0]].set(first.sum() * second.sum())
    return nowhere.at[table].add(jnp.outer(first, second).ravel())


def _add(left: Array, right: Array) -> Array:
    # P[c] = sum_j left[c - j] right[j]: a circular convolution, the difference left - (-right)
    return jnp.roll(right[::-1], 1) @ _rotations(left)


def _subtract(left: Array, right: Array) -> Array:
    # P[c] = sum_j left[c + j] right[j]: a circular correlation
    return right @ _rotations(left)


def _smaller(left: Array, right: Array) -> Array:
    # P[min = c] = left[c] P[right >= c] + right[c] P[left > c]
    return left * _at_least(right) + right * (_at_least(left) - left)


def _larger(left: Array, right: Array) -> Array:
    # P[max = c] = left[c] P[right <= c] + right[c] P[left < c]
    return left * jnp.cumsum(right) + right * (jnp.cumsum(left) - left)


FAST: dict[isa.Meaning, Callable[[Array, Array], Array]] = {
    isa.increment: lambda left, right: jnp.roll(left, 1),
    isa.decrement: lambda left, right: jnp.roll(left, -1),
    isa.add: _add,
    isa.subtract: _subtract,
    isa.smaller: _smaller,
    isa.larger: _larger,
}


def output(row: isa.Instruction, first: Array, second: Array, memory: Array) -> Array:
    """The output of an instruction, as a distribution."""
    if row.effect is isa.Effect.READ:
        return first @ memory
    fast = FAST.get(row.output)
    if fast is None:
        return push_forward(row.output, row.operands, first, second)
    return fast(first, second)


def _rotations(value: Array) -> Array:
    """The M × M matrix ``[j, c] = value[(c + j) mod M]``, without a gather.

    The vector is repeated and cut into rows of M+1 numbers, which shifts each row by one more.
    """
    M = value.shape[-1]
    return jnp.tile(value, M + 1).reshape(M, M + 1)[:, :M]


def _at_least(value: Array) -> Array:
    """P[value >= c] for every c."""
    return jnp.cumsum(value[::-1])[::-1]


def initial_state(weights: Weights, tape: Array) -> State:
    """The state before the first step, on a tape of numbers (M,) or of distributions (M, M)."""
    dtype = weights.op.dtype
    memory = jax.nn.one_hot(tape, tape.shape[-1], dtype=dtype) if tape.ndim == 1 else tape
    registers = jax.nn.softmax(weights.registers)
    return State(memory, registers, jax.nn.softmax(weights.start), jnp.zeros((), dtype))


def command_at(weights: Weights, line: Array) -> Choice:
    """The controller: mixes the rows of weights by the line's distribution, then applies softmax to each choice.

    e = softmax(IR @ W_e), and likewise for the registers. Mixing comes first: this is why a distributed
    line number can choose something that none of its lines would (appendix C).
    """
    rows = jnp.concatenate([weights.op, weights.first, weights.second, weights.out], axis=-1)
    N, R = weights.instructions.N, weights.first.shape[-1]
    cuts = (N, N + R, N + 2 * R)
    return Choice(*(jax.nn.softmax(part) for part in jnp.split(line @ rows, cuts)))


def step(weights: Weights, state: State, cut_gradient: bool = False) -> State:
    """One step: everything is read from the state before any of it changes.

    `cut_gradient` treats the remaining mass 1 - p as a constant for differentiation, as in the
    published experiments; without it the gradient is that of the paper's equation.
    """
    command = command_at(weights, state.line)
    return execute(weights.instructions, command, state, cut_gradient)


def execute(
    instructions: isa.InstructionSet, command: Choice, state: State, cut_gradient: bool = False
) -> State:
    """Execute a command on a state."""
    first = _normalised(command.first @ state.registers)
    second = _normalised(command.second @ state.registers)

    outputs = jnp.stack([output(row, first, second, state.memory) for row in instructions])
    value = command.op @ outputs
    registers = state.registers + command.out[:, None] * (value - state.registers)

    written = (command.op[instructions.WRITE] * first)[:, None]
    memory = (1 - written) * state.memory + written * second

    jumps = command.op[instructions.JUMP] * first[0]
    line = (1 - jumps) * jnp.roll(state.line, 1) + jumps * second

    remaining = 1 - state.stop
    remaining = lax.stop_gradient(remaining) if cut_gradient else remaining
    return State(memory, registers, line, state.stop + command.op[instructions.STOP] * remaining)


def _normalised(value: Array) -> Array:
    """The distribution, normalised to the sum 1.

    ADD and SUB multiply two sums: without this, rounding errors would double with every ``x = ADD(x,
    x)``. The sum differs from 1 only by rounding, so it is a constant for the gradient.
    """
    return value / lax.stop_gradient(value.sum())


def bytes_needed(M: int, R: int, N: int) -> int:
    """An estimate of the memory for one case during a run: states, rotations, registers."""
    return 4 * (_SQUARES * M * M + 6 * R * M + 2 * N * M)


class Final(NamedTuple):
    """The end of a run: the last state and the number of executed steps."""

    state: State
    steps: Array


def run(weights: Weights, tape: Array, max_steps: int, threshold: float = THRESHOLD) -> Final:
    """Run until the stop probability exceeds the threshold, or for max_steps; forward only."""

    def is_running(final: Final) -> Array:
        return (final.state.stop <= threshold) & (final.steps < max_steps)

    def advance(final: Final) -> Final:
        return Final(step(weights, final.state), final.steps + 1)

    begin = Final(initial_state(weights, tape), jnp.zeros((), jnp.int32))
    return lax.while_loop(is_running, advance, begin)


def differentiable_run(
    weights: Weights,
    tape: Array,
    max_steps: int,
    threshold: float = THRESHOLD,
    cut_gradient: bool = False,
    observe: Callable[[State], Any] = lambda state: None,
) -> tuple[Final, Any]:
    """Run with gradients; also returns ``observe(state)`` after each of max_steps steps.

    After halting nothing changes. Only the states are stored for the backward pass, which recomputes
    each step, so memory is of order max_steps · (M² + RM).
    """
    advance = jax.checkpoint(partial(step, cut_gradient=cut_gradient))

    def body(final: Final, _: None) -> tuple[Final, Any]:
        is_running = final.state.stop <= threshold
        moved = advance(weights, final.state)
        state = jax.tree.map(lambda new, old: jnp.where(is_running, new, old), moved, final.state)
        return Final(state, final.steps + is_running), observe(state)

    begin = Final(initial_state(weights, tape), jnp.zeros((), jnp.int32))
    return lax.scan(body, begin, None, length=max_steps)

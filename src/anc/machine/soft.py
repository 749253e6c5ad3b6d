"""The soft machine: the exact machine on probability distributions, differentiable.

Every value is a distribution over 0..M-1, every choice a convex combination (the paper's section 3.2
and appendix A). One step costs of order M² + M·(3R+N); no table is larger than M × M.

Shapes: M cells and values, R registers, N instructions, T steps, B batch. All functions work on
one case; `jax.vmap` adds axes for batches of cases and of weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from anc import isa

THRESHOLD = 0.9  # a run halts when its stop probability passes this (published experiments)


class Logits(NamedTuple):
    """The learnable weights, as `machine.weights.Weights` holds them."""

    start: Array  # (M,)
    registers: Array  # (R, M)
    op: Array  # (M, N)
    first: Array  # (M, R)
    second: Array  # (M, R)
    out: Array  # (M, R)


class State(NamedTuple):
    """What a step changes, each a distribution in its last axis, and the stop probability."""

    memory: Array  # (M, M): row i is the distribution of cell i
    registers: Array  # (R, M)
    line: Array  # (M,): the instruction register
    stop: Array  # (): the probability that the program has stopped


class Command(NamedTuple):
    """What the controller asks for: four distributions."""

    op: Array  # (N,)
    first: Array  # (R,)
    second: Array  # (R,)
    out: Array  # (R,)


class _Distributions:
    """The instruction table's algebra over distributions of 0..M-1, with the memory to read from."""

    def __init__(self, memory: Array) -> None:
        self.memory = memory
        self.M = memory.shape[-1]

    def constant(self, number: int) -> Array:
        return jnp.zeros(self.M, self.memory.dtype).at[number % self.M].set(1)

    def shift(self, value: Array, by: int) -> Array:
        return jnp.roll(value, by)

    def add(self, left: Array, right: Array) -> Array:
        # P[c] = sum_j left[c - j] right[j]: a circular convolution, the difference left - (-right)
        return jnp.roll(right[::-1], 1) @ _rotations(left)

    def sub(self, left: Array, right: Array) -> Array:
        # P[c] = sum_j left[c + j] right[j]: a circular correlation
        return right @ _rotations(left)

    def min(self, left: Array, right: Array) -> Array:
        # P[min = c] = left[c] P[right >= c] + right[c] P[left > c]
        return left * _at_least(right) + right * (_at_least(left) - left)

    def max(self, left: Array, right: Array) -> Array:
        # P[max = c] = left[c] P[right <= c] + right[c] P[left < c]
        return left * jnp.cumsum(right) + right * (jnp.cumsum(left) - left)

    def read(self, address: Array) -> Array:
        return address @ self.memory


def _rotations(value: Array) -> Array:
    """The M × M matrix with ``[j, c] = value[(c + j) mod M]``, made without a gather.

    Repeating the vector and cutting the result into rows of M+1 shifts each row by one more.
    """
    M = value.shape[-1]
    return jnp.tile(value, M + 1).reshape(M, M + 1)[:, :M]


def _at_least(value: Array) -> Array:
    """P[value >= c] for every c."""
    return jnp.cumsum(value[::-1])[::-1]


def initial_state(logits: Logits, tape: Array) -> State:
    """The state before the first step, on a tape of numbers (M,)."""
    dtype = logits.op.dtype
    memory = jax.nn.one_hot(tape, tape.shape[-1], dtype=dtype)
    registers = jax.nn.softmax(logits.registers)
    return State(memory, registers, jax.nn.softmax(logits.start), jnp.zeros((), dtype))


def command_at(logits: Logits, line: Array) -> Command:
    """The controller: mix the rows of weights by the line's distribution, then softmax each.

    e = softmax(IR @ W_e), and likewise for the registers; mixing comes first, which is what lets a
    distributed line number choose something that none of its lines would (appendix C).
    """
    rows = jnp.concatenate([logits.op, logits.first, logits.second, logits.out], axis=-1)
    R = logits.first.shape[-1]
    cuts = (isa.N, isa.N + R, isa.N + 2 * R)
    return Command(*(jax.nn.softmax(part) for part in jnp.split(line @ rows, cuts)))


def step(logits: Logits, state: State, cut_gradient: bool = False) -> State:
    """One step: everything is read from the state before any of it changes.

    `cut_gradient` treats the remaining mass 1 - p as a constant for differentiation, as the published
    experiments do; otherwise the gradient is that of the paper's equation.
    """
    command = command_at(logits, state.line)
    return execute(command, state, cut_gradient)


def execute(command: Command, state: State, cut_gradient: bool = False) -> State:
    """The machine: carry a command out on a state."""
    first = _normalised(command.first @ state.registers)
    second = _normalised(command.second @ state.registers)

    algebra = _Distributions(state.memory)
    outputs = jnp.stack([row.output(algebra, first, second) for row in isa.INSTRUCTIONS])
    value = command.op @ outputs
    registers = state.registers + command.out[:, None] * (value - state.registers)

    written = (command.op[isa.WRITE] * first)[:, None]
    memory = (1 - written) * state.memory + written * second

    jumps = command.op[isa.JUMP] * first[0]
    line = (1 - jumps) * jnp.roll(state.line, 1) + jumps * second

    remaining = 1 - state.stop
    remaining = lax.stop_gradient(remaining) if cut_gradient else remaining
    return State(memory, registers, line, state.stop + command.op[isa.STOP] * remaining)


def _normalised(value: Array) -> Array:
    """A distribution whose sum is 1 again.

    ADD and its like multiply two sums: without this, rounding errors would double with every
    ``x = ADD(x, x)``. The sum is 1 but for rounding, so it counts as a constant for the gradient.
    """
    return value / lax.stop_gradient(value.sum())


class Final(NamedTuple):
    """How a run ended: the last state and the number of steps executed."""

    state: State
    steps: Array


def run(logits: Logits, tape: Array, max_steps: int, threshold: float = THRESHOLD) -> Final:
    """Run until the stop probability passes the threshold or max_steps are done; forward only."""

    def is_running(final: Final) -> Array:
        return (final.state.stop <= threshold) & (final.steps < max_steps)

    def advance(final: Final) -> Final:
        return Final(step(logits, final.state), final.steps + 1)

    begin = Final(initial_state(logits, tape), jnp.zeros((), jnp.int32))
    return lax.while_loop(is_running, advance, begin)


def differentiable_run(
    logits: Logits,
    tape: Array,
    max_steps: int,
    threshold: float = THRESHOLD,
    cut_gradient: bool = False,
    observe: Callable[[State], Any] = lambda state: None,
) -> tuple[Final, Any]:
    """The same run with gradients; also returns ``observe(state)`` after each of max_steps steps.

    After halting nothing changes. Only the states are kept for the backward pass (each step is
    computed again there), so memory is of order max_steps · (M² + RM).
    """
    advance = jax.checkpoint(partial(step, cut_gradient=cut_gradient))

    def body(final: Final, _: None) -> tuple[Final, Any]:
        is_running = final.state.stop <= threshold
        moved = advance(logits, final.state)
        state = jax.tree.map(lambda new, old: jnp.where(is_running, new, old), moved, final.state)
        return Final(state, final.steps + is_running), observe(state)

    begin = Final(initial_state(logits, tape), jnp.zeros((), jnp.int32))
    return lax.scan(body, begin, None, length=max_steps)

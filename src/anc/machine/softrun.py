"""Runs weights on tapes of numbers, and traces every step.

The results are plain numbers and arrays, so that callers need not know the tensor library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from anc.isa import InstructionSet
from anc.machine import soft
from anc.machine.exact import Run, Stop
from anc.machine.weights import Array, Weights
from anc.support import resources


@partial(jax.jit, static_argnames=("max_steps",))
def _final(weights: Weights, tapes: jax.Array, max_steps: int) -> soft.Final:
    one = partial(soft.run, max_steps=max_steps)
    return jax.vmap(one, in_axes=(None, 0))(weights, tapes)


def run_soft(weights: Weights, tapes: Sequence[Sequence[int]], max_steps: int) -> list[Run]:
    """Run weights softly on several tapes of M cells; one result each.

    The tape of a result holds the most likely value of each cell. Its confidence is the smallest
    probability of these values.
    """
    _require_room(weights, len(tapes))
    final = _final(weights.nameless(), jnp.asarray(tapes, jnp.int32), max_steps)
    memory = np.asarray(final.state.memory)
    runs = []
    for cells, stop, steps in zip(memory, final.state.stop, final.steps, strict=True):
        tape = tuple(int(value) for value in cells.argmax(-1))
        reason = Stop.STOPPED if float(stop) > soft.THRESHOLD else Stop.STEP_LIMIT
        runs.append(Run(tape, int(steps), reason, confidence=float(cells.max(-1).min())))
    return runs


def _require_room(weights: Weights, tapes: int) -> None:
    M, R = weights.M, weights.R
    what = f"a soft run of a memory of {M} cells"
    what += f" on {tapes} tapes at once" if tapes > 1 else ""
    resources.require(
        tapes * soft.bytes_needed(M, R, weights.instructions.N),
        what,
        "the memory or the number of tapes",
    )


class SoftStep(NamedTuple):
    """One step of a soft run: the state before it, the command, and the state after it."""

    line: Array  # (M,) before the step
    op: Array  # (N,)
    first: Array  # (R,)
    second: Array  # (R,)
    out: Array  # (R,)
    registers_before: Array  # (R, M)
    registers: Array  # (R, M) after the step
    memory: Array  # (M, M) after the step
    stop: float  # after the step

    @property
    def first_value(self) -> Array:
        return self.first @ self.registers_before

    @property
    def second_value(self) -> Array:
        return self.second @ self.registers_before


@dataclass(frozen=True)
class SoftTrace:
    """The trace of a soft run."""

    initial_memory: Array
    steps: tuple[SoftStep, ...]
    stop: Stop
    instructions: InstructionSet

    @property
    def memory(self) -> Array:
        """The final memory."""
        return self.steps[-1].memory if self.steps else self.initial_memory


@jax.jit
def _observed_step(weights: Weights, state: soft.State) -> tuple[soft.Choice, soft.State]:
    command = soft.command_at(weights, state.line)
    return command, soft.execute(weights.instructions, command, state)


class SoftWatch:
    """A soft run on one tape that yields its steps on demand.

    No steps are stored: a long run in a large memory needs no more room than one step.
    """

    def __init__(
        self,
        weights: Weights,
        tape: Sequence[int],
        max_steps: int,
    ) -> None:
        _require_room(weights, 1)
        self.weights = weights.nameless()
        self.max_steps = max_steps
        self._state = soft.initial_state(self.weights, jnp.asarray(tape, jnp.int32))
        self.initial = self.now = jax.tree.map(np.asarray, self._state)
        self.taken = 0

    @property
    def stop(self) -> Stop:
        """Why the run ended, once it has ended."""
        return Stop.STOPPED if float(self.now.stop) > soft.THRESHOLD else Stop.STEP_LIMIT

    def __iter__(self) -> Iterator[SoftStep]:
        while self.taken < self.max_steps and self.stop is not Stop.STOPPED:
            before = self.now
            command, self._state = _observed_step(self.weights, self._state)
            chosen, after = jax.tree.map(np.asarray, (command, self._state))
            self.now = after
            self.taken += 1
            rest = (before.registers, after.registers, after.memory, float(after.stop))
            yield SoftStep._make((before.line, *chosen, *rest))


def trace_soft(weights: Weights, tape: Sequence[int], max_steps: int) -> SoftTrace:
    """All steps of a soft run on one tape."""
    kept = 4 * (weights.M**2 + 2 * weights.R * weights.M)
    room = resources.Growing(kept, "keeping all steps of a soft run", "max_steps or the memory")
    run = SoftWatch(weights, tape, max_steps)
    steps = []
    for step in run:
        room.step()
        steps.append(step)
    return SoftTrace(run.initial.memory, tuple(steps), run.stop, weights.instructions)

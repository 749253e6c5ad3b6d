"""Soft semantics: the paper's machine, started with distributions on its tape."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
from jax import Array

from anc.layers.arrays import log_of
from anc.layers.exact import padded
from anc.layers.rows import Stack
from anc.layers.spec import Details, Spec
from anc.layers.unknowns import Sizes
from anc.machine import soft
from anc.machine.weights import Weights
from anc.support import resources
from anc.support.diagnostics import AncError


@dataclass(frozen=True)
class Softened:
    """Soft layers; a value used twice is treated as two independent ones."""

    spec: Spec
    weights: Weights
    max_steps: int | None  # None: the length of the longest exact run
    threshold: float
    is_joint: bool = False  # whether some inputs have a joint distribution

    def outputs(
        self, rows: Stack, log: bool = False, weights: Weights | None = None
    ) -> list[Array]:
        """The distribution of each output cell when the run halts."""
        spec = self.spec
        rows = replace(rows, array=jnp.exp(rows.array)) if log else rows
        memory = self.details(rows, weights).cells
        found = [memory[..., cell, : spec.slots] for cell in spec.outputs]
        return [log_of(row) for row in found] if log else found

    def check_independent(self) -> None:
        """Refuse joint distributions, which a soft machine has no place for."""
        if self.is_joint:
            raise AncError("a soft machine takes each input by itself, not a joint distribution")

    def details(self, rows: Stack, weights: Weights | None = None) -> Details:
        spec, batch = self.spec, rows.batch
        numbers = (self.weights if weights is None else weights).nameless()
        dtype = jnp.result_type(numbers.op, rows.array)
        spec.check(rows.sizes)
        steps = self.max_steps or self._longest(rows.sizes)
        what = f"a soft layer for a memory of {spec.M} cells"
        needed = math.prod(batch) * soft.bytes_needed(spec.M, numbers.R, numbers.instructions.N)
        resources.require(needed, what, "the batch or the memory")
        memory = jax.nn.one_hot(jnp.array(spec.fixed), spec.M, dtype=dtype)
        memory = jnp.broadcast_to(memory, (*batch, spec.M, spec.M))
        for cell, row in zip(spec.inputs, rows.each(), strict=True):
            memory = memory.at[..., cell, :].set(padded(row, spec.M))

        def run(tape: Array) -> Details:
            final, stops = soft.differentiable_run(
                numbers, tape, steps, self.threshold, observe=lambda state: state.stop
            )
            executed = jnp.arange(steps) < final.steps
            running = 1 - jnp.concatenate([jnp.zeros(1, dtype), stops[:-1]])
            taken = jnp.where(executed, running, 0).sum()
            state = final.state
            none = jnp.zeros((), dtype)
            return Details(state.stop, taken, state.memory, none, none)

        flat = jax.vmap(run)(memory.reshape(-1, spec.M, spec.M))
        return jax.tree.map(lambda part: part.reshape(*batch, *part.shape[1:]), flat)

    def _longest(self, sizes: Sizes) -> int:
        """The number of steps of the longest exact run."""
        try:
            return self.spec.diagram(sizes, ()).longest
        except AncError as problem:
            raise AncError(
                f"how many steps may the soft machine take? {problem.message}",
                help="say so: max_steps=100",
            ) from None

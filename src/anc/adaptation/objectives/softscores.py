"""Soft scores: functions of JAX on soft tapes. An exact tape is a soft one without uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from anc.adaptation.objectives.scores import Score, shown
from anc.support.diagnostics import AncError

_TRIED = 4  # random tapes on which the gradient is checked


@dataclass(frozen=True)
class SoftScore(Score):
    """A function of an input (M,) and a tape of distributions (M, M), written with JAX."""

    function: Callable[[Array, Array], Array]
    name: str
    argument: str

    @cached_property
    def _batch(self) -> Any:
        def one(before: Array, final: Array) -> Array:
            return self.soft(before, jax.nn.one_hot(final, len(final)))

        return jax.jit(jax.vmap(one))

    def exact(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        if not len(finals):
            return np.empty(0)
        size = 1 << (len(finals) - 1).bit_length()  # few sizes, to compile little
        rows = [
            np.resize(part, (size, part.shape[1])).astype(np.int32) for part in (inputs, finals)
        ]
        return np.asarray(self._batch(*rows), np.float64)[: len(finals)]

    def soft(self, before: Array, memory: Array) -> Array:
        return self.function(before, memory)

    def soft_violation(self, before: Array, memory: Array) -> Array:
        """A constraint of JAX is 1 if it holds, 0 if it is violated, and the probability in between."""
        return 1 - jnp.clip(self.soft(before, memory), 0, 1)

    def check(self, inputs: np.ndarray, finals: np.ndarray) -> None:
        self._check_shape(finals.shape[1])
        found = self.exact(inputs, finals)
        bad = np.flatnonzero(~np.isfinite(found))
        if len(bad):
            raise AncError(
                f"'{self.argument}': {self.name} gives {found[bad[0]]} for the final tape"
                f" {shown(finals[bad[0]])}, expected a finite number"
            )

    def check_soft(self, M: int) -> None:
        """Raise if the gradient is 0 or not finite on all of some random tapes."""
        self._check_shape(M)
        random = np.random.default_rng(0)
        tapes = random.dirichlet(np.ones(M), (_TRIED, M)).astype(np.float32)
        before = random.integers(0, M, (_TRIED, M), np.int32)
        slopes = np.asarray(jax.jit(jax.vmap(jax.grad(self.soft, argnums=1)))(before, tapes))
        if not np.isfinite(slopes).all(axis=(1, 2)).any():
            what = "is not finite"
        elif not np.any(slopes[np.isfinite(slopes)]):
            what = "is zero"
        else:
            return
        raise AncError(
            f"'{self.argument}': the gradient of {self.name} {what} on all of {_TRIED} random soft tapes",
            help="rounding, argmax and comparisons have no gradient; use expectations such as"
            " memory[cell] @ jnp.arange(M)",
        )

    def _check_shape(self, M: int) -> None:
        before = jax.ShapeDtypeStruct((M,), jnp.int32)
        memory = jax.ShapeDtypeStruct((M, M), jnp.float32)
        try:
            found = jax.eval_shape(self.soft, before, memory)
        except Exception as problem:
            raise AncError(
                f"'{self.argument}': JAX cannot run {self.name}: {str(problem).splitlines()[0]}",
                help=f"it is called with an input of shape ({M},) and distributions of shape ({M}, {M})",
            ) from problem
        shape = getattr(found, "shape", None)
        if shape != () or not jnp.issubdtype(found.dtype, jnp.floating):
            what = (
                f"an array of shape {shape} and type {found.dtype}" if shape is not None else found
            )
            raise AncError(
                f"'{self.argument}': {self.name} returns {what}, expected one real number of JAX"
            )

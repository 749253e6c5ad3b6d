"""Exact semantics: the true distribution of a program's outputs for independent inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array

from anc.layers.contract import log_probabilities, probabilities
from anc.layers.spec import Details, Sizes, Spec


@dataclass(frozen=True)
class Exact:
    """Every value of the inputs is taken into account, by the program's diagrams."""

    spec: Spec

    def outputs(self, rows: Sequence[Array], log: bool = False) -> list[Array]:
        """The distribution of each output cell."""
        sizes = sizes_of(rows)
        plans = [self.spec.plan(sizes, cell) for cell in self.spec.outputs]
        if log:
            return [log_probabilities(plan, rows) for plan in plans]
        return [probabilities(plan, rows)[0] for plan in plans]

    def details(self, rows: Sequence[Array]) -> Details:
        spec, sizes = self.spec, sizes_of(rows)
        ends, steps = probabilities(spec.ending(sizes), rows)
        batch, dtype = ends.shape[:-1], ends.dtype
        computed = spec.diagram(sizes, ()).written
        inside = jnp.ones(batch, dtype)
        if spec.drops:  # what is left of an input is not what came in
            inside = probabilities(spec.inside(sizes), rows)[0][..., 1]
            computed |= frozenset(spec.inputs)
        cells = jax.nn.one_hot(jnp.array(spec.fixed), spec.M, dtype=dtype)
        found = list(cells[:, *[None] * len(batch)] * inside[..., None])
        for cell, row in zip(spec.inputs, rows, strict=True):
            found[cell] = jnp.broadcast_to(padded(row, spec.M), (*batch, spec.M))
        for cell in computed:
            found[cell] = padded(probabilities(spec.plan(sizes, cell), rows)[0], spec.M)
        missing = jnp.zeros(batch, dtype)
        return Details(ends[..., 1], steps, jnp.stack(found, -2), missing, 1 - inside)


def sizes_of(rows: Sequence[Array]) -> Sizes:
    """How many values each input has."""
    return tuple(int(row.shape[-1]) for row in rows)


def padded(row: Array, M: int) -> Array:
    """A row (..., K) with zeros behind it: (..., M)."""
    return jnp.pad(row, [(0, 0)] * (row.ndim - 1) + [(0, M - row.shape[-1])])

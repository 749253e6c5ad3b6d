"""Pruned exact semantics: only the likeliest values of the inputs are run, sample by sample.

The B likeliest joint values have their beginnings among the B likeliest beginnings, so a beam finds
them. Their runs are numbers, made by the batched exact machine outside of JAX's program (it is the
one machine that runs programs on numbers; nothing is differentiated there). The result is a
lower bound of every probability; what is missing of it is at most the mass that was not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from anc.layers.contract import log as log_of
from anc.layers.spec import Details, Spec
from anc.machine.batch import Runs, run_all
from anc.support.diagnostics import AncError


class Likeliest(NamedTuple):
    """The B likeliest values of the inputs: the logarithm of their probability, and the values."""

    logs: Array  # (..., B)
    values: Array  # (..., B, inputs)


def likeliest(rows: Sequence[Array], B: int) -> Likeliest:
    """A beam over the inputs, in order; rows are logarithms of probabilities."""
    batch = jnp.broadcast_shapes(*(row.shape[:-1] for row in rows))
    unknown = sum(jnp.where(jnp.isnan(row).any(-1), jnp.nan, 0) for row in rows)  # stays so
    logs = jnp.zeros((*batch, 1), jnp.result_type(*rows)) + jnp.asarray(unknown)[..., None]
    values = jnp.zeros((*batch, 1, 0), jnp.int32)
    for row in rows:
        K = row.shape[-1]
        joint = (logs[..., None] + row[..., None, :]).reshape(*batch, -1)
        kept = min(B, joint.shape[-1])
        _, places = lax.top_k(lax.stop_gradient(joint), kept)
        logs = jnp.take_along_axis(joint, places, -1)
        before = jnp.take_along_axis(values, (places // K)[..., None], -2)
        values = jnp.concatenate([before, (places % K)[..., None]], -1)
    return Likeliest(logs, values)


class Ends(NamedTuple):
    """How runs ended; numpy's arrays or JAX's."""

    tapes: Any  # (..., M)
    steps: Any  # (...)
    stopped: Any  # (...)
    inside: Any  # (...): whether Python does the same


def run_values(spec: Spec, values: np.ndarray, possible: np.ndarray) -> Ends:
    """Run the program on values of its inputs (..., inputs); of impossible ones nothing is refused."""
    tapes = np.broadcast_to(np.array(spec.fixed), (*values.shape[:-1], spec.M)).copy()
    tapes[..., list(spec.inputs)] = values
    tapes = tapes.reshape(-1, spec.M)
    runs = run_all(spec.program, tapes, spec.max_steps)
    found, inside, stuck = _answers(spec, tapes, runs, possible.reshape(-1))
    if not spec.keeps_unstopped and stuck.any():
        first = values.reshape(-1, values.shape[-1])[int(np.argmax(stuck))]
        cells = ", ".join(f"cell {c} is {v}" for c, v in zip(spec.inputs, first, strict=True))
        raise AncError(
            f"the program does not stop within {spec.max_steps} steps if {cells}",
            help="values=10 leaves out values from 10 up; unstopped='keep' takes the tape as it is then",
        )
    largest = found[inside & possible.reshape(-1)][:, list(spec.outputs)].max(initial=0)
    if largest >= spec.slots:
        raise spec.too_few_slots(largest)
    shape = values.shape[:-1]
    return Ends(
        found.astype(np.int32).reshape(*shape, spec.M),
        runs.steps.astype(np.int32).reshape(shape),
        runs.stopped.reshape(shape),
        inside.reshape(shape),
    )


def _answers(
    spec: Spec, tapes: np.ndarray, runs: Runs, possible: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is left on the tapes, on which of them that is Python's, and which runs did not stop.

    Inputs on which it is not are refused unless they are dropped.
    """
    if spec.checked is None:
        return runs.tapes, np.ones(len(tapes), np.bool_), ~runs.stopped & possible
    roomy = np.pad(tapes, [(0, 0), (0, spec.checked.M - spec.M)])
    runs = run_all(spec.checked.program, roomy, spec.max_steps)
    fits = (runs.tapes[:, list(spec.outputs)] < spec.M).all(-1)
    stuck = ~runs.stopped & (runs.steps >= spec.max_steps)
    inside = (runs.stopped | stuck) & fits
    outside = ~inside & possible
    if not spec.drops and outside.any():
        raise spec.checked.refusal(tapes[int(np.argmax(outside))].tolist())
    return runs.tapes[:, : spec.M], inside, stuck & inside & possible


@dataclass(frozen=True)
class Pruned:
    """The `kept` likeliest values of the inputs of each sample are run."""

    spec: Spec
    kept: int

    def outputs(self, rows: Sequence[Array], log: bool = False) -> list[Array]:
        found, ends = self._runs(rows if log else [log_of(row) for row in rows])
        cells = (ends.tapes[..., cell] for cell in self.spec.outputs)
        counted = jnp.where(ends.inside, found.logs, -jnp.inf)
        logs = [_log_sums(counted, cell, self.spec.slots) for cell in cells]
        return logs if log else [jnp.exp(one) for one in logs]

    def details(self, rows: Sequence[Array]) -> Details:
        found, ends = self._runs([log_of(row) for row in rows])
        weights = jnp.exp(found.logs)
        inside = jnp.where(ends.inside, weights, 0)
        values = jnp.arange(self.spec.M)
        is_value = (ends.tapes[..., None] == values).astype(weights.dtype)
        return Details(
            (weights * ends.stopped).sum(-1),
            (weights * ends.steps).sum(-1),
            jnp.einsum("...b,...bcm->...cm", inside, is_value),
            1 - weights.sum(-1),
            (weights - inside).sum(-1),
        )

    def _runs(self, logs: Sequence[Array]) -> tuple[Likeliest, Ends]:
        found = likeliest(logs, self.kept)
        shape = found.logs.shape
        kinds = Ends(
            jax.ShapeDtypeStruct((*shape, self.spec.M), jnp.int32),
            jax.ShapeDtypeStruct(shape, jnp.int32),
            jax.ShapeDtypeStruct(shape, jnp.bool_),
            jax.ShapeDtypeStruct(shape, jnp.bool_),
        )

        def run(values: np.ndarray, possible: np.ndarray) -> Ends:
            return run_values(self.spec, np.asarray(values), np.asarray(possible))

        possible = found.logs > -jnp.inf
        ends = jax.pure_callback(run, kinds, found.values, possible, vmap_method="broadcast_all")
        return found, ends


def _log_sums(logs: Array, values: Array, slots: int) -> Array:
    """log(sum(exp)) of the runs that end with each value."""
    ends_so = values[..., None] == jnp.arange(slots)
    each = jnp.where(ends_so, logs[..., None], -jnp.inf)
    largest = lax.stop_gradient(each.max(-2))
    largest = jnp.where(jnp.isfinite(largest), largest, 0)
    sums = jnp.exp(each - largest[..., None, :]).sum(-2)
    return log_of(sums) + largest

"""Pruned exact semantics: for each sample only the likeliest input values are run.

Every prefix of the B likeliest joint values is among the B likeliest prefixes, so a beam search finds
them. Their runs are discrete and made by the batched exact machine, outside of JAX; nothing is
differentiated there. The result is a lower bound of every probability. The error is at most the mass of
the inputs that were not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from anc.layers.arrays import JAX, log_of, log_offset
from anc.layers.rows import Stack
from anc.layers.spec import Details, Spec
from anc.machine.batch import Runs, run_all
from anc.support.diagnostics import AncError


class Likeliest(NamedTuple):
    """The B likeliest joint values of the inputs, with their log-probabilities."""

    logs: Any  # (..., B)
    values: Any  # (..., B, inputs)


def likeliest(rows: Sequence[Any], B: int, arrays: Any = JAX) -> Likeliest:
    """Beam search over the inputs, in order; rows are log-probabilities."""
    xp = arrays.xp
    batch = xp.broadcast_shapes(*(row.shape[:-1] for row in rows))
    logs = arrays.full((*batch, 1), 0.0, rows)
    for row in rows:
        logs = xp.where(xp.isnan(row).any(-1)[..., None], jnp.nan, logs)  # NaN stays NaN
    values = xp.zeros_like(logs, dtype=xp.int32)[..., :0, None].reshape(*batch, 1, 0)
    for row in rows:
        K = row.shape[-1]
        joint = (logs[..., None] + row[..., None, :]).reshape(*batch, -1)
        places = arrays.top_k(arrays.stop_gradient(joint), min(B, joint.shape[-1]))
        logs = arrays.take_along_axis(joint, places, -1)
        before = arrays.take_along_axis(values, (places // K)[..., None], -2)
        values = xp.concatenate([before, (places % K)[..., None]], axis=-1)
    return Likeliest(logs, values)


class Ends(NamedTuple):
    """The ends of runs, as arrays of numpy, JAX or PyTorch."""

    tapes: Any  # (..., M)
    steps: Any  # (...)
    stopped: Any  # (...)
    inside: Any  # (...): whether the result is Python's


def run_values(spec: Spec, values: np.ndarray, possible: np.ndarray) -> Ends:
    """Run the program on input values (..., inputs); impossible ones are never refused."""
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
            help="values=10 leaves out values from 10 up; unstopped='keep' takes the tape as it is at that point",
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
    """The final tapes, where they are Python's, and which runs did not stop.

    Other inputs are refused unless they are dropped.
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
    """Pruned layers: the `kept` likeliest input values of each sample are run."""

    spec: Spec
    kept: int

    def outputs(self, rows: Stack, log: bool = False, arrays: Any = JAX) -> list[Any]:
        """The probabilities of each output cell, summed over the runs."""
        logs = rows.each() if log else [log_of(row, arrays) for row in rows.each()]
        found, ends = self._runs(logs, arrays)
        counted = arrays.xp.where(ends.inside, found.logs, -jnp.inf)
        slots = arrays.arange(self.spec.slots, counted)
        cells = (ends.tapes[..., cell, None] == slots for cell in self.spec.outputs)
        each = (arrays.xp.where(ends_so, counted[..., None], -jnp.inf) for ends_so in cells)
        sums = [_log_sum(one, arrays) for one in each]
        return sums if log else list(map(arrays.xp.exp, sums))

    def details(self, rows: Stack) -> Details:
        found, ends = self._runs([log_of(row) for row in rows.each()])
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

    def _runs(self, logs: Sequence[Any], arrays: Any = JAX) -> tuple[Likeliest, Ends]:
        found = likeliest(logs, self.kept, arrays)
        shape, M = found.logs.shape, self.spec.M
        kinds = [((*shape, M), np.int32), (shape, np.int32), (shape, np.bool_), (shape, np.bool_)]

        def run(values: Any, possible: Any) -> Ends:
            return run_values(self.spec, np.asarray(values), np.asarray(possible))

        structs = Ends(*(jax.ShapeDtypeStruct(*kind) for kind in kinds))
        return found, arrays.call_numpy(run, structs, found.values, found.logs > -jnp.inf)


def _log_sum(each: Any, arrays: Any) -> Any:
    """Log-sum-exp over the runs, the last axis but one."""
    largest = log_offset(arrays.xp.amax(each, -2), arrays)
    sums = arrays.xp.exp(each - largest[..., None, :]).sum(-2)
    return log_of(sums, arrays) + largest

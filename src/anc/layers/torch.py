"""A layer as a module of PyTorch: the same plans, computed by torch itself.

Exact layers never leave torch, on whatever device their inputs are; the soft machine runs in JAX, which
reads the tensors' memory (DLPack). Its weights are parameters, which any optimiser of torch trains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch import Tensor

from anc.layers.pruned import Pruned, run_values
from anc.layers.spec import Spec
from anc.machine.weights import ARRAYS, Weights
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.layers.layer import Layer
    from anc.layers.plan import Level, Plan


class LayerModule(torch.nn.Module):
    """A layer between modules: tensors of distributions (..., K) in, (..., M) out."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.layer = layer
        self._constants: dict[tuple[int, torch.device, torch.dtype], Tensor] = {}
        if layer.mode == "soft":
            for name, array in layer.softened.weights.arrays().items():
                numbers = torch.tensor(np.asarray(array), dtype=torch.float32)
                self.register_parameter(name, torch.nn.Parameter(numbers))

    @property
    def weights(self) -> Weights:
        """The weights of the soft machine as they are now, for `anc.harden` and all others."""
        if self.layer.mode == "exact":
            raise AncError("an exact layer has no weights", help="make it with mode='soft'")
        begun = self.layer.softened.weights
        arrays = (getattr(self, name).detach().float().cpu().numpy().copy() for name in ARRAYS)
        return Weights.of(arrays, begun.lines, begun.names, begun.instructions)

    def forward(self, *distributions: Tensor, weights: Weights | None = None) -> Tensor:
        """The distribution of the output; of a soft layer, `weights` go before the module's own."""
        layer, rows = self.layer, self._rows(distributions)
        layer.check_weights(weights)
        if layer.mode == "soft":
            own = (getattr(self, name) for name in ARRAYS)
            numbers = map(torch.as_tensor, own if weights is None else weights)
            floats = [tensor.float() for tensor in (*rows, *numbers)]
            return _ThroughJax.apply(layer, *floats).to(rows[0].dtype)
        if isinstance(layer.exact, Pruned):
            found = self._pruned(layer.spec, rows, layer.exact.kept)
        else:
            sizes = tuple(row.shape[-1] for row in rows)
            plans = [layer.spec.plan(sizes, cell) for cell in layer.spec.outputs]
            found = [self._planned(plan, rows) for plan in plans]
        return torch.stack(found, -2) if layer.output.is_list else found[0]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_constants": {}}  # found by where levels are in memory

    def extra_repr(self) -> str:
        return repr(self.layer)

    def _rows(self, distributions: Sequence[Any]) -> list[Tensor]:
        reader = self.layer.rows
        rows: list[Tensor] = []
        tensors = reader.checked_shapes([torch.as_tensor(one) for one in distributions])
        floats = [one for one in tensors if one.is_floating_point()]
        dtype = floats[0].dtype if floats else torch.get_default_dtype()
        for place, tensor in zip(reader.places, tensors, strict=True):
            if not tensor.is_floating_point():
                K = reader.check_integers(place, tensor.cpu())
                tensor = torch.nn.functional.one_hot(tensor.long(), K).to(dtype)
                tensor = tensor.log() if self.layer.log else tensor
            elif reader.check is not False:
                reader.check_numbers(place, tensor.detach().cpu().float().numpy())
            rows += tensor.unbind(-2) if place.is_list else [tensor]
        return rows

    def _planned(self, plan: Plan, rows: Sequence[Tensor]) -> Tensor:
        log, like = self.layer.log, rows[0]
        batch = torch.broadcast_shapes(*(row.shape[:-1] for row in rows))
        if not plan.levels:
            slots = torch.arange(plan.slots, device=like.device)
            only = (slots == plan.only).to(like.dtype)
            return (only.log() if log else only).expand(*batch, -1)
        states = like.new_zeros(*batch, 1) if log else like.new_ones(*batch, 1)
        for level in plan.levels:
            branches = _branches(level, states, rows, log)
            if level.is_identity:
                states = branches
            elif log:
                states = _log_added(level, branches, self._targets(level, like))
            elif level.is_dense:
                states = branches @ self._constant(level, level.matrix, like, like.dtype)
            else:
                zeros = branches.new_zeros(*batch, level.size)
                states = zeros.index_add(-1, self._targets(level, like), branches)
        return states[..., : plan.slots]

    def _targets(self, level: Level, like: Tensor) -> Tensor:
        return self._constant(level, level.targets, like, torch.int64)

    def _constant(
        self, level: Level, array: np.ndarray, like: Tensor, dtype: torch.dtype
    ) -> Tensor:
        """A level's numbers, kept on each device that they were needed on."""
        key = id(level), like.device, dtype
        if key not in self._constants:
            self._constants[key] = torch.as_tensor(array, dtype=dtype, device=like.device)
        return self._constants[key]

    def _pruned(self, spec: Spec, rows: Sequence[Tensor], kept: int) -> list[Tensor]:
        """The beam of `anc.layers.pruned`."""
        log = self.layer.log
        batch = torch.broadcast_shapes(*(row.shape[:-1] for row in rows))
        logs = rows[0].new_zeros(*batch, 1)
        values = torch.zeros(*batch, 1, 0, dtype=torch.int64, device=rows[0].device)
        for row in rows:
            K = row.shape[-1]
            row = row if log else _log(row)
            joint = (logs.unsqueeze(-1) + row.unsqueeze(-2)).flatten(-2)
            places = joint.detach().topk(min(kept, joint.shape[-1]), -1).indices
            logs = joint.gather(-1, places)
            before = values.gather(
                -2, (places // K).unsqueeze(-1).expand(*places.shape, values.shape[-1])
            )
            values = torch.cat([before, (places % K).unsqueeze(-1)], -1)
        ends = run_values(spec, values.cpu().numpy(), (logs > -torch.inf).cpu().numpy())
        tapes = torch.as_tensor(ends.tapes, device=logs.device)
        logs = logs.where(torch.as_tensor(ends.inside, device=logs.device), -torch.inf)
        slots = torch.arange(spec.slots, device=logs.device)
        found = []
        for cell in spec.outputs:
            each = logs.unsqueeze(-1).where(tapes[..., cell].unsqueeze(-1) == slots, -torch.inf)
            found.append(_log_sum(each, -2) if log else each.exp().sum(-2))
        return found


def _branches(level: Level, states: Tensor, rows: Sequence[Tensor], log: bool) -> Tensor:
    parts = []
    for reading in level.readings:
        row = rows[reading.input].unsqueeze(-2)
        read = states[..., reading.begin : reading.end].unsqueeze(-1)
        parts.append((read + row if log else read * row).flatten(-2))
    if level.passing < level.states:
        parts.append(states[..., level.passing :])
    return parts[0] if len(parts) == 1 else torch.cat(parts, -1)


def _log_added(level: Level, branches: Tensor, targets: Tensor) -> Tensor:
    shape = (*branches.shape[:-1], level.size)
    low = branches.new_full(shape, -torch.inf)
    places = targets.expand_as(branches)
    largest = low.scatter_reduce(-1, places, branches.detach(), "amax")
    largest = torch.where(largest.isfinite(), largest, 0)
    sums = branches.new_zeros(shape).index_add(
        -1, targets, (branches - largest[..., targets]).exp()
    )
    return _log(sums) + largest


def _log(rows: Tensor) -> Tensor:
    """The logarithm; -inf, and without a gradient, where a probability is 0."""
    return rows.where(rows != 0, 1).log().where(rows != 0, -torch.inf)


def _log_sum(each: Tensor, axis: int) -> Tensor:
    """log(sum(exp)); -inf without a gradient where nothing is added."""
    largest = each.detach().amax(axis, keepdim=True)
    largest = torch.where(largest.isfinite(), largest, 0)
    sums = (each - largest).exp().sum(axis)
    largest = largest.squeeze(axis)
    return _log(sums) + largest


class _ThroughJax(torch.autograd.Function):
    """A soft layer on the tensors of its rows and then of its weights: forward and backward by JAX.

    JAX's arrays never change and tensors may, so weights go in, and all comes out, as copies.
    """

    @staticmethod
    def forward(ctx: Any, layer: Layer, *tensors: Tensor) -> Tensor:
        n = len(tensors) - len(ARRAYS)
        rows = [_array(tensor) for tensor in tensors[:n]]
        arrays = (_array(tensor.clone()) for tensor in tensors[n:])
        instructions = layer.spec.program.instructions
        weights = Weights.of(arrays, layer.spec.M, instructions=instructions)
        is_trained = any(ctx.needs_input_grad[1 + n :])
        output, pull_back = layer.compiled("pulling", rows, weights, is_trained, key=is_trained)
        key = is_trained, *(row.shape for row in rows)
        ctx.is_trained = is_trained
        ctx.pull_back = lambda gradients: layer.compiled(
            "pulled_back", gradients, pull_back, key=key
        )
        return _tensor(output)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        of_rows, *of_weights = ctx.pull_back([_array(gradients[0])])
        found = [*of_rows, *(of_weights[0] if ctx.is_trained else [None] * len(ARRAYS))]
        return (None, *(one if one is None else _tensor(one) for one in found))


def _array(tensor: Tensor) -> jax.Array:
    return jnp.from_dlpack(tensor.detach().contiguous())


def _tensor(array: jax.Array) -> Tensor:
    return torch.from_dlpack(array).clone()

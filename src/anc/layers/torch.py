"""A layer as a module of PyTorch.

Exact layers stay in torch, on the device of their inputs. The soft machine runs in JAX, which shares
memory with the tensors (DLPack). Its weights are parameters that any torch optimiser can train.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch import Tensor

from anc.machine.weights import ARRAYS, Weights
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.layers.layer import Layer
    from anc.layers.plan import Level


class LayerModule(torch.nn.Module):
    """A layer between modules: takes tensors of distributions (..., K), returns (..., M)."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.layer = layer
        self._arrays = TorchArrays()
        if layer.mode == "soft":
            for name, array in layer.softened.weights.arrays().items():
                numbers = torch.tensor(np.asarray(array), dtype=torch.float32)
                self.register_parameter(name, torch.nn.Parameter(numbers))

    @property
    def weights(self) -> Weights:
        """The current weights of the soft machine, for `anc.harden` and other functions."""
        if self.layer.mode == "exact":
            raise AncError("an exact layer has no weights", help="make it with mode='soft'")
        begun = self.layer.softened.weights
        arrays = (getattr(self, name).detach().float().cpu().numpy().copy() for name in ARRAYS)
        return Weights.of(arrays, begun.lines, begun.names, begun.instructions)

    def forward(self, *distributions: Tensor, weights: Weights | None = None) -> Tensor:
        """The distribution of the output; in a soft layer, `weights` replace the module's own."""
        layer, rows = self.layer, self._rows(distributions)
        layer.check_weights(weights)
        if layer.mode == "soft":
            own = (getattr(self, name) for name in ARRAYS)
            numbers = map(torch.as_tensor, own if weights is None else weights)
            floats = [tensor.float() for tensor in (*rows, *numbers)]
            return _ThroughJax.apply(layer, *floats).to(rows[0].dtype)
        found = layer.exact.outputs(rows, layer.log, self._arrays)
        return torch.stack(found, -2) if layer.output.is_list else found[0]

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


class TorchArrays:
    """The array operations specific to PyTorch; see `anc.layers.exact.JaxArrays`."""

    xp = torch
    take_along_axis = staticmethod(torch.take_along_dim)
    stop_gradient = staticmethod(Tensor.detach)

    def __init__(self) -> None:
        self._kept: dict[tuple[int, torch.device, torch.dtype], Tensor] = {}

    def full(self, shape: tuple[int, ...], value: float, rows: Sequence[Tensor]) -> Tensor:
        return rows[0].new_full(shape, value)

    def arange(self, count: int, like: Tensor) -> Tensor:
        return torch.arange(count, device=like.device)

    def top_k(self, array: Tensor, count: int) -> Tensor:
        return array.topk(count, -1).indices

    def targets(self, level: Level, like: Tensor) -> Tensor:
        return self._on_device(level.targets, like, torch.int64)

    def matmul(self, branches: Tensor, matrix: np.ndarray) -> Tensor:
        return branches @ self._on_device(matrix, branches, branches.dtype)

    def segment_sum(self, branches: Tensor, level: Level) -> Tensor:
        zeros = branches.new_zeros(*branches.shape[:-1], level.size)
        return zeros.index_add(-1, self.targets(level, branches), branches)

    def segment_max(self, branches: Tensor, level: Level) -> Tensor:
        low = branches.new_full((*branches.shape[:-1], level.size), -torch.inf)
        places = self.targets(level, branches).expand_as(branches)
        return low.scatter_reduce(-1, places, branches, "amax")

    def call_numpy(self, function: Callable[..., Any], kinds: Any, *arrays: Tensor) -> Any:
        device = arrays[0].device
        found = function(*(array.detach().cpu().numpy() for array in arrays))
        return type(found)(*(torch.as_tensor(part, device=device) for part in found))

    def _on_device(self, array: np.ndarray, like: Tensor, dtype: torch.dtype) -> Tensor:
        """A level's array as a tensor, cached for each device."""
        key = id(array), like.device, dtype
        if key not in self._kept:
            self._kept[key] = torch.as_tensor(array, dtype=dtype, device=like.device)
        return self._kept[key]

    def __getstate__(self) -> dict[str, Any]:
        return {"_kept": {}}  # the cache is keyed by memory addresses


class _ThroughJax(torch.autograd.Function):
    """A soft layer as a function of the tensors of its rows and weights: JAX runs it forward and backward.

    JAX's arrays are immutable and tensors are not, so weights are copied in and results are copied out.
    """

    @staticmethod
    def forward(ctx: Any, layer: Layer, *tensors: Tensor) -> Tensor:
        n = len(tensors) - len(ARRAYS)
        rows = [_array(tensor) for tensor in tensors[:n]]
        arrays = (_array(tensor.clone()) for tensor in tensors[n:])
        instructions = layer.spec.program.instructions
        weights = Weights.of(arrays, layer.spec.M, instructions=instructions)
        is_trained = any(ctx.needs_input_grad[1 + n :])
        pulling = "pulling_trained" if is_trained else "pulling"
        output, pull_back = layer.compiled(pulling, rows, weights)
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

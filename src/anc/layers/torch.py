"""A layer as a module of PyTorch.

Exact layers stay in torch, on the device of their inputs. The soft machine runs in JAX, which shares
memory with the tensors (DLPack). Its weights are parameters that any torch optimiser can train.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from torch import Tensor

from anc.layers.arrays import log_of
from anc.layers.inference import Inference, MostLikely
from anc.layers.likelihood import Likelihood
from anc.layers.observations import observations
from anc.machine.weights import ARRAYS, Weights
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.layers.holes import Filled
    from anc.layers.layer import Layer
    from anc.layers.plan import Step
    from anc.layers.rows import Stack


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
        sizes = () if layer.holes is None else layer.holes.sizes
        self.holes = torch.nn.ParameterList(torch.zeros(size) for size in sizes)

    def program(self) -> Filled:
        """The function with the most likely choices of its holes, and the doubt that is left."""
        return self.layer.program([logits.detach().cpu().numpy() for logits in self.holes])

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
        stack = layer.rows.stack(rows, self._arrays)
        found = layer.exact.outputs(stack, layer.log, self._arrays)
        return torch.stack(found, -2) if layer.output.is_list else found[0]

    def log_likelihood(self, *distributions: Tensor, observed: Any, mask: Any = None) -> Tensor:
        """The logarithm (...) of the probability of the observed outputs; see `Layer.log_likelihood`."""
        stack, seen = self._observed(distributions, observed, mask)
        made = Likelihood(self.layer.spec.likelihood(stack.sizes), self._arrays)
        return _LogLikelihood.apply(made, not self.layer.log, stack.array, seen)

    @torch.no_grad()
    def posterior(
        self, *distributions: Tensor, observed: Any, mask: Any = None
    ) -> tuple[Tensor, ...]:
        """The distribution of each input given what was observed; see `Layer.posterior`."""
        made, stack, seen = self._inference(distributions, observed, mask)
        found = made.posterior(stack.array, seen)
        return self.layer.rows.each_place(found, stack.sizes, self._arrays, is_rows=True)

    @torch.no_grad()
    def most_likely(
        self, *distributions: Tensor, observed: Any = None, mask: Any = None
    ) -> MostLikely:
        """The most likely inputs given what was observed; see `Layer.most_likely`."""
        made, stack, seen = self._inference(distributions, observed, mask)
        values, log = made.most_likely(stack.array, seen)
        return MostLikely(self.layer.rows.each_place(values, stack.sizes, self._arrays), log)

    @torch.no_grad()
    def sample(
        self, *distributions: Tensor, key: int, observed: Any = None, mask: Any = None
    ) -> tuple[Tensor, ...]:
        """Inputs drawn from their distribution given what was observed; see `Layer.sample`."""
        made, stack, seen = self._inference(distributions, observed, mask)
        values = made.sample(stack.array, seen, key)
        return self.layer.rows.each_place(values, stack.sizes, self._arrays)

    def expectation(self, function: Callable[..., Any], *distributions: Tensor) -> Tensor:
        """The expected value (...) of a function of the output; see `Layer.expectation`."""
        stack = self.layer.rows.stack(self._rows(distributions), self._arrays)
        masses, values = self.layer.masses(stack, self._arrays)
        each = [torch.as_tensor(function(value)).to(masses) for value in values]
        return (masses * torch.stack(torch.broadcast_tensors(*each), -1)).sum(-1)

    def _observed(
        self, distributions: Sequence[Any], observed: Any, mask: Any
    ) -> tuple[Stack, Tensor]:
        layer = self.layer
        layer.check_likelihood()
        stack = layer.rows.stack(self._rows(distributions), self._arrays)
        seen = observations(layer.output, layer.spec.M, observed, mask, self._arrays)
        return stack.with_batch(seen.to(stack.array.device), self._arrays)

    def _inference(
        self, distributions: Sequence[Any], observed: Any, mask: Any
    ) -> tuple[Inference, Stack, Tensor]:
        stack, seen = self._observed(distributions, observed, mask)
        if not self.layer.log:
            stack = replace(stack, array=log_of(stack.array, self._arrays))
        return Inference(self.layer.spec.likelihood(stack.sizes), self._arrays), stack, seen

    def extra_repr(self) -> str:
        return repr(self.layer)

    def _rows(self, distributions: Sequence[Any]) -> list[Tensor]:
        reader = self.layer.rows
        rows: list[Tensor] = []
        given = [torch.as_tensor(one) for one in distributions]
        like = next((one for one in given if one.is_floating_point()), torch.zeros(()))
        soften = torch.log_softmax if self.layer.log else torch.softmax
        given += [soften(logits.to(like), -1) for logits in self.holes]
        tensors = reader.checked_shapes(given)
        floats = [one for one in tensors if one.is_floating_point()]
        dtype = floats[0].dtype if floats else torch.get_default_dtype()
        for place, tensor in zip(reader.places, tensors, strict=True):
            if not tensor.is_floating_point():
                K = reader.check_integers(place, tensor.cpu())
                one_hot = torch.nn.functional.one_hot
                tensor = reader.certain(place, tensor.long(), K, one_hot).to(dtype)
                tensor = tensor.log() if self.layer.log else tensor
            elif reader.check is not False:
                reader.check_numbers(place, tensor.detach().cpu().float().numpy())
            rows.append(tensor)
        return rows


class TorchArrays:
    """The array operations specific to PyTorch; see `anc.layers.arrays.JaxArrays`."""

    xp = torch
    take_along_axis = staticmethod(torch.take_along_dim)
    stop_gradient = staticmethod(Tensor.detach)

    def __init__(self) -> None:
        self._kept: dict[tuple[int, torch.device, torch.dtype], tuple[np.ndarray, Tensor]] = {}

    def full(self, shape: tuple[int, ...], value: float, rows: Sequence[Tensor]) -> Tensor:
        return rows[0].new_full(shape, value)

    def as_array(self, given: Any) -> Tensor:
        return torch.as_tensor(given)

    def as_numpy(self, array: Tensor) -> np.ndarray:
        return array.detach().cpu().numpy()

    def as_integers(self, array: Tensor) -> Tensor:
        return array.long()

    def arange(self, count: int, like: Tensor) -> Tensor:
        return torch.arange(count, device=like.device)

    def constant(self, array: np.ndarray, like: Tensor) -> Tensor:
        dtype = torch.bool if array.dtype == bool else torch.int64
        return self._on_device(array, like, dtype)

    def top_k(self, array: Tensor, count: int) -> Tensor:
        return array.topk(count, -1).indices

    def matmul(self, branches: Tensor, matrix: np.ndarray) -> Tensor:
        return branches @ self._on_device(matrix, branches, branches.dtype)

    def segment_sum(self, branches: Tensor, step: Step) -> Tensor:
        zeros = branches.new_zeros(*branches.shape[:-1], step.size)
        return zeros.index_add(-1, self.constant(step.targets, branches), branches)

    def segment_max(self, branches: Tensor, step: Step) -> Tensor:
        low = branches.new_full((*branches.shape[:-1], step.size), -torch.inf)
        places = self.constant(step.targets, branches).expand_as(branches)
        return low.scatter_reduce(-1, places, branches, "amax")

    def added_at(self, array: Tensor, places: np.ndarray, parts: Tensor) -> Tensor:
        return array.index_add(0, self.constant(places, array), parts)

    def put_at(self, array: Tensor, places: np.ndarray, parts: Tensor) -> Tensor:
        return array.index_copy(0, self.constant(places, array), parts)

    def keys(self, key: Any, count: int) -> Tensor | None:
        if key is None:
            return None
        made = torch.Generator().manual_seed(int(key))
        return torch.randint(1 << 62, (count,), generator=made)

    def gumbel(self, key: Tensor, like: Tensor) -> Tensor:
        made = torch.Generator().manual_seed(int(key))
        drawn = torch.rand(like.shape, generator=made, dtype=torch.float64).clamp_min(1e-300)
        return (-(-drawn.log()).log()).to(like)

    def scan(
        self, step: Callable[..., Any], carry: Any, xs: Any, times: int, reverse: bool = False
    ) -> tuple[Any, Any]:
        found = []
        for time in reversed(range(times)) if reverse else range(times):
            carry, kept = step(carry, jax.tree.map(lambda part, time=time: part[time], xs))
            found.append(kept)
        found = found[::-1] if reverse else found
        return carry, jax.tree.map(lambda *parts: torch.stack(parts), *found)

    def remembering_little(self, step: Callable[..., Any]) -> Callable[..., Any]:
        return step

    def call_numpy(self, function: Callable[..., Any], kinds: Any, *arrays: Tensor) -> Any:
        device = arrays[0].device
        found = function(*(array.detach().cpu().numpy() for array in arrays))
        return type(found)(*(torch.as_tensor(part, device=device) for part in found))

    def _on_device(self, array: np.ndarray, like: Tensor, dtype: torch.dtype) -> Tensor:
        """An array of a plan as a tensor, cached for each device."""
        key = id(array), like.device, dtype
        if key not in self._kept:  # the array is kept as well, so that its number stays its own
            tensor = torch.as_tensor(array, dtype=dtype, device=like.device)
            self._kept[key] = array, tensor
        return self._kept[key][1]

    def __getstate__(self) -> dict[str, Any]:
        return {"_kept": {}}  # the cache is keyed by memory addresses


class _LogLikelihood(torch.autograd.Function):
    """Forward over the levels of a plan, and backward for the gradients."""

    @staticmethod
    def forward(
        ctx: Any, made: Likelihood, of_probabilities: bool, rows: Tensor, observed: Tensor
    ) -> Tensor:
        logs = log_of(rows, made.arrays) if of_probabilities else rows
        found = made.forward(logs, observed)
        ctx.pull_back = lambda: made.backward(logs, observed, found, of_probabilities)
        return found.log

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        slope = gradients[0][..., None]
        slopes = torch.where(slope != 0, slope * ctx.pull_back(), 0)
        return None, None, slopes, None


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

"""Layer: a program as a differentiable function from distributions of cells to distributions of cells."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from anc.layers.arrays import JAX, log_of
from anc.layers.compiling import first_of
from anc.layers.exact import Exact, execute
from anc.layers.holes import Filled, Holes
from anc.layers.inference import Inference, MostLikely
from anc.layers.likelihood import differentiable
from anc.layers.observations import observations
from anc.layers.places import Place
from anc.layers.pruned import Pruned
from anc.layers.rows import Rows, Stack
from anc.layers.shortcut_result import Shortcuts
from anc.layers.shortcuts import check_groups, shortcuts, unique_results
from anc.layers.softened import Softened
from anc.layers.spec import Details, Spec
from anc.layers.unknowns import Sizes
from anc.machine.weights import Weights
from anc.support import diagnostics as extras
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.layers.torch import LayerModule


@dataclass(frozen=True, eq=False)
class Layer:
    """A program inside a model; `anc.layer` makes one.

    It takes a distribution (..., K) for each input and returns the output's distribution (..., M). An
    input or output of several cells has one more axis: (..., n, K).
    """

    spec: Spec
    inputs: tuple[Place, ...]
    output: Place
    rows: Rows
    mode: str  # "exact" or "soft": selects one of the following two
    exact: Exact | Pruned
    softened: Softened
    log: bool
    holes: Holes | None = None

    def __call__(
        self, *distributions: Any, weights: Weights | None = None, holes: Any = None
    ) -> Array:
        """The distribution of the output; in mode "soft", `weights` replace the program's own.

        `holes` are the logits of the function's holes, as `logits` begins them; without them, all
        choices are as likely.
        """
        self.check_weights(weights)
        rows = self._read(distributions, holes)
        return self.compiled("outputs", rows, weights, key=weights is None)

    def details(
        self, *distributions: Any, weights: Weights | None = None, holes: Any = None
    ) -> Details:
        """The stop probability, the expected steps, all cells, and the mass of excluded inputs."""
        self.check_weights(weights)
        rows = self._read(distributions, holes)
        return self.compiled("_details", rows, weights, key=weights is None)

    def joint(self, *distributions: Any, holes: Any = None) -> tuple[Array, np.ndarray]:
        """The joint distribution of the outputs (..., J), and its rows of values (J, outputs)."""
        self._check_joint()
        stack = self.rows.stack(self._read(distributions, holes))
        plan, values = self.spec.joint(stack.sizes)
        return execute(plan, stack, self.log)[0], values

    def log_likelihood(
        self, *distributions: Any, observed: Any, mask: Any = None, holes: Any = None
    ) -> Array:
        """The logarithm (...) of the probability of the observed outputs, all together.

        `observed` holds whole numbers (...), or (..., n) for several outputs; `mask`, of the same shape, is
        False where one is missing. Impossible observations have -inf, and gradients of 0.
        """
        rows, seen = self._observed(distributions, observed, mask, holes)
        return self.compiled("_log_likelihood", rows, seen)

    def check_likelihood(self) -> None:
        """Refuse layers that have no likelihood of what was observed."""
        if not isinstance(self.exact, Exact) or self.mode == "soft":
            raise AncError(
                "only an exact layer that is not pruned has a likelihood",
                help="leave out mode='soft' and prune",
            )

    def posterior(
        self, *distributions: Any, observed: Any, mask: Any = None, holes: Any = None
    ) -> tuple[Array, ...]:
        """The distribution of each input given what was observed: one array like each argument.

        It is NaN where that is impossible. `observed` and `mask` are those of `log_likelihood`. After the
        arguments come the holes, if there are any.
        """
        return self.compiled("_posterior", *self._observed(distributions, observed, mask, holes))

    def most_likely(
        self, *distributions: Any, observed: Any = None, mask: Any = None, holes: Any = None
    ) -> MostLikely:
        """The most likely inputs, all together, given what was observed; and the logarithm of their probability."""
        return self.compiled("_most_likely", *self._observed(distributions, observed, mask, holes))

    def sample(
        self,
        *distributions: Any,
        key: Any,
        observed: Any = None,
        mask: Any = None,
        holes: Any = None,
    ) -> tuple[Array, ...]:
        """Inputs drawn from their distribution given what was observed; `key` is JAX's, or a whole number."""
        rows, seen = self._observed(distributions, observed, mask, holes)
        key = jax.random.key(key) if isinstance(key, int) else key
        return self.compiled("_sample", rows, seen, key)

    def expectation(
        self, function: Callable[..., Any], *distributions: Any, holes: Any = None
    ) -> Array:
        """The expected value (...) of a function of the output: of a number, or of several in a row.

        The function may return an array (...), with a number for each sample. A condition has its probability.

        >>> import anc, jax.numpy as jnp
        >>> @anc.function(memory=20)
        ... def total(a: int, b: int) -> int:
        ...     return a + b
        >>> layer, row = anc.layer(total), jnp.full(10, 0.1)
        >>> error = layer.expectation(lambda total: abs(total - 9), row, row)  # the expected error
        >>> at_least = layer.expectation(lambda total: total >= 12, row, row)  # a probability
        >>> round(float(error), 4), round(float(at_least), 4)
        (3.3, 0.28)
        """
        masses, values = self.masses(self.rows.stack(self._read(distributions, holes)))
        each = jnp.broadcast_arrays(*(jnp.asarray(function(value)) for value in values))
        return (masses * jnp.stack(each, -1)).sum(-1)

    def masses(self, stack: Stack, arrays: Any = JAX) -> tuple[Any, list[Any]]:
        """The probabilities (..., J) of the output's values, and the values."""
        self._check_joint()
        if self.output.is_list:
            plan, rows = self.spec.joint(stack.sizes)
            values: list[Any] = list(rows)
        else:
            plan = self.spec.plan(stack.sizes, self.output.cells[0])
            values = list(range(plan.slots))
        found = execute(plan, stack, self.log, arrays)[0]
        return (arrays.xp.exp(found) if self.log else found), values

    def _check_joint(self) -> None:
        if not isinstance(self.exact, Exact) or self.mode == "soft":
            raise AncError("only an exact layer that is not pruned has a joint distribution")

    def logits(self) -> tuple[Array, ...]:
        """The logits of the function's holes to begin with: every choice is as likely."""
        return tuple(jnp.zeros(size) for size in self._holes.sizes)

    def program(self, holes: Any) -> Filled:
        """The function with the most likely choices of its holes, and the doubt that is left.

        >>> import anc, jax.numpy as jnp
        >>> @anc.function(memory=40)
        ... def combined(a: int, b: int) -> int:
        ...     return anc.hole((a + b, a * b))
        >>> layer = anc.layer(combined, values=6)
        >>> round(float(layer.log_likelihood(3, 4, observed=12, holes=layer.logits())), 3)
        -0.693
        >>> found = layer.program([jnp.array([-5.0, 5.0])])
        >>> found.choices, found.is_certain, round(found.doubt, 5)
        (('(a * b)',), True, 5e-05)
        """
        self._holes.check([jnp.asarray(each) for each in holes])
        return self._holes.filled([jax.nn.softmax(jnp.asarray(each)).tolist() for each in holes])

    @property
    def _holes(self) -> Holes:
        if self.holes is None:
            raise AncError("this layer's program has no holes", help="write anc.hole((0, 1))")
        return self.holes

    def _read(self, distributions: Sequence[Any], holes: Any) -> list[Array]:
        """The rows of the arguments, then those of the holes."""
        given: list[Any] = [*distributions]
        if self.holes is not None or holes is not None:
            logits = [jnp.asarray(each) for each in (self.logits() if holes is None else holes)]
            self._holes.check(logits)
            soften = jax.nn.log_softmax if self.log else jax.nn.softmax
            given += [soften(each, -1) for each in logits]
        return self.rows.read(given)

    def _observed(
        self, distributions: Sequence[Any], observed: Any, mask: Any, holes: Any
    ) -> tuple[list[Array], Array]:
        self.check_likelihood()
        rows = self._read(distributions, holes)
        return rows, observations(self.output, self.spec.M, observed, mask)

    def _log_likelihood(self, rows: Sequence[Array], observed: Array) -> Array:
        stack, observed = self.rows.stack(rows).with_batch(observed)
        plan = self.spec.likelihood(stack.sizes)
        return differentiable(plan, not self.log)(stack.array, observed)

    def _inference(
        self, rows: Sequence[Array], observed: Array
    ) -> tuple[Inference, Sizes, Array, Array]:
        stack, observed = self.rows.stack(rows).with_batch(observed)
        logs = stack.array if self.log else log_of(stack.array)
        return Inference(self.spec.likelihood(stack.sizes)), stack.sizes, logs, observed

    def _posterior(self, rows: Sequence[Array], observed: Array) -> tuple[Array, ...]:
        made, sizes, *given = self._inference(rows, observed)
        return self.rows.each_place(made.posterior(*given), sizes, is_rows=True)

    def _most_likely(self, rows: Sequence[Array], observed: Array) -> MostLikely:
        made, sizes, *given = self._inference(rows, observed)
        values, log = made.most_likely(*given)
        return MostLikely(self.rows.each_place(values, sizes), log)

    def _sample(self, rows: Sequence[Array], observed: Array, key: Array) -> tuple[Array, ...]:
        made, sizes, logs, observed = self._inference(rows, observed)
        return self.rows.each_place(made.sample(logs, observed, key), sizes)

    def shortcuts(
        self,
        observed: Any = None,
        mask: Any = None,
        groups: Sequence[Sequence[Any]] | None = None,
    ) -> Shortcuts:
        """The renamings of input values that agree with the observed results: what training may settle on.

        `observed` and `mask` are those of `log_likelihood`; without them, every result is observed.
        `groups` names the inputs that share a network, by default all that have as many values.

        >>> import anc
        >>> @anc.function(memory=20)
        ... def less(a: int, b: int) -> int:
        ...     return int(a < b)
        >>> print(anc.layer(less, values=3).shortcuts(observed=[0]))
        9 wrong renamings of the values agree with the observed results, 0 of them one-to-one
          'a', 'b': reading any value everywhere is never contradicted
          such as 1 -> 0, 2 -> 0
          such as 0 -> 1
        more results that remove them: 1 (no fewer do)
        """
        self.check_likelihood()
        if self.holes is not None:
            raise AncError(
                "shortcuts are those of a complete program",
                help="fill its holes, or ask about one filling at a time",
            )
        found, sizes = check_groups(self.inputs, self.rows.values, groups)
        seen = None
        if observed is not None:
            seen = unique_results(
                np.asarray(observations(self.output, self.spec.M, observed, mask))
            )
        return shortcuts(self.spec, found, sizes, seen)

    def gap(self, *distributions: Any) -> Array:
        """The total variation distance between the soft and the exact distribution of the output.

        0 means that the soft machine is exact, 1 that it is certain of a wrong value. The shape is
        (...), or (..., n).
        """
        self.softened.check_independent()
        return self.compiled("_gap", self.rows.read(distributions))

    def module(self) -> LayerModule:
        """The layer as a `torch.nn.Module`."""
        try:
            from anc.layers.torch import LayerModule
        except ModuleNotFoundError as problem:
            if problem.name != "torch":
                raise
            raise AncError("PyTorch is not installed", help=extras.install("torch")) from None
        return LayerModule(self)

    def __repr__(self) -> str:
        names = ", ".join(place.name for place in self.inputs)
        return f"<anc layer: {names} -> {self.output.name}, {self.mode}, M = {self.spec.M}>"

    def compiled(self, name: str, rows: Sequence[Array], *others: Any, key: Hashable = None) -> Any:
        """Call one of the methods below; JAX compiles it once for each shape and key."""
        if name not in self._jitted:
            self._jitted[name] = jax.jit(getattr(self, name))
        call = partial(self._jitted[name], rows, *others)
        if any(isinstance(array, jax.core.Tracer) for array in jax.tree.leaves((rows, others))):
            return call()
        return first_of(self._seen, (name, key, *(row.shape for row in rows)), call)

    def check_weights(self, weights: Weights | None) -> None:
        """Refuse weights for an exact layer, or for another memory size."""
        if weights is None:
            return
        if self.mode == "exact":
            raise AncError("an exact layer takes no weights", help="make it with mode='soft'")
        if weights.M != self.spec.M:
            raise AncError(
                f"these weights are for a memory of {weights.M} cells, the layer's has {self.spec.M}"
            )

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}  # nothing compiled

    def __deepcopy__(self, known: dict[int, Any]) -> Layer:
        return self  # a layer is immutable

    def _shaped(self, cells: Sequence[Array]) -> Array:
        return jnp.stack(cells, axis=-2) if self.output.is_list else cells[0]

    @cached_property
    def _seen(self) -> set[Hashable]:
        """The functions and shapes called so far."""
        return set()

    @cached_property
    def _jitted(self) -> dict[str, Any]:
        return {}

    def outputs(self, rows: Sequence[Array], weights: Weights | None = None) -> Array:
        """From rows, one array for each input, to the output."""
        stack = self.rows.stack(rows)
        if self.mode == "soft":
            return self._shaped(self.softened.outputs(stack, self.log, weights))
        return self._shaped(self.exact.outputs(stack, self.log))

    def pulling(self, rows: Sequence[Array], weights: Weights) -> Any:
        """From rows to the output and its pullback."""
        return jax.vjp(lambda rows: self.outputs(rows, weights), rows)

    def pulling_trained(self, rows: Sequence[Array], weights: Weights) -> Any:
        """From rows and weights to the output and its pullback."""
        return jax.vjp(self.outputs, rows, weights)

    def pulled_back(self, gradients: Sequence[Array], pull_back: Any) -> Any:
        """From gradients of the output to those of the rows, and of trained weights."""
        return pull_back(gradients[0])

    def _probabilities(self, rows: Sequence[Array]) -> Stack:
        stack = self.rows.stack(rows)
        return replace(stack, array=jnp.exp(stack.array)) if self.log else stack

    def _details(self, rows: Sequence[Array], weights: Weights | None) -> Details:
        stack = self._probabilities(rows)
        if self.mode == "soft":
            return self.softened.details(stack, weights)
        return self.exact.details(stack)

    def _gap(self, rows: Sequence[Array]) -> Array:
        stack = self._probabilities(rows)
        both = zip(self.softened.outputs(stack), self.exact.outputs(stack), strict=True)
        gaps = [0.5 * jnp.abs(one - other).sum(-1) for one, other in both]
        return jnp.stack(gaps, -1) if self.output.is_list else gaps[0]

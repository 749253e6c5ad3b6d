"""Layer: a program as a differentiable function from distributions of cells to distributions of cells.

JAX compiles on the first call. The user is told if that takes long, and the code is cached on disk for
other processes. This concerns only calls from outside of JAX's transformations: inside a user's own
`jit`, JAX follows the user's settings.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.experimental.compilation_cache import compilation_cache

from anc.layers.exact import Exact, execute, sizes_of
from anc.layers.places import Place
from anc.layers.pruned import Pruned
from anc.layers.rows import Rows
from anc.layers.softened import Softened
from anc.layers.spec import Details, Spec
from anc.machine.compiled import code_folder
from anc.machine.weights import Weights
from anc.support import diagnostics as extras
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.layers.torch import LayerModule

T = TypeVar("T")
_config: Any = jax.config
PATIENCE = 1.0  # seconds until a slow compilation is reported
log = logging.getLogger("anc")
_said: list[str] = []


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

    def __call__(self, *distributions: Any, weights: Weights | None = None) -> Array:
        """The distribution of the output; in mode "soft", `weights` replace the program's own."""
        self.check_weights(weights)
        rows = self.rows.read(distributions)
        return self.compiled("outputs", rows, weights, key=weights is None)

    def details(self, *distributions: Any, weights: Weights | None = None) -> Details:
        """The stop probability, the expected steps, all cells, and the mass of excluded inputs."""
        self.check_weights(weights)
        rows = self.rows.read(distributions)
        return self.compiled("_details", rows, weights, key=weights is None)

    def joint(self, *distributions: Any) -> tuple[Array, np.ndarray]:
        """The joint distribution of the outputs (..., J), and its rows of values (J, outputs)."""
        if not isinstance(self.exact, Exact) or self.mode == "soft":
            raise AncError("only an exact layer that is not pruned has a joint distribution")
        rows = self.rows.read(distributions)
        plan, values = self.spec.joint(sizes_of(rows))
        return execute(plan, rows, self.log)[0], values

    def gap(self, *distributions: Any) -> Array:
        """The total variation distance between the soft and the exact distribution of the output.

        0 means that the soft machine is exact, 1 that it is certain of a wrong value. The shape is
        (...), or (..., n).
        """
        rows = self.rows.read(distributions)
        rows = [jnp.exp(row) for row in rows] if self.log else rows
        return self.compiled("_gap", rows)

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
        """From rows (..., K), one for each input cell, to the output."""
        if self.mode == "soft":
            return self._shaped(self.softened.outputs(rows, self.log, weights))
        return self._shaped(self.exact.outputs(rows, self.log))

    def pulling(self, rows: Sequence[Array], weights: Weights) -> Any:
        """From rows to the output and its pullback."""
        return jax.vjp(lambda rows: self.outputs(rows, weights), rows)

    def pulling_trained(self, rows: Sequence[Array], weights: Weights) -> Any:
        """From rows and weights to the output and its pullback."""
        return jax.vjp(self.outputs, rows, weights)

    def pulled_back(self, gradients: Sequence[Array], pull_back: Any) -> Any:
        """From gradients of the output to those of the rows, and of trained weights."""
        return pull_back(gradients[0])

    def _details(self, rows: Sequence[Array], weights: Weights | None) -> Details:
        rows = [jnp.exp(row) for row in rows] if self.log else rows
        if self.mode == "soft":
            return self.softened.details(rows, weights)
        return self.exact.details(rows)

    def _gap(self, rows: Sequence[Array]) -> Array:
        both = zip(self.softened.outputs(rows), self.exact.outputs(rows), strict=True)
        gaps = [0.5 * jnp.abs(one - other).sum(-1) for one, other in both]
        return jnp.stack(gaps, -1) if self.output.is_list else gaps[0]


def first_of(seen: set[Hashable], key: Hashable, call: Callable[[], T]) -> T:
    """The result of a call; the first call with a key compiles."""
    if key in seen:
        return call()
    with _kept_on_disk() as folder, _said_if_it_takes_long(folder):
        found = call()
    seen.add(key)
    return found


@contextmanager
def _kept_on_disk() -> Iterator[str]:
    """Let JAX cache its code next to anc's machine code, unless the user has configured a cache.

    JAX has one cache folder per process, and fixes it at the first use. It is therefore set for this
    call only and reset afterwards, so that no other code is cached there.
    """
    theirs, folder = _config.jax_compilation_cache_dir, code_folder()
    if theirs is not None or folder is None or not _config.jax_enable_compilation_cache:
        yield theirs or ""
        return
    ours = str(folder / "jax")
    _config.update("jax_compilation_cache_dir", ours)
    compilation_cache.reset_cache()
    try:
        yield ours
    finally:
        if _config.jax_compilation_cache_dir == ours:
            _config.update("jax_compilation_cache_dir", None)
            compilation_cache.reset_cache()


@contextmanager
def _said_if_it_takes_long(folder: str) -> Iterator[None]:
    """Report a slow compilation once per process: on standard error if a person may be watching, and to the log.

    A warning would suggest that something is wrong, and a log alone shows nothing by default.
    """
    timer = threading.Timer(PATIENCE, _say, [folder])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(folder: str) -> None:
    kept = f"; it is cached for later runs in {folder}" if folder else ""
    text = f"anc: JAX compiles a layer, once for each shape of its inputs{kept}"
    if not _said:
        _said.append(text)
        log.info(text)
        if is_interactive():
            print(text, file=sys.stderr, flush=True)


def is_interactive() -> bool:
    """Whether a person may be watching standard error: a terminal, a prompt or a notebook."""
    return sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules

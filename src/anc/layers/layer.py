"""Layer: a program as a differentiable function from distributions of cells to distributions of cells.

JAX compiles at a first call. That is said if it takes long, and kept on disk for other processes. Only what is called
from outside of JAX's transformations is looked at; inside a user's own `jit`, JAX compiles for the user, as the user
has set it up.
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
from anc.support import extras
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.layers.torch import LayerModule

T = TypeVar("T")
_config: Any = jax.config
PATIENCE = 1.0  # seconds, after which somebody wonders
log = logging.getLogger("anc")
_said: list[str] = []


@dataclass(frozen=True, eq=False)
class Layer:
    """A program inside a model; `anc.layer` makes one.

    Called with a distribution (..., K) for each input, it returns the output's, (..., M). An input or an
    output of several cells has an axis more: (..., n, K).
    """

    spec: Spec
    inputs: tuple[Place, ...]
    output: Place
    rows: Rows
    mode: str  # "exact" or "soft": which of the following it is
    exact: Exact | Pruned
    softened: Softened
    log: bool

    def __call__(self, *distributions: Any, weights: Weights | None = None) -> Array:
        """The distribution of the output; in mode "soft", `weights` go before the program's own."""
        self.check_weights(weights)
        rows = self.rows.read(distributions)
        return self.compiled("outputs", rows, weights, key=weights is None)

    def details(self, *distributions: Any, weights: Weights | None = None) -> Details:
        """The stop probability, expected steps, every cell, and the mass of inputs that were left out."""
        self.check_weights(weights)
        rows = self.rows.read(distributions)
        return self.compiled("_details", rows, weights, key=weights is None)

    def joint(self, *distributions: Any) -> tuple[Array, np.ndarray]:
        """The outputs' joint distribution (..., J), and the rows of values (J, outputs) it is about."""
        if not isinstance(self.exact, Exact) or self.mode == "soft":
            raise AncError("only an exact layer that is not pruned has a joint distribution")
        rows = self.rows.read(distributions)
        plan, values = self.spec.joint(sizes_of(rows))
        return execute(plan, rows, self.log)[0], values

    def gap(self, *distributions: Any) -> Array:
        """How far soft is from exact: the total variation of the output's two distributions.

        0: the soft machine computes the truth; 1: it is sure of something else. (...), or (..., n).
        """
        rows = self.rows.read(distributions)
        rows = [jnp.exp(row) for row in rows] if self.log else rows
        return self.compiled("_gap", rows)

    def module(self) -> LayerModule:
        """The same as a `torch.nn.Module`."""
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
        """A call of one of the functions below; JAX compiles each for every shape of rows, and key."""
        call = partial(getattr(self, name), rows, *others)
        if any(isinstance(array, jax.core.Tracer) for array in jax.tree.leaves((rows, others))):
            return call()
        return first_of(self._seen, (name, key, *(row.shape for row in rows)), call)

    def check_weights(self, weights: Weights | None) -> None:
        """Refuse weights for a layer that has none, or another memory."""
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
        return self  # it never changes

    def _shaped(self, cells: Sequence[Array]) -> Array:
        return jnp.stack(cells, axis=-2) if self.output.is_list else cells[0]

    @cached_property
    def _seen(self) -> set[Hashable]:
        """What was called with which shapes."""
        return set()

    @cached_property
    def outputs(self) -> Any:
        """The same of rows (..., K) that were read already, one for each input cell; compiled."""

        def outputs(rows: Sequence[Array], weights: Weights | None = None) -> Array:
            if self.mode == "soft":
                return self._shaped(self.softened.outputs(rows, self.log, weights))
            return self._shaped(self.exact.outputs(rows, self.log))

        return jax.jit(outputs)

    @cached_property
    def pulling(self) -> Any:
        """Rows and weights to the outputs and what pulls gradients back, to weights too if they are trained."""

        def pulling(rows: Sequence[Array], weights: Weights, is_trained: bool) -> Any:
            if is_trained:
                return jax.vjp(self.outputs, rows, weights)
            return jax.vjp(lambda rows: self.outputs(rows, weights), rows)

        return jax.jit(pulling, static_argnums=2)

    @cached_property
    def pulled_back(self) -> Any:
        """The gradients that `pulling` pulls back from the output's."""
        return jax.jit(lambda gradients, pull_back: pull_back(gradients[0]))

    @cached_property
    def _details(self) -> Any:
        def details(rows: Sequence[Array], weights: Weights | None) -> Details:
            rows = [jnp.exp(row) for row in rows] if self.log else rows
            if self.mode == "soft":
                return self.softened.details(rows, weights)
            return self.exact.details(rows)

        return jax.jit(details)

    @cached_property
    def _gap(self) -> Any:
        @jax.jit
        def gap(rows: Sequence[Array]) -> Array:
            both = zip(self.softened.outputs(rows), self.exact.outputs(rows), strict=True)
            gaps = [0.5 * jnp.abs(one - other).sum(-1) for one, other in both]
            return jnp.stack(gaps, -1) if self.output.is_list else gaps[0]

        return gap


def first_of(seen: set[Hashable], key: Hashable, call: Callable[[], T]) -> T:
    """What a call gives; the first one with a key is the one that compiles."""
    if key in seen:
        return call()
    with _kept_on_disk() as folder, _said_if_it_takes_long(folder):
        found = call()
    seen.add(key)
    return found


@contextmanager
def _kept_on_disk() -> Iterator[str]:
    """JAX keeps what it compiles here where anc keeps its machine code, unless a user says otherwise.

    JAX has one such folder for a whole process, and takes it for good when it first needs it. So it
    is set for this call only, and forgotten again: nobody else's code is kept there.
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
    """Once in a process: on standard error if somebody may be waiting there, else only to the log.

    A warning would claim that something is wrong, and a log alone shows nothing by default.
    """
    timer = threading.Timer(PATIENCE, _say, [folder])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(folder: str) -> None:
    kept = f"; it is kept for other runs in {folder}" if folder else ""
    text = f"anc: JAX compiles a layer, once for each shape of its inputs{kept}"
    if not _said:
        _said.append(text)
        log.info(text)
        if is_interactive():
            print(text, file=sys.stderr, flush=True)


def is_interactive() -> bool:
    """Whether a person may be reading standard error: at a terminal, a prompt or in a notebook."""
    return sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules

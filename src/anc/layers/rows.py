"""The arguments of a layer, as one row of probabilities for each input cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from anc.layers.arrays import JAX
from anc.layers.places import Place
from anc.layers.unknowns import Size, Sizes, Unknowns, shape_of
from anc.support.diagnostics import AncError

TOLERANCE = 1e-3  # for the sum of a row, which should be 1


@dataclass(frozen=True)
class Stack:
    """The rows of all input cells in one array (inputs, ..., K); those of fewer values end in impossible ones."""

    array: Any
    sizes: Sizes  # the number of values of each unknown

    @classmethod
    def of(cls, places: Sequence[Place], given: Sequence[Any], fill: float, arrays: Any) -> Stack:
        """From one array (..., K), (..., n, K) or (..., K, K) for each place."""
        xp = arrays.xp
        shapes = [tuple(part.shape[-len(p.cells) :]) for p, part in zip(places, given, strict=True)]
        given = [
            part.reshape(*part.shape[: -len(p.cells)], -1) if p.is_joint else part
            for p, part in zip(places, given, strict=True)
        ]
        pairs = list(zip(places, given, strict=True))
        parts = [xp.moveaxis(part, -2, 0) if p.is_list else part[None] for p, part in pairs]
        batch = np.broadcast_shapes(*(tuple(part.shape[1:-1]) for part in parts))
        sizes: list[Size] = []
        for place, part, shape in zip(places, parts, shapes, strict=True):
            sizes += [shape] if place.is_joint else [int(part.shape[-1])] * part.shape[0]
        widest = max(part.shape[-1] for part in parts)
        found = []
        for part in parts:
            n, *inner, K = part.shape
            part = part.reshape(n, *(1,) * (len(batch) - len(inner)), *inner, K)
            part = xp.broadcast_to(part, (n, *batch, K))
            if widest > K:
                rest = arrays.full((n, *batch, widest - K), fill, [part])
                part = xp.concatenate([part, rest], -1)
            found.append(part)
        return cls(found[0] if len(found) == 1 else xp.concatenate(found, 0), tuple(sizes))

    @property
    def batch(self) -> tuple[int, ...]:
        return tuple(self.array.shape[1:-1])

    def with_batch(self, observed: Any, arrays: Any = JAX) -> tuple[Stack, Any]:
        """The rows and observed outputs (outputs, ...), both with the batch of both."""
        n, *inner = observed.shape
        batch = np.broadcast_shapes(self.batch, tuple(inner))
        array = self.array.reshape(
            self.array.shape[0], *(1,) * (len(batch) - len(self.batch)), *self.array.shape[1:]
        )
        observed = observed.reshape(n, *(1,) * (len(batch) - len(inner)), *inner)
        array = arrays.xp.broadcast_to(array, (array.shape[0], *batch, array.shape[-1]))
        return replace(self, array=array), arrays.xp.broadcast_to(observed, (n, *batch))

    def each(self) -> list[Any]:
        """One array (..., K) of probabilities for each cell."""
        found = []
        for number, (K, size) in enumerate(
            zip(Unknowns(self.sizes).counts, self.sizes, strict=True)
        ):
            row = self.array[number][..., :K]
            if isinstance(size, int):
                found.append(row)
                continue
            row = row.reshape(*row.shape[:-1], *size)
            axes = range(-len(size), 0)
            found += [row.sum([axis for axis in axes if axis != own]) for own in axes]
        return found


class Rows:
    """Reads the arguments of a layer: distributions (..., K), or whole numbers.

    An integer is a certain value. A list of cells has one more axis: (..., n, K), or (..., n) for
    integers. The possible values are 0 to K-1, with K at most M. Concrete arrays are checked unless
    `check` is False; inside a transformation of JAX they are checked only if `check` is True.
    """

    def __init__(
        self,
        places: Sequence[Place],
        M: int,
        values: Sequence[int | None],
        log: bool,
        check: bool | None,
    ) -> None:
        self.places, self.M, self.values, self.log, self.check = places, M, values, log, check

    def read(self, arguments: Sequence[Any]) -> list[Array]:
        """One array (..., K) or (..., n, K) for each place."""
        rows: list[Array] = []
        arrays = [jnp.asarray(given) for given in arguments]
        for place, array in zip(self.places, self.checked_shapes(arrays), strict=True):
            if jnp.issubdtype(array.dtype, jnp.integer):
                K = self.check_integers(place, array)
                certain = self.certain(place, array, K, jax.nn.one_hot)
                certain = jnp.log(certain) if self.log else certain
                is_value = (array >= 0) & (array < K)
                if place.is_joint:
                    is_value = is_value.all(-1).reshape(
                        *array.shape[:-1], *(1,) * (array.shape[-1] - 1)
                    )
                array = jnp.where(is_value[..., None], certain, jnp.nan)
            else:
                self._check_rows(place, array)
            rows.append(array)
        return rows

    def stack(self, given: Sequence[Any], arrays: Any = JAX) -> Stack:
        """The rows of all places in one array."""
        return Stack.of(self.places, given, -np.inf if self.log else 0.0, arrays)

    def each_place(self, array: Any, sizes: Sizes, arrays: Any = JAX, is_rows: bool = False) -> Any:
        """Numbers of the unknowns (unknowns, ...), or rows (unknowns, ..., K), as one array for each place."""
        found, begin = [], 0
        for place in self.places:
            end = begin + (1 if place.is_joint else len(place.cells))
            part, shape = array[begin:end], shape_of(sizes[begin])
            if is_rows:
                part = part[..., : prod(shape)]
            if not place.is_joint:
                part = (
                    arrays.xp.moveaxis(part, 0, -2 if is_rows else -1) if place.is_list else part[0]
                )
            elif is_rows:
                part = part[0].reshape(*part.shape[1:-1], *shape)
            else:
                strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
                each = [part[0] // by % K for by, K in zip(strides, shape, strict=True)]
                part = arrays.xp.stack(each, -1)
            found.append(part)
            begin = end
        return tuple(found)

    def certain(self, place: Place, array: Any, K: int, one_hot: Callable[[Any, int], Any]) -> Any:
        """Distributions that are certain of whole numbers: (..., K), or (..., K, K) if they are joint."""
        if not place.is_joint:
            return one_hot(array, K)
        rows = one_hot(array, K)
        m, batch = len(place.cells), tuple(array.shape[:-1])
        found = rows[..., 0, :].reshape(*batch, K, *(1,) * (m - 1))
        for axis in range(1, m):
            found = found * rows[..., axis, :].reshape(
                *batch, *(1,) * axis, K, *(1,) * (m - 1 - axis)
            )
        return found

    def checked_shapes(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Check the number and the shapes of the arguments, of JAX or of PyTorch."""
        if len(arrays) != len(self.places):
            names = ", ".join(place.name for place in self.places)
            raise AncError(
                f"this layer takes {len(self.places)} inputs ({names}), found {len(arrays)}"
            )
        batches = []
        for place, values, array in zip(self.places, self.values, arrays, strict=True):
            kind = str(array.dtype)
            m = len(place.cells)
            shape, n = tuple(array.shape), (m,) if place.is_list or place.is_joint else ()
            if "int" not in kind and "float" not in kind:
                raise AncError(
                    f"the input {place.name} holds {kind}, expected probabilities or integers"
                )
            inner: tuple[Any, ...] = n
            fits = len(shape) >= len(n) and shape[len(shape) - len(n) :] == n
            if "float" in kind and place.is_joint:
                inner = (f"K up to {self.M}" if values is None else values,) * m
                fits = len(shape) >= m and all(
                    1 <= K <= self.M if values is None else values == K for K in shape[-m:]
                )
            elif "float" in kind:
                last = shape[-1] if shape else 0
                inner = (*n, f"K up to {self.M}" if values is None else values)
                fits = 1 <= last <= self.M if values is None else last == values
                fits = fits and len(shape) > len(n) and shape[-1 - len(n) : -1] == n
            if not fits:
                wanted = ", ".join(["...", *map(str, inner)])
                raise AncError(f"the input {place.name} has the shape {shape}, expected ({wanted})")
            batches.append(shape[: len(shape) - len(inner)])
        try:
            np.broadcast_shapes(*batches)
        except ValueError:
            shapes = ", ".join(str(tuple(array.shape)) for array in arrays)
            raise AncError(f"the inputs' batches are incompatible: {shapes}") from None
        return arrays

    def check_integers(self, place: Place, array: Any) -> int:
        """The number of values K; refuses integers beyond it."""
        K = self.values[self.places.index(place)] or self.M
        if not isinstance(array, jax.core.Tracer):
            numbers = np.asarray(array)
            wrong = numbers[(numbers < 0) | (numbers >= K)]
            if wrong.size:
                raise AncError(
                    f"the input {place.name} holds {wrong.flat[0]},"
                    f" but its values go from 0 to {K - 1}"
                )
        return K

    def check_numbers(self, place: Place, array: np.ndarray) -> None:
        """Refuse rows that are not distributions."""
        rows = np.asarray(array)
        if place.is_joint:
            rows = rows.reshape(*rows.shape[: -len(place.cells)], -1)
        problem = wrong_rows(place.name, rows, self.log)
        if problem is not None:
            raise problem

    def _check_rows(self, place: Place, array: Array) -> None:
        if isinstance(array, jax.core.Tracer):
            if self.check:
                jax.debug.callback(partial(self.check_numbers, place), array)
        elif self.check is not False:
            self.check_numbers(place, np.asarray(array))


def wrong_rows(name: str, array: np.ndarray, log: bool) -> AncError | None:
    """The error for rows that are not distributions; None if they are."""
    numbers = array.reshape(-1, array.shape[-1])
    bad = np.isnan(numbers).any(-1) | (numbers == np.inf).any(-1)
    help = "probabilities come from a softmax, logarithms of them from a log_softmax"
    if bad.any():
        return AncError(f"the input {name} holds NaN or infinity, in {_row(array, bad)}", help)
    kind = "logarithms of probabilities" if log else "probabilities"
    if log:
        with np.errstate(over="ignore"):
            numbers = np.exp(numbers)
    bad = (numbers < -TOLERANCE).any(-1)
    if bad.any():
        return AncError(f"the input {name} holds a negative number, in {_row(array, bad)}", help)
    sums = numbers.sum(-1, dtype=np.float64)
    bad = np.abs(sums - 1) > TOLERANCE
    if bad.any():
        total = sums[bad][0]
        return AncError(
            f"the input {name} does not hold {kind}: {_row(array, bad)} has the sum {total:.4g}",
            help,
        )
    return None


def _row(array: np.ndarray, bad: Any) -> str:
    if array.ndim == 1:
        return "its row"
    place = np.unravel_index(int(np.argmax(bad)), array.shape[:-1])
    return f"row [{', '.join(map(str, place))}]"

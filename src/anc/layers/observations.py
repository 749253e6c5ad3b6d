"""What was observed of a layer's outputs: whole numbers, of which some may be missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from anc.layers.arrays import JAX
from anc.layers.likelihood import MISSING
from anc.layers.places import Place
from anc.support.diagnostics import AncError


def observations(place: Place, M: int, observed: Any, mask: Any = None, arrays: Any = JAX) -> Any:
    """Observed outputs (outputs, ...), and MISSING where the mask is False; M stands for what no output is."""
    xp = arrays.xp
    if observed is None:  # nothing was
        return arrays.as_array(np.full(len(place.cells), MISSING))
    observed = _whole(place, arrays.as_array(observed), "observed", ("int", "bool"))
    if mask is not None:
        mask = _whole(place, arrays.as_array(mask), "mask", ("bool",))
    seen = np.True_ if mask is None else arrays.as_numpy(mask)
    numbers = arrays.as_numpy(observed)
    if numbers is not None and seen is not None:
        _check_values(place, M, numbers, seen)
    observed = arrays.as_integers(observed)
    observed = xp.where((observed >= 0) & (observed < M), observed, M)
    if mask is not None:
        observed = xp.where(mask, observed, MISSING)
    if not place.is_list:
        return observed[None]
    return xp.moveaxis(observed, -1, 0)


def _whole(place: Place, array: Any, name: str, kinds: tuple[str, ...]) -> Any:
    shape, kind = tuple(array.shape), str(array.dtype)
    if not any(each in kind for each in kinds):
        wanted = "whole numbers" if name == "observed" else "truth values"
        raise AncError(f"'{name}' holds {kind}, expected {wanted}")
    if place.is_list and shape[-1:] != (len(place.cells),):
        raise AncError(
            f"'{name}' has the shape {shape}, expected (..., {len(place.cells)}): a number for"
            f" each output of {place.name}"
        )
    return array


def _check_values(place: Place, M: int, observed: np.ndarray, seen: Any) -> None:
    """Refuse numbers that no cell can hold."""
    wrong = ((observed < 0) | (observed >= M)) & seen
    if wrong.any():
        value = np.broadcast_to(observed, wrong.shape)[wrong][0]
        raise AncError(
            f"'observed' holds {value}, but {place.name} can be 0 to {M - 1}",
            help="mask=... says which outputs were observed: False where one is missing",
        )

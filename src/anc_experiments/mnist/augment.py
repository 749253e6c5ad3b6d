"""Pictures that are changed a little, so that a network sees more of them than there are."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

SIDE, KNOTS = 28, 6  # of a picture; of the grid whose points move
_AT = np.arange(SIDE)[:, None] - np.linspace(0, SIDE - 1, KNOTS)
_NEAR = np.exp(-0.5 * (_AT / 4.5) ** 2)
_NEAR = (_NEAR / np.sqrt((_NEAR**2).sum(1, keepdims=True))).astype(np.float32)


def augmented(key: Array, pictures: Array, amount: float = 1.0, bend: float = 0.0) -> Array:
    """Pictures (n, 28, 28), each turned, stretched, slanted and shifted by a random amount.

    With `bend`, each place also moves by about as many pixels as neighbouring places do (elastic deformation).
    """
    n = len(pictures)
    keys = jax.random.split(key, 5)
    angle, scale, slant, shift = (
        jax.random.uniform(k, (n, each), minval=-amount * most, maxval=amount * most)[
            :, :, None, None
        ]
        for k, each, most in zip(keys, (1, 2, 1, 2), (0.2, 0.12, 0.15, 2.0), strict=False)
    )
    at = jnp.arange(SIDE) - (SIDE - 1) / 2
    y, x = jnp.meshgrid(at, at, indexing="ij")
    c, s = jnp.cos(angle[:, 0]), jnp.sin(angle[:, 0])
    turned = jnp.stack([c * y - s * x, s * y + c * x + slant[:, 0] * y], 1)
    places = turned * jnp.exp(scale) + shift + (SIDE - 1) / 2
    if bend:
        moved = jax.random.normal(keys[4], (n, 2, KNOTS, KNOTS))
        places += amount * bend * (_NEAR @ moved @ _NEAR.T)
    return _looked_up(pictures, places[:, 0], places[:, 1])


def _looked_up(pictures: Array, rows: Array, columns: Array) -> Array:
    """Pictures at other places (n, 28, 28), in between by linear interpolation, black outside."""
    n = len(pictures)
    up, left = jnp.floor(rows), jnp.floor(columns)
    flat, found = pictures.reshape(n, -1), jnp.zeros_like(pictures)
    for down, weight in ((0, 1 - (rows - up)), (1, rows - up)):
        for right, share in ((0, 1 - (columns - left)), (1, columns - left)):
            i, j = (up + down).astype(jnp.int32), (left + right).astype(jnp.int32)
            inside = (i >= 0) & (i < SIDE) & (j >= 0) & (j < SIDE)
            place = jnp.where(inside, i * SIDE + j, 0).reshape(n, -1)
            values = jnp.take_along_axis(flat, place, 1).reshape(pictures.shape)
            found = found + jnp.where(inside, values * weight * share, 0)
    return found

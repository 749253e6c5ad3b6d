"""LeNet in JAX, fast on processors: each convolution with its pooling is one product of matrices.

XLA's convolutions of small pictures are slow on processors, most of all backwards. Here, the six rows of a picture
that two rows of a convolution look at are multiplied by one banded matrix. It holds the kernel at all places, for
the four neighbours that are pooled side by side, so that pooling is a maximum of four arrays.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

SIDE = 28  # of a picture
KERNEL = 5
CHANNELS = (6, 16)
Parameters: TypeAlias = list[tuple[Array, Array]]  # a matrix and a row for each layer


def begin(key: Array, channels: tuple[int, int] = CHANNELS) -> Parameters:
    """Random weights: two convolutions (25 x inputs, outputs), three full layers."""
    first, second = channels
    shapes = [(25, first), (25 * first, second), *pairwise((16 * second, 120, 84, 10))]
    keys = jax.random.split(key, len(shapes))
    return [
        (jax.random.normal(k, shape) * np.sqrt(2 / shape[0]), jnp.zeros(shape[1]))
        for k, shape in zip(keys, shapes, strict=True)
    ]


def logits(parameters: Parameters, pictures: Array) -> Array:
    """(n, 10) for pictures (n, 28, 28)."""
    rows = pictures
    for matrix, offset in parameters[:2]:
        rows = jax.nn.relu(_pooled(rows, matrix) + jnp.tile(offset, (rows.shape[1] - 4) // 2))
    rows = rows.reshape(len(rows), -1)
    for number, (matrix, offset) in enumerate(parameters[2:]):
        rows = (jax.nn.relu(rows) if number else rows) @ matrix + offset
    return rows


def _pooled(rows: Array, kernel: Array) -> Array:
    """A convolution of square pictures (n, side, side * inputs), pooled two by two."""
    n, side, width = rows.shape
    inputs, outputs = width // side, kernel.shape[1]
    half = (side - KERNEL + 1) // 2
    places = _places(side)
    kernels = kernel.reshape(KERNEL * KERNEL, inputs * outputs)
    banded = (places @ kernels).reshape(6 * side, 4 * half, inputs, outputs)
    banded = banded.transpose(0, 2, 1, 3).reshape(6 * width, 4 * half * outputs)
    six = [rows[:, row : row + 2 * half : 2] for row in range(6)]
    found = (jnp.concatenate(six, -1) @ banded).reshape(n, half, 4, half * outputs)
    return found.max(2)


@cache
def _places(side: int) -> Any:
    """(6 * side * 4 * half, 25): which of the kernel's numbers joins a place of six rows and a pooled one."""
    half = (side - KERNEL + 1) // 2
    found = np.zeros((6, side, 2, 2, half, KERNEL, KERNEL), np.float32)
    for down in range(2):
        for right in range(2):
            for column in range(half):
                for i in range(KERNEL):
                    for j in range(KERNEL):
                        found[down + i, 2 * column + right + j, down, right, column, i, j] = 1
    return found.reshape(-1, KERNEL * KERNEL)

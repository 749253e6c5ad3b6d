"""Explicit SIMD vectors for numba: a vector is a fixed number of chunks of eight floats.

Loops over small sizes are where automatic vectorisation gives up (unknown aliasing, short trip counts),
so the kernels say what they mean: ``fma(load(cls, p, i), splat(cls, x), acc)``. Every operation works
element by element in a fixed order, so what one element becomes never depends on its neighbours, and NaN
and infinities follow IEEE rules.

A *vector class* (``VectorClass``) is a compile-time value that says which vector to make: the float type,
the number of chunks, how many leading elements are valid (the rest is padding), and the period of the
circular axis.
"""

from anc.learning.fused.vectors.along import largest, sums_from, sums_up_to, total
from anc.learning.fused.vectors.arithmetic import fma, fnma, larger, magnitude, square_root
from anc.learning.fused.vectors.chunks import CHUNK, VectorClass, VectorType, intrinsic
from anc.learning.fused.vectors.functions import exp_of_nonpositive, unknown
from anc.learning.fused.vectors.making import (
    ones_at_last,
    ones_at_one,
    ones_at_zero,
    padded_low,
    splat,
    without_padding,
    zeros,
)
from anc.learning.fused.vectors.masks import choose, equals, exceeds
from anc.learning.fused.vectors.memory import (
    advance,
    get,
    load,
    load_backwards,
    load_nth,
    pointer,
    put,
    spread,
    store,
    store_nth,
)

__all__ = [
    "CHUNK",
    "VectorClass",
    "VectorType",
    "advance",
    "choose",
    "equals",
    "exceeds",
    "exp_of_nonpositive",
    "fma",
    "fnma",
    "get",
    "intrinsic",
    "larger",
    "largest",
    "load",
    "load_backwards",
    "load_nth",
    "magnitude",
    "ones_at_last",
    "ones_at_one",
    "ones_at_zero",
    "padded_low",
    "pointer",
    "put",
    "splat",
    "spread",
    "square_root",
    "store",
    "store_nth",
    "sums_from",
    "sums_up_to",
    "total",
    "unknown",
    "without_padding",
    "zeros",
]

"""Explicit SIMD for numba: vectors of one float for each of eight members, and tiles of several vectors.

Loops over small sizes are where automatic vectorisation gives up (unknown aliasing, short trip counts), so the kernels
say what they mean: ``fma(load(V, p, i), splat(V, x), sum)``. Every operation works element by element in a fixed order,
so what one member becomes never depends on its neighbours, and NaN and infinities follow IEEE rules.
"""

from anc.training.fused.vectors.arithmetic import (
    add_outer,
    choose,
    dot,
    equals,
    exceeds,
    fma,
    fnma,
    larger,
    magnitude,
    outer,
    splat,
    square_root,
    total,
    zeros,
)
from anc.training.fused.vectors.chunks import LANES, TileClass
from anc.training.fused.vectors.exponential import exp_of_nonpositive
from anc.training.fused.vectors.memory import (
    advance,
    get,
    load,
    load_apart,
    pointer,
    put,
    store,
    store_apart,
    store_rows,
)

"""Explicit SIMD for numba: vectors of one float for each of eight members, and tiles of several vectors.

A *chunk* fills one SIMD register: one float of each of eight members. A *vector* is one chunk; a *tile* is several, so
that a number loaded once is used several times.

Automatic vectorisation fails on loops over small sizes (unknown aliasing, short trip counts), so the kernels vectorise
explicitly: ``fma(load(V, p, i), splat(V, x), sum)``. Every operation works element by element in a fixed order, so a
member never depends on its neighbours, and NaN and infinities follow IEEE rules.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8


class TileType(types.Type):
    """The numba type of ``chunks`` × 8 floats."""

    def __init__(self, dtype: types.Float, chunks: int) -> None:
        self.dtype = dtype
        self.chunks = chunks
        super().__init__(name=f"Tile({dtype}, {chunks})")


class TileClass(types.Type):
    """The numba type of a compile-time value: the tile type that an operation returns."""

    def __init__(self, dtype: types.Float, chunks: int) -> None:
        self.tile = TileType(dtype, chunks)
        super().__init__(name=f"TileClass({dtype}, {chunks})")


def float_ir(dtype: types.Float) -> ir.Type:
    return ir.FloatType() if dtype == types.float32 else ir.DoubleType()


def chunk_ir(tile: TileType) -> ir.VectorType:
    return ir.VectorType(float_ir(tile.dtype), LANES)


@register_model(TileType)
class _TileModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: TileType) -> None:
        super().__init__(dmm, fe_type, ir.ArrayType(chunk_ir(fe_type), fe_type.chunks))


register_model(TileClass)(models.OpaqueModel)


def chunks_of(builder: ir.IRBuilder, value: ir.Value) -> list[ir.Value]:
    return [builder.extract_value(value, k) for k in range(value.type.count)]


def join_chunks(builder: ir.IRBuilder, chunks: Sequence[ir.Value]) -> ir.Value:
    value = ir.Constant(ir.ArrayType(chunks[0].type, len(chunks)), ir.Undefined)
    for k, chunk in enumerate(chunks):
        value = builder.insert_value(value, chunk, k)
    return value


def constant_chunk(kind: ir.VectorType, value: float) -> ir.Constant:
    return ir.Constant(kind, [ir.Constant(kind.element, float(value))] * LANES)


def call_llvm(builder: ir.IRBuilder, name: str, *args: ir.Value) -> ir.Value:
    """Call the LLVM intrinsic ``name`` on chunks."""
    kind = args[0].type
    suffix = f"v{LANES}f{32 if kind.element == ir.FloatType() else 64}"
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [a.type for a in args]), f"llvm.{name}.{suffix}"
    )
    return builder.call(function, args)


def widest(*tiles: TileType) -> TileType:
    """The result type of an operation on these tiles; a single chunk is broadcast."""
    return max(tiles, key=lambda tile: tile.chunks)


def by_chunk(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """The lowering of an operation that works chunk by chunk."""

    def lower(context, builder, sig, args):
        count = max(a.type.count for a in args)
        columns = [chunks_of(builder, a) * (count // a.type.count) for a in args]
        return join_chunks(builder, [emit(builder, *row) for row in zip(*columns, strict=True)])

    return lower


def _elementwise(operation: Callable[..., Any], emit: Callable[..., ir.Value]) -> None:
    """Register an operator on two tiles with numba."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and all(isinstance(a, TileType) for a in args):
                return signature(widest(*args), *args)
            return None

    lower_builtin(operation, TileType, TileType)(by_chunk(emit))


_elementwise(operator.add, lambda b, x, y: b.fadd(x, y))
_elementwise(operator.sub, lambda b, x, y: b.fsub(x, y))
_elementwise(operator.mul, lambda b, x, y: b.fmul(x, y))
_elementwise(operator.truediv, lambda b, x, y: b.fdiv(x, y))


@intrinsic
def zeros(typingctx, cls):
    """A tile of zeros."""

    def lower(context, builder, sig, args):
        return join_chunks(builder, [constant_chunk(chunk_ir(cls.tile), 0.0)] * cls.tile.chunks)

    return cls.tile(cls), lower


@intrinsic
def splat(typingctx, cls, x):
    """The tile whose elements all equal the scalar ``x``."""

    def lower(context, builder, sig, args):
        scalar = context.cast(builder, args[1], sig.args[1], cls.tile.dtype)
        nothing = ir.Constant(chunk_ir(cls.tile), ir.Undefined)
        first = builder.insert_element(nothing, scalar, ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        chunk = builder.shuffle_vector(first, nothing, everywhere)
        return join_chunks(builder, [chunk] * cls.tile.chunks)

    return cls.tile(cls, x), lower


@intrinsic
def dot(typingctx, a, b, start):
    """The vector ``start`` plus the products of the tiles' chunks, in their order."""

    def lower(context, builder, sig, args):
        total = builder.extract_value(args[2], 0)
        for x, y in zip(chunks_of(builder, args[0]), chunks_of(builder, args[1]), strict=True):
            total = call_llvm(builder, "fmuladd", x, y, total)
        return join_chunks(builder, [total])

    return start(a, b, start), lower


@intrinsic
def total(typingctx, a):
    """The sum of a tile's chunks, in their order: a vector."""

    def lower(context, builder, sig, args):
        first, *others = chunks_of(builder, args[0])
        for chunk in others:
            first = builder.fadd(first, chunk)
        return join_chunks(builder, [first])

    return TileType(a.dtype, 1)(a), lower


@intrinsic
def outer(typingctx, a, b):
    """The outer product: all products of a chunk of ``a`` with one of ``b``, a row for each chunk of ``a``."""

    def lower(context, builder, sig, args):
        pairs = ((x, y) for x in chunks_of(builder, args[0]) for y in chunks_of(builder, args[1]))
        return join_chunks(builder, [builder.fmul(x, y) for x, y in pairs])

    return TileType(a.dtype, a.chunks * b.chunks)(a, b), lower


@intrinsic
def add_outer(typingctx, a, b, c):
    """``c`` plus the outer product of ``a`` and ``b``."""

    def lower(context, builder, sig, args):
        pairs = ((x, y) for x in chunks_of(builder, args[0]) for y in chunks_of(builder, args[1]))
        sums = zip(pairs, chunks_of(builder, args[2]), strict=True)
        return join_chunks(builder, [call_llvm(builder, "fmuladd", *p, z) for p, z in sums])

    return c(a, b, c), lower


def _of_one(emit: Callable[..., ir.Value]) -> Any:
    @intrinsic
    def operation(typingctx, a):
        return a(a), by_chunk(emit)

    return operation


def _of_two(emit: Callable[..., ir.Value]) -> Any:
    @intrinsic
    def operation(typingctx, a, b):
        return widest(a, b)(a, b), by_chunk(emit)

    return operation


def _of_three(emit: Callable[..., ir.Value]) -> Any:
    @intrinsic
    def operation(typingctx, a, b, c):
        return widest(a, b, c)(a, b, c), by_chunk(emit)

    return operation


def _mask(builder: ir.IRBuilder, how: str, x: ir.Value, y: ir.Value) -> ir.Value:
    one, zero = constant_chunk(x.type, 1.0), constant_chunk(x.type, 0.0)
    return builder.select(builder.fcmp_ordered(how, x, y), one, zero)


def _positive(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    return builder.fcmp_ordered(">", x, constant_chunk(x.type, 0.0))


# a * b + c and c - a * b, rounded once if the processor can
fma = _of_three(lambda builder, x, y, z: call_llvm(builder, "fmuladd", x, y, z))
fnma = _of_three(lambda builder, x, y, z: call_llvm(builder, "fmuladd", builder.fneg(x), y, z))
# the larger of two; a NaN in the first operand stays
larger = _of_two(lambda b, x, y: b.select(b.fcmp_ordered("<", x, y), y, x))
magnitude = _of_one(lambda builder, x: call_llvm(builder, "fabs", x))
square_root = _of_one(lambda builder, x: call_llvm(builder, "sqrt", x))
# masks: 1.0 if true, 0.0 if false or NaN
exceeds = _of_two(lambda builder, x, y: _mask(builder, ">", x, y))
equals = _of_two(lambda builder, x, y: _mask(builder, "==", x, y))
# the second if the first is positive, else the third
choose = _of_three(lambda builder, mask, x, y: builder.select(_positive(builder, mask), x, y))


@intrinsic
def exp_of_nonpositive(typingctx, v):
    """e^x for x ≤ 0 by range reduction: e^x = 2^n · e^f with |f| ≤ ln 2 / 2; NaN stays NaN."""
    return v(v), by_chunk(_exp)


def _exp(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    kind = x.type
    if kind.element == ir.FloatType():
        integer, mantissa, bias, degree, lowest = ir.IntType(32), 23, 127, 7, -87.0
        ln2_high = 0.693359375
    else:
        integer, mantissa, bias, degree, lowest = ir.IntType(64), 52, 1023, 13, -708.0
        ln2_high = 0.69314575195312500
    ln2_low = math.log(2.0) - ln2_high
    low = constant_chunk(kind, lowest)
    x = builder.select(builder.fcmp_ordered("<", x, low), low, x)
    # Adding 1.5 · 2^mantissa leaves round(x / ln 2) in the lowest bits of the sum.
    magic = constant_chunk(kind, 1.5 * 2.0**mantissa)
    shifted = call_llvm(builder, "fmuladd", x, constant_chunk(kind, 1.0 / math.log(2.0)), magic)
    n = builder.fsub(shifted, magic)
    f = call_llvm(builder, "fmuladd", n, constant_chunk(kind, -ln2_high), x)
    f = call_llvm(builder, "fmuladd", n, constant_chunk(kind, -ln2_low), f)
    series = constant_chunk(kind, 1.0 / math.factorial(degree))
    for k in range(degree - 1, -1, -1):
        series = call_llvm(
            builder, "fmuladd", series, f, constant_chunk(kind, 1.0 / math.factorial(k))
        )
    integers = ir.VectorType(integer, LANES)
    bits = builder.bitcast(shifted, integers)
    bits = builder.add(bits, ir.Constant(integers, [bias] * LANES))
    power = builder.shl(bits, ir.Constant(integers, [mantissa] * LANES))
    return builder.fmul(series, builder.bitcast(power, kind))

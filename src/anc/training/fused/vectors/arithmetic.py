"""Arithmetic and choices element by element; a mask is 1.0 where true and 0.0 where false."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from anc.training.fused.vectors.chunks import (
    LANES,
    TileType,
    by_chunk,
    call_llvm,
    chunk_ir,
    chunks_of,
    constant_chunk,
    intrinsic,
    join_chunks,
    widest,
)


def _elementwise(operation: Callable[..., Any], emit: Callable[..., ir.Value]) -> None:
    """Teach numba ``tile ∘ tile``."""

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
    """The tile whose elements all are the scalar ``x``."""

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
    """All products of a chunk of ``a`` with a chunk of ``b``: one row for each chunk of ``a``."""

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


# a * b + c and c - a * b, rounded once where the processor can
fma = _of_three(lambda builder, x, y, z: call_llvm(builder, "fmuladd", x, y, z))
fnma = _of_three(lambda builder, x, y, z: call_llvm(builder, "fmuladd", builder.fneg(x), y, z))
# the larger of two; a NaN in the first is kept
larger = _of_two(lambda b, x, y: b.select(b.fcmp_ordered("<", x, y), y, x))
magnitude = _of_one(lambda builder, x: call_llvm(builder, "fabs", x))
square_root = _of_one(lambda builder, x: call_llvm(builder, "sqrt", x))
# masks: 1.0 where true, 0.0 elsewhere (and for NaN)
exceeds = _of_two(lambda builder, x, y: _mask(builder, ">", x, y))
equals = _of_two(lambda builder, x, y: _mask(builder, "==", x, y))
# the second where the first is positive, the third elsewhere
choose = _of_three(lambda builder, mask, x, y: builder.select(_positive(builder, mask), x, y))

"""The types of vectors and tiles, and how their chunks are written in LLVM's language.

A *chunk* is what one SIMD register holds: one float of each of eight members. A *vector* is one chunk, a *tile* is
several, so that a number that was loaded once is used several times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, register_model

LANES = 8


def intrinsic(function: Callable[..., Any]) -> Any:
    """A function that compiled code calls without the leading typing context."""
    return numba_intrinsic(function)


class TileType(types.Type):
    """The numba type of ``chunks`` × 8 floats."""

    def __init__(self, dtype: types.Float, chunks: int) -> None:
        self.dtype = dtype
        self.chunks = chunks
        super().__init__(name=f"Tile({dtype}, {chunks})")


class TileClass(types.Type):
    """The numba type of the compile-time value that says which tile an operation makes."""

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
    """The type of what comes out when these meet: one chunk meets every chunk of a tile."""
    return max(tiles, key=lambda tile: tile.chunks)


def by_chunk(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """The code of an operation that is done chunk by chunk."""

    def lower(context, builder, sig, args):
        count = max(a.type.count for a in args)
        columns = [chunks_of(builder, a) * (count // a.type.count) for a in args]
        return join_chunks(builder, [emit(builder, *row) for row in zip(*columns, strict=True)])

    return lower

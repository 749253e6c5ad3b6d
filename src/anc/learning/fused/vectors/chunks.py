"""The types of vectors, and how their chunks of eight floats are written in LLVM's language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, register_model

CHUNK = 8


def intrinsic(function: Callable[..., Any]) -> Any:
    """A function that compiled code calls without the leading typing context."""
    return numba_intrinsic(function)


class VectorType(types.Type):
    """The numba type of a vector of ``chunks`` × 8 floats."""

    def __init__(self, dtype: types.Float, chunks: int) -> None:
        self.dtype = dtype
        self.chunks = chunks
        super().__init__(name=f"Vector({dtype}, {chunks})")


class VectorClass(types.Type):
    """The numba type of the compile-time value that says which vector an operation makes."""

    def __init__(self, dtype: types.Float, chunks: int, valid: int, period: int) -> None:
        self.vector = VectorType(dtype, chunks)
        self.valid = valid
        self.period = period
        super().__init__(name=f"VectorClass({dtype}, {chunks}, {valid}, {period})")


def float_ir(dtype: types.Float) -> ir.Type:
    return ir.FloatType() if dtype == types.float32 else ir.DoubleType()


def chunk_ir(vector: VectorType) -> ir.VectorType:
    return ir.VectorType(float_ir(vector.dtype), CHUNK)


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: VectorType) -> None:
        super().__init__(dmm, fe_type, ir.ArrayType(chunk_ir(fe_type), fe_type.chunks))


register_model(VectorClass)(models.OpaqueModel)


def chunks_of(builder: ir.IRBuilder, value: ir.Value) -> list[ir.Value]:
    return [builder.extract_value(value, k) for k in range(value.type.count)]


def join_chunks(builder: ir.IRBuilder, chunks: Sequence[ir.Value]) -> ir.Value:
    value = ir.Constant(ir.ArrayType(chunks[0].type, len(chunks)), ir.Undefined)
    for k, chunk in enumerate(chunks):
        value = builder.insert_value(value, chunk, k)
    return value


def constant_chunk(kind: ir.VectorType, values: float | Sequence[float]) -> ir.Constant:
    if isinstance(values, (int, float)):
        values = [values] * CHUNK
    return ir.Constant(kind, [ir.Constant(kind.element, float(x)) for x in values])


def splat_chunk(builder: ir.IRBuilder, kind: ir.VectorType, scalar: ir.Value) -> ir.Value:
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    return shuffle_chunk(builder, first, undefined, [0] * CHUNK)


def shuffle_chunk(
    builder: ir.IRBuilder, a: ir.Value, b: ir.Value, order: Sequence[int]
) -> ir.Value:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), CHUNK), list(order))
    return builder.shuffle_vector(a, b, mask)


def call_llvm(builder: ir.IRBuilder, name: str, *args: ir.Value) -> ir.Value:
    """Call the LLVM intrinsic ``name`` on chunks."""
    kind = args[0].type
    suffix = f"v{CHUNK}f{32 if kind.element == ir.FloatType() else 64}"
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [a.type for a in args]), f"llvm.{name}.{suffix}"
    )
    return builder.call(function, args)


def float_bytes(kind: ir.Type) -> int:
    return 4 if kind == ir.FloatType() else 8


def larger_chunk(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    return builder.select(builder.fcmp_ordered("<", a, b), b, a)

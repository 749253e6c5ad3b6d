"""Between memory and vectors."""

from __future__ import annotations

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types

from anc.learning.fused.vectors.chunks import (
    CHUNK,
    VectorType,
    chunk_ir,
    chunks_of,
    float_bytes,
    float_ir,
    intrinsic,
    join_chunks,
    shuffle_chunk,
    splat_chunk,
)


@intrinsic
def pointer(typingctx, array):
    """The address of an array's first element."""
    result = types.CPointer(array.dtype)

    def lower(context, builder, sig, args):
        from numba.np.arrayobj import make_array

        return make_array(array)(context, builder, args[0]).data

    return result(array), lower


@intrinsic
def advance(typingctx, p, offset):
    """The address ``offset`` elements further."""

    def lower(context, builder, sig, args):
        return _address(builder, p, args[0], args[1])

    return p(p, offset), lower


def _address(
    builder: ir.IRBuilder, p: types.CPointer, base: ir.Value, offset: ir.Value
) -> ir.Value:
    if offset.type.width < 64:
        offset = builder.sext(offset, ir.IntType(64))
    return builder.gep(base, [offset], inbounds=True, source_etype=float_ir(p.dtype))


@intrinsic
def get(typingctx, p, offset):
    """The scalar at ``p[offset]``."""

    def lower(context, builder, sig, args):
        return builder.load(_address(builder, p, *args), typ=float_ir(p.dtype))

    return p.dtype(p, offset), lower


@intrinsic
def put(typingctx, p, offset, x):
    """``p[offset] = x`` for a scalar."""

    def lower(context, builder, sig, args):
        scalar = context.cast(builder, args[2], sig.args[2], p.dtype)
        builder.store(scalar, _address(builder, p, args[0], args[1]))
        return context.get_dummy_value()

    return types.void(p, offset, x), lower


@intrinsic
def load(typingctx, cls, p, offset):
    """The vector that starts at ``p[offset]``; no alignment needed."""

    def lower(context, builder, sig, args):
        kind = chunk_ir(cls.vector)
        base = _address(builder, p, args[1], args[2])
        return join_chunks(
            builder, [load_chunk(builder, kind, base, k) for k in range(cls.vector.chunks)]
        )

    return cls.vector(cls, p, offset), lower


def load_chunk(builder: ir.IRBuilder, kind: ir.VectorType, base: ir.Value, chunk: int) -> ir.Value:
    offset = ir.Constant(ir.IntType(64), chunk * CHUNK)
    address = builder.gep(base, [offset], inbounds=True, source_etype=kind.element)
    typed = builder.bitcast(address, kind.as_pointer())
    return builder.load(typed, align=float_bytes(kind.element), typ=kind)


def _nth(builder: ir.IRBuilder, vector: VectorType, offset: ir.Value, n: ir.Value) -> ir.Value:
    """The offset of the n-th vector of an array of vectors."""
    width = ir.Constant(n.type, vector.chunks * CHUNK)
    return builder.add(offset, builder.mul(n, width))


@intrinsic
def load_nth(typingctx, cls, p, offset, n):
    """The n-th vector of the array of vectors that starts at ``p[offset]``."""

    def lower(context, builder, sig, args):
        kind = chunk_ir(cls.vector)
        base = _address(builder, p, args[1], _nth(builder, cls.vector, args[2], args[3]))
        return join_chunks(
            builder, [load_chunk(builder, kind, base, k) for k in range(cls.vector.chunks)]
        )

    return cls.vector(cls, p, offset, types.int64), lower


@intrinsic
def store_nth(typingctx, p, offset, n, v):
    """Write the n-th vector of the array of vectors that starts at ``p[offset]``."""

    def lower(context, builder, sig, args):
        store_chunks(
            builder, _address(builder, p, args[0], _nth(builder, v, args[1], args[2])), args[3]
        )
        return context.get_dummy_value()

    return types.void(p, offset, types.int64, v), lower


@intrinsic
def load_backwards(typingctx, cls, p, offset):
    """The vector with elements ``p[offset]``, ``p[offset - 1]``, ``p[offset - 2]`` …"""

    def lower(context, builder, sig, args):
        kind = chunk_ir(cls.vector)
        base = _address(builder, p, args[1], args[2])
        out = []
        for k in range(cls.vector.chunks):
            shift = ir.Constant(ir.IntType(64), -(k * CHUNK) - CHUNK + 1)
            address = builder.gep(base, [shift], source_etype=kind.element)
            chunk = load_chunk(builder, kind, address, 0)
            out.append(shuffle_chunk(builder, chunk, chunk, range(CHUNK - 1, -1, -1)))
        return join_chunks(builder, out)

    return cls.vector(cls, p, offset), lower


@intrinsic
def spread(typingctx, cls, p, offset):
    """The vector whose elements all are ``p[offset]``."""

    def lower(context, builder, sig, args):
        scalar = builder.load(_address(builder, p, args[1], args[2]), typ=float_ir(p.dtype))
        chunk = splat_chunk(builder, chunk_ir(cls.vector), scalar)
        return join_chunks(builder, [chunk] * cls.vector.chunks)

    return cls.vector(cls, p, offset), lower


@intrinsic
def store(typingctx, p, offset, v):
    """Write the vector ``v`` to memory from ``p[offset]`` on."""

    def lower(context, builder, sig, args):
        store_chunks(builder, _address(builder, p, args[0], args[1]), args[2])
        return context.get_dummy_value()

    return types.void(p, offset, v), lower


def store_chunks(builder: ir.IRBuilder, base: ir.Value, value: ir.Value) -> None:
    for k, chunk in enumerate(chunks_of(builder, value)):
        offset = ir.Constant(ir.IntType(64), k * CHUNK)
        element = chunk.type.element
        address = builder.gep(base, [offset], inbounds=True, source_etype=element)
        typed = builder.bitcast(address, chunk.type.as_pointer())
        builder.store(chunk, typed, align=float_bytes(element))

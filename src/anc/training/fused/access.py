"""Loads and stores between memory and tiles. Memory is an array of chunks; positions count chunks."""

from __future__ import annotations

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from anc.training.fused.vectors import LANES, chunk_ir, chunks_of, float_ir, join_chunks


@intrinsic
def pointer(typingctx, array):
    """The address of an array's first element."""

    def lower(context, builder, sig, args):
        from numba.np.arrayobj import make_array

        return make_array(array)(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), lower


def _address(builder, base: ir.Value, element: ir.Type, *positions: ir.Value) -> ir.Value:
    """The address of a chunk or, with a second position, of one of its elements."""
    floats = builder.mul(positions[0], ir.Constant(positions[0].type, LANES))
    for more in positions[1:]:
        floats = builder.add(floats, more)
    return builder.gep(base, [floats], inbounds=True, source_etype=element)


@intrinsic
def advance(typingctx, p, n):
    """The address ``n`` chunks further."""

    def lower(context, builder, sig, args):
        return _address(builder, args[0], float_ir(p.dtype), args[1])

    return p(p, types.int64), lower


@intrinsic
def get(typingctx, p, n, lane):
    """One element of the n-th chunk."""

    def lower(context, builder, sig, args):
        element = float_ir(p.dtype)
        return builder.load(_address(builder, args[0], element, *args[1:]), typ=element)

    return p.dtype(p, types.int64, types.int64), lower


@intrinsic
def put(typingctx, p, n, lane, x):
    """Write one element of the n-th chunk."""

    def lower(context, builder, sig, args):
        scalar = context.cast(builder, args[3], x, p.dtype)
        builder.store(scalar, _address(builder, args[0], float_ir(p.dtype), *args[1:3]))
        return context.get_dummy_value()

    return types.void(p, types.int64, types.int64, x), lower


def _load(builder, cls, base: ir.Value, n: ir.Value, apart: ir.Value | int) -> ir.Value:
    kind = chunk_ir(cls.tile)
    out = []
    for address in _addresses(builder, kind, base, n, apart, cls.tile.chunks):
        out.append(builder.load(address, align=_bytes(kind), typ=kind))
    return join_chunks(builder, out)


def _store(builder, base: ir.Value, n: ir.Value, apart: ir.Value | int, chunks: list) -> None:
    kind = chunks[0].type
    addresses = _addresses(builder, kind, base, n, apart, len(chunks))
    for address, chunk in zip(addresses, chunks, strict=True):
        builder.store(chunk, address, align=_bytes(kind))


def _addresses(builder, kind, base, n, apart, count) -> list[ir.Value]:
    if isinstance(apart, int):
        apart = ir.Constant(ir.IntType(64), apart)
    found = []
    for k in range(count):
        at = builder.add(n, builder.mul(apart, ir.Constant(apart.type, k)))
        address = _address(builder, base, kind.element, at)
        found.append(builder.bitcast(address, kind.as_pointer()))
    return found


def _bytes(kind: ir.VectorType) -> int:
    """The guaranteed alignment: that of one float."""
    return 4 if kind.element == ir.FloatType() else 8


@intrinsic
def load(typingctx, cls, p, n):
    """The tile of the chunks n, n + 1, …"""

    def lower(context, builder, sig, args):
        return _load(builder, cls, args[1], args[2], 1)

    return cls.tile(cls, p, types.int64), lower


@intrinsic
def load_apart(typingctx, cls, p, n, apart):
    """The tile of the chunks n, n + apart, n + 2 apart, …"""

    def lower(context, builder, sig, args):
        return _load(builder, cls, *args[1:])

    return cls.tile(cls, p, types.int64, types.int64), lower


@intrinsic
def store(typingctx, p, n, v):
    """Write a tile to the chunks n, n + 1, …"""

    def lower(context, builder, sig, args):
        _store(builder, args[0], args[1], 1, chunks_of(builder, args[2]))
        return context.get_dummy_value()

    return types.void(p, types.int64, v), lower


@intrinsic
def store_apart(typingctx, p, n, apart, v):
    """Write a tile to the chunks n, n + apart, n + 2 apart, …"""

    def lower(context, builder, sig, args):
        _store(builder, args[0], args[1], args[2], chunks_of(builder, args[3]))
        return context.get_dummy_value()

    return types.void(p, types.int64, types.int64, v), lower


@intrinsic
def store_rows(typingctx, cls, p, n, apart, v):
    """Write an outer product whose rows are tiles of ``cls``; row k starts at the chunk n + k apart."""

    def lower(context, builder, sig, args):
        chunks = chunks_of(builder, args[4])
        width = cls.tile.chunks
        for k in range(len(chunks) // width):
            at = builder.add(args[2], builder.mul(args[3], ir.Constant(args[3].type, k)))
            _store(builder, args[1], at, 1, chunks[k * width : (k + 1) * width])
        return context.get_dummy_value()

    return types.void(cls, p, types.int64, types.int64, v), lower

"""Vectors from numbers, and constant vectors along a circular axis with padding."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir  # type: ignore[import-untyped]

from anc.learning.fused.vectors.chunks import (
    CHUNK,
    VectorClass,
    chunk_ir,
    chunks_of,
    constant_chunk,
    intrinsic,
    join_chunks,
    splat_chunk,
)


@intrinsic
def zeros(typingctx, cls):
    """The zero vector."""

    def lower(context, builder, sig, args):
        return join_chunks(builder, [constant_chunk(chunk_ir(cls.vector), 0.0)] * cls.vector.chunks)

    return cls.vector(cls), lower


@intrinsic
def splat(typingctx, cls, x):
    """The vector whose elements all are the scalar ``x``."""

    def lower(context, builder, sig, args):
        scalar = context.cast(builder, args[1], sig.args[1], cls.vector.dtype)
        chunk = splat_chunk(builder, chunk_ir(cls.vector), scalar)
        return join_chunks(builder, [chunk] * cls.vector.chunks)

    return cls.vector(cls, x), lower


def _comb(cls: VectorClass, remainder: int) -> list[ir.Constant]:
    hits = [float(x % cls.period == remainder) for x in range(CHUNK * cls.vector.chunks)]
    kind = chunk_ir(cls.vector)
    return [constant_chunk(kind, hits[k : k + CHUNK]) for k in range(0, len(hits), CHUNK)]


@intrinsic
def ones_at_zero(typingctx, cls):
    """1.0 at the positions ≡ 0 of the circular axis."""
    return cls.vector(cls), lambda context, builder, sig, args: join_chunks(builder, _comb(cls, 0))


@intrinsic
def ones_at_one(typingctx, cls):
    """1.0 at the positions ≡ 1 of the circular axis."""
    remainder = 1 % cls.period
    return cls.vector(cls), lambda context, builder, sig, args: join_chunks(
        builder, _comb(cls, remainder)
    )


@intrinsic
def ones_at_last(typingctx, cls):
    """1.0 at the positions ≡ −1 of the circular axis."""
    remainder = cls.period - 1
    return cls.vector(cls), lambda context, builder, sig, args: join_chunks(
        builder, _comb(cls, remainder)
    )


@intrinsic
def without_padding(typingctx, cls, v):
    """``v`` with zeros after the valid elements."""
    return v(cls, v), _fill_padding(cls, 0.0)


@intrinsic
def padded_low(typingctx, cls, v):
    """``v`` with a hugely negative number after the valid elements, so that they lose a softmax."""
    return v(cls, v), _fill_padding(cls, -1e30)


def _fill_padding(cls: VectorClass, fill: float) -> Callable[..., ir.Value]:
    def lower(context, builder, sig, args):
        out = []
        for k, chunk in enumerate(chunks_of(builder, args[1])):
            keep = [int(k * CHUNK + x < cls.valid) for x in range(CHUNK)]
            mask = ir.Constant(ir.VectorType(ir.IntType(1), CHUNK), keep)
            out.append(builder.select(mask, chunk, constant_chunk(chunk.type, fill)))
        return join_chunks(builder, out)

    return lower

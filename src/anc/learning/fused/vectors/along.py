"""Along a vector: sums, maxima and cumulative sums, always in the same order."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir  # type: ignore[import-untyped]

from anc.learning.fused.vectors.chunks import (
    CHUNK,
    chunks_of,
    constant_chunk,
    intrinsic,
    join_chunks,
    larger_chunk,
    shuffle_chunk,
)


def _tree(
    builder: ir.IRBuilder,
    chunks: list[ir.Value],
    combine: Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value],
) -> ir.Value:
    """All elements combined in the order of a fixed binary tree."""
    value = chunks[0]
    for chunk in chunks[1:]:
        value = combine(builder, value, chunk)
    for distance in (4, 2, 1):
        order = [(x + distance) % CHUNK for x in range(CHUNK)]
        value = combine(builder, value, shuffle_chunk(builder, value, value, order))
    return builder.extract_element(value, ir.Constant(ir.IntType(32), 0))


@intrinsic
def total(typingctx, v):
    """The sum of the elements."""

    def lower(context, builder, sig, args):
        return _tree(builder, chunks_of(builder, args[0]), lambda b, x, y: b.fadd(x, y))

    return v.dtype(v), lower


@intrinsic
def largest(typingctx, v):
    """The largest element."""

    def lower(context, builder, sig, args):
        return _tree(builder, chunks_of(builder, args[0]), larger_chunk)

    return v.dtype(v), lower


def _scan(backwards: bool) -> Callable[..., ir.Value]:
    def lower(context, builder, sig, args):
        chunks = chunks_of(builder, args[0])
        kind = chunks[0].type
        zero = constant_chunk(kind, 0.0)
        sums = []
        for chunk in chunks:
            for distance in (1, 2, 4):
                if backwards:
                    order = [x + distance for x in range(CHUNK)]  # past the end: zeros
                    moved = shuffle_chunk(builder, chunk, zero, order)
                else:
                    order = [x - distance if x >= distance else CHUNK for x in range(CHUNK)]
                    moved = shuffle_chunk(builder, chunk, zero, order)
                chunk = builder.fadd(chunk, moved)
            sums.append(chunk)
        edge = 0 if backwards else CHUNK - 1
        steps = range(len(sums) - 2, -1, -1) if backwards else range(1, len(sums))
        for k in steps:
            done = sums[k + 1] if backwards else sums[k - 1]
            carry = shuffle_chunk(builder, done, done, [edge] * CHUNK)
            sums[k] = builder.fadd(sums[k], carry)
        return join_chunks(builder, sums)

    return lower


@intrinsic
def sums_up_to(typingctx, v):
    """Element k becomes the sum of the elements 0..k."""
    return v(v), _scan(backwards=False)


@intrinsic
def sums_from(typingctx, v):
    """Element k becomes the sum of the elements k, k+1, …"""
    return v(v), _scan(backwards=True)

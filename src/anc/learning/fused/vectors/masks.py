"""Choosing element by element: a mask is 1.0 where true and 0.0 where false."""

from __future__ import annotations

from anc.learning.fused.vectors.chunks import (
    chunks_of,
    constant_chunk,
    intrinsic,
    join_chunks,
)


@intrinsic
def choose(typingctx, mask, yes, no):
    """``yes`` where the mask is positive, ``no`` elsewhere."""

    def lower(context, builder, sig, args):
        out = []
        for m, y, n in zip(*(chunks_of(builder, x) for x in args), strict=True):
            out.append(
                builder.select(builder.fcmp_ordered(">", m, constant_chunk(m.type, 0.0)), y, n)
            )
        return join_chunks(builder, out)

    return yes(mask, yes, no), lower


@intrinsic
def exceeds(typingctx, a, b):
    """1.0 where ``a > b``, 0.0 elsewhere (and for NaN)."""

    def lower(context, builder, sig, args):
        out = []
        for x, y in zip(*(chunks_of(builder, x) for x in args), strict=True):
            one, zero = constant_chunk(x.type, 1.0), constant_chunk(x.type, 0.0)
            out.append(builder.select(builder.fcmp_ordered(">", x, y), one, zero))
        return join_chunks(builder, out)

    return a(a, b), lower


@intrinsic
def equals(typingctx, a, b):
    """1.0 where ``a == b``, 0.0 elsewhere (and for NaN)."""

    def lower(context, builder, sig, args):
        out = []
        for x, y in zip(*(chunks_of(builder, x) for x in args), strict=True):
            one, zero = constant_chunk(x.type, 1.0), constant_chunk(x.type, 0.0)
            out.append(builder.select(builder.fcmp_ordered("==", x, y), one, zero))
        return join_chunks(builder, out)

    return a(a, b), lower

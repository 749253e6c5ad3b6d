"""The exponential, and a number that the compiler cannot see through."""

from __future__ import annotations

import math

from llvmlite import ir  # type: ignore[import-untyped]

from anc.learning.fused.vectors.chunks import (
    CHUNK,
    call_llvm,
    chunks_of,
    constant_chunk,
    intrinsic,
    join_chunks,
)


@intrinsic
def exp_of_nonpositive(typingctx, v):
    """e^x for x ≤ 0 by range reduction: e^x = 2^n · e^f with |f| ≤ ln 2 / 2; NaN stays NaN."""

    def lower(context, builder, sig, args):
        return join_chunks(builder, [_exp(builder, x) for x in chunks_of(builder, args[0])])

    return v(v), lower


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
    integers = ir.VectorType(integer, CHUNK)
    bits = builder.bitcast(shifted, integers)
    bits = builder.add(bits, ir.Constant(integers, [bias] * CHUNK))
    power = builder.shl(bits, ir.Constant(integers, [mantissa] * CHUNK))
    return builder.fmul(series, builder.bitcast(power, kind))


@intrinsic
def unknown(typingctx, x):
    """The number ``x`` as one the compiler knows nothing about: a loop up to it is not unrolled."""

    def lower(context, builder, sig, args):
        kind = ir.FunctionType(args[0].type, [args[0].type])
        return builder.asm(kind, "", "=r,0", [args[0]], False)

    return x(x), lower

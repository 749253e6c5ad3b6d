"""The exponential."""

from __future__ import annotations

import math

from llvmlite import ir  # type: ignore[import-untyped]

from anc.training.fused.vectors.chunks import LANES, by_chunk, call_llvm, constant_chunk, intrinsic


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

"""Arithmetic element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from anc.learning.fused.vectors.chunks import (
    VectorType,
    call_llvm,
    chunks_of,
    intrinsic,
    join_chunks,
    larger_chunk,
)


def _elementwise(
    operation: Callable[..., Any], emit: Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]
) -> None:
    """Teach numba ``vector ∘ vector``."""

    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and isinstance(args[0], VectorType) and args[0] == args[1]:
                return signature(args[0], *args)
            return None

    @lower_builtin(operation, VectorType, VectorType)
    def _lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        pairs = zip(chunks_of(builder, args[0]), chunks_of(builder, args[1]), strict=True)
        return join_chunks(builder, [emit(builder, a, b) for a, b in pairs])


_elementwise(operator.add, lambda b, x, y: b.fadd(x, y))
_elementwise(operator.sub, lambda b, x, y: b.fsub(x, y))
_elementwise(operator.mul, lambda b, x, y: b.fmul(x, y))
_elementwise(operator.truediv, lambda b, x, y: b.fdiv(x, y))


@intrinsic
def fma(typingctx, a, b, c):
    """``a * b + c``, rounded once where the processor can."""

    def lower(context, builder, sig, args):
        triples = zip(*(chunks_of(builder, x) for x in args), strict=True)
        return join_chunks(builder, [call_llvm(builder, "fmuladd", *t) for t in triples])

    return a(a, b, c), lower


@intrinsic
def fnma(typingctx, a, b, c):
    """``c - a * b``, rounded once where the processor can."""

    def lower(context, builder, sig, args):
        triples = zip(*(chunks_of(builder, x) for x in args), strict=True)
        return join_chunks(
            builder, [call_llvm(builder, "fmuladd", builder.fneg(x), y, z) for x, y, z in triples]
        )

    return a(a, b, c), lower


@intrinsic
def larger(typingctx, a, b):
    """Element-wise maximum; a NaN in ``a`` is kept."""

    def lower(context, builder, sig, args):
        pairs = zip(*(chunks_of(builder, x) for x in args), strict=True)
        return join_chunks(builder, [larger_chunk(builder, x, y) for x, y in pairs])

    return a(a, b), lower


@intrinsic
def magnitude(typingctx, a):
    """Element-wise absolute value."""

    def lower(context, builder, sig, args):
        return join_chunks(
            builder, [call_llvm(builder, "fabs", x) for x in chunks_of(builder, args[0])]
        )

    return a(a), lower


@intrinsic
def square_root(typingctx, a):
    """Element-wise square root."""

    def lower(context, builder, sig, args):
        return join_chunks(
            builder, [call_llvm(builder, "sqrt", x) for x in chunks_of(builder, args[0])]
        )

    return a(a), lower

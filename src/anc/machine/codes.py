"""Instruction sets as compile-time constants of kernels.

The numba type of `Codes` carries the numbers of the instructions, so a kernel compares with constants,
and each numbering has its own machine code, also in numba's disk cache. Passing the numbers at run time
instead makes the batched machine 30 to 45 % slower. Sets that only add rows to the paper's share its
code. `Computed` likewise stands for the outputs of one set.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.imputils import impl_ret_untracked
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

from anc.isa import InstructionSet
from anc.machine.compiled import LEAN, lean_inner, one_of


class Codes(NamedTuple):
    """The numbers of the six instructions that every set has.

    numba remembers the type of a tuple by its class and the types of its elements, not by their values, so each
    numbering has a class of its own.
    """

    STOP: int
    READ: int
    WRITE: int
    JUMP: int
    ADD: int
    SUB: int

    @classmethod
    def of(cls, instructions: InstructionSet) -> Codes:
        return _numbered(tuple(getattr(instructions, name) for name in cls._fields))

    def __reduce__(self):
        return _numbered, (tuple(self),)


@cache
def _numbered(codes: tuple[int, ...]) -> Codes:
    """The codes with these numbers, of the class that is theirs alone."""
    return type(f"Codes{codes}", (Codes,), {})(*codes)


@dataclass(frozen=True)
class Computed:
    """The outputs of a set, computed one by one, for memories too large for a table."""

    instructions: InstructionSet


class CodesType(types.Opaque):
    """The numba type of codes, one for each numbering."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        super().__init__(name=f"Codes{tuple(codes)}")

    def __reduce__(self):
        return CodesType, (self.codes,)


class ComputedType(types.Opaque):
    """The numba type of computed outputs, one for each set."""

    def __init__(self, computed: Computed) -> None:
        self.computed = computed
        super().__init__(name=f"Computed({computed.instructions.digest})")

    def __reduce__(self):
        return ComputedType, (self.computed,)


for _value, _kind in ((Codes, CodesType), (Computed, ComputedType)):
    _type_of = cache(_kind)
    typeof_impl.register(_value)(lambda value, context, of=_type_of: of(value))
    register_model(_kind)(models.OpaqueModel)
    unbox(_kind)(lambda kind, value, c: NativeValue(c.context.get_dummy_value()))


@infer_getattr
class _CodesAttributes(AttributeTemplate):
    key = CodesType

    def generic_resolve(self, kind: CodesType, name: str):  # type: ignore[override]
        return types.int64 if name in Codes._fields else None


@lower_getattr_generic(CodesType)
def _lower_attribute(context, builder, kind: CodesType, value, name: str):
    constant = context.get_constant(types.int64, getattr(kind.codes, name))
    return impl_ret_untracked(context, builder, types.int64, constant)


def output_of(outputs: Any, op: int, first: int, second: int, M: int) -> int:
    """The output of an instruction, from a flat table or computed; the choice is made at compile time."""
    raise NotImplementedError("only compiled code calls this")


@overload(output_of, jit_options=LEAN)
def _output_of(outputs, op, first, second, M):
    if isinstance(outputs, types.Array):
        return lambda outputs, op, first, second, M: outputs[
            np.uint64((op * M + first) * M + second)
        ]
    rows = outputs.computed.instructions.rows
    which = one_of([lean_inner(row.output) for row in rows])
    return lambda outputs, op, first, second, M: which(op, first, second, M)

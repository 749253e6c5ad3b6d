"""The memory layout: sizes and positions as numba types, so that the compiler knows them as constants.

A kernel's first argument ``s`` is a :class:`Layout`. Its numba type contains all its numbers, so ``s.M`` is constant in
the compiled code, each size has its own machine code, and numba's disk cache distinguishes sizes.

Eight members lie side by side: memory is an array of vectors with one float of each member, and all positions count
vectors. The work area belongs to a group of members. After it lie the slots of a run, each with one step's state except
the memory, and then its memories. A *pack* is one number for each parameter of a member.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numba.core import types
from numba.core.imputils import impl_ret_untracked
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from anc import isa
from anc.machine.encoded import outputs_of
from anc.training.fused.vectors import LANES, TileClass
from anc.training.interface import MEMBER_SETTINGS

# Instruction meanings with a fast path in the kernels, by the layout's name of their number.
FAST = {
    "INC": isa.increment,
    "DEC": isa.decrement,
    "ADD": isa.add,
    "SUB": isa.subtract,
    "MIN": isa.smaller,
    "MAX": isa.larger,
}
EFFECTS = ("READ", "WRITE", "STOP", "JUMP")


class Meanings(NamedTuple):
    """The outputs of the instructions without a fast path."""

    derived: np.ndarray  # (D, 2): the instruction, and how many second operands it distinguishes
    outputs: np.ndarray  # (D, M, M): their outputs


class KernelLayout:
    """The sizes and positions for one (M, R, float type, instruction set). Equal layouts share compiled kernels."""

    def __init__(self, M: int, R: int, dtype: str, instructions: isa.InstructionSet) -> None:
        if M < 2 or R < 1:
            raise ValueError(f"need M >= 2 and R >= 1, got M={M}, R={R}")
        self.M, self.R, self.dtype, self.instructions = M, R, np.dtype(dtype), instructions
        N = instructions.N
        tile = min((4, 5, 6), key=lambda size: -(N + 3 * R) % size)
        C = -(-(N + 3 * R) // tile) * tile  # padding after the last choice stays zero
        T = _tile(M)
        pack = _positions(start=M, registers=R * M, lines=M * C)
        pack["end"] = -(-pack["end"] // T) * T
        slot = _positions(ir=M, r=R * M, choice=C, a1=M, a2=M, out=M)
        slot |= _positions(slot.pop("end"), p=1, active=1, gap=1, scale1=1, scale2=1)
        packs = ("weights", "gradient", "moment1", "moment2", "reference", "reference_softmax")
        work = _positions(**dict.fromkeys((*packs, "turn", "sample"), pack["end"]))
        singles = ("taken", "present", "steps", "step_rate", "moment2_scale", "d_p")
        work |= _positions(
            work.pop("end"), **dict.fromkeys((*MEMBER_SETTINGS, *singles), 1), factors=4
        )
        work |= _positions(work.pop("end"), terms=4, row_a=max(M, N, R), row_b=max(M, N, R))
        work |= _positions(work.pop("end"), initial=M + R * M, target=M * M, mask=M, cells=M + 1)
        work |= _positions(work.pop("end"), d_choice=C, blend=2 * M, d_out=2 * M, d_blend=M)
        work |= _positions(work.pop("end"), d_a1=M, d_a2=M, read=M, d_m=M * M, odd=M * M)
        numbers = numbers_of(instructions)
        constants, derived = _without_fast_path(instructions, set(numbers.values()))
        self.meanings = Meanings(
            np.array([(op, M if instructions[op].operands == 2 else 1) for op in derived]).reshape(
                -1, 2
            ),
            np.array([outputs_of(instructions[op], M) for op in derived], np.int64).reshape(
                -1, M, M
            ),
        )
        self.numbers = {
            "M": M,
            "R": R,
            "N": N,
            "C": C,
            "D": len(derived),
            "constants": sum(
                1 << op for op in constants
            ),  # a bit for each instruction that always outputs 0
            "T": T,
            "whole": M - M % T,
            "choices_in_tile": tile,
            "pack": pack.pop("end"),
            "slot": slot.pop("end"),
            "work": work.pop("end"),
            "e": slot["choice"],
            "a": slot["choice"] + N,
            "b": slot["choice"] + N + R,
            "o": slot["choice"] + N + 2 * R,
            "d_e": work["d_choice"],
            "d_a": work["d_choice"] + N,
            "d_b": work["d_choice"] + N + R,
            "d_o": work["d_choice"] + N + 2 * R,
            "d_ir": work["sample"] + pack["start"],
            "d_r": work["sample"] + pack["registers"],
            **pack,
            **slot,
            **work,
            **numbers,
        }

    @property
    def key(self) -> tuple[int, int, str, isa.InstructionSet]:
        return self.M, self.R, self.dtype.name, self.instructions

    def scratch_floats(self, max_steps: int) -> int:
        """The floats that a thread needs: work area, slots, and every second memory of ``max_steps`` steps."""
        slots, memories = (max_steps + 1) * self.numbers["slot"], (max_steps // 2 + 1) * self.M**2
        return LANES * (self.numbers["work"] + slots + memories)

    def new_scratch(self, max_steps: int) -> Scratch:
        """Scratch memory for one thread."""
        count = self.scratch_floats(max_steps)
        line = 64 // self.dtype.itemsize
        buffer = np.zeros(count + line, self.dtype)
        start = -(buffer.ctypes.data // self.dtype.itemsize) % line
        lanes = np.zeros((4, LANES), np.int64)
        return Scratch(buffer[start : start + count], *lanes)

    @cached_property
    def rows(self) -> np.ndarray:
        """(rows, 3): each softmax row's first parameter, its length, and its position in a pack."""
        M, R, N, numbers = self.M, self.R, self.instructions.N, self.numbers
        rows = [(i * M, M, i * M) for i in range(1 + R)]
        first = M + R * M
        for length, within in ((N, 0), (R, N), (R, N + R), (R, N + 2 * R)):
            for j in range(M):
                rows.append((first, length, numbers["lines"] + j * numbers["C"] + within))
                first += length
        return np.array(rows, np.int64)


class Scratch(NamedTuple):
    """One thread's memory: floats aligned to a cache line, and integers per lane."""

    floats: np.ndarray
    members: np.ndarray  # (LANES,), and so are the others
    cases: np.ndarray
    applied: np.ndarray
    skipped: np.ndarray


@cache
def layout_for(
    M: int, R: int, dtype: str = "float32", instructions: isa.InstructionSet = isa.PAPER
) -> KernelLayout:
    """The layout of a size, made once."""
    return KernelLayout(M, R, dtype, instructions)


def _positions(first: int = 0, **sizes: int) -> dict[str, int]:
    """The positions of consecutive pieces from ``first`` on, and their end."""
    found = {}
    for name, size in sizes.items():
        found[name] = first
        first += size
    return found | {"end": first}


def _tile(M: int) -> int:
    """The values in a tile; they divide M if possible."""
    return next((T for T in (5, 4) if M % T == 0), min(4, M))


def numbers_of(instructions: isa.InstructionSet) -> dict[str, int]:
    """The number of each instruction with a fast path; -1 if the set has none."""
    found = {name: instructions.with_meaning(meaning) for name, meaning in FAST.items()}
    known = {name: -1 if number is None else number for name, number in found.items()}
    return known | {name: getattr(instructions, name) for name in EFFECTS}


def _without_fast_path(
    instructions: isa.InstructionSet, known: set[int]
) -> tuple[list[int], list[int]]:
    """The instructions that output 0, and those whose output is derived from the instruction table."""
    rows = enumerate(instructions)
    constants = [op for op, r in rows if r.output is isa.zero and op != instructions.READ]
    others = range(len(instructions))
    return constants, [op for op in others if op not in known and op not in constants]


# ------------------------------------------------------------------ numba's view of a layout


class LayoutType(types.Opaque):
    """The numba type of a layout, one for each size."""

    def __init__(self, M: int, R: int, dtype: str, instructions: isa.InstructionSet) -> None:
        self.layout = layout_for(M, R, dtype, instructions)
        which = "" if instructions == isa.PAPER else f", {instructions.digest}"
        super().__init__(name=f"Layout({M}, {R}, {dtype}{which})")

    def __reduce__(self):
        return LayoutType, self.layout.key

    def tile_classes(self) -> dict[str, TileClass]:
        """The tile types: ``vector``, ``tile`` (T values), ``rest`` (the remainder) and ``choices``."""
        kind = types.float32 if self.layout.dtype == np.float32 else types.float64
        T, choices = self.layout.numbers["T"], self.layout.numbers["choices_in_tile"]
        sizes = {"vector": 1, "tile": T, "rest": self.layout.M % T or T, "choices": choices}
        return {name: TileClass(kind, size) for name, size in sizes.items()}


_layout_type = cache(LayoutType)


@typeof_impl.register(KernelLayout)
def _typeof_layout(layout: KernelLayout, context) -> LayoutType:
    return _layout_type(*layout.key)


register_model(LayoutType)(models.OpaqueModel)


@infer_getattr
class _LayoutAttributes(AttributeTemplate):
    key = LayoutType

    def generic_resolve(self, kind: LayoutType, name: str):  # type: ignore[override]
        if name in kind.layout.numbers:
            return types.int64
        return kind.tile_classes().get(name)


@lower_getattr_generic(LayoutType)
def _lower_attribute(context, builder, kind: LayoutType, value, name: str):
    if name in kind.layout.numbers:
        constant = context.get_constant(types.int64, kind.layout.numbers[name])
        return impl_ret_untracked(context, builder, types.int64, constant)
    return context.get_dummy_value()


@unbox(LayoutType)
def _unbox_layout(kind, value, c) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())

"""Sizes as types: where everything lies in memory, known to the compiler as constants.

A kernel's first argument ``s`` is a :class:`Layout`. Its numba type carries every number of it, so ``s.M`` is a
constant in the compiled code, each size gets its own machine code, and numba's disk cache tells the sizes apart.

Two arrangements, chosen by M alone (a member's result must not depend on how many others there are):

*lanes*  M ≤ 10: LANES members side by side, the member is the innermost axis of everything;
*rows*   larger M: one member, vectors run along the values 0..M-1, padded with zeros to a multiple of 8.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
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

from anc.learning.fused.vectors import CHUNK, VectorClass

N = 11
STOP, ZERO, INC, DEC, ADD, SUB, MIN, MAX, READ, WRITE, JEZ = range(N)

LANES = 8
LARGEST_M_IN_LANES = 10

# The per-member numbers a kernel looks up, in this order.
SETTINGS = ("correctness", "halting", "confidence", "efficiency", "learning_rate", "clip")

LANES_PATH, ROWS_PATH = "lanes", "rows"

# What ``s.name(...)`` calls: for each name the compiled function of each path. Filled by ``paths``.
FUNCTIONS: dict[str, dict[str, Dispatcher]] = {}


def padded(count: int) -> int:
    """``count`` rounded up to whole vectors."""
    return -(-count // CHUNK) * CHUNK


class _Region:
    """Hands out consecutive pieces of a buffer, each starting at a multiple of 16 floats."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}
        self.size = 0

    def take(self, **pieces: int) -> None:
        for name, count in pieces.items():
            self.offsets[name] = self.size
            self.size += -(-count // 16) * 16


class Layout:
    """Every size and offset of one (M, R, float type); equal layouts share compiled kernels."""

    def __init__(self, M: int, R: int, dtype: str = "float32", path: str | None = None) -> None:
        if M < 2 or R < 1:
            raise ValueError(f"need M >= 2 and R >= 1, got M={M}, R={R}")
        self.M, self.R, self.dtype = M, R, np.dtype(dtype)
        self.path = path or (LANES_PATH if M <= LARGEST_M_IN_LANES else ROWS_PATH)
        self.G = LANES if self.path == LANES_PATH else 1
        self.parameters = M + R * M + M * N + 3 * M * R
        numbers = _lanes_numbers(M, R) if self.path == LANES_PATH else _rows_numbers(M, R)
        self.numbers = {"M": M, "R": R, "G": self.G, **numbers}
        self.numbers["parameters"] = self.parameters
        self.numbers["block_floats"] = LANES if self.path == LANES_PATH else 2 * CHUNK

    @property
    def key(self) -> tuple[int, int, str, str]:
        return self.M, self.R, self.dtype.name, self.path

    def scratch_floats(self, max_steps: int) -> int:
        """Floats one thread needs: the work area and the trajectory of ``max_steps`` steps."""
        return self.numbers["work_floats"] + (max_steps + 1) * self.numbers["slot_floats"]

    def new_scratch(self, max_steps: int) -> tuple[np.ndarray, np.ndarray]:
        """One thread's zeroed memory: floats, aligned to a cache line, and a few integers."""
        count = self.scratch_floats(max_steps)
        line = 64 // self.dtype.itemsize
        buffer = np.zeros(count + line, self.dtype)
        start = -(buffer.ctypes.data // self.dtype.itemsize) % line
        return buffer[start : start + count], np.zeros((4, max(self.M, self.G)), np.int64)

    def row_table(self) -> np.ndarray:
        """(rows, 3): for each softmax row its first parameter, its length, and its offset in the work area.

        Parameter c of the row lies at ``offset + c * G + lane`` from the start of a packed block.
        """
        M, R, n = self.M, self.R, self.numbers
        rows = [(0, M, n["pack_start"])]
        first = M
        for i in range(R):
            rows.append((first, M, n["pack_registers"] + i * n["row"]))
            first += M
        for length, within in ((N, n["e"]), (R, n["a"]), (R, n["b"]), (R, n["o"])):
            for j in range(M):
                rows.append((first, length, n["pack_lines"] + j * n["line"] + within))
                first += length
        return np.array(rows, np.int64)


@cache
def layout_for(M: int, R: int, dtype: str = "float32", path: str | None = None) -> Layout:
    """The layout of a size; made once."""
    return Layout(M, R, dtype, path)


def _lanes_numbers(M: int, R: int) -> dict[str, int]:
    """Offsets when the innermost axis is the member (G of them)."""
    G = LANES
    C = N + 3 * R
    choice = {"e": 0, "a": N * G, "b": (N + R) * G, "o": (N + 2 * R) * G}
    pack = _Region()
    pack.take(pack_start=M * G, pack_registers=R * M * G, pack_lines=M * C * G)
    slot = _Region()
    slot.take(m=M * M * G, r=R * M * G, ir=M * G, p=G, active=G, gap=G)
    slot.take(choice=C * G, a1=M * G, a2=M * G, out=M * G)
    work = _work_region(pack.size, G, m=M * M * G, r=R * M * G, ir=M * G, choice=C * G)
    work.take(
        a1_twice=2 * M * G, blend=2 * M * G, d_out=M * G, d_a1=M * G, d_a2=M * G, d_blend=M * G
    )
    work.take(c1=M * G, c2=M * G, write=M * G)
    return {
        **choice,
        **pack.offsets,
        **slot.offsets,
        **work.offsets,
        "C": C,
        "row": M * G,
        "line": C * G,
        "pack_floats": pack.size,
        "slot_floats": slot.size,
        "work_floats": work.size,
    }


def _rows_numbers(M: int, R: int) -> dict[str, int]:
    """Offsets when vectors run along the values, the instructions or the registers."""
    row, ops, regs = padded(M), padded(N), padded(R)
    wide = padded(M + row)
    line = ops + 3 * regs
    choice = {"e": 0, "a": ops, "b": ops + regs, "o": ops + 2 * regs}
    pack = _Region()
    pack.take(pack_start=row, pack_registers=R * row, pack_lines=M * line)
    slot = _Region()
    # One spare chunk before and after ``ir`` holds the neighbours for the circular shift.
    slot.take(m=M * row, r=R * row, before_ir=CHUNK, ir=row + CHUNK, p=1, active=1, gap=1)
    slot.take(choice=line, a1=row, a2=row, out=row, read=row)
    work = _work_region(pack.size, 1, m=M * row, r=R * row, ir=row + CHUNK, choice=line)
    work.take(lines_by_choice=line * row)
    # Reversed reads run past the beginning of these: spare chunks lie before each.
    twice = wide + row
    work.take(before_twice=2 * CHUNK, a_twice=twice, a_twice_reversed=twice, blend=twice)
    work.take(blend_reversed=twice, before_d_blend=2 * CHUNK, d_blend=row + CHUNK)
    work.take(d_out=row, d_a1=row, d_a2=row)
    return {
        **choice,
        **pack.offsets,
        **slot.offsets,
        **work.offsets,
        "row": row,
        "line": line,
        "regs": regs,
        "pack_floats": pack.size,
        "slot_floats": slot.size,
        "work_floats": work.size,
    }


def _work_region(pack: int, G: int, *, m: int, r: int, ir: int, choice: int) -> _Region:
    """The part of the work area that both arrangements have."""
    work = _Region()
    work.take(weights=pack, gradient=pack, moment1=pack, moment2=pack)
    work.take(reference=pack, reference_softmax=pack)
    work.take(**dict.fromkeys(SETTINGS, G), present=G, steps=G, terms=4 * G)
    work.take(
        rate=G, moment2_scale=G, applies=2 * CHUNK, row_a=max(m, choice), row_b=max(m, choice)
    )
    work.take(r0=r, before_ir0=CHUNK, ir0=ir, d_r0=r, d_ir0=ir)
    work.take(target=m, mask=m, d_m=m, d_r=r, d_ir=ir, d_p=G, z=choice, d_z=choice)
    return work


# ------------------------------------------------------------------ numba's view of a layout


class LayoutType(types.Opaque):
    """The numba type of a layout: one per size, and per version of the kernels' source text."""

    def __init__(self, M: int, R: int, dtype: str, path: str, build: str) -> None:
        self.layout = layout_for(M, R, dtype, path)
        super().__init__(name=f"Layout({M}, {R}, {dtype}, {path}, {build})")
        self.arguments = (M, R, dtype, path, build)

    def __reduce__(self):
        return LayoutType, self.arguments

    def vector_classes(self) -> dict[str, VectorClass]:
        M, R = self.layout.M, self.layout.R
        kind = types.float32 if self.layout.dtype == np.float32 else types.float64
        if self.layout.path == LANES_PATH:
            lane = VectorClass(kind, LANES // CHUNK, LANES, LANES)
            return {"lane": lane, "block": lane}
        row, line = self.layout.numbers["row"], self.layout.numbers["line"]
        return {
            "row_class": VectorClass(kind, row // CHUNK, M, M),
            "wide_class": VectorClass(kind, padded(M + row) // CHUNK, M + row, M),
            "line_class": VectorClass(kind, line // CHUNK, line, line),
            "ops_class": VectorClass(kind, padded(N) // CHUNK, N, N),
            "regs_class": VectorClass(kind, padded(R) // CHUNK, R, R),
            "block": VectorClass(kind, 2, 2 * CHUNK, 2 * CHUNK),
        }


@cache
def _build() -> str:
    """A fingerprint of the kernels' source: numba's cache looks at one file only, this covers all."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _layout_type(key: tuple[int, int, str, str]) -> LayoutType:
    return LayoutType(*key, _build())


@typeof_impl.register(Layout)
def _typeof_layout(layout: Layout, context) -> LayoutType:
    return _layout_type(layout.key)


register_model(LayoutType)(models.OpaqueModel)


@infer_getattr
class _LayoutAttributes(AttributeTemplate):
    key = LayoutType

    def generic_resolve(self, kind: LayoutType, name: str):  # type: ignore[override]
        if name in kind.layout.numbers:
            return types.int64
        if name in FUNCTIONS:
            return types.Dispatcher(FUNCTIONS[name][kind.layout.path])
        return kind.vector_classes().get(name)


@lower_getattr_generic(LayoutType)
def _lower_attribute(context, builder, kind: LayoutType, value, name: str):
    if name in kind.layout.numbers:
        constant = context.get_constant(types.int64, kind.layout.numbers[name])
        return impl_ret_untracked(context, builder, types.int64, constant)
    return context.get_dummy_value()


@unbox(LayoutType)
def _unbox_layout(kind, value, c) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())

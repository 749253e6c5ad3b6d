"""Every size of the kernels' source: what depends on M, R, the float type and the instruction table.

The source is the same for all; these are its macros, so that loops have constant bounds and records of
memory constant offsets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

import numpy as np

from anc.isa import PAPER, InstructionSet
from anc.machine.weights import parameter_count
from anc.support.diagnostics import AncError
from anc.training.fused.layout import EFFECTS, FAST, Layout, Meanings, layout_for

FILES = ("loops.h", "run.h", "step.h", "whole.h", "update.h", "kernels.h")
LARGEST_GROUP = 512  # threads, and so cells: each has a column of the memory
IN_REGISTERS = 32  # the largest memory whose columns are kept in the registers of threads
FEWER_REGISTERS = (
    128  # of a thread, where teams share a multiprocessor: more of them find room on it
)
MOST_GROUPS = 15  # as many barriers as a block has, but for its own
MOST_THREADS = 512  # of a block: a multiprocessor has 65,536 registers, 128 for each of so many


@dataclass(frozen=True)
class Sizes:
    """The sizes of one module: M cells, R registers, and the float type. Training and evaluation share it."""

    M: int
    R: int
    dtype: str
    group: int  # threads that compute one run, at least one for each cell and each instruction
    inside: bool  # the large records lie with the small ones, nearest to the threads
    room: int  # bytes that a block may take there
    registers: int | None  # that a thread may have at most
    instructions: InstructionSet = PAPER

    @classmethod
    @cache
    def chosen(
        cls, M: int, R: int, dtype: str, room: int, instructions: InstructionSet = PAPER
    ) -> Sizes:
        """What suits this memory, on a card whose blocks have so many bytes of their own."""
        group = 16
        N = len(instructions)
        while group < max(M, N):
            group *= 2
        if group > LARGEST_GROUP:
            raise AncError(
                f"the engine 'gpu' takes memories of up to {LARGEST_GROUP} cells, found {M}",
                help="lower --memory, or use --engine fused",
            )
        small, large, member = _bytes(M, R, N, dtype)
        if member + small > room:
            raise AncError(
                f"a memory of {M} cells with {R} registers needs {(member + small) / 1024:,.0f} KiB"
                f" of a block's shared memory, and this card has {room / 1024:,.0f} KiB",
                help="lower --registers or --memory, or use --engine fused",
            )
        # two blocks at least: one alone would wait more than it computes
        inside = 2 * (member + small + large) <= room
        return cls(M, R, dtype, group, inside, room, None, instructions)

    def shared_by(self, teams: int, runs: int, processors: int) -> Sizes:
        """The same for so many teams with so many runs each: where they share multiprocessors, with fewer registers."""
        crowded = (
            self.group * self.groups(runs) > MOST_THREADS // 2
        )  # 256 registers each would be too many
        return replace(self, registers=FEWER_REGISTERS) if teams > processors or crowded else self

    def groups(self, runs: int) -> int:
        """How many of a member's runs a block computes at once, in as few turns as can be."""
        small, large, member = _bytes(self.M, self.R, self.N, self.dtype)
        each = small + large if self.inside else small
        half = self.room // 2  # so that two blocks fit, if one does
        fit = ((half if member + each <= half else self.room) - member) // each
        most = max(1, min(runs, MOST_GROUPS, MOST_THREADS // self.group, fit))
        turns = -(-runs // most)
        return -(-runs // turns)

    @property
    def columns_inside(self) -> bool:
        """Whether threads keep their columns in registers."""
        return _columns_inside(self.M, self.R)

    @property
    def lines(self) -> int:
        """Where in a pack the logits of the lines begin."""
        return _fours((1 + self.R) * self.M)

    @property
    def pack(self) -> int:
        return _pack(self.M, self.R, self.N)

    @property
    def slot_floats(self) -> int:
        """Numbers that one step of a run is remembered with."""
        return self.M * (self.M + self.R + 4) + self.N + 3 * self.R + 4

    @cached_property
    def rows(self) -> np.ndarray:
        """(rows, 4): of each softmax row its first parameter, length, place in a pack, and step there."""
        M, R, N, wide = self.M, self.R, self.N, _wide(self.M)
        rows = [(i * M, M, i * M, 1) for i in range(1 + R)]
        first = (1 + R) * M
        for length, choice in ((N, 0), (R, N), (R, N + R), (R, N + 2 * R)):
            for j in range(M):
                rows.append((first, length, self.lines + choice * wide + j, wide))
                first += length
        return np.array(rows, np.int32)

    @cached_property
    def places(self) -> np.ndarray:
        """(n,): where in a pack each parameter lies."""
        parts = [np.arange(length, dtype=np.int32) * step + at for _, length, at, step in self.rows]
        return np.concatenate(parts)

    @property
    def N(self) -> int:
        return len(self.instructions)

    @property
    def layout(self) -> Layout:
        return layout_for(self.M, self.R, self.dtype, self.instructions)

    @property
    def meanings(self) -> Meanings:
        """What the instructions without a fast path output."""
        return self.layout.meanings

    @property
    def macros(self) -> dict[str, str | int]:
        numbers = self.layout.numbers
        single = self.dtype == "float32"
        return {
            "REAL": "float" if single else "double",
            "EXP": "expf" if single else "exp",
            "SQRT": "sqrtf" if single else "sqrt",
            "ABS": "fabsf" if single else "fabs",
            "LARGER": "fmaxf" if single else "fmax",
            "M": self.M,
            "R": self.R,
            "N": self.N,
            "PARAMETERS": parameter_count(self.M, self.R, self.N),
            "PACK": self.pack,
            "ROWS": len(self.rows),
            "DERIVED": len(self.meanings.derived),
            "CONSTANTS": numbers["constants"],
            "GROUP": self.group,
            "LEAST": repr(float(np.finfo(self.dtype).min)) + "f" * single,
            "COLUMNS_INSIDE": int(self.columns_inside),
            "UNROLL": 32 if self.M <= 32 else 8,  # more takes long to compile
            "LARGE_INSIDE": int(self.inside),
        } | {name: f"({numbers[name]})" for name in (*FAST, *EFFECTS)}

    @property
    def options(self) -> tuple[str, ...]:
        """What its compiler is told."""
        fewer = () if self.registers is None else (f"--maxrregcount={self.registers}",)
        return ("--std=c++14", *fewer)

    @property
    def source(self) -> str:
        """The whole source for a card, with its sizes."""
        return self.source_with(_text("card.h"))

    def source_with(self, words: str) -> str:
        """The same in other words than those of card.h."""
        head = "".join(f"#define {name} {value}\n" for name, value in self.macros.items())
        return "\n".join([head + words, *map(_text, FILES)])


def _text(name: str) -> str:
    return (resources.files("anc.training.gpu") / "source" / name).read_text()


def _columns_inside(M: int, R: int) -> bool:
    return max(M, R) <= IN_REGISTERS


def _fours(count: int) -> int:
    """So much, or more: numbers are loaded in fours."""
    return -(-count // 4) * 4


def _wide(M: int) -> int:
    """How far rows of M numbers are apart: an odd number of fours, so that lanes meet different banks."""
    return 4 * (-(-M // 4) | 1)


def _pack(M: int, R: int, N: int) -> int:
    """The numbers of a member: start and registers, then a row of all lines for each choice."""
    return _fours((1 + R) * M) + (N + 3 * R) * _wide(M)


def _bytes(M: int, R: int, N: int, dtype: str) -> tuple[int, int, int]:
    """About how large the small and the large records of a run are, and that of a member; never less."""
    choices, wide = N + 3 * R, _wide(M)
    small = 13 * M + 3 * choices + 8 * (max(N, R) + 3) + 100
    large = max(M, 3 * R) * wide + _pack(M, R, N) + 40
    if not _columns_inside(M, R):
        small, large = small + 2 * R * wide, large + 2 * M * wide
    numbers = small, large, _pack(M, R, N) + (1 + R) * M + 80
    small, large, member = (np.dtype(dtype).itemsize * count for count in numbers)
    return small, large, member

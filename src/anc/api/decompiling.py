"""Weights read back: the paper's figures, its three types, and exact programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from anc import limits
from anc.api.arguments import checked
from anc.api.given import checked_cells, checked_each, load_given
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.decompiler.kinds import Reading
    from anc.machine.weights import Weights
    from anc.program import Program


@dataclass(frozen=True)
class Decompiled:
    """Weights, and what they are on some tapes; `reading` is None if no tape was followed."""

    weights: Weights
    tapes: int
    reading: Reading | None

    @cached_property
    def figure(self) -> str:
        """The weights as the paper's figures print them."""
        from anc.decompiler.figure import figure

        return figure(self.weights)

    @property
    def program(self) -> Program:
        """The exact program on the tapes, which there may not be; without tapes, the most likely one."""
        from anc.machine.weights import harden

        if self.reading is None:
            return harden(self.weights)
        if self.reading.program is None:
            kind, reason = self.reading.kind, self.reading.reason
            raise AncError(f"there is no exact program: type {kind}, {reason}")
        return self.reading.program

    def __str__(self) -> str:
        from anc.compiler import to_text

        reading = self.reading
        if reading is None:
            return self.figure
        lines = ", ".join(map(str, reading.lines))
        rows = [
            self.figure,
            f"\non {self.tapes} case{'s' * (self.tapes != 1)}: visits lines {lines}",
            f"type {reading.kind}: {reading.reason}",
            f"confidence of the output: {reading.confidence:.4f}",
            *(f"  soft: {softness}" for softness in reading.softness),
        ]
        if reading.program is not None:
            rows.append("\n" + to_text(reading.program).rstrip("\n"))
        return "\n".join(rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        from anc.compiler import to_text

        reading = self.reading
        is_exact = reading is None or reading.program is not None
        return {
            "memory": self.weights.M,
            "registers": self.weights.R,
            "figure": self.figure,
            "cases": self.tapes,
            "type": reading and reading.kind,
            "reason": reading and reading.reason,
            "lines": reading and list(reading.lines),
            "confidence": reading and reading.confidence,
            "softness": reading and list(reading.softness),
            "program": to_text(self.program) if is_exact else None,
        }


@checked(max_steps=limits.TRACED_STEPS)
def decompile(
    weights: What,
    tapes: Sequence[Sequence[int]] = (),
    memory: int | None = None,
    sharpness: float = limits.SOFT,
    seed: int = 0,
    max_steps: int = 1_000,
) -> Decompiled:
    """Read weights back: printed, the paper's figure; with tapes, their type and the exact program on them.

    A program is softened first, with this sharpness (5 as in `soften`, so that there is something to see)
    and seed.

    >>> import anc
    >>> found = anc.decompile(anc.soften("access", sharpness=12), [[3, 1, 2, 3, 4]])
    >>> found.reading.kind, found.program == anc.load("access")
    (1, True)
    >>> print(found.figure.splitlines()[0])
    R1 = 0 (0.99)
    """
    from anc.machine.tapes import fill

    cells = [checked_cells("a tape of tapes", tape) for tape in checked_each("tapes", tapes)]
    found = load_given(weights, memory).softened(memory, sharpness, seed)
    return decompiled(found, [fill(tape, found.M) for tape in cells], max_steps)


def decompiled(
    weights: Weights, tapes: Sequence[tuple[int, ...]], max_steps: int = 1_000
) -> Decompiled:
    """The same of weights and whole tapes."""
    from anc.decompiler.kinds import read_back

    return Decompiled(weights, len(tapes), read_back(weights, tapes, max_steps) if tapes else None)

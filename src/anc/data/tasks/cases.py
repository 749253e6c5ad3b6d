"""A case: one input tape, its expected tape, and the mask of the cells that count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    input: tuple[int, ...]
    output: tuple[int, ...]
    mask: tuple[bool, ...]

    @property
    def M(self) -> int:
        return len(self.input)

    def is_right(self, tape: tuple[int, ...]) -> bool:
        """Whether a tape agrees with the expected one in every cell that counts."""
        return all(
            found == wanted
            for found, wanted, counts in zip(tape, self.output, self.mask, strict=True)
            if counts
        )

"""Tapes that people write: from text to M cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anc.compiler.names import MAX_MEMORY
from anc.diagnostics import AncError


def parse_tape(text: str) -> tuple[int, ...]:
    """Numbers separated by spaces or commas.

    >>> parse_tape("3 2, 2")
    (3, 2, 2)
    """
    words = re.findall(r"[^\s,]+", text)
    for place, word in enumerate(words):
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise AncError(
                f"cell {place} of the tape is '{word}', expected a number from 0 up",
                help='write a tape as numbers with spaces between them: "3 2 2 9 15"',
            )
    if not words:
        raise AncError("the tape is empty", help='write it as numbers: "3 2 2 9 15"')
    return tuple(map(int, words))


def fill(tape: Sequence[int], M: int | None) -> tuple[int, ...]:
    """The tape as M cells, filled up with zeros; without an M it is as long as it is."""
    M = len(tape) if M is None else M
    if not 1 <= M <= MAX_MEMORY:
        raise AncError(
            f"a memory of {M} cells is not possible", help=f"use a size from 1 to {MAX_MEMORY}"
        )
    if len(tape) > M:
        raise AncError(
            f"the tape has {len(tape)} cells, the memory only {M}",
            help=f"shorten the tape or use a memory of {len(tape)}",
        )
    for place, value in enumerate(tape):
        if not 0 <= value < M:
            raise AncError(
                f"cell {place} of the tape is {value}, but values go from 0 to {M - 1}"
                f" in a memory of {M} cells",
                help=f"use a memory of at least {value + 1}" if value >= 0 else None,
            )
    return tuple(int(value) for value in tape) + (0,) * (M - len(tape))

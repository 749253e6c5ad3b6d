"""Tapes that users write: from text to M cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence, Set
from typing import Any

from anc.support.diagnostics import AncError, quoted
from anc.support.limits import MAX_MEMORY, MEMORY, as_whole, is_listed

_FEW_ZEROS = 4


def parse_tape(text: str) -> tuple[int, ...]:
    """Parse numbers separated by spaces or commas.

    >>> parse_tape("3 2, 2")
    (3, 2, 2)
    """
    words = re.findall(r"[^\s,]+", text)
    for place, word in enumerate(words):
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise AncError(
                f"cell {place} of the tape is {quoted(word)}, expected a number from 0 up",
                help='write a tape as numbers with spaces between them: "3 2 2 9 15"',
            )
    if not words:
        raise AncError("the tape is empty", help='write it as numbers: "3 2 2 9 15"')
    return tuple(map(int, words))


def fill(tape: Sequence[int], M: int | None) -> tuple[int, ...]:
    """Pad the tape with zeros to M cells; without an M it keeps its length."""
    cells = numbers(tape)
    if M is None and not cells:
        raise AncError("the tape is empty, and the program does not say how much memory it needs")
    M = MEMORY.check(len(cells) if M is None else M)
    if len(cells) > M:
        raise AncError(
            f"the tape has {len(cells)} cells, the memory only {M}",
            help=f"shorten the tape or use a memory of {len(cells)}",
        )
    for place, value in enumerate(cells):
        if not 0 <= value < M:
            raise AncError(
                f"cell {place} of the tape is {quoted(value)}, but values go from 0 to {M - 1}"
                f" in a memory of {M} cells",
                help=f"use a memory of at least {value + 1}" if 0 <= value < MAX_MEMORY else None,
            )
    return tuple(cells) + (0,) * (M - len(cells))


def numbers(tape: Any) -> list[int]:
    """The whole numbers of a list, a tuple, an array or similar; nothing is rounded."""
    if isinstance(tape, Mapping | Set) or not is_listed(tape):
        raise AncError(
            f"the tape is {quoted(tape)}, expected a list of whole numbers",
            help="write it as a list: [3, 2, 2, 9, 15]",
        )
    found: list[int] = []
    for place, value in enumerate(tape):
        if place == MAX_MEMORY:
            raise AncError(f"the tape has more than {MAX_MEMORY} cells, the largest memory")
        number = as_whole(value)
        if number is None:
            raise AncError(f"cell {place} of the tape is {quoted(value)}, expected a whole number")
        found.append(number)
    return found


def short_tape(
    cells: Sequence[int] | None, marked: Container[int] = (), mark: Callable[[str], str] = str
) -> str:
    """A tape as text, without a long tail of zeros; `mark` shows the marked cells.

    >>> short_tape([3, 1, 0, 0, 0, 0, 0, 0])
    '3 1 (6 times 0)'
    """
    if not cells:
        return ""
    last = max((i for i, value in enumerate(cells) if value or i in marked), default=0)
    rest = len(cells) - last - 1
    shown = cells[: last + 1] if rest > _FEW_ZEROS else cells
    words = " ".join(mark(str(v)) if i in marked else str(v) for i, v in enumerate(shown))
    return f"{words} ({rest} times 0)" if rest > _FEW_ZEROS else words

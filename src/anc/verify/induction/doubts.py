"""A proof that does not go through says where: tapes that lead there may refute the claim.

The solver knows a state of both programs from which they may go different ways, but not how a run comes
to it. Where a pointer went along a list, a list that is long enough leads to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anc.program import Program
from anc.verify.induction.words import Truth
from anc.verify.verdict import Undecided

_BASES = 3  # tapes that are changed, those with the longest lists
_VALUES = 4  # numbers with which a list is made longer


class Doubt(Undecided):
    """The programs may go different ways under some conditions."""

    def __init__(self, reason: str, conditions: Sequence[Truth]) -> None:
        super().__init__(reason)
        self.conditions = conditions


def suspects(
    cells: Mapping[int, int], tapes: Sequence[tuple[int, ...]], programs: Sequence[Program]
) -> Iterator[tuple[int, ...]]:
    """Tapes with these cells, and lists before the last of them that do not end there."""
    last = max(cells, default=0)
    tapes = list(dict.fromkeys(tapes))
    starts = {p.registers[line.out] or 0 for p in programs for line in p.lines}
    for start in sorted(start for start in starts if start < last):
        near = sorted(tapes, key=lambda tape: tape[start:last].count(0))
        for base in near[:_BASES]:
            for filled in _filled(base, start, last):
                tape = list(filled)
                for cell, value in cells.items():
                    tape[cell] = value
                yield tuple(tape)


def _filled(tape: tuple[int, ...], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """The tape with no 0 between two cells: other numbers of its list instead, or one of them again and again."""
    part = tape[start:end]
    values = [value for value in part if value]
    if not values:
        return
    others = list(dict.fromkeys(values))
    for instead in (values, *([value] for value in others[:: -(-len(others) // _VALUES)])):
        filled = (value or instead[i % len(instead)] for i, value in enumerate(part))
        yield (*tape[:start], *filled, *tape[end:])

"""Which input comes when."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fuzzing.entry import Entry


class Schedule:
    """All inputs in one endless row, each entry as often as its share says.

    >>> Schedule([]).slots
    []
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.slots: list[tuple[Entry, int]] = [
            (entry, number) for entry in entries for number in range(entry.share)
        ]
        Random(0).shuffle(self.slots)

    def at(self, place: int) -> tuple[Entry, int]:
        """The entry at a place of the row, and the number of its input."""
        entry, first = self.slots[place % len(self.slots)]
        return entry, place // len(self.slots) * entry.share + first

"""Memory of a card for the runs of teams: as many as fit, and no more at once than there is memory for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from anc.training.gpu.card import Card, no_room

SHARE = 0.8  # of the free memory that runs may take

_changed = Condition()
_takers = 0  # launches that have memory for runs


@contextmanager
def room_for_teams(
    card: Card, most: int, bytes_each: tuple[int, ...]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """How many teams there is room for, at most so many, and the addresses of what each needs, several arrays.

    Whoever finds no room while others have it waits for them.
    """
    global _takers
    with _changed:
        while (count := _that_fit(card, sum(bytes_each))) == 0:
            if _takers == 0:
                raise no_room("training one member", sum(bytes_each), card.free_bytes())
            _changed.wait()
        teams = min(most, count)
        taken = [card.empty(teams * each) for each in bytes_each]
        _takers += 1
    try:
        yield teams, tuple(map(card.address, taken))
    finally:
        with _changed:
            taken.clear()
            _takers -= 1
            _changed.notify_all()


def _that_fit(card: Card, bytes_each: int) -> int:
    return int(SHARE * card.free_bytes()) // max(1, bytes_each)

"""Work that is done piece by piece, and of which pieces can be given away."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
Part = TypeVar("Part", covariant=True)


class Source(Protocol[Part]):
    """Some work, of which parts can be done elsewhere."""

    def part(self, since: float) -> Part | None:
        """Some of what has waited since then, which is then not done here; None: there is nothing."""


class Queue(Generic[T]):
    """Things that come one by one; the last half of those that wait can be given away."""

    def __init__(self, things: Sequence[T], since: float | None = None) -> None:
        self.waiting = list(things)
        self.since = time.monotonic() if since is None else since

    def __iter__(self) -> Iterator[T]:
        while self.waiting:
            yield self.waiting.pop(0)

    def part(self, since: float) -> Queue[T] | None:
        if not self.waiting or self.since > since:
            return None
        kept = len(self.waiting) // 2
        self.waiting, given = self.waiting[:kept], self.waiting[kept:]
        return Queue(given, self.since)

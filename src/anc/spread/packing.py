"""Parts that are trained side by side: as many as keep a device busy for some seconds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from anc.spread.chunk import Chunk

MEMBERS = 200  # of a chunk


def packed(parts: Iterable[Chunk], workers: int = 1) -> list[Chunk]:
    """Chunks of parts that can be trained side by side, in the order of the parts."""
    groups: dict[tuple, list[Chunk]] = {}
    for part in parts:
        groups.setdefault(part.shape, []).append(part)
    return [chunk for group in groups.values() for chunk in _cut(group, workers)]


def _cut(parts: list[Chunk], workers: int) -> Iterable[Chunk]:
    members = sum(part.S for part in parts)
    count = max(1, round(members / MEMBERS), min(workers, len(parts)))
    bounds = [round(i * len(parts) / count) for i in range(count + 1)]
    for first, end in itertools.pairwise(bounds):
        if end > first:
            yield Chunk.joined(parts[first:end])

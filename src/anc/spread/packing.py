"""Parts that are trained side by side: as many as keep a worker busy for some seconds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from anc.learning.engines import check_memory, has_room
from anc.spread.chunk import BLOCK, Chunk

SECONDS = 10.0  # that a chunk shall take
# parts of a chunk on a core, at least: the fused engine takes eight members side by side
_PAIR = 2
_WIDE = 16_384  # members of a chunk of other engines, at most
_SHARE = 0.6  # of the step limit that soft runs take, about
_STEP, _CELL = (
    3e-8,
    7e-10,
)  # seconds of a soft step and its adjoint, and of each of its M (M + R) cells


def seconds_of(chunk: Chunk) -> float:
    """About how long one core trains a chunk with the fused engine: right within a factor of two or three."""
    shared, M = chunk.members.shared, chunk.problem.M
    R = max(shared.registers, chunk.problem.program.R)
    samples = chunk.S * (chunk.end - chunk.first) * shared.batch
    return samples * shared.max_steps * _SHARE * (_STEP + _CELL * M * (M + R))


def packed(parts: Iterable[Chunk], workers: int = 1, cores: int = 1) -> list[Chunk]:
    """Chunks of parts that can be trained side by side, in their order, for workers with so many cores each."""
    groups: dict[tuple, list[Chunk]] = {}
    for part in parts:
        groups.setdefault(part.shape, []).append(part)
    whole = sum(seconds_of(part) for group in groups.values() for part in group)
    each = min(SECONDS * cores, whole / workers)
    return [chunk for group in groups.values() for chunk in _cut(group, each, cores)]


def _cut(parts: Sequence[Chunk], seconds: float, cores: int) -> Iterator[Chunk]:
    """Chunks of parts of one shape, each of about as much work, as far as there is memory."""
    first = parts[0]
    if first.engine == "fused":
        size = max(round(seconds / max(map(seconds_of, parts))), _PAIR * cores)
    else:
        size = max(1, _WIDE // BLOCK)
    while size > 1 and not _fits(first, size):
        size //= 2
    check_memory(first.problem, first.members, first.engine)
    count = math.ceil(len(parts) / size)
    bounds = [min(i * size, len(parts)) for i in range(count + 1)]
    for begin, end in itertools.pairwise(bounds):
        yield Chunk.joined(parts[begin:end])


def _fits(part: Chunk, size: int) -> bool:
    R = max(part.members.shared.registers, part.problem.program.R)
    return has_room(part.problem.M, R, size * BLOCK, part.members.shared, part.engine)

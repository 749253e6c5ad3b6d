"""Parts that are trained side by side: as many as keep a worker busy for some seconds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from anc.training.distributed.chunk import BLOCK, Chunk
from anc.training.engines import check_memory, has_room

SECONDS = 10.0  # that a chunk shall take
# parts of a chunk on a core, at least: the fused engine takes eight members side by side
_PAIR = 2
_WIDE = 16_384  # members of a chunk of other engines, at most
# how long the fused engine takes, about
_STEP = 3e-8  # seconds of a soft step and its adjoint
_CELL = 7e-10  # ... and of each of its M (M + R) cells
_SHARE = 0.6  # of the step limit that soft runs take
_FORWARDS = 0.3  # of the work of a sample is running it forwards: all that is done to judge


def seconds_of(chunk: Chunk) -> float:
    """About how long one core trains a chunk with the fused engine: right within a factor of a few."""
    shared, problem = chunk.members.shared, chunk.problem
    R = max(shared.registers, problem.program.R)
    step = _STEP + _CELL * problem.M * (problem.M + R)
    each = shared.batch + _FORWARDS * len(problem.validation) / shared.validate_every
    samples = (chunk.end - chunk.first) * each
    samples += _FORWARDS * len(problem.test) if chunk.until is None else 0
    return chunk.S * samples * shared.max_steps * _SHARE * step


def packed(
    parts: Iterable[Chunk], workers: int = 1, cores: int = 1, is_here: bool = True
) -> list[Chunk]:
    """Chunks of parts that can be trained side by side, in their order, for workers with so many cores each.

    Workers that are not here look themselves whether their cards have room.
    """
    groups: dict[tuple, list[Chunk]] = {}
    for part in parts:
        groups.setdefault(part.shape, []).append(part)
    whole = sum(seconds_of(part) for group in groups.values() for part in group)
    each = min(SECONDS * cores, whole / workers)
    return [chunk for group in groups.values() for chunk in _cut(group, each, cores, is_here)]


def _cut(parts: Sequence[Chunk], seconds: float, cores: int, is_here: bool) -> Iterator[Chunk]:
    """Chunks of parts of one shape, each of about as much work, as far as there is memory."""
    first = parts[0]
    if first.engine == "fused":
        size = max(round(seconds / max(map(seconds_of, parts))), _PAIR * cores)
    else:
        size = max(1, _WIDE // BLOCK)
    while size > 1 and not _fits(first, size, is_here):
        size //= 2
    check_memory(first.problem, first.members, first.engine, is_here)
    count = math.ceil(len(parts) / size)
    bounds = [min(i * size, len(parts)) for i in range(count + 1)]
    for begin, end in itertools.pairwise(bounds):
        yield Chunk.joined(parts[begin:end])


def _fits(part: Chunk, size: int, is_here: bool) -> bool:
    R = max(part.members.shared.registers, part.problem.program.R)
    return has_room(part.problem.M, R, size * BLOCK, part.members.shared, part.engine, is_here)

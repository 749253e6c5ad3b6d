"""A chunk: a population of members that is trained in one go, anywhere.

Members do not depend on each other: seed, attempt and iteration decide everything that is random. So
however a population is cut, each member's numbers are the same. The smallest chunks are *parts*: one
setting and up to `BLOCK` seeds, counted from fixed places, so that more seeds or another grid leave the parts
as they are. What is kept is kept by part; several of them are trained side by side.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from anc.training.checkpoint import Checkpoint
from anc.training.engines import check_memory, has_room
from anc.training.engines import engine as find_engine
from anc.training.members import Members, registers_of
from anc.training.problem import Problem
from anc.training.result import Outcome
from anc.training.settings import PER_MEMBER, TrainingSettings
from anc.training.training import Progress, Training, advanced, standing, test

# The number changes when a training's numbers do, or what is kept of them: then all is done again.
FORMAT = 1
BLOCK = 20  # seeds of a part
SECONDS = 10.0  # that a chunk shall take
# parts of a chunk on a core, at least: the fused engine takes eight members side by side
_PAIR = 2
_WIDE = 16_384  # members of a chunk of other engines, at most
# how long the fused engine takes, about
_STEP = 3e-8  # seconds of a soft step and its adjoint
_CELL = 7e-10  # ... and of each of its M (M + R) cells
_SHARE = 0.6  # of the step limit that soft runs take
_FORWARDS = 0.3  # of the work of a sample is running it forwards: all that is done to judge


@dataclass(frozen=True, eq=False)
class Chunk:
    """Members to be trained on a problem: to the end, or `until` an iteration, where they can go on.

    `begin` is where members stand that were trained before; without it they are trained from the
    start. The result is the same, so the key does not know of it.
    """

    problem: Problem
    members: Members
    engine: str = "fused"
    until: int | None = None  # a multiple of `validate_every`
    begin: Checkpoint | None = None

    def __post_init__(self) -> None:
        shared = self.members.shared
        if self.until is not None and not self.until < shared.iterations:
            object.__setattr__(self, "until", None)
        if self.until is not None and (self.until < 1 or self.until % shared.validate_every):
            raise ValueError(f"iteration {self.until} is not one of a validation")
        if self.begin is not None and (
            self.begin.members != self.member_keys or self.begin.iteration > self.end
        ):
            raise ValueError("a chunk cannot begin where other members stand")

    @property
    def S(self) -> int:
        return len(self.members.seeds)

    @property
    def end(self) -> int:
        """The iteration that it is trained to."""
        return self.members.shared.iterations if self.until is None else self.until

    @property
    def first(self) -> int:
        """The iteration that it begins with."""
        return 0 if self.begin is None else self.begin.iteration

    @cached_property
    def key(self) -> str:
        """Names all that the outcome depends on, but for the time that it takes.

        That is the problem (program, instructions, memory, cases), the engine, and each member's settings
        and seed; not how it is packed, how many cores there are, or what anything is called.
        """
        return _digest([FORMAT, self._origin, self.until, self._settings_keys, self.members.seeds])

    @cached_property
    def member_keys(self) -> tuple[str, ...]:
        """Names each member alone, wherever it is trained."""
        pairs = zip(self._settings_keys, self.members.seeds, strict=True)
        return tuple(_digest([self._origin, *pair])[:32] for pair in pairs)

    @property
    def _origin(self) -> list[str]:
        return [self.problem.digest, self.engine]

    @property
    def _settings_keys(self) -> list[str]:
        return [_settings_key(one) for one in self.members.settings]

    def parts(self) -> tuple[Chunk, ...]:
        """The smallest chunks that it can be cut into."""
        settings, seeds = self.members.settings, self.members.seeds
        groups = itertools.groupby(
            range(self.S), lambda i: (settings[i], seeds[i] // BLOCK, seeds[i] - i)
        )
        places = (list(group) for _, group in groups)
        return tuple(self._some(slice(where[0], where[-1] + 1)) for where in places)

    def _some(self, these: slice) -> Chunk:
        members = Members(self.members.settings[these], self.members.seeds[these])
        begin = None if self.begin is None else self.begin.part(these)
        return replace(self, members=members, begin=begin)

    @property
    def shape(self) -> tuple[Any, ...]:
        """What chunks must have in common to be trained side by side."""
        shared = asdict(self.members.shared)
        common = tuple(value for name, value in shared.items() if name not in PER_MEMBER)
        return self.problem.digest, self.engine, self.until, self.first, common

    @staticmethod
    def joined(chunks: Sequence[Chunk]) -> Chunk:
        """The members of several chunks of one shape, side by side."""
        if len({chunk.shape for chunk in chunks}) != 1:
            raise ValueError("these chunks cannot be trained side by side")
        settings = sum((chunk.members.settings for chunk in chunks), ())
        members = Members(settings, sum((chunk.members.seeds for chunk in chunks), ()))
        moments = [chunk.begin for chunk in chunks if chunk.begin is not None]
        begin = Checkpoint.joined(moments) if moments else None
        return replace(chunks[0], members=members, begin=begin)

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        after_part: Callable[[Progress], None] = lambda progress: None,
    ) -> Outcome:
        """Train the members; who asks to stop gets what was found until the next validation."""
        began = time.perf_counter()
        training = Training(self.problem, self.members, find_engine(self.engine))
        if self.begin is not None:
            self.begin.restore(training)
        reason = advanced(training, should_stop, after_part, began, self.until)
        judge = (lambda *how: test(*how).numbers) if self.until is None else standing
        found = judge(training, reason, 0.0)
        moment = None if training.is_done else Checkpoint.of(training, self.member_keys)
        return replace(found, seconds=time.perf_counter() - began, moment=moment)


def portable(problem: Problem) -> Problem:
    """The problem with nothing in it that another machine could not be sent, or has no use for."""
    if problem.function is problem.exact is problem.more is None and not problem.text:
        return problem  # with what it has computed already
    return replace(problem, function=None, exact=None, more=None, text="", note="")


def chunks_of(
    problem: Problem, members: Members, engine: str = "fused", until: int | None = None
) -> tuple[Chunk, ...]:
    """The parts of a whole population."""
    return Chunk(portable(problem), members, engine, until).parts()


def seconds_of(chunk: Chunk) -> float:
    """About how long one core trains a chunk with the fused engine: right within a factor of a few."""
    shared, problem = chunk.members.shared, chunk.problem
    R = registers_of(problem, shared)
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
    shared, R = part.members.shared, registers_of(part.problem, part.members.shared)
    return has_room(part.problem.M, R, size * BLOCK, shared, part.engine, is_here)


@lru_cache(100_000)
def _settings_key(settings: TrainingSettings) -> str:
    return _digest(asdict(settings))


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()

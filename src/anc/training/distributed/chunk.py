"""A chunk: a population of members that one worker trains, on any machine.

Members are independent: seed, attempt and iteration determine everything random. A member's numbers therefore do not
depend on how a population is cut. The smallest chunks are *parts*: one setting and up to `BLOCK` seeds, aligned to
multiples of `BLOCK`, so that more seeds or another grid leave the parts unchanged. Results are saved by part; several
parts are packed into a chunk and trained side by side.
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
from anc.training.result import TrainingOutcome
from anc.training.settings import PER_MEMBER, TrainingSettings
from anc.training.training import Progress, Training, advanced, standing, test

# Increased when a training's numbers or the saved format change: then everything is trained again.
FORMAT = 1
BLOCK = 20  # seeds of a part
SECONDS = 10.0  # intended duration of a chunk
# fewest parts of a chunk per core: the fused engine trains eight members side by side
_PAIR = 2
_WIDE = 16_384  # most members of a chunk of other engines
# approximate times of the fused engine
_STEP = 3e-8  # seconds of a soft step and its adjoint
_CELL = 7e-10  # ... and of each of its M (M + R) cells
_SHARE = 0.6  # mean steps of soft runs, relative to the step limit
_FORWARDS = 0.3  # of a sample's work is the forward run, all that judging needs


@dataclass(frozen=True, eq=False)
class Chunk:
    """Members to train on a problem: to the end, or `until` an iteration at which they can be resumed.

    `begin` is the checkpoint of members that were trained before; without it they start from the beginning. It does not
    change the result, so it is not part of the key.
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
        """The iteration at which training ends."""
        return self.members.shared.iterations if self.until is None else self.until

    @property
    def first(self) -> int:
        """The iteration at which training begins."""
        return 0 if self.begin is None else self.begin.iteration

    @cached_property
    def key(self) -> str:
        """A hash of everything that the outcome depends on, except its time.

        That is the problem (program, instructions, memory, cases), the engine, and each member's settings and
        seed. Packing, the number of cores and names do not enter it.
        """
        return _digest([FORMAT, self._origin, self.until, self._settings_keys, self.members.seeds])

    @cached_property
    def member_keys(self) -> tuple[str, ...]:
        """A key for each member, independent of its chunk."""
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
        """The properties that chunks must share to be trained side by side."""
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
        checkpoints = [chunk.begin for chunk in chunks if chunk.begin is not None]
        begin = Checkpoint.joined(checkpoints) if checkpoints else None
        return replace(chunks[0], members=members, begin=begin)

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        after_part: Callable[[Progress], None] = lambda progress: None,
    ) -> TrainingOutcome:
        """Train the members. A requested stop takes effect at the next validation, with what was found."""
        began = time.perf_counter()
        training = Training(self.problem, self.members, find_engine(self.engine))
        if self.begin is not None:
            self.begin.restore(training)
        reason = advanced(training, should_stop, after_part, began, self.until)
        if self.until is None:
            found = test(training, reason, 0.0).numbers
        else:
            found = standing(training, reason, 0.0)
        checkpoint = None if training.is_done else Checkpoint.of(training, self.member_keys)
        return replace(found, seconds=time.perf_counter() - began, checkpoint=checkpoint)


def portable(problem: Problem) -> Problem:
    """The problem without what cannot be sent to another machine or is not needed there."""
    if problem.function is problem.exact is problem.more is None and not problem.text:
        return problem  # with its cached properties
    return replace(problem, function=None, exact=None, more=None, text="", note="")


def chunks_of(problem: Problem, members: Members, engine: str = "fused") -> tuple[Chunk, ...]:
    """The parts of a whole population."""
    return Chunk(portable(problem), members, engine).parts()


def seconds_of(chunk: Chunk) -> float:
    """The approximate time in which one core trains a chunk with the fused engine, within a small factor."""
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
    """Pack parts that can be trained side by side into chunks, in order, for workers with `cores` cores each.

    Remote workers check the memory of their own GPUs.
    """
    groups: dict[tuple, list[Chunk]] = {}
    for part in parts:
        groups.setdefault(part.shape, []).append(part)
    whole = sum(seconds_of(part) for group in groups.values() for part in group)
    each = min(SECONDS * cores, whole / workers)
    return [chunk for group in groups.values() for chunk in _cut(group, each, cores, is_here)]


def _cut(parts: Sequence[Chunk], seconds: float, cores: int, is_here: bool) -> Iterator[Chunk]:
    """Cut parts of one shape into chunks of about equal work, as far as memory allows."""
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

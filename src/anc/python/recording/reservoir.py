"""Reservoir sampling: a uniform sample of fixed size from an unknown number of calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random


class Reservoir:
    """Decides which calls are sampled, and their place in the sample.

    The first `size` calls are all sampled. After them, the gap to the next sampled call is drawn at
    once (Li's algorithm L), so that the calls in between cost nothing: of n calls, about
    size * (1 + ln(n / size)) are sampled.
    """

    def __init__(self, size: int, random: Random) -> None:
        self.size, self.random = size, random
        self.filled = 0
        self._weight = 1.0

    @property
    def is_full(self) -> bool:
        return self.filled == self.size

    def keep(self, call: int) -> tuple[int, int]:
        """The place of this call, counted from 0, and the number of the next call to sample."""
        if self.filled < self.size:
            place = self.filled
            self.filled += 1
            if self.filled < self.size:
                return place, call + 1
        else:
            place = self.random.randrange(self.size)
        self._weight *= math.exp(self._log() / self.size)
        return place, call + 1 + math.floor(self._log() / math.log1p(-self._weight))

    def _log(self) -> float:
        """The logarithm of a random number in the open interval (0, 1)."""
        return math.log(1.0 - self.random.random()) or -math.ulp(1.0)


MOST = 2**63  # more calls than any program makes


@dataclass(frozen=True)
class Sample:
    """A sample of calls, as lists of arguments, drawn from `seen` calls."""

    calls: tuple[list, ...] = ()
    seen: int = 0


def merged(samples: Sequence[Sample], size: int, random: Random) -> Sample:
    """One uniform sample of all calls that these samples were drawn from.

    Each call is taken from a sample with a probability proportional to the calls left in it.
    """
    seen = [sample.seen for sample in samples]
    total = sum(seen)
    if total <= size:
        return Sample(tuple(call for sample in samples for call in sample.calls), total)
    shuffled = [random.sample(sample.calls, len(sample.calls)) for sample in samples]
    found: list[list] = []
    left = list(seen)
    while len(found) < size and any(left):
        chosen = random.choices(range(len(left)), left)[0]
        left[chosen] -= 1
        if shuffled[chosen]:
            found.append(shuffled[chosen].pop())
        else:  # an exhausted sample
            left[chosen] = 0
    return Sample(tuple(found), total)

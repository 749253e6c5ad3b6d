"""A sample of fixed size from calls of unknown number, each as likely to be in it as any other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random


class Reservoir:
    """Says which calls are kept, and in which place of the sample.

    The first `size` calls are all kept. After them the gap to the next one that is kept is drawn at
    once (Li's algorithm L), so that the calls in between cost nothing: of n calls, about
    size * (1 + ln(n / size)) are looked at.
    """

    def __init__(self, size: int, random: Random) -> None:
        self.size, self.random = size, random
        self.filled = 0
        self._weight = 1.0

    @property
    def is_full(self) -> bool:
        return self.filled == self.size

    def keep(self, call: int) -> tuple[int, int]:
        """The place for this call (they count from 0), and the next call that is wanted."""
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
        """The logarithm of a random number between 0 and 1, both excluded."""
        return math.log(1.0 - self.random.random()) or -math.ulp(1.0)


MOST = 2**63  # no program makes so many calls


@dataclass(frozen=True)
class Sample:
    """Calls, each the list of its arguments, drawn from so many."""

    calls: tuple[list, ...] = ()
    seen: int = 0


def merged(samples: Sequence[Sample], size: int, random: Random) -> Sample:
    """One sample of all calls that these were drawn from.

    Each of its calls comes from a sample with the probability that a call among all that are left
    does.
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
        else:  # a sample that is smaller than this one can be has no more to give
            left[chosen] = 0
    return Sample(tuple(found), total)

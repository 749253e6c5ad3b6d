"""A small set of facts that excludes every tape of a pool (a weighted hitting set, greedily)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from anc.verify.facts import Fact

_LAST = 3.0  # how many times the weight of the most plausible fact the least plausible one has


class Excluding:
    """Facts in order of plausibility, and tapes that some of them must exclude."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = list(facts)
        self.tapes: list[tuple[int, ...]] = []
        self.excluded = [0] * len(self.facts)  # for each fact the tapes, as bits

    def add(self, tape: tuple[int, ...]) -> bool:
        """Add a tape; False: no fact excludes it."""
        bit = 1 << len(self.tapes)
        by = [i for i, fact in enumerate(self.facts) if not fact.holds(tape)]
        if by:
            self.tapes.append(tape)
            for i in by:
                self.excluded[i] |= bit
        return bool(by)

    def weight(self, i: int) -> float:
        return 1.0 + (_LAST - 1.0) * i / max(1, len(self.facts) - 1)

    def choose(self) -> list[Fact]:
        """Few and plausible facts that together exclude all tapes; none of them can be spared."""
        missing = (1 << len(self.tapes)) - 1
        chosen: list[int] = []
        while missing:
            best = max(
                range(len(self.facts)),
                key=lambda i: ((self.excluded[i] & missing).bit_count() / self.weight(i), -i),
            )
            chosen.append(best)
            missing &= ~self.excluded[best]
        for i in sorted(chosen, reverse=True):
            if not self.needed([i], chosen):
                chosen.remove(i)
        while self.improve(chosen):
            pass
        return [self.facts[i] for i in sorted(chosen)]

    def needed(self, some: Sequence[int], chosen: Sequence[int]) -> int:
        """The tapes that only these of the chosen facts exclude."""
        others = 0
        for j in chosen:
            if j not in some:
                others |= self.excluded[j]
        return ((1 << len(self.tapes)) - 1) & ~others

    def improve(self, chosen: list[int]) -> bool:
        """Put one fact in the place of two, or a more plausible one in the place of one."""
        for some in [*combinations(chosen, 2), *((i,) for i in chosen)]:
            tapes = self.needed(some, chosen)
            for i in range(len(self.facts) if len(some) == 2 else some[0]):
                if not tapes & ~self.excluded[i] and i not in chosen:
                    chosen[:] = [*(j for j in chosen if j not in some), i]
                    return True
        return False

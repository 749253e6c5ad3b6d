"""Tapes that satisfy facts: the values that a cell can still have, and whole tapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from anc.verify.clock import Clock
from anc.verify.facts import Fact, Known, cell, compare, conjuncts

NOTHING: Known = {}
_LONGEST = 5.0  # seconds that the solver may look for a tape


class Tapes:
    """The tapes of M cells that satisfy some facts."""

    def __init__(self, facts: Iterable[Fact], M: int) -> None:
        self.M = M
        self.facts = conjuncts(facts)
        self.domains: list[Sequence[int]] = [range(M)] * M
        self.joint: dict[int, list[Fact]] = {}  # of each cell, the facts that speak of others too
        for fact in self.facts:
            if len(fact.cells) == 1:
                (place,) = fact.cells
                self.domains[place] = [v for v in self.domains[place] if fact.holds({place: v})]
            else:
                for place in fact.cells:
                    self.joint.setdefault(place, []).append(fact)
        self.never = any(not f.cells and not f.holds({}) for f in self.facts)

    def values(self, place: int, known: Known) -> Sequence[int]:
        """All values that the cell can have beside the known ones, and perhaps a few more."""
        facts = self.joint.get(place)
        if not facts:
            return self.domains[place]
        trial = dict(known)
        kept = []
        for value in self.domains[place]:
            trial[place] = value
            if all(fact.judge(trial, self.M) is not False for fact in facts):
                kept.append(value)
        return kept

    def draw(
        self, random: Random, known: Known = NOTHING, tries: int = 5
    ) -> tuple[int, ...] | None:
        """A random tape with the known cells; None when none was found (there may be some)."""
        for _ in range(0 if self.never else tries):
            tape = self._attempt(random, dict(known))
            if tape is not None and all(fact.holds(tape) for fact in self.facts):
                return tape
        return None

    def _attempt(self, random: Random, cells: dict[int, int]) -> tuple[int, ...] | None:
        order = [place for place in range(self.M) if place not in cells]
        random.shuffle(order)
        order.sort(key=lambda place: len(self.domains[place]))
        for place in order:
            choices = self.values(place, cells)
            if not choices:
                return None
            cells[place] = random.choice(choices)
        return tuple(cells[place] for place in range(self.M))

    def find(self, random: Random, clock: Clock, known: Known = NOTHING) -> tuple[int, ...] | None:
        """A tape with the known cells; None when there is certainly none; Undecided in between."""
        if self.never:
            return None
        tape = self.draw(random, known, tries=3)
        if tape is not None:
            return tape
        from anc.verify.solver import PathCondition

        given = [compare(cell(c), "==", v) for c, v in known.items()]
        possible = PathCondition(self.M, [*given, *self.facts], Clock(min(clock.left, _LONGEST)))
        return possible.tape() if possible.allows() else None

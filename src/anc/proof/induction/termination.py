"""Termination within the claim's steps, by bounds on the lengths of runs.

If the adapted program takes no more steps than the generic one, or only a few more on short runs, it stops
in time whenever the generic one does. Otherwise, and for the generic program itself, a ranking function
bounds the runs: a register that only rises (or only falls) on the transitions of a loop. Transitions on
which it strictly rises are taken at most as often as it has values. The rest of the loop is treated alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from anc.compiler.dataflow import fixpoint
from anc.proof.induction.cutpoints import Lines, Place
from anc.proof.induction.invariant_templates import Bound
from anc.proof.induction.running import ADAPTED, GENERIC
from anc.proof.semantics import negated
from anc.proof.verdict import Undecided

if TYPE_CHECKING:
    from anc.proof.induction.proof import Induction
    from anc.proof.induction.transitions import Way

END = (-1, -1)
Key = Lines | None


def check_steps(proof: Induction) -> None:
    """Raise Undecided unless both programs stop within the claim's steps (or the generic one does not)."""
    ways, limit = proof.ways(), proof.claim.max_steps
    programs = [] if proof.claim.partial else [GENERIC]
    if not _is_in_time(ways, limit):
        programs.append(ADAPTED)
    for program in programs:
        if _Longest(proof, program).of(ways) > limit:
            raise Undecided(f"the {program} program may take more than {limit:,} steps")


def _is_in_time(ways: Collection[Way], limit: int) -> bool:
    """Whether the adapted program stops within the limit if the generic one does.

    It does if it never takes more steps. If it may take a few more, it must take fewer on every cycle: a run
    of the generic program that comes close to the limit has enough cycles.
    """
    more = _lead(ways, 1, 0)
    if more is None or more <= 0:
        return more is not None
    places = len({way.source for way in ways})
    if _lead(ways, places + 1, 1) is None:
        return False  # on some cycle it takes as many steps
    least_ways = (limit - more) // max(way.generic.steps for way in ways)
    return more <= (least_ways - places) // places


def _lead(ways: Collection[Way], times: int, plus: int) -> int | None:
    """The largest difference in steps, adapted minus generic; None if it grows on some cycle.

    Each difference is multiplied by `times`, plus a constant.
    """
    lead: dict[Key, int] = {None: 0}
    for _ in range(len(ways) + 2):
        changed = False
        for way in ways:
            if way.source in lead:
                target = way.target or END
                more = times * (way.adapted.steps - way.generic.steps) + plus
                if lead[way.source] + more > lead.get(target, lead[way.source] + more - 1):
                    lead[target], changed = lead[way.source] + more, True
        if not changed:
            return lead.get(END, 0)
    return None


class _Longest:
    """The most steps of one of the programs."""

    def __init__(self, proof: Induction, program: str) -> None:
        self.proof, self.program = proof, program

    def steps(self, way: Way) -> int:
        return (way.generic if self.program == GENERIC else way.adapted).steps

    def of(self, ways: Collection[Way]) -> int:
        """The most steps along any path of these transitions."""
        keys = dict.fromkeys((*(way.source for way in ways), *(way.target or END for way in ways)))
        loops = _loops(keys, ways)
        inside: dict[int, list[Way]] = {}
        between: list[Way] = []
        for way in ways:
            loop = loops[way.source]
            if loop == loops[way.target or END]:
                inside.setdefault(loop, []).append(way)
            else:
                between.append(way)
        steps = {loop: self._inside(inside.get(loop, [])) for loop in dict.fromkeys(loops.values())}
        most = dict(steps)  # steps up to the end of each loop
        for _ in steps:
            for way in between:
                source, target = loops[way.source], loops[way.target or END]
                most[target] = max(most[target], most[source] + self.steps(way) + steps[target])
        return max(most.values(), default=0)

    def _inside(self, ways: list[Way]) -> int:
        """The most steps along any path inside one strongly connected component."""
        if not ways:
            return 0
        places = [self.proof.places[key] for key in dict.fromkeys(way.source for way in ways)]
        for register in sorted(set.intersection(*(set(place.registers) for place in places))):
            for rises in (True, False):
                strict = self._moves(ways, register, rises)
                if strict:
                    low, high = self._range(register, places)
                    rest = self.of(
                        [way for way in ways if all(way is not other for other in strict)]
                    )
                    times = high - low
                    return times * max(map(self.steps, strict)) + (times + 1) * rest
        raise Undecided(f"the {self.program} program may not stop")

    def _range(self, register: int, places: list[Place]) -> tuple[int, int]:
        """The least and the largest value of a register at some cut points."""
        lows, highs = [], []
        for place in places:
            known = [r for r in place.relations if isinstance(r, Bound) and r.of == register]
            lows.append(max((r.limit for r in known if not r.upper), default=0))
            highs.append(min((r.limit for r in known if r.upper), default=self.proof.claim.M - 1))
        return min(lows), max(highs)

    def _moves(self, ways: list[Way], register: int, rises: bool) -> list[Way]:
        """The transitions on which a register strictly rises; none if it may fall on any of them."""
        strict = []
        for way in ways:
            found = self.proof.explored[way.source]
            words = self.proof.words
            low, high = (
                found.registers[register],
                found.after(way.generic, way.adapted)[register],
            )
            if not rises:
                low, high = high, low
            conditions = list(way.adapted.conditions)
            if found.model([*conditions, words.at_most(high, low)]) is None:
                strict.append(way)
            elif found.model([*conditions, negated(words.at_most(low, high))]) is not None:
                return []
        return strict


def _loops(keys: Iterable[Key], ways: Collection[Way]) -> dict[Key, int]:
    """The strongly connected component of each cut point, as a number."""

    def backwards(key: Key, found: frozenset[Key]) -> Iterator[tuple[Key, frozenset[Key]]]:
        return ((way.source, found) for way in ways if (way.target or END) == key)

    reached = fixpoint({key: frozenset([key]) for key in keys}, backwards, frozenset.union)
    return {
        key: next(i for i, (k, other) in enumerate(reached.items()) if k in found and key in other)
        for key, found in reached.items()
    }

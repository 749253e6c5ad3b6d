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
from anc.proof.induction.cutpoints import CutPoint, Lines
from anc.proof.induction.invariant_templates import Bound
from anc.proof.induction.running import ADAPTED, GENERIC
from anc.proof.semantics import negated
from anc.proof.verdict import Undecided

if TYPE_CHECKING:
    from anc.proof.induction.proof import Induction
    from anc.proof.induction.transitions import Transition

END = (-1, -1)
Key = Lines | None


def check_steps(proof: Induction) -> None:
    """Raise Undecided unless both programs stop within the claim's steps (or the generic one does not)."""
    edges, limit = proof.edges(), proof.claim.max_steps
    programs = [] if proof.claim.partial else [GENERIC]
    is_slack = proof.claim.partial and _is_at_most_twice(edges, proof.claim.adapted.L)
    if not is_slack and not _is_in_time(edges, limit):
        programs.append(ADAPTED)
    for program in programs:
        if _Longest(proof, program).of(edges) > limit:
            raise Undecided(f"the {program} program may take more than {limit:,} steps")


def _is_at_most_twice(edges: Collection[Transition], more: int) -> bool:
    """Whether the adapted program takes at most twice the generic program's steps, and a few more.

    This is the slack of a partial claim.
    """
    lead = _lead(edges, 1, 0, ratio=2)
    return lead is not None and lead <= more


def _is_in_time(edges: Collection[Transition], limit: int) -> bool:
    """Whether the adapted program stops within the limit if the generic one does.

    It does if it never takes more steps. If it may take a few more, it must take fewer on every cycle: a run
    of the generic program that comes close to the limit has enough cycles.
    """
    more = _lead(edges, 1, 0)
    if more is None or more <= 0:
        return more is not None
    points = len({edge.source for edge in edges})
    if _lead(edges, points + 1, 1) is None:
        return False  # on some cycle it takes as many steps
    fewest = (limit - more) // max(edge.generic.steps for edge in edges)
    return more <= (fewest - points) // points


def _lead(edges: Collection[Transition], times: int, plus: int, ratio: int = 1) -> int | None:
    """The largest difference in steps, adapted minus generic; None if it grows on some cycle.

    The generic program's steps count `ratio` times. Each difference is multiplied by `times`, plus a constant.
    """
    lead: dict[Key, int] = {None: 0}
    for _ in range(len(edges) + 2):
        changed = False
        for edge in edges:
            if edge.source in lead:
                target = edge.target or END
                more = times * (edge.adapted.steps - ratio * edge.generic.steps) + plus
                if lead[edge.source] + more > lead.get(target, lead[edge.source] + more - 1):
                    lead[target], changed = lead[edge.source] + more, True
        if not changed:
            return lead.get(END, 0)
    return None


class _Longest:
    """The most steps of one of the programs."""

    def __init__(self, proof: Induction, program: str) -> None:
        self.proof, self.program = proof, program

    def steps(self, edge: Transition) -> int:
        return (edge.generic if self.program == GENERIC else edge.adapted).steps

    def of(self, edges: Collection[Transition]) -> int:
        """The most steps along any path of these transitions."""
        keys = dict.fromkeys(
            (*(edge.source for edge in edges), *(edge.target or END for edge in edges))
        )
        loops = _loops(keys, edges)
        inside: dict[int, list[Transition]] = {}
        between: list[Transition] = []
        for edge in edges:
            loop = loops[edge.source]
            if loop == loops[edge.target or END]:
                inside.setdefault(loop, []).append(edge)
            else:
                between.append(edge)
        steps = {loop: self._inside(inside.get(loop, [])) for loop in dict.fromkeys(loops.values())}
        most = dict(steps)  # steps up to the end of each loop
        for _ in steps:
            for edge in between:
                source, target = loops[edge.source], loops[edge.target or END]
                most[target] = max(most[target], most[source] + self.steps(edge) + steps[target])
        return max(most.values(), default=0)

    def _inside(self, edges: list[Transition]) -> int:
        """The most steps along any path inside one strongly connected component."""
        if not edges:
            return 0
        points = [self.proof.points[key] for key in dict.fromkeys(edge.source for edge in edges)]
        for register in sorted(set.intersection(*(set(point.registers) for point in points))):
            for rises in (True, False):
                strict = self._moves(edges, register, rises)
                if strict:
                    low, high = self._range(register, points)
                    rest = self.of(
                        [edge for edge in edges if all(edge is not other for other in strict)]
                    )
                    times = high - low
                    return times * max(map(self.steps, strict)) + (times + 1) * rest
        raise Undecided(f"the {self.program} program may not stop")

    def _range(self, register: int, points: list[CutPoint]) -> tuple[int, int]:
        """The least and the largest value of a register at some cut points."""
        lows, highs = [], []
        for point in points:
            known = [r for r in point.relations if isinstance(r, Bound) and r.of == register]
            lows.append(max((r.limit for r in known if not r.upper), default=0))
            highs.append(min((r.limit for r in known if r.upper), default=self.proof.claim.M - 1))
        return min(lows), max(highs)

    def _moves(self, edges: list[Transition], register: int, rises: bool) -> list[Transition]:
        """The transitions on which a register strictly rises; none if it may fall on any of them."""
        strict = []
        for edge in edges:
            found = self.proof.explored[edge.source]
            words = self.proof.words
            low, high = (
                found.registers[register],
                found.after(edge.generic, edge.adapted)[register],
            )
            if not rises:
                low, high = high, low
            conditions = list(edge.adapted.conditions)
            if found.model([*conditions, words.at_most(high, low)]) is None:
                strict.append(edge)
            elif found.model([*conditions, negated(words.at_most(low, high))]) is not None:
                return []
        return strict


def _loops(keys: Iterable[Key], edges: Collection[Transition]) -> dict[Key, int]:
    """The strongly connected component of each cut point, as a number."""

    def backwards(key: Key, found: frozenset[Key]) -> Iterator[tuple[Key, frozenset[Key]]]:
        return ((edge.source, found) for edge in edges if (edge.target or END) == key)

    reached = fixpoint({key: frozenset([key]) for key in keys}, backwards, frozenset.union)
    return {
        key: next(i for i, (k, other) in enumerate(reached.items()) if k in found and key in other)
        for key, found in reached.items()
    }

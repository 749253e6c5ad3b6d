"""Presolving of facts: equalities between cells, and the domain of each cell.

``tape[4] == tape[3] + 2`` ties two cells, so that only one of them (the *root*) is free. A fact about a
single root restricts its domain. What remains are the joint facts, over several roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from anc.proof.facts import Comparison, Count, Fact, Implies, Or, Steps, Stepwise, Sum, conjuncts

_SMALL = 4_096  # cells of a memory of which many sets of values are remembered


class Inputs:
    """Presolved facts about tapes of M cells; `never` means that they are unsatisfiable."""

    def __init__(self, facts: Iterable[Fact], M: int) -> None:
        self.M = M
        self.facts = conjuncts(facts, pairs=False)
        self.root = list(range(M))
        self.offset = [0] * M  # tape[c] == tape[root[c]] + offset[c], in plain integers
        self.never = False
        self._cells: dict[int, np.ndarray] = {}  # the domains of restricted roots
        self._everything = np.ones(M, np.bool_)
        self._everything.flags.writeable = False  # all other cells share it
        self.members: dict[int, list[int]] = {}  # the cells that are tied to each root
        self._tie()
        self.joint: list[Fact] = []
        self._restrict([fact for fact in self.facts if _tied(fact) is None])

    @staticmethod
    def spoken_of(fact: Fact, M: int) -> Iterable[int]:
        """The cells on which a fact may depend: all of them if it reads computed cells."""
        return range(M) if fact.pointers else fact.cells

    def roots(self, fact: Fact) -> frozenset[int]:
        """The non-constant roots on which a fact may depend."""
        found = {self.root[cell] for cell in self.spoken_of(fact, self.M)}
        return frozenset(root for root in found if self.constant(root) is None)

    def domain(self, cell: int) -> np.ndarray:
        """The domain of a cell, as M truth values."""
        root, offset = self.root[cell], self.offset[cell]
        domain = self._cells.get(root)
        if domain is None:
            return self._everything
        return np.roll(domain, offset) if offset else domain

    def narrowed(self) -> list[int]:
        """The cells with a restricted domain."""
        return [cell for root in self._cells for cell in self.members.get(root, [root])]

    def tied_to(self, cell: int) -> list[tuple[int, int]]:
        """The cells tied to this one: (other, more) with tape[cell] == tape[other] + more."""
        others = self.members.get(self.root[cell], ()) if self.members else ()
        return [(c, self.offset[cell] - self.offset[c]) for c in others if c != cell]

    def constant(self, root: int) -> int | None:
        """The value of a root, if it has only one."""
        domain = self._cells.get(root)
        if domain is None:
            return 0 if self.M == 1 else None
        return int(domain.argmax()) if np.count_nonzero(domain) == 1 else None

    def _tie(self) -> None:
        members = self.members
        for fact in self.facts:
            tied = _tied(fact)
            if tied is None:
                continue
            a, b, more = tied  # tape[a] == tape[b] + more
            root_a, root_b = self.root[a], self.root[b]
            shift = self.offset[b] + more - self.offset[a]  # tape[root_a] == tape[root_b] + shift
            if root_a == root_b:
                self.never |= shift != 0
                continue
            moved = members.pop(root_a, [root_a])
            for cell in moved:
                self.root[cell] = root_b
                self.offset[cell] += shift
            members.setdefault(root_b, [root_b]).extend(moved)
        for root, cells in members.items():
            low = max(-self.offset[cell] for cell in cells)
            high = min(self.M - 1 - self.offset[cell] for cell in cells)
            values = np.arange(self.M)
            self._set(root, (values >= low) & (values <= high))

    def _set(self, root: int, allowed: np.ndarray) -> None:
        before = self._cells.get(root)
        found = _shared((allowed if before is None else before & allowed).tobytes())
        self._cells[root] = found
        self.never |= not found.any()

    def _restrict(self, facts: list[Fact]) -> None:
        """Propagate: turn facts about a single root into domains until nothing changes."""
        waiting = facts
        while True:
            self.joint = []
            changed = False
            for fact in waiting:
                if self.never:
                    return
                roots = self.roots(fact)
                if len(roots) > 1 and (parts := self._parts(fact)) is not None:
                    self.joint += parts
                    changed = True
                    continue
                if len(roots) > 1 or fact.pointers:
                    self.joint.append(fact)
                    continue
                changed = True
                if len(roots) == 0:
                    self.never |= not fact.holds(self._known(fact))
                elif len(fact.cells) == 1:
                    ((cell,), (root,)) = fact.cells, roots
                    self._set(root, np.roll(allowed(fact, cell, self.M), -self.offset[cell]))
                else:
                    self._filter(fact, *roots)
            waiting = self.joint
            if not changed:
                return

    def _parts(self, fact: Fact) -> list[Fact] | None:
        """Simplify a fact of which a part is decided by the domains; None if nothing is."""
        if isinstance(fact, Implies):
            premise, conclusion = fact.parts
            if (settled := self._settled(premise)) is not None:
                return conjuncts([conclusion], pairs=False) if settled else []
            if (settled := self._settled(conclusion)) is not None:
                return [] if settled else conjuncts([premise.negated()], pairs=False)
            return None
        if isinstance(fact, Or):
            return self._disjuncts(fact)
        if isinstance(fact, Count):
            found = fact.consequences(self._settled)
            return None if found is None else conjuncts(found, pairs=False)
        if not isinstance(fact, Stepwise):
            return None
        found = []
        steps = fact.steps
        while steps and (settled := self._settled(steps[0][0])) is not None:
            if not settled:
                return conjuncts(found, pairs=False)
            found.append(steps[0][1])
            steps = steps[1:]
        if not found:
            self._begin(*steps[0])
            return None
        rest: list[Fact] = [Steps(steps)] if steps else []
        return [*conjuncts(found, pairs=False), *rest]

    def _begin(self, condition: Fact, then: Fact) -> None:
        """Restrict the domain by the first step of a list, if that is about one cell."""
        cells = condition.cells | then.cells
        if len(cells) == 1 and not (condition.pointers or then.pointers):
            (cell,) = cells
            possible = allowed(Implies((condition, then)), cell, self.M)
            self._set(self.root[cell], np.roll(possible, -self.offset[cell]))

    def _disjuncts(self, fact: Or) -> list[Fact] | None:
        """Drop the disjuncts that never hold; None if there are none."""
        settled = [self._settled(part) for part in fact.parts]
        if True in settled:
            return []
        left = [part for part, s in zip(fact.parts, settled, strict=True) if s is None]
        if len(left) == len(settled):
            return None
        self.never |= not left
        return conjuncts([Or(tuple(left))] if len(left) > 1 else left, pairs=False)

    def _settled(self, fact: Fact) -> bool | None:
        """Whether a fact about one cell holds, if its domain decides that."""
        if fact.pointers or len(fact.cells) > 1:
            return None
        (cell,) = fact.cells or (0,)
        truths = allowed(fact, cell, self.M)[self.domain(cell)]
        return bool(truths[0]) if len(truths) and (truths == truths[0]).all() else None

    def _known(self, fact: Fact) -> dict[int, int]:
        found = {}
        for cell in fact.cells:
            constant = self.constant(self.root[cell])
            if constant is not None:
                found[cell] = constant + self.offset[cell]
        return found

    def _filter(self, fact: Fact, root: int) -> None:
        """Restrict a root to the values for which a fact holds that depends on no other root."""
        values = np.flatnonzero(self.domain(root))
        known: dict[int, Any] = dict(self._known(fact))
        for cell in fact.cells:
            if self.root[cell] == root:
                known[cell] = values + self.offset[cell]
        allowed = np.zeros(self.M, np.bool_)
        allowed[values] = fact.truth(known, self.M)[1]
        self._set(root, allowed)

    def completed(self, roots: Mapping[int, int]) -> tuple[int, ...]:
        """The tape with these values of the roots."""
        return tuple(roots[r] + more for r, more in zip(self.root, self.offset, strict=True))


def allowed(fact: Fact, cell: int, M: int) -> np.ndarray:
    """The values of its only cell for which a fact holds, as M truth values."""
    return (_allowed if M <= _SMALL else _allowed_of_many)(fact, cell, M)


def _holding(fact: Fact, cell: int, M: int) -> np.ndarray:
    values = np.arange(M)[:, None]
    return fact.truths(np.broadcast_to(values, (M, cell + 1)))  # other cells do not matter


@lru_cache(maxsize=1_000)
def _shared(values: bytes) -> np.ndarray:
    """A set of values; many cells have the same."""
    return np.frombuffer(values, np.bool_)


_allowed = lru_cache(maxsize=20_000)(_holding)
_allowed_of_many = lru_cache(maxsize=1_000)(_holding)


def _tied(fact: Fact) -> tuple[int, int, int] | None:
    """(a, b, more) if the fact says that tape[a] == tape[b] + more."""
    match fact:
        case Comparison(Sum() as left, (("==", Sum() as right),)):
            total: dict[int, int] = {}
            for sign, side in ((1, left), (-1, right)):
                for times, cell in side.cells:
                    if not isinstance(cell, int):
                        return None
                    total[cell] = total.get(cell, 0) + sign * times
            signs = sorted((times, cell) for cell, times in total.items() if times)
            if [times for times, _ in signs] == [-1, 1]:
                return signs[1][1], signs[0][1], right.constant - left.constant
    return None

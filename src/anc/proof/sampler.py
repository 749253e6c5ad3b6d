"""Sampling of tapes that satisfy facts, one by one or in batches, and the values that a cell can still have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from random import Random

import numpy as np

from anc.proof.facts import Fact, Known, OfList, cell, compare, numbers_in
from anc.proof.presolve import Inputs
from anc.support.clock import ENDLESS, Clock

NOTHING: Known = {}
_SAMPLE = 20  # cost of sampling a component, in evaluations ...
_OF_CELL = 4  # ... and per cell of joint facts
_LONGEST = 5.0  # seconds for the solver to find a tape
_DRAWN = 300  # samples of a component from which batches are made
_TRIES = 3  # attempts for each sample
_PECULIAR = 0.3  # share of samples that prefer constants of the facts ...
_SPECIAL = 0.2  # ... in this share of their cells
_CHUNK = 4096  # batch size of rejection sampling ...
_CELLS = 1 << 24  # ... and cells of all tapes in it
_LARGE = 4_096  # cells of a memory beyond which free cells are drawn all at once
_OFTEN = 0.01  # acceptance rate from which on rejection sampling is used


class Tapes:
    """The tapes of M cells that satisfy some facts.

    Only cells in joint facts need a search; all others are drawn from their domains.
    """

    def __init__(self, facts: Iterable[Fact], M: int) -> None:
        self.M = M
        self.inputs = inputs = Inputs(facts, M)
        self.never = inputs.never
        everything = range(M)
        self.domains: list[np.ndarray] = [np.arange(M)] * M
        self.joint: dict[int, list[Fact]] = {}  # the joint facts about each cell
        self._involved = set[int]()  # cells that depend on others
        if self.never:
            return
        for place in inputs.narrowed():
            self.domains[place] = np.flatnonzero(inputs.domain(place))
        self.addresses: set[int] = set()  # cells that determine addresses
        for fact in inputs.joint:
            for place in inputs.spoken_of(fact, M):
                self.joint.setdefault(place, []).append(fact)
            for pointer in fact.pointers:
                self.addresses |= pointer.address.read
        self._involved |= {*self.joint, *(c for tied in inputs.members.values() for c in tied)}
        self._parts = self._components()
        bound = {root for part in self._parts for root in part.roots}
        self._free = [r for r in everything if inputs.root[r] == r and r not in bound]

    def values(self, place: int, known: Known) -> np.ndarray:
        """The values of a cell that are consistent with the known cells; an over-approximation."""
        kept = self.domains[place]
        if place not in self._involved:
            return kept
        for other, more in self.inputs.tied_to(place):
            if other in known:
                kept = kept[kept == known[other] + more]
        for fact in self.joint.get(place, ()):
            kept = fact.left_for(place, kept, known, self.M)
        return kept

    @property
    def effort(self) -> float:
        """The cost of drawing a tape, in evaluations."""
        return _OF_CELL * len(self._involved)

    def draw(
        self, random: Random, known: Known = NOTHING, tries: int = 5
    ) -> tuple[int, ...] | None:
        """A random tape with the known cells; None if none was found (there may be some)."""
        if self.never or any(value not in self.domains[p] for p, value in known.items()):
            return None
        root, offset = self.inputs.root, self.inputs.offset
        roots = {root[place]: value - offset[place] for place, value in known.items()}
        if any(roots[root[place]] != value - offset[place] for place, value in known.items()):
            return None
        for part in self._parts:
            values = part.draw(random, known, tries)
            if values is None:
                return None
            roots |= zip(part.roots, values, strict=True)
        if self.M > _LARGE:
            roots = self._drawn(random) | roots
        for free in self._free:
            if free not in roots:
                roots[free] = int(random.choice(self.domains[free]))
        return self.inputs.completed(roots)

    def _drawn(self, random: Random) -> dict[int, int]:
        """Values of the free cells whose domain has all values."""
        values = np.random.default_rng(random.getrandbits(64)).integers(0, self.M, self.M).tolist()
        narrowed = set(self.inputs.narrowed())
        return {free: values[free] for free in self._free if free not in narrowed}

    def many(self, random: Random, count: int, clock: Clock = ENDLESS) -> np.ndarray:
        """Random tapes (count, M); none when none were found (there may be some)."""
        if self.never:
            return np.zeros((0, self.M), np.uint16)
        inputs, M = self.inputs, self.M
        generator = np.random.default_rng(random.getrandbits(64))
        cells = generator.integers(0, M, (M, count), np.uint16)
        free = set(self._free)
        for root in free.intersection(inputs.narrowed()):
            values = self.domains[root].astype(np.uint16)
            cells[root] = values[generator.integers(0, len(values), count)]
        for part in self._parts:
            rows = part.many(random, generator, count, clock)
            if not len(rows):
                return np.zeros((0, M), np.uint16)
            cells[part.roots] = rows[generator.integers(0, len(rows), count)].T
        for root, tied in inputs.members.items():
            for place in tied:
                if place != root:
                    cells[place] = cells[root].astype(np.int64) + inputs.offset[place]
        return np.ascontiguousarray(cells.T)

    def _components(self) -> list[_Component]:
        """The joint facts as connected components, which have no cell in common."""
        groups: list[tuple[set[int], list[Fact]]] = []
        for fact in self.inputs.joint:
            roots = {self.inputs.root[place] for place in self.inputs.spoken_of(fact, self.M)}
            facts = [fact]
            for group in [group for group in groups if group[0] & roots]:
                groups.remove(group)
                roots |= group[0]
                facts += group[1]
            groups.append((roots, facts))
        return [_Component(self, sorted(roots), facts) for roots, facts in groups]

    def find(self, random: Random, clock: Clock, known: Known = NOTHING) -> tuple[int, ...] | None:
        """A tape with the known cells; None if there is none; raises Undecided if that is unknown."""
        if self.never:
            return None
        tape = self.draw(random, known, tries=3)
        if tape is not None:
            return tape
        given = [compare(cell(c), "==", v) for c, v in known.items()]
        inputs = Inputs([*given, *self.inputs.facts], self.M)
        if inputs.never:
            return None
        from anc.proof.smt_queries import find_tape

        return find_tape(inputs, clock.part(min(clock.left, _LONGEST)))


class _Component:
    """A connected component of joint facts, with the roots of its cells."""

    def __init__(self, tapes: Tapes, roots: list[int], facts: list[Fact]) -> None:
        self.tapes, self.roots, self.facts = tapes, roots, facts
        root = tapes.inputs.root
        self.cells = [place for place in tapes.joint if root[place] in set(roots)]

    def order(self, random: Random) -> list[int]:
        """The order in which cells are assigned.

        Addresses first; then breadth-first from a cell with a small domain along shared facts. With lists,
        half of the time in ascending order, because otherwise long lists would be rare.
        """
        if self.has_lists and random.random() < 0.5:
            addresses = self.tapes.addresses
            return sorted(self.cells, key=lambda place: (place not in addresses, place))
        left = {place: len(self.tapes.domains[place]) for place in self.cells}
        found: list[int] = []
        near: list[int] = sorted(self.tapes.addresses & left.keys())
        while left:
            if near:
                waiting, near = near, []
            else:
                fewest = min(left.values())
                waiting = [random.choice([p for p, size in left.items() if size == fewest])]
            for place in waiting:
                del left[place]
            while waiting:
                place = waiting.pop(random.randrange(len(waiting)))
                found.append(place)
                beside = [c for c in self.neighbours[place] if c in left]
                waiting += beside
                for other in beside:
                    del left[other]
        return found

    @cached_property
    def has_lists(self) -> bool:
        return any(isinstance(fact, OfList) for fact in self.facts)

    @cached_property
    def neighbours(self) -> dict[int, list[int]]:
        """For each cell, its neighbours: the cells of the same facts."""
        found: dict[int, set[int]] = {place: set() for place in self.cells}
        for fact in self.facts:
            cells = fact.cells & found.keys()
            for place in cells:
                found[place] |= cells
        return {place: sorted(others - {place}) for place, others in found.items()}

    def draw(self, random: Random, known: Known, tries: int) -> list[int] | None:
        """Values of the roots that satisfy the facts with these known cells; None if none were found."""
        inputs = self.tapes.inputs
        for number in range(tries):
            special = number == 0 and random.random() < _PECULIAR
            cells = dict(known)
            for place in self.order(random):
                if place in cells:
                    continue
                choices = self.tapes.values(place, cells)
                if not len(choices):
                    break
                if special and random.random() < _SPECIAL:  # sentinels and counted values
                    among = choices[np.isin(choices, self.special[place])]
                    choices = among if len(among) else choices
                cells[place] = int(random.choice(choices))
            else:
                if all(fact.holds(cells) for fact in self.facts):
                    values = {inputs.root[p]: cells[p] - inputs.offset[p] for p in self.cells}
                    return [values[root] for root in self.roots]
        return None

    @cached_property
    def special(self) -> dict[int, list[int]]:
        """For each cell, the constants of its facts."""
        numbers = {fact: numbers_in(fact) for fact in self.facts}
        return {
            place: list(frozenset().union(*(numbers[fact] for fact in self.tapes.joint[place])))
            for place in self.cells
        }

    def many(
        self, random: Random, generator: np.random.Generator, count: int, clock: Clock
    ) -> np.ndarray:
        """Up to `count` assignments of the roots that satisfy the facts."""
        found: list[np.ndarray] = []
        total = 0
        chunk = min(_CHUNK, _CELLS // self.tapes.M)
        for _ in range(-(-count // chunk)):
            rows = self._by_chance(generator, chunk)
            if len(rows) < _OFTEN * chunk:
                break
            found.append(rows)
            total += len(rows)
            if total >= count:
                break
        if not found:
            drawn: list[list[int] | None] = []
            while len(drawn) < min(count, _DRAWN) and not clock.over:
                drawn.append(self.draw(random, NOTHING, _TRIES))
                clock.did(_SAMPLE + self.tapes.effort)
            kept = [values for values in drawn if values is not None]
            found = [np.array(kept, np.int64).reshape(-1, len(self.roots))]
        return np.concatenate(found)

    def _by_chance(self, generator: np.random.Generator, chunk: int) -> np.ndarray:
        """Rejection sampling: random assignments of the roots, filtered by the facts."""
        inputs = self.tapes.inputs
        tapes = np.zeros((chunk, self.tapes.M), np.int64)
        for root in self.roots:
            values = np.flatnonzero(inputs.domain(root))
            column = values[generator.integers(0, len(values), chunk)]
            for place in inputs.members.get(root, [root]):
                tapes[:, place] = column + inputs.offset[place]
        good = np.logical_and.reduce([fact.truths(tapes) for fact in self.facts])
        return tapes[good][:, self.roots]

"""Failing tapes, and few facts that exclude them: chosen among those at hand, or learnt."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from random import Random

import numpy as np

from anc.proof.claim import Claim
from anc.proof.facts import Fact, Implies, Sum
from anc.proof.preconditions.columns import cells_read, pointers_of
from anc.proof.preconditions.failing import failures, holding
from anc.proof.preconditions.generalise import siblings
from anc.proof.preconditions.ice_learner import separating
from anc.proof.preconditions.lists import Listed, at_hand, lists_of
from anc.proof.preconditions.perturbations import longer, suspects
from anc.proof.preconditions.support import Excluding, Support
from anc.proof.sampler import Tapes
from anc.proof.verdict import Verdict, unknown
from anc.support.clock import Clock

_BASES = 24  # samples from which failing tapes are looked for
_CHUNK = 2_000  # tapes that are run between two looks at the clock
_RUN = 0.5  # evaluations that both programs on one tape are worth
_COMPARED = 20  # ... and a change of a tape
_CELL = 3e-5  # ... and a cell that is compared with another one
_LEARNT = 2_000  # ... and what is learnt from one
_MOST_FAILING = 1_500  # failing tapes that are kept of those near the samples
_DRAWN = 2_000  # random tapes that satisfy the facts so far
_CLOSER = 20  # of these, failing ones that are moved closer to a sample
_LOOKING = 0.2  # the part of the time that looking for failing tapes may take
_ACCIDENT = 0.2  # an implication that is likelier to hold by chance says nothing
_GENERALISED = 3  # facts learnt at a time that are said of other cells too
_TRACES = 12  # samples that say which cells are pointers, and where lists are
_RANK = 1e-3  # what a fact weighs more for each one before it


class Hopeless(Exception):
    """A tape fails that no fact excludes, or none that could be found in time; the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class Exclusion:
    """Failing tapes of a claim, and few facts (`used`) that exclude them all."""

    def __init__(self, claim: Claim, mined: list[Fact], clock: Clock, samples: np.ndarray) -> None:
        self.claim, self.clock, self.samples, self.M = claim, clock, samples, claim.M
        self.random, self.numbers = Random(0), np.random.default_rng(0)
        self.used: list[Fact] = []
        self.support = Support(samples, claim.M) if len(samples) else None
        self.weights: dict[Fact, float] = {}
        self.pool = Excluding(claim.M)
        weights = [self.weight(fact) + _RANK * i for i, fact in enumerate(mined)]
        self.pool.add_facts(mined, weights)

    def weight(self, fact: Fact) -> float:
        if self.support is None:
            return 1.0
        if fact not in self.weights:
            self.weights[fact] = self.support.weight(fact)
        return self.weights[fact]

    def bases(self) -> np.ndarray:
        """Tapes that satisfy all facts."""
        if len(self.samples):
            good = np.flatnonzero(holding(self.pool.facts, self.samples))
            chosen = self.numbers.permutation(good)[:_BASES]
            return self.samples[chosen]
        tapes = Tapes([*self.claim.precondition, *self.pool.facts], self.M)
        first = tapes.find(self.random, self.clock)
        if first is None:
            return np.zeros((0, self.M), np.int64)
        others = [tapes.draw(self.random) for _ in range(_BASES - 1)]
        return np.array([first, *(tape for tape in others if tape is not None)], np.int64)

    def look(self, bases: np.ndarray) -> None:
        """Exclude the tapes that fail near the bases, then random ones that the facts allow."""
        self.near = self.samples if len(self.samples) else bases
        if len(self.samples):
            along = at_hand(self.lists, self.samples)
            self.pool.add_facts(along, [self.weight(fact) for fact in along])
        looking = self.clock.part(self.clock.budget * _LOOKING)
        possible = self.numbers.permutation(suspects(bases, self.M, self.constants, self.numbers))
        failing = [np.zeros((0, self.M), np.int64)]
        for begin in range(0, len(possible), _CHUNK):
            if looking.over or sum(map(len, failing)) > _MOST_FAILING:
                break
            failing.append(self.failing(possible[begin : begin + _CHUNK]))
        self.exclude(np.concatenate(failing)[:_MOST_FAILING])
        if len(self.samples):
            self.exclude(self.failing(longer(bases, self.lists, self.constants, self.numbers)))
        while not looking.over:
            tapes = Tapes([*self.claim.precondition, *self.short()], self.M)
            failing_now = self.failing(tapes.many(self.random, _DRAWN, looking).astype(np.int64))
            if not len(failing_now):
                break
            moved = [self.closer(failing_now[0])]
            for tape in failing_now[1:_CLOSER]:
                if looking.over:
                    break
                moved.append(self.closer(tape))
            self.exclude(np.array(moved))

    def failing(self, tapes: np.ndarray) -> np.ndarray:
        """Those of the tapes that the claim applies to and on which the programs fail."""
        tapes = tapes.reshape(-1, self.M)
        tapes = tapes[holding(self.claim.precondition, tapes)]
        self.clock.did(_RUN * len(tapes))
        return tapes[failures(self.claim, tapes)]

    def exclude(self, tapes: np.ndarray) -> None:
        """Choose facts that exclude these failing tapes too; learn some where none does."""
        left = self.pool.add_tapes(tapes)
        while len(left):
            if self.clock.over:
                raise Hopeless(unknown("the time is over"))
            tape = self.closer(left[0])
            facts = self.learnt(tape)
            self.clock.did(_LEARNT)
            if facts:
                facts += self.siblings(facts)
                self.pool.add_facts(facts, [self.weight(fact) for fact in facts])
                self.pool.add_tapes(tape[None])
                left = self.pool.add_tapes(left[1:])
            else:
                self.give_up(tape)
                left = left[failures(self.claim, left)]
        self.used = self.pool.choose()

    def learnt(self, tape: np.ndarray) -> list[Fact]:
        if not len(self.samples):
            return []
        base = self.nearest(tape)
        cells = set(np.flatnonzero(base != tape).tolist())
        for start in (base, tape):
            for program in (self.claim.generic, self.claim.adapted):
                cells |= cells_read(program, start)
        pointers = [pointer for pointer in self.pointers if pointer.read <= cells]
        found = separating(
            self.samples, tape, base, sorted(cells), pointers, self.M, self.clock, self.lists
        )
        good = [fact for fact in found if self.is_supported(fact)]
        if not good and self.clock.over:
            raise Hopeless(unknown("the time is over"))
        return good

    def siblings(self, facts: list[Fact]) -> list[Fact]:
        """The best of the facts, said of other cells."""
        best = sorted(facts, key=self.weight)[:_GENERALISED]
        found = (siblings(fact, self.samples, self.is_supported) for fact in best)
        return [other for others in found for other in others]

    @cached_property
    def some(self) -> np.ndarray:
        """The samples that say what is a pointer, and what a list."""
        return self.samples[self.numbers.permutation(len(self.samples))[:_TRACES]]

    @cached_property
    def pointers(self) -> list[Sum]:
        return pointers_of(self.claim.generic, self.some)

    @cached_property
    def lists(self) -> list[Listed]:
        return lists_of(self.claim.generic, self.some)

    @cached_property
    def constants(self) -> list[int]:
        """The values that both programs begin with: what they compare cells with."""
        both = (*self.claim.generic.registers, *self.claim.adapted.registers)
        return sorted({value for value in both if value is not None} | {0})

    @cached_property
    def ends(self) -> dict[Listed, Fact]:
        """Of each list whose lengths are few, that it has one of these."""
        found = ((listed, listed.ends(self.samples)) for listed in self.lists)
        return {listed: end for listed, end in found if end is not None}

    def short(self) -> list[Fact]:
        """The facts, and that no list is longer than those of the samples, or at least that it ends."""
        found = list(self.used)
        if len(self.samples):
            for listed, end in self.ends.items():
                found = [*(listed.shortened(fact, self.samples) for fact in found), end]
            found += self.ends_before
        more = [fact for fact in dict.fromkeys(found) if fact not in self.used]
        self.pool.add_facts(more, [self.weight(fact) for fact in more])
        return list(dict.fromkeys(found))

    @cached_property
    def ends_before(self) -> list[Fact]:
        """Of each other list, a cell before which it ends."""
        ends = (
            listed.ends_before(self.samples) for listed in self.lists if listed not in self.ends
        )
        return [end for end in ends if end is not None]

    def is_supported(self, fact: Fact) -> bool:
        """Whether a fact with a premise is more than an accident."""
        assert self.support is not None
        return not isinstance(fact, Implies) or self.support.accident(fact) < _ACCIDENT

    def give_up(self, tape: np.ndarray) -> None:
        """What follows from a failing tape that nothing excludes.

        If the adapted program fails, that refutes. If the generic program does not stop, no fact
        says where it would: the claim becomes partial, and the search goes on, unless it is strict.
        """
        cells = tuple(map(int, tape))
        verdict = self.claim.replay(cells, "test", len(self.pool.tapes) + 1)
        if verdict.refuted or verdict.tape is None or self.claim.strict:
            raise Hopeless(verdict)
        self.become_partial()

    def become_partial(self) -> None:
        """Leave out the tapes on which the generic program does not stop."""
        self.claim = replace(self.claim, partial=True)
        self.pool.keep_tapes(failures(self.claim, self.pool.tapes))
        self.used = self.pool.choose()

    def nearest(self, tape: np.ndarray) -> np.ndarray:
        return self.near[(self.near != tape).sum(axis=1).argmin()]

    def closer(self, tape: np.ndarray) -> np.ndarray:
        """A failing tape that differs from some sample in as few cells as can be."""
        base = self.nearest(tape)
        changed = self.numbers.permutation(np.flatnonzero(base != tape))
        size = len(changed)
        while size >= 1 and not self.clock.over:
            parts = [changed[i : i + size] for i in range(0, len(changed), size)]
            tries = np.repeat(tape[None], len(parts), axis=0)
            for row, part in zip(tries, parts, strict=True):
                row[part] = base[part]
            good = self.still_failing(tries)
            self.clock.did(_COMPARED + _RUN * len(tries))
            if good.any():
                together = np.where((tries[good] != tape).any(axis=0), base, tape)
                tape = together if self.still_failing(together[None])[0] else tries[good.argmax()]
                changed = changed[base[changed] != tape[changed]]
                size = min(size, len(changed))
            else:
                size //= 2
        return tape

    def still_failing(self, tapes: np.ndarray) -> np.ndarray:
        """Which of the tapes the claim and the facts so far allow, and the programs fail on."""
        found = holding(self.claim.precondition, tapes) & holding(self.used, tapes)
        found[found] = failures(self.claim, tapes[found])
        return found

    def rejected(self) -> tuple[int, ...] | None:
        """A failing tape that the facts exclude, as close to a sample as one is known."""
        if not len(self.pool.tapes) or not self.used:
            return None
        tapes = self.pool.tapes[~holding(self.used, self.pool.tapes)][:_CHUNK]
        near, others = self.near.astype(np.uint16), tapes.astype(np.uint16)  # much faster
        far = [int(np.count_nonzero(near != tape, axis=1).min()) for tape in others]
        self.clock.did(_CELL * near.size * len(others))
        return tuple(map(int, tapes[int(np.argmin(far))])) if far else None

"""Counter-example-guided inference: failing tapes, and few facts that exclude them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from random import Random

import numpy as np

from anc.proof.claim import Claim
from anc.proof.facts import Fact, Implies, Sum
from anc.proof.preconditions.columns import cells_read, pointers_of
from anc.proof.preconditions.ice_learner import separating
from anc.proof.preconditions.lists import Listed, at_hand, lists_of
from anc.proof.preconditions.perturbations import count_for, longer, siblings, suspects
from anc.proof.preconditions.price import price
from anc.proof.preconditions.support import Excluding, SupportStatistics, failures, holding
from anc.proof.sampler import Tapes
from anc.proof.verdict import Verdict, unknown
from anc.support.clock import Clock

_BASES = 24  # samples whose neighbourhood is searched
_CHUNK = 2_000  # tapes that are run between two checks of the clock
_RUN = 0.5  # cost in evaluations: running both programs on one tape
_COMPARED = 20  # ... one round of changes to a tape
_CELL = 3e-5  # ... comparing two cells
_LEARNT = 2_000  # ... learning from one tape
_MOST_FAILING = 1_500  # failing tapes that are kept near the samples
_DRAWN = 2_000  # random tapes per round that satisfy the facts so far
_CLOSER = 20  # failing tapes per round that are moved closer to a sample
_LOOKING = 0.2  # share of the budget for finding failing tapes
_ACCIDENT = 0.2  # chance of holding by accident above which an implication is ignored
_GENERALISED = 3  # learnt facts per round that are generalised to other cells
_TRACES = 12  # samples that are traced for pointers and lists
_RANK = 1e-3  # weight added per earlier fact

_PER_NS = 0.02  # weight of a nanosecond of a check


class Hopeless(Exception):
    """No fact excludes a failing tape, or none was found in time; carries the verdict."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class Exclusion:
    """The failing tapes of a claim, and few facts (`used`) that exclude them all."""

    def __init__(self, claim: Claim, mined: list[Fact], clock: Clock, samples: np.ndarray) -> None:
        self.claim, self.clock, self.samples, self.M = claim, clock, samples, claim.M
        self.random, self.numbers = Random(0), np.random.default_rng(0)
        self.used: list[Fact] = []
        self.support = SupportStatistics(samples, claim.M) if len(samples) else None
        self.weights: dict[Fact, float] = {}
        self.pool = Excluding(claim.M)
        weights = [self.weight(fact) + _RANK * i for i, fact in enumerate(mined)]
        self.pool.add_facts(mined, weights)

    def weight(self, fact: Fact) -> float:
        if self.support is None:
            return 1.0
        if fact not in self.weights:
            self.weights[fact] = self.support.weight(fact)
            if self.claim.strict:  # what is deployed checks it at every call
                self.weights[fact] += _PER_NS * price(fact)
        return self.weights[fact]

    def bases(self) -> np.ndarray:
        """Tapes that satisfy all facts, to search near."""
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
        """Exclude failing tapes near the bases, then random ones that the facts allow."""
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
            failing_now = self.failing(
                tapes.many(self.random, count_for(_DRAWN, self.M), looking).astype(np.int64)
            )
            if not len(failing_now):
                break
            moved = [self.closer(failing_now[0])]
            for tape in failing_now[1:_CLOSER]:
                if looking.over:
                    break
                moved.append(self.closer(tape))
            self.exclude(np.array(moved))

    def failing(self, tapes: np.ndarray) -> np.ndarray:
        """The tapes within the claim on which the programs fail."""
        tapes = tapes.reshape(-1, self.M)
        tapes = tapes[holding(self.claim.precondition, tapes)]
        self.clock.did(_RUN * len(tapes))
        return tapes[failures(self.claim, tapes)]

    def exclude(self, tapes: np.ndarray) -> None:
        """Choose facts that also exclude these failing tapes, learning some where none does."""
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
        """Generalise the best facts to other cells."""
        best = sorted(facts, key=self.weight)[:_GENERALISED]
        found = (siblings(fact, self.samples, self.is_supported) for fact in best)
        return [other for others in found for other in others]

    @cached_property
    def some(self) -> np.ndarray:
        """The samples that are traced for pointers and lists."""
        return self.samples[self.numbers.permutation(len(self.samples))[:_TRACES]]

    @cached_property
    def pointers(self) -> list[Sum]:
        return pointers_of(self.claim.generic, self.some)

    @cached_property
    def lists(self) -> list[Listed]:
        return lists_of(self.claim.generic, self.some)

    @cached_property
    def constants(self) -> list[int]:
        """The initial register values: what the programs compare cells with."""
        both = (*self.claim.generic.registers, *self.claim.adapted.registers)
        return sorted({value for value in both if value is not None} | {0})

    @cached_property
    def ends(self) -> dict[Listed, Fact]:
        """For each list with few lengths, the fact that it has one of them."""
        found = ((listed, listed.ends(self.samples)) for listed in self.lists)
        return {listed: end for listed, end in found if end is not None}

    def short(self) -> list[Fact]:
        """The used facts, plus facts that bound the lengths of lists as in the samples."""
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
        """For each other list, a cell before which it ends."""
        ends = (
            listed.ends_before(self.samples) for listed in self.lists if listed not in self.ends
        )
        return [end for end in ends if end is not None]

    def is_supported(self, fact: Fact) -> bool:
        """Whether an implication is unlikely to hold by accident."""
        assert self.support is not None
        return not isinstance(fact, Implies) or self.support.accident(fact) < _ACCIDENT

    def give_up(self, tape: np.ndarray) -> None:
        """Handle a failing tape that no fact excludes.

        If the adapted program is wrong, the claim is refuted. If the generic program does not stop,
        the claim becomes partial, unless it is strict.
        """
        cells = tuple(map(int, tape))
        verdict = self.claim.replay(cells, "test", len(self.pool.tapes) + 1)
        if verdict.refuted or verdict.tape is None or self.claim.strict:
            raise Hopeless(verdict)
        self.become_partial()

    def become_partial(self) -> None:
        """Restrict the claim to tapes on which the generic program stops."""
        self.claim = replace(self.claim, partial=True)
        self.pool.keep_tapes(failures(self.claim, self.pool.tapes))
        self.used = self.pool.choose()

    def nearest(self, tape: np.ndarray) -> np.ndarray:
        return self.near[(self.near != tape).sum(axis=1).argmin()]

    def closer(self, tape: np.ndarray) -> np.ndarray:
        """Minimise the difference between a failing tape and a sample (delta debugging)."""
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
        """Which tapes are within the claim and the facts so far, and fail."""
        found = holding(self.claim.precondition, tapes) & holding(self.used, tapes)
        found[found] = failures(self.claim, tapes[found])
        return found

    def rejected(self) -> tuple[int, ...] | None:
        """The known failing tape, among those that the facts exclude, that is closest to a sample."""
        if not len(self.pool.tapes) or not self.used:
            return None
        tapes = self.pool.tapes[~holding(self.used, self.pool.tapes)][:_CHUNK]
        near, others = self.near.astype(np.uint16), tapes.astype(np.uint16)  # much faster
        far = [int(np.count_nonzero(near != tape, axis=1).min()) for tape in others]
        self.clock.did(_CELL * near.size * len(others))
        return tuple(map(int, tapes[int(np.argmin(far))])) if far else None

"""The least precondition: as few facts as the proof needs, learnt where the known ones are too few.

Samples are positive examples, failing tapes negative ones. Facts that hold on all samples are at
hand; of these, few and well-supported ones are chosen that exclude every failing tape. Where none
does, new facts are learnt that separate it from the samples. While a proof attempt finds another
failing tape, it is moved as close to a sample as it still fails, and excluded in the same way. Once
the proof goes through, every fact is dropped that turns out not to be needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np

from anc import isa
from anc.machine import exact
from anc.preconditions.failing import failures, holding
from anc.preconditions.hitting import Excluding
from anc.preconditions.learn import separating
from anc.preconditions.support import Support
from anc.preconditions.suspects import suspects
from anc.program import Program
from anc.verify.claim import Claim
from anc.verify.clock import Clock
from anc.verify.facts import Comparison, Fact, Implies, conjuncts, merged
from anc.verify.prove import prove
from anc.verify.tapes import Tapes
from anc.verify.verdict import Undecided, Verdict, unknown

Cells = tuple[int, ...]

_BASES = 24  # samples from which failing tapes are looked for
_CHUNK = 2_000  # tapes that are run between two looks at the clock
_MOST_FAILING = 1_500  # failing tapes that are kept of those near the samples
_DRAWN = 2_000  # random tapes that satisfy the facts so far
_LOOKING = 0.2  # the part of the time that looking for failing tapes may take
_ALL = 0.5  # ... and for one with all of them
_DROPPED_SINGLY = 8  # more facts than this are first dropped in groups
_FEW = 0.3  # the part of the time left for a proof with few facts, before all of them are tried
_DROPPING = 0.25  # the part of the time that one attempt to drop a fact may take
_EXAMPLES = 100  # samples that a proof is told of
_ACCIDENT = 0.2  # an implication that is likelier to hold by chance says nothing
_POINTING = 12  # samples that say which cells are pointers
_TRACED = 1_000  # steps of a run that are looked at for the cells that it reads
_RANK = 1e-3  # what a fact weighs more for each one before it


@dataclass(frozen=True)
class Precondition:
    """A verdict, the facts under which it holds, and what they keep out.

    `rejected` is a tape that violates them and on which the program is indeed wrong, where one is
    known.
    """

    verdict: Verdict
    facts: tuple[Fact, ...]
    rejected: Cells | None = None


def prove_with_least(
    claim: Claim,
    mined: Sequence[Fact],
    samples: Sequence[Sequence[int]] | np.ndarray = (),
    seconds: float = 10.0,
) -> Precondition:
    """The verdict, and the facts under which it holds: the claim's own ones and few others.

    The mined facts hold on all samples and come in order of plausibility; others are learnt from the
    samples. Without samples, a tape that satisfies the facts is looked for, and nothing is learnt. A
    counter-example that nothing separates from the samples refutes. When the facts allow tapes on
    which the generic program does not stop, the proof is a partial one.
    """
    clock = Clock(seconds)
    tapes = np.asarray(samples, np.int64).reshape(-1, claim.M)
    tapes = np.unique(tapes[holding(claim.precondition, tapes)], axis=0)
    examples = tuple(tuple(tape) for tape in tapes[:: max(1, len(tapes) // _EXAMPLES)].tolist())
    claim = replace(claim, examples=examples)
    search = _Search(claim, conjuncts(mined), clock, tapes)
    try:
        verdict = search.run()
    except _Hopeless as end:
        search.used, verdict = [], end.verdict
    facts = merged([*claim.precondition, *search.used])
    return Precondition(verdict.after(clock.seconds), tuple(facts), search.rejected())


class _Hopeless(Exception):
    """A tape fails that no fact excludes; the verdict on it."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class _Search:
    def __init__(self, claim: Claim, mined: list[Fact], clock: Clock, samples: np.ndarray) -> None:
        self.claim, self.clock, self.samples, self.M = claim, clock, samples, claim.M
        self.random, self.numbers = Random(0), np.random.default_rng(0)
        self.used: list[Fact] = []
        self.support = Support(samples, claim.M) if len(samples) else None
        self.pool = Excluding(claim.M)
        weights = [self.weight(fact) + _RANK * i for i, fact in enumerate(mined)]
        self.pool.add_facts(mined, weights)

    def weight(self, fact: Fact) -> float:
        return 1.0 if self.support is None else self.support.weight(fact)

    def run(self) -> Verdict:
        for tape in self.samples[failures(self.claim, self.samples)][:1]:
            self.give_up(tape)
        try:
            bases = self.bases()
        except Undecided:
            return unknown("the solver found no tape that satisfies all facts in time")
        if not len(bases):
            return unknown("no tape satisfies the assumed facts and all of the mined ones")
        self.look(bases)
        return self.prove()

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

    # -- failing tapes -------------------------------------------------------

    def look(self, bases: np.ndarray) -> None:
        """Exclude the tapes that fail near the bases, then random ones that the facts allow."""
        self.near = self.samples if len(self.samples) else bases
        looking = Clock(self.clock.budget * _LOOKING)
        possible = self.numbers.permutation(suspects(bases, self.M, self.numbers))
        failing = [np.zeros((0, self.M), np.int64)]
        for begin in range(0, len(possible), _CHUNK):
            if looking.over or sum(map(len, failing)) > _MOST_FAILING:
                break
            failing.append(self.failing(possible[begin : begin + _CHUNK]))
        self.exclude(np.concatenate(failing)[:_MOST_FAILING])
        while not looking.over:
            tapes = Tapes([*self.claim.precondition, *self.used], self.M)
            failing_now = self.failing(tapes.many(self.random, _DRAWN, looking).astype(np.int64))
            if not len(failing_now):
                break
            self.exclude(np.array([self.closer(tape) for tape in failing_now[:20]]))

    def failing(self, tapes: np.ndarray) -> np.ndarray:
        """Those of the tapes that the claim applies to and on which the programs fail."""
        tapes = tapes.reshape(-1, self.M)
        tapes = tapes[holding(self.claim.precondition, tapes)]
        return tapes[failures(self.claim, tapes)]

    def exclude(self, tapes: np.ndarray) -> None:
        """Choose facts that exclude these failing tapes too; learn some where none does."""
        left = self.pool.add_tapes(tapes)
        while len(left):
            tape = self.closer(left[0])
            facts = self.learnt(tape)
            if facts:
                self.pool.add_facts(facts, [self.weight(fact) for fact in facts])
                self.pool.add_tapes(tape[None])
                left = self.pool.add_tapes(left[1:])
            else:
                self.give_up(tape)
                left = left[failures(self.claim, left)]
        self.used = self.pool.choose()

    def learnt(self, tape: np.ndarray) -> list[Fact]:
        if not len(self.samples) or self.clock.over:
            return []
        base = self.nearest(tape)
        cells = set(np.flatnonzero(base != tape).tolist())
        for start in (base, tape):
            for program in (self.claim.generic, self.claim.adapted):
                cells |= _cells_used(program, start)[0]
        pointers = sorted(self.pointers & cells)
        found = separating(self.samples, tape, base, sorted(cells), pointers, self.M, self.clock)
        return [fact for fact in found if self.is_supported(fact)]

    @cached_property
    def pointers(self) -> set[int]:
        """The cells that seem to be pointers in all of some samples."""
        some = self.numbers.permutation(len(self.samples))[:_POINTING]
        used = [_cells_used(self.claim.generic, self.samples[i])[1] for i in some]
        return set.intersection(*used)

    def is_supported(self, fact: Fact) -> bool:
        """Whether a fact with a premise is more than an accident."""
        assert self.support is not None
        return not isinstance(fact, Implies) or self.support.accident(fact) < _ACCIDENT

    def give_up(self, tape: np.ndarray) -> None:
        """What follows from a failing tape that nothing excludes.

        If the adapted program fails, that refutes. If the generic program does not stop, no fact
        says where it would: the claim becomes partial, and the search goes on.
        """
        cells = tuple(map(int, tape))
        verdict = self.claim.replay(cells, "test", len(self.pool.tapes) + 1)
        if verdict.refuted or verdict.tape is None:
            raise _Hopeless(verdict)
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
            good = holding(self.claim.precondition, tries) & holding(self.used, tries)
            good &= failures(self.claim, tries)
            if good.any():
                tape = tries[good.argmax()]
                changed = changed[base[changed] != tape[changed]]
                size = min(size, len(changed))
            else:
                size //= 2
        return tape

    # -- proofs --------------------------------------------------------------

    def prove(self) -> Verdict:
        """Prove with the facts so far, adding more until it is proved or nothing helps."""
        while True:
            verdict = self.attempt(self.used, self.clock.left * _FEW)
            if verdict.proved:
                return self.drop(verdict)
            if verdict.tape is None:
                return self.prove_with_all(verdict)
            self.exclude(self.closer(np.array(verdict.tape, np.int64))[None])

    def attempt(self, facts: list[Fact], seconds: float) -> Verdict:
        claim = replace(self.claim, precondition=[*self.claim.precondition, *facts])
        return prove(claim, seconds, any_failure=True)

    def prove_with_all(self, late: Verdict) -> Verdict:
        """What few facts could not prove in time may be easy with all that speak of one cell."""
        few = self.used
        order = np.argsort(self.pool.weights, kind="stable")
        extra = [f for f in (self.pool.facts[i] for i in order) if f not in few and _is_plain(f)]
        verdict = self.attempt([*few, *extra], self.clock.left * _ALL)
        if not verdict.proved:
            if verdict.tape is not None:
                self.exclude(self.closer(np.array(verdict.tape, np.int64))[None])
            return late
        self.used = [*few, *extra]
        return self.drop(verdict)

    def drop(self, verdict: Verdict) -> Verdict:
        """Drop the facts that the proof does not need, the least supported first, many at once."""
        weight = dict(zip(self.pool.facts, self.pool.weights, strict=True))
        order = sorted(self.used, key=weight.__getitem__, reverse=True)
        size = 1 if len(order) <= _DROPPED_SINGLY else len(order) // 2
        while size >= 1:
            for begin in range(0, len(order), size):
                seconds = min(self.clock.left, self.clock.budget * _DROPPING)
                if seconds <= 0:
                    return verdict
                group = set(order[begin : begin + size])
                others = [kept for kept in self.used if kept not in group]
                if len(others) == len(self.used) or holding(others, self.pool.tapes).any():
                    continue
                again = self.attempt(others, seconds)
                if again.proved:
                    self.used, verdict = others, again
                elif again.tape is not None:
                    self.pool.add_tapes(np.array([again.tape], np.int64))
            size //= 2
        return verdict

    def rejected(self) -> Cells | None:
        """A failing tape that the facts exclude, as close to a sample as one is known."""
        if not len(self.pool.tapes) or not self.used:
            return None
        tapes = self.pool.tapes[~holding(self.used, self.pool.tapes)][:_CHUNK]
        far = [int((self.near != tape).sum(axis=1).min()) for tape in tapes]
        return tuple(map(int, tapes[int(np.argmin(far))])) if far else None


def _is_plain(fact: Fact) -> bool:
    """Whether a fact says what one cell is, or that two are the same: what makes proofs easier."""
    if fact.pointers:
        return False
    is_equality = isinstance(fact, Comparison) and fact.rest[0][0] == "=="
    return len(fact.cells) == 1 or (is_equality and len(fact.cells) == 2)


def _cells_used(program: Program, tape: np.ndarray) -> tuple[set[int], set[int]]:
    """The cells that the first steps of a run read, and those that seem to be pointers."""
    trace = exact.run(program, tuple(map(int, tape)), _TRACED, trace=True).trace
    reading, touching = isa.NAMES[isa.READ], (isa.NAMES[isa.READ], isa.NAMES[isa.WRITE])
    addresses = {step.first for step in trace if step.op in touching}
    cells = {step.first for step in trace if step.op == reading and step.first is not None}
    return cells, {cell for cell in cells if int(tape[cell]) in addresses - {0, cell}}

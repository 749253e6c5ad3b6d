"""The least precondition: as few facts as the proof needs.

Start with what the user assumes. While some tape fails, move it as close to a sample as it still
fails, put it into a pool, and choose few and plausible facts that exclude the whole pool. Once the
proof goes through, drop every fact that turns out not to be needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from anc.verify.claim import Claim
from anc.verify.clock import Clock
from anc.verify.facts import Fact, conjuncts, merged
from anc.verify.hitting import Excluding
from anc.verify.prove import prove
from anc.verify.tapes import Tapes
from anc.verify.verdict import Undecided, Verdict, unknown

Cells = tuple[int, ...]

_BASES = 24  # samples from which failing tapes are looked for
_WHOLE = 3  # of these, all cells are changed; of the others, only cells that are not all the same
_RANDOM_TAPES = 100
_LOOKING = 0.2  # the part of the time that looking for failing tapes may take
_FEW = 0.6  # the part of the time left for a proof with few facts, before all of them are tried
_DROPPING = 0.25  # the part of the time that one attempt to drop a fact may take


def prove_with_least(
    claim: Claim,
    mined: Sequence[Fact],
    samples: Sequence[Sequence[int]] = (),
    seconds: float = 10.0,
) -> tuple[Verdict, list[Fact]]:
    """The verdict, and the facts under which it holds: the claim's own ones and few of the mined.

    The mined facts come in order of plausibility. `samples` are tapes that satisfy them; without
    any, a tape that does is looked for. A counter-example that satisfies every fact refutes. When
    the facts allow tapes on which the generic program does not stop, the proof is a partial one.
    """
    clock = Clock(seconds)
    tapes = [tuple(map(int, tape)) for tape in samples]
    search = _Search(claim, conjuncts(mined), clock, [t for t in tapes if claim.applies(t)])
    try:
        verdict = search.run()
    except _Hopeless as end:
        search.used, verdict = [], end.verdict
    return verdict.after(clock.seconds), merged([*claim.precondition, *search.used])


class _Hopeless(Exception):
    """A tape fails that no fact excludes; the verdict on it."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


class _Search:
    def __init__(self, claim: Claim, mined: list[Fact], clock: Clock, samples: list[Cells]) -> None:
        self.claim, self.mined, self.clock, self.samples = claim, mined, clock, samples
        self.random = Random(0)
        self.used: list[Fact] = []
        self.pool = Excluding(mined)  # failing tapes that the facts must exclude

    def run(self) -> Verdict:
        for tape in self.samples:
            if self.claim.failure(tape) is not None:
                self.give_up(tape)
        try:
            bases = self.bases()
        except Undecided:
            return unknown("the solver found no tape that satisfies all facts in time")
        if not bases:
            return unknown("no tape satisfies the assumed facts and all of the mined ones")
        self.look(bases)
        return self.prove(bases)

    def bases(self) -> list[Cells]:
        """Tapes that satisfy all facts."""
        if self.samples:
            found = [t for t in self.samples if all(fact.holds(t) for fact in self.mined)]
            return self.random.sample(found, min(_BASES, len(found)))
        tapes = Tapes([*self.claim.precondition, *self.mined], self.claim.M)
        first = tapes.find(self.random, self.clock)
        if first is None:
            return []
        others = [tapes.draw(self.random) for _ in range(_BASES - 1)]
        return [first, *(tape for tape in others if tape is not None)]

    def look(self, bases: list[Cells]) -> None:
        """Fill the pool with tapes that fail near the bases, and choose facts that exclude them."""
        looking = Clock(self.clock.budget * _LOOKING)
        for tape in self.suspects(bases):
            if looking.over:
                break
            if self.claim.applies(tape) and self.claim.failure(tape) is not None:
                self.add(tape)
        self.used = self.pool.choose()
        for _ in range(_RANDOM_TAPES):
            if looking.over:
                break
            facts = [*self.claim.precondition, *self.used]
            drawn = Tapes(facts, self.claim.M).draw(self.random)
            if drawn is not None and self.claim.failure(drawn) is not None:
                self.exclude(drawn, bases)

    def suspects(self, bases: list[Cells]) -> Iterator[Cells]:
        """Tapes that may fail: a base with one cell changed."""
        M = self.claim.M
        varying = [cell for cell in range(M) if len({base[cell] for base in bases}) > 1]
        for number, base in enumerate(bases):
            yield base
            for cell in range(M) if number < _WHOLE else varying:
                old = base[cell]
                near = {0, 1 % M, M - 1, (old + 1) % M, (old - 1) % M, self.random.randrange(M)}
                for value in sorted(near - {old}):
                    yield (*base[:cell], value, *base[cell + 1 :])

    def exclude(self, tape: Cells, bases: list[Cells]) -> None:
        """Choose facts that exclude a failing tape too."""
        self.add(self.closer(tape, bases))
        self.used = self.pool.choose()

    def add(self, tape: Cells) -> None:
        if not self.pool.add(tape):
            self.give_up(tape)

    def give_up(self, tape: Cells) -> None:
        """What follows from a failing tape that satisfies every fact.

        If the adapted program fails, that refutes. If the generic program does not stop, no fact
        says where it would: the claim becomes partial, and the search goes on.
        """
        verdict = self.claim.replay(tape, "test", len(self.pool.tapes) + 1)
        if verdict.refuted or verdict.tape is None:
            raise _Hopeless(verdict)
        self.claim = replace(self.claim, partial=True)
        before, self.pool = self.pool.tapes, Excluding(self.mined)
        for known in before:
            if self.claim.failure(known) is not None:
                self.pool.add(known)
        self.used = self.pool.choose()

    def closer(self, tape: Cells, bases: list[Cells]) -> Cells:
        """A failing tape that differs from some base in as few cells as can be."""
        base = min(bases, key=lambda b: sum(x != y for x, y in zip(b, tape, strict=True)))
        changed = [cell for cell in range(self.claim.M) if base[cell] != tape[cell]]
        self.random.shuffle(changed)
        size = len(changed)
        while size >= 1:
            for begin in range(0, len(changed), size):
                part = changed[begin : begin + size]
                if self.clock.over:
                    return tape
                candidate = tuple(base[c] if c in part else v for c, v in enumerate(tape))
                if self.allowed(candidate) and self.claim.failure(candidate) is not None:
                    tape = candidate
            changed = [cell for cell in changed if base[cell] != tape[cell]]
            size = size // 2 if size > 1 else 0
        return tape

    def allowed(self, tape: Cells) -> bool:
        return self.claim.applies(tape) and all(fact.holds(tape) for fact in self.used)

    def prove(self, bases: list[Cells]) -> Verdict:
        """Prove with the facts so far, adding more until it is proved or nothing helps."""
        while True:
            verdict = self.attempt(self.used, self.clock.left * _FEW)
            if verdict.proved:
                return self.drop(verdict)
            if verdict.tape is None:
                return self.prove_with_all(verdict)
            self.exclude(verdict.tape, bases)

    def attempt(self, facts: list[Fact], seconds: float) -> Verdict:
        claim = replace(self.claim, precondition=[*self.claim.precondition, *facts])
        return prove(claim, seconds, any_failure=True)

    def prove_with_all(self, late: Verdict) -> Verdict:
        """What few facts could not prove in time may be easy with more: find how many it takes."""
        few = self.used
        extra = [fact for fact in self.mined if fact not in few]
        verdict = self.attempt([*few, *extra], self.clock.left * _FEW)
        if not verdict.proved:
            if verdict.tape is not None:
                self.give_up(verdict.tape)
            return late
        low, high = 0, len(extra)  # high facts are enough, low ones are not
        while high - low > 1 and not self.clock.over:
            middle = (low + high) // 2
            again = self.attempt([*few, *extra[:middle]], self.clock.left * _DROPPING)
            if again.proved:
                high, verdict = middle, again
            else:
                low = middle
        self.used = [*few, *extra[:high]]
        return self.drop(verdict)

    def drop(self, verdict: Verdict) -> Verdict:
        """Drop the facts that the proof does not need, the least plausible first."""
        order = sorted(self.used, key=self.mined.index, reverse=True)
        for fact in order:
            others = [kept for kept in self.used if kept is not fact]
            if any(all(other.holds(t) for other in others) for t in self.pool.tapes):
                continue
            seconds = min(self.clock.left, self.clock.budget * _DROPPING)
            if seconds <= 0:
                break
            again = self.attempt(others, seconds)
            if again.proved:
                self.used, verdict = others, again
            elif again.tape is not None:
                self.pool.add(again.tape)
        return verdict

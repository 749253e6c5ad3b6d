"""The least precondition: as few facts as the proof needs.

Start with what the user assumes. While some tape fails, move it as close to a sample as it still
fails, put it into a pool, and choose few and plausible facts that exclude the whole pool. Once the
proof goes through, drop every fact that turns out not to be needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from anc.program import Program
from anc.verify.claim import Claim
from anc.verify.clock import Clock
from anc.verify.facts import Fact, conjuncts, merged
from anc.verify.hitting import Excluding
from anc.verify.prove import MAX_STEPS, prove
from anc.verify.tapes import Tapes, Undecided
from anc.verify.verdict import Verdict, unknown

Cells = tuple[int, ...]

_BASES = 24  # samples from which failing tapes are looked for
_WHOLE = 3  # of these, all cells are changed; of the others, only cells that are not all the same
_RANDOM_TAPES = 100
_LOOKING = 0.2  # the part of the time that looking for failing tapes may take
_FEW = 0.6  # the part of the time left for a proof with few facts, before all of them are tried
_DROPPING = 0.25  # the part of the time that one attempt to drop a fact may take


def prove_with_least(
    generic: Program,
    adapted: Program,
    M: int,
    mask: Sequence[bool],
    mined_facts: Sequence[Fact],
    assumed_facts: Sequence[Fact] = (),
    time_limit: float = 10.0,
    max_steps: int = MAX_STEPS,
    samples: Sequence[Sequence[int]] = (),
) -> tuple[Verdict, list[Fact]]:
    """The verdict, and the facts under which it holds: all assumed ones and few of the mined.

    The mined facts come in order of plausibility. `samples` are tapes that satisfy them; without
    any, a tape that does is looked for. A counter-example that satisfies every fact refutes. When
    the facts allow tapes on which the generic program does not stop, the proof is a partial one.
    """
    clock = Clock(time_limit)
    search = _Search(
        Claim(generic, adapted, M, tuple(mask), tuple(assumed_facts), max_steps),
        conjuncts(mined_facts),
        clock,
        [tuple(int(value) for value in sample) for sample in samples],
    )
    verdict = search.run()
    return verdict.after(clock.seconds), merged([*assumed_facts, *search.used])


class _Search:
    def __init__(self, claim: Claim, mined: list[Fact], clock: Clock, samples: list[Cells]) -> None:
        self.claim, self.mined, self.clock = claim, mined, clock
        self.samples = [tape for tape in samples if claim.applies(tape)]
        self.random = Random(0)
        self.used: list[Fact] = []
        self.pool = Excluding(mined)  # failing tapes that the facts must exclude

    def run(self) -> Verdict:
        for tape in self.samples:
            if self.claim.failure(tape) is not None:
                verdict = self.hopeless(tape)
                if verdict is not None:
                    return verdict
        try:
            bases = self.bases()
        except Undecided:
            return unknown("the solver found no tape that satisfies all facts in time")
        if not bases:
            return unknown("no tape satisfies the assumed facts and all of the mined ones")
        return self.look(bases) or self.prove(bases)

    def look(self, bases: list[Cells]) -> Verdict | None:
        """Fill the pool with tapes that fail near the bases; the verdict when no fact excludes one."""
        looking = Clock(self.clock.limit * _LOOKING)
        for tape in self.suspects(bases):
            if looking.over:
                break
            if not self.claim.applies(tape) or self.claim.failure(tape) is None:
                continue
            verdict = None if self.pool.add(tape) else self.hopeless(tape)
            if verdict is not None:
                return verdict
        self.used = self.pool.choose()
        for _ in range(_RANDOM_TAPES):
            if looking.over:
                break
            facts = [*self.claim.precondition, *self.used]
            drawn = Tapes(facts, self.claim.M).draw(self.random)
            if drawn is not None and self.claim.failure(drawn) is not None:
                verdict = self.exclude(drawn, bases)
                if verdict is not None:
                    return verdict
        return None

    def bases(self) -> list[Cells]:
        """Tapes that satisfy all facts."""
        if self.samples:
            size = min(_BASES, len(self.samples))
            found = [t for t in self.samples if all(fact.holds(t) for fact in self.mined)]
            return self.random.sample(found, min(size, len(found)))
        tapes = Tapes([*self.claim.precondition, *self.mined], self.claim.M)
        first = tapes.find(self.random, self.clock)
        if first is None:
            return []
        others = [tapes.draw(self.random) for _ in range(_BASES - 1)]
        return [first, *(tape for tape in others if tape is not None)]

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

    def allowed(self, tape: Cells) -> bool:
        return self.claim.applies(tape) and all(fact.holds(tape) for fact in self.used)

    def exclude(self, tape: Cells, bases: list[Cells]) -> Verdict | None:
        """Choose facts that exclude a failing tape too; the verdict when there are none."""
        tape = self.closer(tape, bases)
        if self.pool.add(tape):
            self.used = self.pool.choose()
            return None
        return self.hopeless(tape)

    def hopeless(self, tape: Cells) -> Verdict | None:
        """What follows from a failing tape that satisfies every fact.

        If the adapted program fails, that refutes. If the generic program does not stop, no fact
        says where it would: the claim becomes partial, and the search goes on (None).
        """
        verdict = self.claim.replay(tape, "test", len(self.pool.tapes) + 1)
        if verdict.refuted or verdict.tape is None:
            self.used = []
            return verdict
        self.claim = replace(self.claim, partial=True)
        before, self.pool = self.pool.tapes, Excluding(self.mined)
        for known in before:
            if self.claim.failure(known) is not None:
                self.pool.add(known)
        self.used = self.pool.choose()
        return None

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
                trial = list(tape)
                for cell in part:
                    trial[cell] = base[cell]
                candidate = tuple(trial)
                if self.allowed(candidate) and self.claim.failure(candidate) is not None:
                    tape = candidate
            changed = [cell for cell in changed if base[cell] != tape[cell]]
            size = size // 2 if size > 1 else 0
        return tape

    def prove(self, bases: list[Cells]) -> Verdict:
        """Prove with the facts so far, adding more until it is proved or nothing helps."""
        while True:
            verdict = self.attempt(self.used, self.clock.left * _FEW)
            if verdict.proved:
                return self.drop(verdict)
            if verdict.tape is None:
                return self.prove_with_all(verdict)
            refutation = self.exclude(verdict.tape, bases)
            if refutation is not None:
                return refutation

    def attempt(self, facts: list[Fact], seconds: float) -> Verdict:
        claim = self.claim
        return prove(
            claim.generic,
            claim.adapted,
            claim.M,
            claim.mask,
            [*claim.precondition, *facts],
            max(0.0, seconds),
            claim.max_steps,
            any_failure=True,
            partial=claim.partial,
        )

    def prove_with_all(self, late: Verdict) -> Verdict:
        """What few facts could not prove in time may be easy with more: find how many it takes."""
        few = self.used
        extra = [fact for fact in self.mined if fact not in few]
        verdict = self.attempt([*few, *extra], self.clock.left * _FEW)
        if not verdict.proved:
            hopeless = None if verdict.tape is None else self.hopeless(verdict.tape)
            return hopeless or late
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
            seconds = min(self.clock.left, self.clock.limit * _DROPPING)
            if seconds <= 0:
                break
            again = self.attempt(others, seconds)
            if again.proved:
                self.used, verdict = others, again
            elif again.tape is not None:
                self.pool.add(again.tape)
        return verdict

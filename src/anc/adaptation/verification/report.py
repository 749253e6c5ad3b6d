"""The proof of a pair of programs, and its report.

The cases are tried first. Then the pair is proved on every tape that the facts allow, or, if that is impossible,
on those on which the generic program stops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

from anc.adaptation.evidence import counted_apart
from anc.adaptation.verification.deployed import pair_of_program, verdict_on_table
from anc.adaptation.verification.pair import Pair
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.program import Program
from anc.proof import Claim, Outcome, Verdict, prove
from anc.proof.verdict import Undecided, proved, unknown
from anc.support import resources
from anc.support.clock import Clock
from anc.support.diagnostics import counted, ranges

_TRIED = 50  # tapes that are tried to see whether a program stops


@dataclass(frozen=True)
class Witness:
    """A tape, the call that it represents, and the runs of both programs."""

    pair: Pair
    tape: tuple[int, ...]

    @cached_property
    def generic(self) -> Run:
        return self._run(self.pair.generic)

    @cached_property
    def adapted(self) -> Run:
        return self._run(self.pair.adapted)

    @property
    def call(self) -> str | None:
        """The call of a Python function."""
        function = self.pair.function
        return None if function is None else function.call_text(self.tape)

    def _run(self, program: Program) -> Run:
        return exact.run(program, self.tape, self.pair.max_steps)

    def difference(self) -> str:
        """How the results of a call differ; empty if one of the programs does not stop."""
        function = self.pair.function
        if function is None or {self.generic.stop, self.adapted.stop} != {Stop.STOPPED}:
            return ""
        tapes = self.generic.tape, self.adapted.tape
        cell = next(c for c in self.pair.counts if tapes[0][c] != tapes[1][c])
        what = function.cell_in_words(cell)
        return f"{what} is {tapes[1][cell]}, the generic function makes it {tapes[0][cell]}"

    def rows(self) -> list[str]:
        """For people."""
        given = ("call", self.call) if self.call else ("tape", _cells(self.tape))
        runs = [(name, self._ends(getattr(self, name))) for name in ("generic", "adapted")]
        return [f"  {name:<8} {words}" for name, words in (given, *runs)]

    def _ends(self, run: Run) -> str:
        """The result of a run, in words."""
        if run.stop is Stop.STEP_LIMIT:
            return f"does not stop within {run.steps:,} steps"
        function = self.pair.function
        if run.stop is Stop.PAST_END:
            if function is not None and not function.wrap:
                return "is no answer: a number does not fit, or Python ends with an error"
            return f"runs past its last line after {counted(run.steps, 'step')}"
        after = f"after {counted(run.steps, 'step')}"
        if function is None or function.layout.tape is not None:
            return f"{_cells(run.tape)}  ({after})"
        before = function.layout.lists_of(self.tape)
        after_it = function.layout.lists_of(run.tape)
        left = [f"{name} = {cells}" for name, cells in after_it.items() if cells != before[name]]
        returned = function.layout.result_of(run.tape)
        return ", ".join([*([] if returned is None else [str(returned)]), *left]) + f"  ({after})"

    def to_dict(self) -> dict[str, Any]:
        return {
            "tape": list(self.tape),
            "call": self.call,
            "generic": self._data(self.generic),
            "adapted": self._data(self.adapted),
        }

    def _data(self, run: Run) -> dict[str, Any]:
        data: dict[str, Any] = {
            "tape": list(run.tape),
            "steps": run.steps,
            "stop": run.stop.value,
        }
        function = self.pair.function
        if function is not None and run.stop is Stop.STOPPED:
            data["result"] = function.layout.result_of(run.tape)
        return data


@dataclass(frozen=True)
class Verified:
    """A verdict on a pair of programs, which prints itself; `to_dict` gives plain data."""

    pair: Pair
    verdict: Verdict
    deployed: Verdict | None = None  # on what is deployed in place of the adapted program

    @property
    def proved(self) -> bool:
        return self.verdict.proved

    @property
    def refuted(self) -> bool:
        return self.verdict.refuted

    @property
    def counterexample(self) -> Witness | None:
        """The tape that refutes the claim, if it is refuted."""
        tape = self.verdict.counterexample
        return None if tape is None else Witness(self.pair, tape)

    @property
    def outside(self) -> Witness | None:
        """An allowed tape on which the generic program has no answer, if that prevents a proof."""
        tape = self.verdict.tape
        return None if tape is None or self.refuted else Witness(self.pair, tape)

    @property
    def reason(self) -> str:
        """The reason of the verdict, in terms of the function if there is one."""
        pair, verdict = self.pair, self.verdict
        if pair.function is None or not verdict.reason:
            return verdict.reason
        if self.refuted and self.counterexample is not None:
            return self.counterexample.difference() or verdict.reason
        if pair.function.wrap:
            return verdict.reason
        if verdict.proved:
            return (
                f"wherever its numbers are from 0 to {pair.M - 1} and Python ends without an error"
            )
        if self.outside is not None:
            numbers = f"a number is not from 0 to {pair.M - 1}"
            return f"on a call that is allowed, {numbers} or Python ends with an error"
        return verdict.reason

    @property
    def advice(self) -> str:
        """Advice for a pair that is not proved."""
        masks = {case.mask for case in self.pair.cases}
        if self.verdict.outcome is Outcome.UNKNOWN and len(masks) > 1:
            return "cases count different cells; say which must agree, such as --counts 0,3-7"
        if self.proved or self.verdict.tape is None:
            return ""
        if self.outside is not None:
            return "keep such inputs out with --assume FACT"
        if not self.pair.facts:
            return 'if it is meant for some inputs only, say which, such as --assume "tape[0] == 3"'
        return ""

    @property
    def statement(self) -> str:
        """The verdict in one line, without the time."""
        return replace(self.verdict, reason=self.reason).statement

    def __str__(self) -> str:
        pair, verdict = self.pair, self.verdict
        rows = [str(replace(verdict, tape=None, reason=self.reason))]
        if self.proved:
            rows += self._scope()
        if self.deployed is not None and pair.deployed is not None:
            what = "a table" if pair.deployed.table else "another program"
            rows.append(f"what is deployed, {what}: {self.deployed.statement}")
            rows += [f"  {words}" for words in pair.deployed.words]
        witness = self.counterexample or self.outside
        if witness is not None:
            rows += witness.rows()
        if pair.cases and verdict.outcome is not Outcome.REFUTED:
            rows.append(f"right on all {len(set(pair.cases)):,} distinct cases")
        return "\n".join(rows)

    def _scope(self) -> list[str]:
        """The scope of the proof, in words."""
        pair = self.pair
        function = pair.function
        always = function.layout.facts if function is not None else ()
        found = [self._worded(fact.text) for fact in pair.facts if fact.text not in always]
        rows = [f"  {text}" for text in found if text]
        rows = ["whenever", *rows] if rows else [self._everywhere()]
        seen = None if pair.function is None else pair.function.layout.counts
        if pair.counts != (tuple(range(pair.M)) if seen is None else seen):
            rows.append(f"in the cells that count: {ranges(pair.counts)}")
        return rows

    def _worded(self, fact: str) -> str:
        """A fact in terms of a function's arguments; empty if no call can break it."""
        function = self.pair.function
        return self.pair.words.get(fact, fact) if function is None else function.in_words(fact)

    def _everywhere(self) -> str:
        function = self.pair.function
        on = f"on every {'tape' if function is None else 'call'}"
        says_where = function is not None and not function.wrap  # in its reason
        return f"{on} on which it stops" if self.verdict.partial and not says_where else on

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        pair, verdict = self.pair, self.verdict
        generic, adapted = pair.names
        return {
            "verdict": verdict.outcome.value,
            "reason": self.reason,
            "how": verdict.how,
            "walked": verdict.walked,
            "partial": verdict.partial,
            "seconds": round(verdict.seconds, 3),
            "generic": generic,
            "adapted": adapted,
            "memory": pair.M,
            "assumed": [fact.text for fact in pair.facts],
            "counts": list(pair.counts),
            "cases": len(set(pair.cases)),
            "counterexample": self.counterexample and self.counterexample.to_dict(),
            "outside": self.outside and self.outside.to_dict(),
        }


def _cells(tape: tuple[int, ...]) -> str:
    return " ".join(map(str, tape))


def verify_pair(
    pair: Pair, seconds: float = 60.0, asked_to_stop: Callable[[], bool] = lambda: False
) -> Verified:
    """Prove or refute, within this many seconds, that the adapted program does what the generic one does.

    If the facts allow tapes on which the generic program does not stop, a proof covers only those on which it
    stops, and says so; a strict pair has no such proof.
    """
    clock = Clock(seconds, asked_to_stop)
    deployed = pair.deployed
    on_other = verdict_on_table(pair, deployed) if deployed and deployed.table else None
    if on_other is not None and (on_other.refuted or pair.bodies[0] == pair.bodies[1]):
        return Verified(pair, on_other.after(clock.seconds), on_other)
    claim = pair.claim()
    verdict = _on_cases(pair, claim, clock) or _of_one(claim, clock) or _for_all(claim, clock)
    if resources.was_full() and not (verdict.proved or verdict.refuted):
        verdict = unknown(resources.why_full(), verdict.how, verdict.walked, verdict.tape)
    if asked_to_stop() and not (verdict.proved or verdict.refuted):
        verdict = unknown("it was interrupted", verdict.how, verdict.walked, verdict.tape)
    if verdict.proved and deployed and deployed.program:
        other = verify_pair(pair_of_program(pair, deployed), clock.left, asked_to_stop)
        if not other.proved:
            return other
        on_other = other.verdict
    return Verified(pair, verdict.after(clock.seconds), on_other)


def _on_cases(pair: Pair, claim: Claim, clock: Clock) -> Verdict | None:
    """Refute the claim by a case, or report that the masks of cases are incompatible; None otherwise.

    Each case is judged in its own mask, unless the cells that count were named.
    """
    for number, case in enumerate(dict.fromkeys(pair.cases), start=1):
        mask = claim.mask if pair.counts_are_given else case.mask
        verdict = replace(claim, mask=mask).replay(case.input, "test", number)
        if verdict.refuted:
            return verdict
        if clock.over:
            return None
    apart = None if pair.counts_are_given else counted_apart(claim, pair.cases)
    return None if apart is None else apart[1]


def _of_one(claim: Claim, clock: Clock) -> Verdict | None:
    """A program equals itself without a proof, if it stops on some tape; None otherwise."""
    if claim.adapted != claim.generic or claim.strict:
        return None
    random, possible = Random(0), claim.tapes
    try:
        tapes = [possible.find(random, clock)]
    except Undecided:
        return None
    tapes += [possible.draw(random) for _ in range(_TRIED)] if tapes[0] else []
    if all(tape is None or claim.failure(tape) for tape in tapes):
        return None
    return proved("", 0, "it is the generic program", partial=True)


def _for_all(claim: Claim, clock: Clock) -> Verdict:
    stop = clock.asked_to_stop
    verdict = prove(claim, clock.left, any_failure=not claim.strict, asked_to_stop=stop)
    if verdict.tape is None or verdict.refuted or claim.strict or clock.over:
        return verdict
    partial = replace(claim, partial=True)
    return prove(partial, clock.left, asked_to_stop=stop)

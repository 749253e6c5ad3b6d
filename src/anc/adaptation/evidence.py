"""Evidence for a program: its verdict under a minimal precondition learnt from the samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anc.data.tasks.cases import Case
from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program
from anc.proof import Claim, Fact, Verdict
from anc.proof.preconditions import mine, prove_quickly, prove_with_least
from anc.proof.preconditions.support import failures
from anc.proof.verdict import unknown
from anc.search import Found
from anc.support.clock import Time
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.python.function import Function


MAX_STEPS = 20_000
MOST_SAMPLES = 3_000
_MINED = 300  # samples from which facts are mined; the others only check them


@dataclass(frozen=True)
class Evidence:
    """The evidence for a program that is right on all samples.

    It holds the verdict, the facts that it rests on, a tape that these facts rightly exclude, and a case that no
    fact distinguishes from the samples but on which the program fails, if there is one.
    """

    verdict: Verdict
    facts: tuple[Fact, ...] = ()
    rejected: tuple[int, ...] | None = None
    counterexample: Case | None = None


@dataclass(frozen=True)
class Samples:
    """The samples: cases that proofs may use, and the facts that hold on all of them."""

    cases: tuple[Case, ...]
    M: int

    @classmethod
    def of(cls, cases: Iterable[Case]) -> Samples:
        distinct = tuple(dict.fromkeys(cases))[:MOST_SAMPLES]
        return cls(distinct, distinct[0].M)

    def with_others(self, cases: Iterable[Case]) -> Samples:
        """These samples and other cases, without a limit on their number."""
        return Samples(tuple(dict.fromkeys((*self.cases, *cases))), self.M)

    @cached_property
    def inputs(self) -> np.ndarray:
        """(n, M)"""
        return np.array([case.input for case in self.cases], np.int64)

    @cached_property
    def facts(self) -> list[Fact]:
        return [f for f in mine(self.inputs[:_MINED], self.M) if f.truths(self.inputs).all()]


def check_assumed(
    cases: Sequence[Case], assumed: Iterable[Fact], function: Function | None = None
) -> None:
    """Refuse assumptions that a case contradicts: no answer would cover such cases."""
    for fact in assumed:
        wrong = [case for case in dict.fromkeys(cases) if not fact.holds(case.input)]
        if wrong:
            tape = " ".join(map(str, wrong[0].input))
            holds = ", ".join(f"tape[{c}] is {wrong[0].input[c]}" for c in sorted(fact.cells)[:6])
            words, first = str(fact), f"in the first, {holds}\n  input: {tape}"
            if function is not None:
                words = function.in_words(words)
                first = f"the first is {function.call_text(wrong[0].input)}"
            raise AncError(
                f"{len(wrong)} of {len(set(cases))} distinct cases contradict the assumption"
                f" '{words}': {first}",
                help="drop the assumption, or the cases that it is not meant for",
            )


def find_evidence(
    generic: Program,
    adapted: Program,
    samples: Samples,
    assumed: Sequence[Fact],
    seconds: float,
    exact: Program | None = None,
    time: Time | None = None,
    quick: bool = False,
) -> Evidence:
    """Prove that a program which is right on all samples does what the generic one does.

    With an exact program, the adapted program must do what that one does, and the precondition must exclude the
    tapes on which it does not stop. A quick proof uses no facts but the assumed ones and
    constant cells.
    """
    mask = counted_cells(samples.cases)
    is_strict = exact is not None
    claim = Claim(exact or generic, adapted, samples.M, mask, assumed, MAX_STEPS, strict=is_strict)
    apart = counted_apart(claim, samples.cases)
    if apart is not None:
        return Evidence(apart[1], counterexample=_case(generic, apart[0].input, mask))
    if quick:
        found = prove_quickly(claim, samples.facts, samples.inputs, seconds, time)
    else:
        found = prove_with_least(claim, samples.facts, samples.inputs, seconds, time)
    tape = found.verdict.counterexample
    case = None if tape is None else _case(generic, tape, mask)
    return Evidence(found.verdict, found.facts, found.rejected, case)


def counted_cells(cases: Iterable[Case]) -> tuple[bool, ...]:
    """The cells to prove: those that count in any case."""
    return some_counted(tuple(map(any, zip(*{case.mask for case in cases}, strict=True))))


def some_counted(mask: tuple[bool, ...]) -> tuple[bool, ...]:
    """The mask, unless no cell counts: then there is nothing to prove."""
    if not any(mask):
        raise AncError(
            "no cell counts: there is nothing that could be right or wrong",
            help="let a cell count in the mask of some case, or return something from a function",
        )
    return mask


def counted_apart(claim: Claim, cases: Iterable[Case]) -> tuple[Case, Verdict] | None:
    """A case on which the program is right although it differs in a cell that counts in other cases.

    A claim cannot express where such a cell counts.
    """
    own = [case for case in dict.fromkeys(cases) if tuple(case.mask) != tuple(claim.mask)]
    tapes = np.array([case.input for case in own], np.int64).reshape(-1, claim.M)
    for number in np.flatnonzero(failures(claim, tapes)):
        case = own[number]
        together = claim.failure(case.input)
        alone = replace(claim, mask=case.mask).failure(case.input)
        if together is not None and alone is None:
            reason = (
                f"cases count different cells: {together.reason}, in a case that does not count it"
            )
            return case, unknown(reason)
    return None


def _case(generic: Program, tape: tuple[int, ...], mask: tuple[bool, ...]) -> Case | None:
    """A counter-example as a case; None if the generic program does not stop on it."""
    run = exact.run(generic, tape, MAX_STEPS)
    return Case(tape, run.tape, mask) if run.stop is Stop.STOPPED else None


class Why(Enum):
    """Why a program that is right on all samples became no answer."""

    WRONG = "wrong on other cases"
    REFUTED = "refuted"
    UNPROVED = "not proved"
    SLOWER = "no better than the generic program"


@dataclass(frozen=True)
class Dropped:
    """A rejected candidate: a program that was right on all samples, and why it is no answer."""

    found: Found
    why: Why
    reason: str
    counterexample: tuple[int, ...] | None = None
    seed: int | None = None  # of the search that found it, if there were several

    @staticmethod
    def unproved(found: Found, evidence: Evidence) -> Dropped:
        """A candidate without a proof that is no better than another one without a proof."""
        verdict = evidence.verdict
        why = Why.REFUTED if verdict.refuted else Why.UNPROVED
        return Dropped(found, why, verdict.reason, verdict.counterexample)


def summary(dropped: Iterable[Dropped]) -> str:
    """The number of rejected candidates of each kind, in words."""
    counts = Counter(each.why for each in dropped)
    n = sum(counts.values())
    kinds = ", ".join(f"{counts[why]} {why.value}" for why in Why if counts[why])
    return f"{n} candidate{'s' * (n != 1)} dropped: {kinds}" if n else ""

"""Evidence: held-out cases first, then a proof under as few facts as it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program
from anc.tasks.cases import Case
from anc.verify import Claim, Fact, Verdict, mine, prove_with_least, test_on
from anc.verify.clock import Clock
from anc.verify.verdict import refuted

MAX_STEPS = 20_000
_SAMPLES = 300  # to mine facts from
_PROOF = 10.0  # seconds for one proof, at most


@dataclass(frozen=True)
class Evidence:
    """What is known about a program: the verdict, the facts that it rests on, where it failed."""

    verdict: Verdict
    facts: tuple[Fact, ...] = ()
    counterexample: Case | None = None


def examine(
    generic: Program,
    adapted: Program,
    held_out: Sequence[Case],
    assumed: Sequence[Fact],
    clock: Clock,
) -> Evidence:
    """Test on held-out cases; if all are right, prove."""
    wrong = test_on(adapted, held_out, MAX_STEPS).wrong
    if wrong is not None:
        return Evidence(refuted("test", 1, wrong.input, "wrong on a held-out case"), (), wrong)
    samples = [case.input for case in held_out[:_SAMPLES]]
    M, mask = held_out[0].M, counted_cells(generic, adapted, held_out)
    claim = Claim(generic, adapted, M, mask, assumed, MAX_STEPS)
    seconds = max(0.2, min(_PROOF, 0.6 * clock.left))
    verdict, facts = prove_with_least(claim, mine(samples, M), samples, seconds)
    tape = verdict.counterexample
    return Evidence(verdict, tuple(facts), None if tape is None else _case(generic, tape, mask))


def counted_cells(generic: Program, adapted: Program, cases: Sequence[Case]) -> tuple[bool, ...]:
    """The cells to prove: those that count in any case, or in all of them if that is too many."""
    columns = list(zip(*(case.mask for case in cases), strict=True))
    union = tuple(any(column) for column in columns)
    every = tuple(all(column) for column in columns)
    for case in cases[:50] if union != every else ():
        wanted, found = (exact.run(p, case.input, MAX_STEPS).tape for p in (generic, adapted))
        if any(a != b for a, b, counts in zip(wanted, found, union, strict=True) if counts):
            return every
    return union


def _case(generic: Program, tape: tuple[int, ...], mask: tuple[bool, ...]) -> Case | None:
    """A counter-example as a case; none where the generic program itself does not stop."""
    run = exact.run(generic, tape, MAX_STEPS)
    return Case(tape, run.tape, mask) if run.stop is Stop.STOPPED else None

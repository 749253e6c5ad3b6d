"""Evidence: held-out cases first, then a proof under as few facts as it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anc.adaptation.clock import Clock
from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program
from anc.tasks.cases import Case
from anc.verify import Fact, Verdict, mine, prove_with_least, test_on

MAX_STEPS = 20_000
_SAMPLES = 300  # to mine facts from
_PROOF = 10.0  # seconds for one proof, at most


@dataclass(frozen=True)
class Evidence:
    """What is known about a program: the verdict, the facts that it rests on, where it failed."""

    verdict: Verdict
    facts: tuple[Fact, ...]
    counterexample: Case | None


def examine(
    generic: Program,
    adapted: Program,
    M: int,
    held_out: Sequence[Case],
    assumed: Sequence[Fact],
    clock: Clock,
) -> Evidence:
    """Test on held-out cases; if all are right, prove."""
    tested = test_on(adapted, held_out, MAX_STEPS)
    if tested.wrong is not None:
        return Evidence(_refuted(tested.wrong), (), tested.wrong)
    samples = [case.input for case in held_out[:_SAMPLES]]
    mask = counted_cells(generic, adapted, held_out)
    verdict, facts = prove_with_least(
        generic,
        adapted,
        M,
        mask,
        mine(samples, M),
        assumed,
        time_limit=max(0.2, min(_PROOF, 0.6 * clock.left)),
        max_steps=MAX_STEPS,
        samples=samples,
    )
    tape = verdict.counterexample
    return Evidence(verdict, tuple(facts), None if tape is None else _case(generic, tape, mask))


def counted_cells(generic: Program, adapted: Program, cases: Sequence[Case]) -> tuple[bool, ...]:
    """The cells to prove: those that count in any case, or in all of them if that is too many."""
    columns = list(zip(*(case.mask for case in cases), strict=True))
    union = tuple(any(column) for column in columns)
    every = tuple(all(column) for column in columns)
    for case in cases[:50] if union != every else ():
        wanted = exact.run(generic, case.input, MAX_STEPS).tape
        found = exact.run(adapted, case.input, MAX_STEPS).tape
        if any(a != b for a, b, counts in zip(wanted, found, union, strict=True) if counts):
            return every
    return union


def _case(generic: Program, tape: tuple[int, ...], mask: tuple[bool, ...]) -> Case | None:
    """A counter-example as a case; none where the generic program itself does not stop."""
    run = exact.run(generic, tape, MAX_STEPS)
    return Case(tape, run.tape, mask) if run.stop is Stop.STOPPED else None


def _refuted(case: Case) -> Verdict:
    from anc.verify import Outcome

    return Verdict(Outcome.REFUTED, "test", 1, case.input, "wrong on a held-out case")

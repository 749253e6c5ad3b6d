"""One program that checks the precondition and falls back to the generic program where it fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anc.compiler import to_text
from anc.compiler.graph import Constant
from anc.diagnostics import AncError, counted
from anc.guards.arrange import NoGuard, arrange
from anc.guards.check import CannotCheck, Check
from anc.machine import exact
from anc.program import Program
from anc.verify.facts import Fact

_LONGEST = 10_000


@dataclass(frozen=True)
class Guarded:
    """The guarded program, or (`program` None) the reason why there is none.

    `check_lines` are spent on the check in every run; `check_steps` says what it costs on the tapes
    given: mean, least and most steps above the body that runs.
    """

    program: Program | None
    text: str = ""
    check_lines: int = 0
    check_steps: tuple[float, int, int] | None = None
    taken: float | None = None  # the part of the tapes on which the adapted program runs
    reason: str = ""

    def __str__(self) -> str:
        if self.program is None:
            return f"no guarded program: {self.reason}"
        text = f"{counted(self.program.L, 'line')}, {self.check_lines} of them the check"
        if self.check_steps is not None and self.taken is not None:
            mean, least, most = self.check_steps
            text += (
                f"; it costs {mean:.1f} steps (from {least} to {most}); the adapted program runs on"
                f" {self.taken:.0%} of the tapes"
            )
        return text


def guard(
    generic: Program,
    adapted: Program,
    facts: Sequence[Fact],
    M: int,
    tapes: Iterable[Sequence[int]] = (),
    max_steps: int = _LONGEST,
) -> Guarded:
    """A program that runs `adapted` where all facts hold and `generic` elsewhere.

    The facts must be those under which the adapted program was proved. Where the generic program
    itself does not stop, nothing is promised.
    """
    check = Check(M, generic.instructions)
    try:
        error = check.add(facts)
        if isinstance(error, Constant):  # the facts hold always, or never
            program, lines = (generic if error.value else adapted), 0
        else:
            generic.check_fits(M)
            adapted.check_fits(M)
            program, lines = arrange(check, error, generic, adapted), check.lines
    except (NoGuard, CannotCheck, AncError) as problem:
        return Guarded(None, check_lines=check.lines, reason=str(problem))
    costs, taken = [], 0
    for tape in tapes:
        holds = all(fact.holds(tape) for fact in facts)
        alone = exact.run(adapted if holds else generic, tape, max_steps)
        together = exact.run(program, tape, max_steps + lines)
        taken += holds
        costs.append(together.steps - alone.steps)
    steps = (sum(costs) / len(costs), min(costs), max(costs)) if costs else None
    return Guarded(program, to_text(program), lines, steps, taken / len(costs) if costs else None)

"""What is deployed: of all that is proved, the function that is fastest with its guard, on this machine.

The clock has the last word. Candidates are the proved answer, other programs that were proved on the way, and a
look-up table. Where times are close, the first of them is taken, so that other runs agree as far as they can.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from anc.adaptation.lookup import LookUp, look_up
from anc.adaptation.texts import generic_in_c, in_c, in_python
from anc.adaptation.worth import CLOSE, Worth, agrees, measured
from anc.adaptation.worth_in_c import nanoseconds_in_c
from anc.codegen.tables import Table
from anc.proof.facts import Fact

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted, Answer

PROGRAM, TABLE = "program", "table"


@dataclass(frozen=True)
class Deployed:
    """A guarded function: an answer, and the table of its results unless it is a program."""

    result: Adapted
    answer: Answer
    table: Table | None = None

    @property
    def kind(self) -> str:
        return PROGRAM if self.table is None else TABLE

    @cached_property
    def python(self) -> str:
        """The text of adapted.py."""
        return in_python(self.result, self.answer, self.table)

    @cached_property
    def c(self) -> str:
        """The text of adapted.h."""
        return in_c(self.result, self.answer, self.table)

    @cached_property
    def worth(self) -> Worth:
        """Its measured speed in Python."""
        return measured(self.result, self.answer, self.python)

    @property
    def relative(self) -> float:
        """Its time in Python, relative to the original's."""
        return self.worth.expected.after / self.worth.expected.before


def candidates(result: Adapted) -> list[Deployed]:
    """All that may be deployed, cheapest first; a table is last.

    A function whose results are sometimes True and sometimes 1, in a way that its text does not tell, stays as it is.
    """
    answer = result.answer
    found = [Deployed(result, answer)] if result.improved and answer.verdict.proved else []
    found += [Deployed(result, other) for other in result.also_proved if other != answer]
    table = _table(result)
    found += [] if table is None else [table]
    return [each for each in found if agrees(result, each.python)]


def fastest(found: list[Deployed]) -> Deployed | None:
    """The fastest in Python; of those that take about as long, the first."""
    if len(found) < 2:
        return next(iter(found), None)
    least = min(each.relative for each in found)
    return next(each for each in found if each.relative <= (1 + CLOSE) * least)


def fastest_in_c(result: Adapted, found: list[Deployed]) -> str | None:
    """The text of the fastest in C, without a compiler of the first; a function as it was is one more."""
    texts = [each.c for each in found]
    if result.problem.function is not None:
        texts.append(generic_in_c(result))
    times = nanoseconds_in_c(result, texts) if len(texts) > 1 else None
    if times is None:
        return next(iter(texts), None)
    least = min(times)
    return next(
        each for each, took in zip(texts, times, strict=True) if took <= (1 + CLOSE) * least
    )


def _table(result: Adapted) -> Deployed | None:
    """The look-up table of a Python function, where one is small enough."""
    problem = result.problem
    if problem.function is None:
        return None
    known = look_up(problem.function, [case.input for case in problem.looked_at])
    if known is None:
        return None
    fresh = problem.fresh
    return Deployed(
        result,
        replace(
            result.proved,
            method="table",
            verdict=known.verdict,
            facts=known.facts,
            rejected=_outside(known, problem.M),
            fresh=len(fresh),
            held=sum(all(fact.holds(case.input) for fact in known.facts) for case in fresh),
        ),
        known.table,
    )


def _outside(known: LookUp, M: int) -> tuple[int, ...] | None:
    """A tape that differs from those of a table in one number."""
    inside = {min(fact.cells): _least(fact, M) for fact in known.facts}
    tape = [inside.get(number, 0) for number in range(M)]
    for fact in known.facts:
        (number,) = fact.cells
        for value in (inside[number] + 1, *range(M)):
            if value < M and not fact.holds({number: value}):
                return (*tape[:number], value, *tape[number + 1 :])
    return None


def _least(fact: Fact, M: int) -> int:
    (number,) = fact.cells
    return next(value for value in range(M) if fact.holds({number: value}))

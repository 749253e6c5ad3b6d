"""The result of an adaptation to an objective: a program and a comparison on held-out instances, without a proof.

The result prints and saves itself, and another adaptation can start from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from anc.data.loading import compiled
from anc.isa import InstructionSet
from anc.language import Source, self_contained
from anc.language.source import without_set
from anc.program import Program
from anc.support import folders
from anc.support.diagnostics import AncError, counted
from anc.support.records import Finite, stored, unsaved

if TYPE_CHECKING:
    from anc.adaptation.objectives.adapt import Aimed
    from anc.adaptation.objectives.objective import Judged, Objective


@dataclass(frozen=True)
class Moment:
    """An improvement, and when it was found."""

    seconds: float
    tried: int  # proposals of annealing and iterations of gradient descent so far
    score: float  # mean, on the instances of the search


@dataclass(frozen=True, kw_only=True)
class Improved(folders.Result):
    """The best program for an objective, compared with the generic one; programs are listings.

    `program` is unknown to a result that was read.
    """

    kind: ClassVar[folders.ResultKind] = folders.OBJECTIVE
    measure: ClassVar[str] = "score"
    name: str
    objective: str  # in words
    provenance: Mapping[str, Any] = field(default_factory=dict)  # seed, budget, command, ...
    improved: bool
    method: str
    are_fresh: bool = stored(key="fresh")
    comparison: PairedComparison
    claim: str  # what is claimed about the program, and what is not proved
    listing: str = stored(key="program")
    generic: str | None = None
    memory: int | None = None
    history: tuple[Moment, ...] = ()
    members: tuple[Finite, ...] = ()  # best mean score of each member of gradient descent
    tried: int
    seconds: float = stored(digits=2)
    stop: str
    notes: tuple[str, ...] = ()
    program: Program = unsaved()

    @property
    def has_constraint(self) -> bool:
        """Whether the objective has one, as the claim says."""
        return "constraint" in self.claim

    @property
    def progress(self) -> list[tuple[float, float]]:
        """(seconds, score) of the best so far."""
        return [(moment.seconds, moment.score) for moment in self.history]

    def files(self) -> dict[str, str]:
        rows = [f"{self.name}: {self.objective}", *self._numbers(), self.claim]
        listing = "".join(f"# {row}\n" for row in rows) + self.listing
        texts = {"adapted.anc": listing, "generic.anc": self.generic or ""}
        return self_contained(texts, self.program.instructions)

    def _numbers(self) -> list[str]:
        return self.comparison.rows(self.are_fresh, self.has_constraint)

    def __str__(self) -> str:
        better = f"better (found by {self.method})" if self.improved else "nothing better was found"
        rows = [f"{self.name}: {self.objective}: {better}", *self._numbers(), self.claim]
        rows += ["", self.listing.rstrip("\n"), "", *self.notes]
        if self.members:
            low, high = min(self.members), max(self.members)
            rows.append(
                f"{counted(len(self.members), 'member')}, mean scores from {low:.3f} to {high:.3f}"
            )
        return "\n".join([*rows, f"{self.tried:,} tried, {self.seconds:.1f} s, {self.stop}"])


def read_earlier(start: Any, aimed: Aimed) -> Program:
    """Read the program of an earlier result for the same generic program, or of its folder."""
    told, name = folders.earlier_result(start, Improved, "anc adapt --objective ...", WHAT)
    M = aimed.instances.M
    try:
        texts = told.generic or "", told.listing
        generic, program = (program_in(text, M, aimed.program.instructions) for text in texts)
    except AncError as problem:
        raise AncError(f"{name} is not a result for a memory of {M}: {problem.message}") from None
    if generic != program_in(aimed.text, M, aimed.program.instructions):
        raise AncError(
            f"{name} is about another program than '{aimed.name}'",
            help="start from a result for the same generic program",
        )
    if not aimed.program.keeps(program):
        raise AncError(f"the program of {name} does not leave the frozen lines alone")
    return program


def program_in(text: str, M: int, instructions: InstructionSet) -> Program:
    """The program of a listing in an earlier result."""
    return compiled(Source(without_set(text), "<an earlier result>"), M, instructions).program


WHAT = "a result of anc adapt --objective"


@dataclass(frozen=True)
class PairedComparison:
    """A paired comparison of the adapted with the generic program, on instances where both are valid."""

    instances: int
    generic: Finite  # mean scores
    adapted: Finite
    difference: Finite  # mean of adapted - generic, pair by pair
    low: Finite  # the 95 % interval of the mean difference, by Student's t
    high: Finite
    better: float  # shares of the instances
    equal: float
    worse: float
    violations_generic: int  # invalid runs: they do not stop, or violate the constraint
    violations_adapted: int
    steps_generic: float
    steps_adapted: float

    @staticmethod
    def of(objective: Objective, generic: Judged, adapted: Judged) -> PairedComparison:
        both = generic.valid & adapted.valid
        n = int(both.sum())
        change = (adapted.scores - generic.scores)[both]
        mean = float(change.mean()) if n else math.nan
        half = math.inf
        if n > 3:
            from scipy.special import stdtrit  # takes a while

            half = float(stdtrit(n - 1, 0.975) * change.std(ddof=1)) / math.sqrt(n)
        gain = -objective.sign * change
        better, equal, worse = (
            float(test.mean()) if n else 0.0 for test in (gain > 0, gain == 0, gain < 0)
        )
        before, after = (
            float(each.scores[both].mean()) if n else math.nan for each in (generic, adapted)
        )
        return PairedComparison(
            len(both), before, after, mean, mean - half, mean + half, better, equal, worse,
            int((~generic.valid).sum()), int((~adapted.valid).sum()),
            float(generic.steps.mean()), float(adapted.steps.mean()),
        )  # fmt: skip

    def rows(
        self, are_fresh: bool, has_constraint: bool, other: str = "of the generic program"
    ) -> list[str]:
        """The comparison in words; `other` names the generic program."""
        kind = "held-out instances" if are_fresh else "instances, which the search also saw"
        what = "do not stop or violate the constraint" if has_constraint else "do not stop"
        return [
            f"on {self.instances} {kind}: mean score {self.adapted:.3f} instead of {self.generic:.3f},"
            f" difference {self.difference:+.3f} (95 % interval {self.low:+.3f} to {self.high:+.3f})",
            f"better on {100 * self.better:.1f} %, equal on {100 * self.equal:.1f} %, worse on"
            f" {100 * self.worse:.1f} %;"
            f" {self.violations_adapted} {what} ({other}: {self.violations_generic})",
            f"steps: {self.steps_adapted:.2f} instead of {self.steps_generic:.2f}",
        ]

    def claim(self, are_fresh: bool, has_constraint: bool) -> str:
        """What is claimed about the adapted program, and what is not proved."""
        checked = f"checked on {self.instances} {'held-out ' if are_fresh else ''}instances"
        valid = "that it stops and that the constraint holds" if has_constraint else "that it stops"
        return f"not proved: {valid} (only {checked})"

    @property
    def improved(self) -> bool:
        """Whether the score is better with 95 % confidence, without more violations."""
        is_gain = self.better > self.worse and not (self.low <= 0 <= self.high)
        return is_gain and self.violations_adapted <= self.violations_generic

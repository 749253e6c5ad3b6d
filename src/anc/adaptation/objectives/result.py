"""What an adaptation to an objective found: a program, numbers on fresh instances, and no proof.

Another adaptation can begin with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from anc.adaptation.objectives.comparing import Comparison
from anc.adaptation.objectives.saved import WHAT, Moment, SavedImproved
from anc.compiler import to_text
from anc.data.loading import compiled
from anc.language import Source
from anc.program import Program
from anc.support import folders
from anc.support.diagnostics import AncError, counted
from anc.support.records import record_of

if TYPE_CHECKING:
    from anc.adaptation.objectives.adapt import Aimed


@dataclass(frozen=True)
class Improved(folders.Result):
    """The best program for an objective, compared with the generic one."""

    kind: ClassVar[folders.Kind] = folders.OBJECTIVE
    name: str
    generic: Program
    text: str  # the generic program's listing
    program: Program
    objective: str  # in words
    has_constraint: bool
    method: str
    comparison: Comparison
    are_fresh: bool
    history: tuple[Moment, ...]
    tried: int
    seconds: float
    stop: str
    notes: tuple[str, ...] = ()
    members: tuple[float, ...] = field(default=())  # gradient: each member's best mean score
    made: Mapping[str, Any] = field(default_factory=dict)  # seed, budget, version, command, ...

    @property
    def improved(self) -> bool:
        return self.comparison.improved

    @property
    def claim(self) -> str:
        """What is claimed, and what is not."""
        return self.comparison.claim(self.are_fresh, self.has_constraint)

    @property
    def saved(self) -> SavedImproved:
        return record_of(
            SavedImproved, self, provenance=self.made, fresh=self.are_fresh,
            program=to_text(self.program), generic=self.text, memory=self.program.memory,
        )  # fmt: skip

    def files(self) -> dict[str, str]:
        return {"adapted.anc": self._listing(), "generic.anc": self.text}

    def _listing(self) -> str:
        rows = [f"{self.name}: {self.objective}", *self._numbers(), self.claim]
        return "".join(f"# {row}\n" for row in rows) + to_text(self.program)

    def _numbers(self) -> list[str]:
        return self.comparison.rows(self.are_fresh, self.has_constraint)

    def __str__(self) -> str:
        better = f"better (found by {self.method})" if self.improved else "nothing better was found"
        rows = [f"{self.name}: {self.objective}: {better}", *self._numbers(), self.claim]
        rows += ["", to_text(self.program).rstrip("\n"), "", *self.notes]
        if self.members:
            low, high = min(self.members), max(self.members)
            rows.append(
                f"{counted(len(self.members), 'member')}, mean scores from {low:.3f} to {high:.3f}"
            )
        return "\n".join([*rows, f"{self.tried:,} tried, {self.seconds:.1f} s, {self.stop}"])


def read_earlier(start: Any, aimed: Aimed) -> Program:
    """The program of an earlier result, or of its folder, if it was made of the same one."""
    told, name = folders.earlier_result(start, SavedImproved, "anc adapt --objective ...", WHAT)
    M = aimed.instances.M
    try:
        generic, program = (_program(text, M) for text in (told.generic or "", told.program))
    except AncError as problem:
        raise AncError(f"{name} is not a result for a memory of {M}: {problem.message}") from None
    if generic != _program(aimed.text, M):
        raise AncError(
            f"{name} is about another program than '{aimed.name}'",
            help="start from a result for the same generic program",
        )
    if not aimed.program.keeps(program):
        raise AncError(f"the program of {name} does not leave the frozen lines alone")
    return program


def _program(text: str, M: int) -> Program:
    return compiled(Source(text, "<an earlier result>"), M).program

"""What an adaptation to an objective found: a program, numbers on fresh instances, and no proof."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anc import folders
from anc.compiler import to_text
from anc.diagnostics import counted
from anc.files import write_atomically
from anc.objectives.comparing import Comparison
from anc.program import Program


@dataclass(frozen=True)
class Moment:
    """A new best while the work went on."""

    seconds: float
    tried: int  # proposals of the search and iterations of gradient descent so far
    score: float  # mean, on the instances of the search


@dataclass(frozen=True)
class Improved:
    """The best program for an objective, compared with the generic one."""

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

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "objective": self.objective,
            "provenance": dict(self.made),
            "improved": self.improved,
            "method": self.method,
            "fresh": self.are_fresh,
            "comparison": self.comparison.to_dict(),
            "claim": self.claim,
            "program": to_text(self.program),
            "generic": self.text,
            "memory": self.program.memory,
            "history": [vars(moment) for moment in self.history],
            "members": list(self.members),
            "tried": self.tried,
            "seconds": round(self.seconds, 2),
            "stop": self.stop,
            "notes": list(self.notes),
        }

    def save(self, folder: Path | str, force: bool = False) -> None:
        """Keep it in a folder, in place of an older one; `force`: of whatever is there."""
        folders.save_whole(self.write, folder, folders.OBJECTIVE, force)

    def write(self, folder: Path) -> None:
        """Write adapted.anc, generic.anc and result.json."""
        texts = {"adapted.anc": self._listing(), "generic.anc": self.text}
        texts["result.json"] = json.dumps(self.to_dict(), indent=1) + "\n"
        for name, text in texts.items():
            write_atomically(folder / name, text.encode())

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

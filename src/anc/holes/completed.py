"""A filled sketch, whatever it was filled from: its holes, its text, and what might stand there too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from anc import folders
from anc.files import write_atomically
from anc.holes.sketch import Filling, Hole, Sketch
from anc.program import Program

SHOWN = 10  # alternatives that are named to people


@dataclass(frozen=True)
class Decided:
    """One hole with what was put there, and what else might stand there, as good on the cases.

    `alone` are those of the others that need no change elsewhere. `is_certain` says that every filling
    was looked at; else it is as far as was searched.
    """

    hole: Hole
    index: int
    others: tuple[int, ...]
    alone: tuple[int, ...]
    is_certain: bool

    @property
    def word(self) -> str:
        return self.hole.words[self.index]

    @property
    def alternatives(self) -> tuple[str, ...]:
        return tuple(self.hole.words[index] for index in self.others)

    @property
    def is_determined(self) -> bool:
        return not self.others

    def __str__(self) -> str:
        if self.others:
            both = (self.alone, ""), (set(self.others).difference(self.alone), ", with others")
            parts = [
                f"{_listed([self.hole.words[k] for k in sorted(which)])} would do{how}"
                for which, how in both
                if which
            ]
            return f"{self.hole.name}: {self.word}, but {'; '.join(parts)}"
        doubt = "" if self.is_certain else ", as far as was searched"
        return f"{self.hole.name}: {self.word} (determined{doubt})"


def _listed(words: Sequence[str]) -> str:
    """Some of the words, and how many more there are."""
    left = len(words) - SHOWN
    return " or ".join([*words[:SHOWN], *([f"{left} more"] if left > 0 else [])])


@dataclass(frozen=True)
class Completed:
    """A filled sketch, and how it was found; `measure` is what the numbers of its history are."""

    measure: ClassVar[str]
    name: str
    sketch: Sketch
    filling: Filling
    holes: tuple[Decided, ...]
    fillings: float | None  # how many are as good, if all were looked through
    method: str  # that found it
    members: int  # of gradient descent
    members_right: int  # of them, as good as this filling
    notes: tuple[str, ...]
    seconds: float
    stop: str
    made: Mapping[str, Any]  # seed, budget, version, command, ...
    history: tuple[tuple[float, float], ...]  # seconds, and the wrong cells or score from then on
    evaluations: int | None = field(default=None, kw_only=True)  # done, where the budget was work

    @property
    def spent(self) -> str:
        """The time or the work that was spent, for people."""
        if self.evaluations is not None:
            return f"{self.evaluations:,} evaluations"
        return f"{self.seconds:.1f} s"

    @property
    def text(self) -> str:
        """The sketch's text with its holes filled."""
        return self.sketch.text(self.filling)

    @property
    def program(self) -> Program:
        return self.sketch.finished(self.filling)

    @property
    def is_determined(self) -> bool:
        """Whether there certainly is no other filling as good."""
        return all(decided.is_determined and decided.is_certain for decided in self.holes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "problem": self.name,
            "provenance": dict(self.made),
            "determined": self.is_determined,
            "holes": [
                {
                    "line": decided.hole.span.line,
                    "column": decided.hole.span.column,
                    "filled": decided.word,
                    "alternatives": list(decided.alternatives),
                    "certain": decided.is_certain,
                }
                for decided in self.holes
            ],
            "fillings": self.sketch.size,
            "fillings_as_good": self.fillings,
            "method": self.method,
            "members": self.members,
            "members_as_good": self.members_right,
            "notes": list(self.notes),
            "history": [
                {"seconds": round(seconds, 3), self.measure: value}
                for seconds, value in self.history
            ],
            "seconds": round(self.seconds, 2),
            "evaluations": self.evaluations,
            "stop": self.stop,
            "program": self.text,
        }

    def save(self, folder: Path | str, force: bool = False) -> None:
        """Keep it in a folder, in place of an older one; `force`: of whatever is there."""
        folders.save_whole(self.write, folder, folders.FILLING, force)

    def write(self, folder: Path) -> None:
        """Write the filled text (filled.anc or filled.py) and result.json."""
        suffix = ".py" if self.sketch.source.name.endswith(".py") else ".anc"
        write_atomically(folder / f"filled{suffix}", self.text.encode())
        text = json.dumps(self.to_dict(), indent=1) + "\n"
        write_atomically(folder / "result.json", text.encode())

    def opening(self) -> str:
        """How many holes were filled, and by what, for people."""
        holes = len(self.holes)
        return f"{holes} hole{'s' * (holes != 1)} filled by {self.method}"

    def closing(self, judges: str) -> Iterator[str]:
        """What is in the holes, how many fillings are as good on these `judges`, and the text."""
        yield ""
        yield from map(str, self.holes)
        if self.fillings is not None:
            n, size = self.fillings, self.sketch.size
            verb = "is" if n == 1 else "are"
            yield f"{n:,.0f} of {size:,} fillings {verb} as good on these {judges}"
        if self.members:
            found = f"{self.members_right} of {self.members} members found one as good"
            yield f"gradient descent: {found}"
        yield from self.notes
        yield ""
        yield self.text.strip("\n")
        yield ""

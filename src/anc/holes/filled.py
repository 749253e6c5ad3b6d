"""What filling a sketch ends with: the filling, what the cases determine, and what they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.files import write_atomically
from anc.holes.machine import Judged
from anc.holes.sketch import Filling, Hole, Sketch
from anc.program import Program


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
                f"{' or '.join(self.hole.words[k] for k in sorted(which))} would do{how}"
                for which, how in both
                if which
            ]
            return f"{self.hole.name}: {self.word}, but {'; '.join(parts)}"
        doubt = "" if self.is_certain else ", as far as was searched"
        return f"{self.hole.name}: {self.word} (determined{doubt})"


@dataclass(frozen=True)
class Filled:
    """A filled sketch, how good it is, and how it was found."""

    name: str
    sketch: Sketch
    filling: Filling
    judged: Judged  # on the cases
    contradicting: tuple[int, ...]  # the numbers of the cases that it gets wrong
    fresh: Judged | None  # on cases that were not looked at
    holes: tuple[Decided, ...]
    fillings: float | None  # how many are as good, if all were looked through
    method: str  # that found it
    members: int  # of gradient descent
    members_right: int  # of them, as good as this filling
    notes: tuple[str, ...]
    seconds: float
    stop: str

    @property
    def text(self) -> str:
        """The sketch's text with its holes filled."""
        return self.sketch.text(self.filling)

    @property
    def program(self) -> Program:
        return self.sketch.finished(self.filling)

    @property
    def is_right(self) -> bool:
        """Whether it is right on all cases."""
        return self.judged.is_right

    @property
    def is_determined(self) -> bool:
        """Whether the cases certainly leave nothing open."""
        return all(decided.is_determined and decided.is_certain for decided in self.holes)

    def __str__(self) -> str:
        return "\n".join(_report(self))

    def to_dict(self) -> dict[str, Any]:
        judged, fresh = self.judged, self.fresh
        return {
            "problem": self.name,
            "right": self.is_right,
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
            "cases": judged.cases,
            "wrong_cases": judged.wrong_cases,
            "wrong_cells": judged.wrong_cells,
            "cells": judged.cells,
            "contradicting_cases": list(self.contradicting),
            "steps": round(judged.steps, 4),
            "fresh_cases": fresh.cases if fresh else 0,
            "fresh_right": fresh.cases - fresh.wrong_cases if fresh else 0,
            "method": self.method,
            "members": self.members,
            "members_as_good": self.members_right,
            "notes": list(self.notes),
            "seconds": round(self.seconds, 2),
            "stop": self.stop,
            "program": self.text,
        }

    def save(self, folder: Path) -> None:
        """Write the filled text (filled.anc or filled.py) and result.json."""
        suffix = ".py" if self.sketch.source.name.endswith(".py") else ".anc"
        write_atomically(folder / f"filled{suffix}", self.text.encode())
        text = json.dumps(self.to_dict(), indent=1) + "\n"
        write_atomically(folder / "result.json", text.encode())


SHOWN = 5  # contradicting cases that are named


def _report(result: Filled) -> Iterator[str]:
    """What was found, for people."""
    judged, holes = result.judged, len(result.holes)
    found = f"{holes} hole{'s' * (holes != 1)} filled by {result.method}"
    if judged.is_right:
        every = "the one case" if judged.cases == 1 else f"all {judged.cases} cases"
        yield f"{result.name}: {found}, right on {every}"
    else:
        yield (
            f"{result.name}: no filling was found that is right on all cases; this is the best"
            f" ({found})"
        )
        numbers = ", ".join(map(str, result.contradicting[:SHOWN]))
        more = ", ..." if len(result.contradicting) > SHOWN else ""
        yield (
            f"{judged.wrong_cells} of {judged.cells} cells are wrong, in {judged.wrong_cases} of"
            f" {judged.cases} cases (number {numbers}{more})"
        )
    if result.fresh is not None:
        right = result.fresh.cases - result.fresh.wrong_cases
        yield f"right on {right} of {result.fresh.cases} cases that were not looked at"
    yield ""
    yield from map(str, result.holes)
    if result.fillings is not None:
        n, size = result.fillings, result.sketch.size
        yield f"{n:,.0f} of {size:,} fillings {'is' if n == 1 else 'are'} as good on these cases"
    if result.members:
        yield (
            f"gradient descent: {result.members_right} of {result.members} members found one as good"
        )
    yield from result.notes
    yield ""
    yield result.text.strip("\n")
    yield ""
    yield f"{result.judged.steps:.2f} steps in the mean; {result.seconds:.1f} s, {result.stop}"

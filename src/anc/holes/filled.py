"""What filling a sketch from cases ends with, and how right it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from anc.holes.completed import Completed
from anc.holes.machine import Judged


@dataclass(frozen=True)
class Filled(Completed):
    """A filled sketch, and how good it is on cases."""

    measure: ClassVar[str] = "wrong_cells"
    judged: Judged  # on the cases
    contradicting: tuple[int, ...]  # the numbers of the cases that it gets wrong
    fresh: Judged | None  # on cases that were not looked at

    @property
    def is_right(self) -> bool:
        """Whether it is right on all cases."""
        return self.judged.is_right

    def __str__(self) -> str:
        return "\n".join(_report(self))

    def to_dict(self) -> dict[str, Any]:
        judged, fresh = self.judged, self.fresh
        return super().to_dict() | {
            "right": self.is_right,
            "cases": judged.cases,
            "wrong_cases": judged.wrong_cases,
            "wrong_cells": judged.wrong_cells,
            "cells": judged.cells,
            "contradicting_cases": list(self.contradicting),
            "steps": round(judged.steps, 4),
            "fresh_cases": fresh.cases if fresh else 0,
            "fresh_right": fresh.cases - fresh.wrong_cases if fresh else 0,
        }


SHOWN = 5  # contradicting cases that are named


def _report(result: Filled) -> Iterator[str]:
    """What was found, for people."""
    judged, found = result.judged, result.opening()
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
    yield from result.closing("cases")
    yield f"{result.judged.steps:.2f} steps in the mean; {result.spent}, {result.stop}"

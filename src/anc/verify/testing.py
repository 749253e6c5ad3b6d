"""Testing: a program on cases, one by one, on the exact machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anc.machine import exact
from anc.program import Program
from anc.tasks.cases import Case


@dataclass(frozen=True)
class TestReport:
    """How many cases came out right, the mean steps over all of them, and the first wrong one."""

    __test__ = False  # not a test itself, whatever its name

    cases: int
    right: int
    mean_steps: float
    wrong: Case | None

    @property
    def all_right(self) -> bool:
        return self.right == self.cases


def test_on(program: Program, cases: Iterable[Case], max_steps: int) -> TestReport:
    """Run the program on every case; right means that it stops and every counted cell agrees."""
    total = steps = 0
    wrong: list[Case] = []
    for case in cases:
        result = exact.run(program, case.input, max_steps)
        total += 1
        steps += result.steps
        if result.stop is not exact.Stop.STOPPED or not case.is_right(result.tape):
            wrong.append(case)
    mean = steps / total if total else 0.0
    return TestReport(total, total - len(wrong), mean, wrong[0] if wrong else None)


test_on.__test__ = False  # type: ignore[attr-defined]

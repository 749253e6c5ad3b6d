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
    wrong: Case | None = None
    found: exact.Run | None = None

    @property
    def all_right(self) -> bool:
        return self.right == self.cases

    def __str__(self) -> str:
        text = (
            f"{self.right:,} of {self.cases:,} cases right, {self.mean_steps:.1f} steps on average"
        )
        if self.wrong is not None and self.found is not None:
            text += f"\n  first wrong: {' '.join(map(str, self.wrong.input))}"
            if self.found.stop is not exact.Stop.STOPPED:
                return text + f"\n  the run ends with {self.found.stop.value}"
            for name, tape in (("expected", self.wrong.output), ("found", self.found.tape)):
                cells = (
                    v if counts else "." for v, counts in zip(tape, self.wrong.mask, strict=True)
                )
                text += f"\n  {name + ':':<12} {' '.join(map(str, cells))}"
        return text


def test_on(program: Program, cases: Iterable[Case], max_steps: int) -> TestReport:
    """Run the program on every case; right means that it stops and every counted cell agrees."""
    total = right = steps = 0
    wrong: Case | None = None
    found: exact.Run | None = None
    for case in cases:
        result = exact.run(program, case.input, max_steps)
        total += 1
        steps += result.steps
        if result.stop is exact.Stop.STOPPED and case.is_right(result.tape):
            right += 1
        elif wrong is None:
            wrong, found = case, result
    return TestReport(total, right, steps / total if total else 0.0, wrong, found)


test_on.__test__ = False  # type: ignore[attr-defined]

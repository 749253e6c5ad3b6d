"""Filling unknown lines with the shortest straight-line code, from cases or from a specification.

All programs of one line, two lines and so on are searched (`anc.search.shortest`) on some cases. A specification says
on which other inputs a program is wrong, and these become cases. What is found has the fewest lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anc.adaptation.holes.result import Filled, ShortestLines, WrongCells
from anc.adaptation.holes.sketch import LEFT_OUT, Filling, Sketch
from anc.adaptation.holes.specification import Check, Specification, proof_of
from anc.adaptation.holes.unknown_lines import UnknownLines
from anc.data.tasks.cases import Case
from anc.isa import Op
from anc.machine import exact
from anc.machine.batch import judge
from anc.machine.encoded import Cases
from anc.program import Line, Program
from anc.search.shortest import EACH, Code, Operations, Samples, Shortest, ShortestSearch
from anc.support.clock import timed
from anc.support.diagnostics import AncError
from anc.support.job import Job
from anc.support.records import record_of


def fill_lines(
    name: str,
    sketch: Sketch,
    cases: Sequence[Case],
    fresh: Sequence[Case],
    specification: Specification | None,
    job: Job,
    seed: int,
    max_steps: int,
    shortest: bool = False,
) -> Filled:
    """The shortest filling of a sketch with unknown lines that is right, as far as the budget allows."""
    assert sketch.lines is not None
    if specification is None:
        job.clock.restart()
    work = _Work(sketch, sketch.lines, list(cases), specification, job, max_steps, shortest)
    work.run()
    return work.result(name, fresh, seed)


@dataclass
class _Work:
    sketch: Sketch
    lines: UnknownLines
    cases: list[Case]
    specification: Specification | None
    job: Job
    max_steps: int
    is_wanted: bool  # that it is the shortest
    found: Shortest | None = field(init=False, default=None)
    check: Check | None = field(init=False, default=None)
    refuted: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        sketch = self.sketch
        self.operations = Operations.of(sketch.program.instructions, sketch.M, self.lines.names)
        stop = Line(Op.STOP, None, None, sketch.program.R - 1)
        before = (*sketch.program.lines[: self.lines.first], stop)
        self.before = replace(sketch.program, lines=before, start=0, frozen=())
        self.check_cells()
        self.base, self.targets = self.columns(self.cases)

    # -- samples -----------------------------------------------------------------

    @property
    def searched(self) -> list[int]:
        """The cells whose contents unknown lines may compute."""
        return [cell for cell, register in self.lines.targets if register is None]

    def check_cells(self) -> None:
        """Refuse cases about cells that the sketch does not write, or not all of those that it writes."""
        written = {cell for cell, _ in self.lines.targets}
        for case in self.cases:
            for cell, counts in enumerate(case.mask):
                if counts and cell not in written and case.output[cell] != case.input[cell]:
                    raise AncError(
                        f"cell {cell} should be {case.output[cell]} in the end, and the sketch does"
                        " not write it",
                        help=f"write WRITE({cell}, ?) behind the unknown lines",
                    )
            free = [cell for cell in self.searched if not case.mask[cell]]
            if free:
                raise AncError(
                    f"the sketch writes cell {free[0]}, and nothing says what is right there",
                    help="unknown lines need an answer for every cell that is written behind them",
                )

    def columns(self, cases: Sequence[Case]) -> tuple[np.ndarray, np.ndarray]:
        """The base values and the targets of some cases."""
        registers = np.array([self.registers(case.input) for case in cases])
        outputs = np.array([case.output for case in cases])
        return registers[:, list(self.lines.base)].T, outputs[:, self.searched].T

    def registers(self, tape: tuple[int, ...]) -> tuple[int, ...]:
        """The registers after the lines in front of the unknown ones."""
        return exact.run(self.before, tape, self.before.L, trace=True).trace[-1].registers

    # -- the search ----------------------------------------------------------------

    def run(self) -> None:
        clock = self.job.clock
        tell = timed(self.job.tell, lambda: clock.seconds / max(clock.budget, 1e-9))
        search = ShortestSearch(self.operations, Samples(self.base, self.targets), self.refute)

        def may_go_on(done: int) -> bool:
            clock.did(EACH * done)
            tell(f"searching programs of {len(search.visited) - 1} lines", None)
            return not clock.over

        self.job.tell("compiling, once for this installation", None)
        self.found = search.run(self.lines.count, may_go_on)

    def refute(self, code: Code, results: tuple[int, ...]) -> Samples | None:
        """More samples on which a program is wrong; None if it is right, or nothing is known."""
        if self.specification is None:
            return None
        program = self.sketch.finished(self.filling(code, results))
        check = self.specification.check(program, self.job.clock, self.max_steps)
        if not check.counter_examples:
            self.check = check
            return None
        self.refuted += 1
        more = check.counter_examples
        columns = self.columns(more)
        if all(
            self.is_right(code, results, *pair)
            for pair in zip(*(c.T for c in columns), strict=True)
        ):
            raise AncError(
                f"{self.specification.name} changes other cells than those that the sketch writes",
                help=f"for example on the tape {' '.join(map(str, more[0].input[:8]))} ...",
            )
        self.cases += more
        both = zip((self.base, self.targets), columns, strict=True)
        self.base, self.targets = (np.concatenate(pair, axis=1) for pair in both)
        return Samples(self.base, self.targets)

    def is_right(
        self, code: Code, results: tuple[int, ...], base: np.ndarray, targets: np.ndarray
    ) -> bool:
        values = base.tolist()
        rows = [self.operations.instructions[number] for number in self.operations.numbers]
        for op, first, second in code:
            values.append(rows[op].output(values[first], values[second], self.operations.M))
        return [values[number] for number in results] == targets.tolist()

    def filling(self, code: Code, results: tuple[int, ...]) -> Filling:
        """The choices of all holes; the last lines are used."""
        lines, program = self.lines, self.sketch.program
        outputs = lines.outputs[lines.count - len(code) :]
        names = [program.name_of(register) for register in (*lines.base, *outputs)]
        words = [LEFT_OUT] * (lines.count - len(code))
        for number, (op, first, second) in enumerate(code):
            operands = names[first] if self.is_unary(op) else f"{names[first]}, {names[second]}"
            out = names[len(lines.base) + number]
            words.append(f"{out} = {self.operations.names[op]}({operands})")
        holes = iter(self.sketch.holes)
        found = [next(holes).words.index(word) for word in words]
        found += [next(holes).words.index(names[number]) for number in results]
        return tuple(found)

    def is_unary(self, op: int) -> bool:
        numbers = self.operations.numbers
        return self.operations.instructions[numbers[op]].operands == 1

    # -- the end -------------------------------------------------------------------

    def result(self, name: str, fresh: Sequence[Case], seed: int) -> Filled:
        found, sketch, job = self.found, self.sketch, self.job
        assert found is not None
        has = found.code is not None
        filling = self.filling(found.code or (), found.results) if has else ()
        program: Program | None = sketch.finished(filling) if has else None
        wrong, steps = np.ones(len(self.cases), np.bool_), np.zeros(len(self.cases))
        right = 0
        if program is not None:
            wrong, steps = judge(program, Cases.of(self.cases), self.max_steps)
            right = int((~judge(program, Cases.of(fresh), self.max_steps)[0]).sum()) if fresh else 0
        proof = proof_of(self.specification, self.check, self.refuted)
        return record_of(
            Filled,
            None,
            name=name,
            sketch=sketch,
            filling=filling,
            text=sketch.text(filling) if has else sketch.source.text,
            is_determined=False,
            holes=(),
            size=sketch.size,
            fillings=None,
            method="exhaustive search",
            members=0,
            members_right=0,
            notes=(),
            history=(WrongCells(round(job.clock.seconds, 3), 0),) if has else (),
            seconds=job.clock.seconds,
            evaluations=job.clock.evaluations,
            stop=job.clock.why_over if not has and found.excluded < self.lines.count else "done",
            provenance=job.made(seed=seed, method="search"),
            is_right=has and not wrong.any(),
            cases=len(self.cases),
            wrong_cases=int(wrong.sum()),
            wrong_cells=int(wrong.sum()),
            cells=len(self.cases) * max(1, len(self.searched)),
            contradicting=(),
            steps=float(steps.mean()),
            fresh_cases=len(fresh),
            fresh_right=right,
            proof=proof,
            shortest=self.shortest(found),
        )

    def shortest(self, found: Shortest) -> ShortestLines:
        program = self.sketch.program
        return ShortestLines(
            lines=None if found.code is None else len(found.code),
            most=self.lines.count,
            is_wanted=self.is_wanted,
            excluded=found.excluded,
            visited=found.visited,
            samples=found.samples,
            instructions=self.operations.names,
            operands=tuple(program.name_of(register) for register in self.lines.base),
        )

"""A problem: a generic program and the cases to adapt it to, split into training, selection and test sets."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from anc import isa
from anc.data.tasks import Case, Task
from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program
from anc.support.diagnostics import AncError, counted, plain

if TYPE_CHECKING:
    from anc.python.function import Function

FEWEST_TO_SPLIT = 30
T = TypeVar("T")
POOL, VALIDATION, CONFIRMATION, TEST = 4096, 100, 400, 1000
_LIMIT = 100_000
_TRIED = 8  # values of each operand that distinguish the built-in instructions
_MOST_TRIED = 256  # ... and those of users: all values, up to the size that machines tabulate
_OURS = frozenset(row.output for row in isa.PAPER)


def with_frozen(program: Program, lines: Iterable[int], function: Function | None) -> Program:
    """The program with these lines frozen in addition to others; `function` is its Python source, if any."""
    frozen = (*lines, *program.frozen)
    if frozen and function is not None:
        raise AncError(
            "lines of a Python function cannot be frozen",
            help="write it as a listing first: anc compile FILE.py:NAME --to listing",
        )
    return program.with_frozen(frozen) if frozen else program


@dataclass(frozen=True)
class Problem:
    """A program and four sets of cases: for training, for choosing checkpoints (two), and for reporting.

    `validation` is used often, `confirmation` only for a checkpoint that looks like a new best, and `test`
    once, at the end. If a generator draws the cases, `more` starts a sequence of further ones.
    """

    name: str
    program: Program
    text: str  # the listing of the program, as it was written
    M: int
    pool: tuple[Case, ...]
    validation: tuple[Case, ...]
    confirmation: tuple[Case, ...]
    test: tuple[Case, ...]
    note: str = ""
    function: Function | None = None  # the Python function that the program was compiled from
    exact: Program | None = None  # its variant that stops only where it agrees with Python
    more: Callable[[], Iterator[Case]] | None = None

    def with_frozen(self, lines: Iterable[int]) -> Problem:
        """The problem with these lines of its program frozen, in addition to those that already are."""
        return replace(self, program=with_frozen(self.program, lines, self.function))

    def with_cases(
        self, made: Callable[[tuple[Case, ...]], tuple[Case, ...]], **changes: Any
    ) -> Problem:
        """The problem with `made` applied to each of its four sets, and other changes."""
        names = ("pool", "validation", "confirmation", "test")
        sets: dict[str, Any] = {name: made(getattr(self, name)) for name in names}
        return replace(self, **sets, **changes)

    def noted(self, *notes: str) -> str:
        """Its note joined with others."""
        return "; ".join(note for note in (self.note, *notes) if note)

    @property
    def looked_at(self) -> tuple[Case, ...]:
        """The cases that programs and facts are chosen with, the most used ones first."""
        return self.pool + self.validation + self.confirmation

    @property
    def everything(self) -> tuple[Case, ...]:
        return self.looked_at + self.test

    @cached_property
    def fresh(self) -> tuple[Case, ...]:
        """The held-out cases: the distinct test cases that are not among `looked_at`."""
        known = set(self.looked_at)
        return tuple(case for case in dict.fromkeys(self.test) if case not in known)

    @cached_property
    def looked_at_before(self) -> int:
        """The number of test cases that are also among `looked_at`."""
        known = set(self.looked_at)
        return sum(case in known for case in self.test)

    @property
    def repeats(self) -> int:
        """The number of test cases that repeat a held-out one."""
        return len(self.test) - self.looked_at_before - len(self.fresh)

    @property
    def not_fresh(self) -> str:
        """Why there are fewer held-out cases than test cases, in words."""
        reasons = [
            f"{n} {words}"
            for n, words in (
                (self.looked_at_before, "had been looked at before"),
                (self.repeats, "repeat another one"),
            )
            if n
        ]
        if not reasons:
            return ""
        return (
            f"{len(self.fresh)} of the {counted(len(self.test), 'case')} kept for the report are held out:"
            f" {' and '.join(reasons)}"
        )

    @cached_property
    def digest(self) -> str:
        """A hash of all that a training depends on: program, instructions, memory, and cases in order.

        Names, the listing's text and the origin of cases do not enter it.
        """
        program = self.program
        about = {
            "lines": [[line.op, line.first, line.second, line.out] for line in program.lines],
            "registers": program.registers,
            "start": program.start,
            "frozen": program.frozen,
            "M": self.M,
            "instructions": [
                (row.name, row.operands, row.effect.value) + _outputs(row, self.M)
                for row in program.instructions
            ],
            "cases": [
                [(case.input, case.output, list(map(int, case.mask))) for case in cases]
                for cases in (self.pool, self.validation, self.confirmation, self.test)
            ],
        }
        return hashlib.sha256(json.dumps(about, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def generic_steps_held_out(self) -> float:
        """Mean steps of the generic program on the validation and confirmation cases."""
        return self.generic_steps(self.validation + self.confirmation)

    @cached_property
    def generic_steps_tested(self) -> float:
        """Mean steps of the generic program on the test cases."""
        return self.generic_steps(self.test)

    def generic_steps(self, cases: Sequence[Case]) -> float:
        """Mean steps of the generic program."""
        runs = [exact.run(self.program, case.input, _LIMIT) for case in cases]
        if any(run.stop is not Stop.STOPPED for run in runs):
            raise AncError(f"the program '{self.name}' does not stop on all of its cases")
        return sum(run.steps for run in runs) / len(runs)


def _outputs(row: isa.Instruction, M: int) -> tuple[int, ...]:
    """Outputs that distinguish an instruction from another of the same name."""
    few = range(min(M, _TRIED))
    if row.output in _OURS:
        return tuple(row.output(a, b, M) for a in few for b in few)
    step = max(1.0, (M - 1) / (_MOST_TRIED - 1))
    values = [round(i * step) for i in range(min(M, _MOST_TRIED))]
    firsts, seconds = (values if row.operands > place else [0] for place in (0, 1))
    return tuple(row.output(a, b, M) for a in firsts for b in seconds)


def from_task(
    task: Task, biased: bool = True, seed: int = 0, pool: int = POOL, test: int = TEST
) -> Problem:
    """A task's problem. The four sets are drawn with different seeds; training uses a large pool."""

    def draw(number: int, size: int) -> tuple[Case, ...]:
        return tuple(task.draw(biased, size, 4 * seed + number))

    return Problem(
        task.name,
        task.program,
        task.source.text,
        task.M,
        pool=draw(0, pool),
        validation=draw(1, VALIDATION),
        confirmation=draw(2, CONFIRMATION),
        test=draw(3, test),
        more=lambda: task.cases(biased, f"{seed}/more"),
    )


def from_cases(
    name: str,
    program: Program,
    text: str,
    cases: Sequence[Case],
    seed: int = 0,
    function: Function | None = None,
    about: str = "",
    more: Callable[[], Iterator[Case]] | None = None,
) -> Problem:
    """A user's problem: three fifths for training, one for choosing checkpoints, one for reporting.

    `about` describes the origin of the cases; `more` draws further cases.
    """
    if not cases:
        raise AncError("there are no cases to adapt to")
    name = plain(name)  # it may be a file's, and appears in comments of listings and code
    pool, held, test = map(tuple, in_fifths(cases, seed))
    note = f"{len(pool)} cases to train on, {len(held)} to choose with, {len(test)} to report on"
    if len(cases) < FEWEST_TO_SPLIT:
        note = f"only {counted(len(cases), 'case')}: training, validation and test use all of them"
    note = "\n".join(filter(None, (about, note)))
    sets = pool, held, held, test
    return Problem(name, program, text, cases[0].M, *sets, note, function, more=more)


def in_fifths(rows: Sequence[T], seed: int) -> tuple[list[T], list[T], list[T]]:
    """A user's rows split into search (three fifths), selection and test. Each is all of them if there are few."""
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    if len(shuffled) < FEWEST_TO_SPLIT:
        return shuffled, shuffled, shuffled
    fifth = len(shuffled) // 5
    return shuffled[2 * fifth :], shuffled[fifth : 2 * fifth], shuffled[:fifth]

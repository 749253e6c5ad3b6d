"""An entry of the suite: a program as a person wrote it, and the inputs that it is really used on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

from anc.compiler import compile_source
from anc.data.tasks import Case
from anc.language import Source, read_source
from anc.program import Program
from anc.training.problem import CONFIRMATION, POOL, TEST, VALIDATION, Problem

Tape = tuple[int, ...]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A generic program (`NAME.anc`), its inputs, and what a person would write for these inputs.

    `draw` gives one input tape of the biased distribution; `oracle` says in plain Python, from the
    meaning of the input and never from the program, what cells hold at the end; `counts` names the
    cells that count, all of which the oracle gives. The reference (`NAME.reference.anc`) was written
    by hand and is right on whatever `draw` gives; `bias` says in words what it makes use of.
    """

    name: str
    kind: str  # of an open entry, also the folder where its files are
    summary: str
    bias: str
    draw: Callable[[Random], Tape]
    oracle: Callable[[Tape], Mapping[int, int]]
    counts: Callable[[Tape], Collection[int]]
    held_out: bool = False

    @property
    def folder(self) -> Path:
        """Where the two programs are."""
        return HERE / ("held_out" if self.held_out else self.kind)

    @property
    def source(self) -> Source:
        """The text of the generic program."""
        return read_source(self.folder / f"{self.name}.anc")

    @property
    def reference_source(self) -> Source:
        """The text of the program that was written by hand for the bias."""
        return read_source(self.folder / f"{self.name}.reference.anc")

    @property
    def program(self) -> Program:
        """The generic program."""
        return _compiled(self.folder / f"{self.name}.anc")

    @property
    def reference(self) -> Program:
        """The program that was written by hand for the bias."""
        return _compiled(self.folder / f"{self.name}.reference.anc")

    @property
    def M(self) -> int:
        """The memory of both programs and of all cases."""
        assert self.program.memory is not None
        return self.program.memory

    def case(self, tape: Tape) -> Case:
        """A tape with what its cells must hold in the end; those that do not count are as before."""
        wanted, counted = self.oracle(tape), set(self.counts(tape))
        output = tuple(wanted[i] if i in counted else value for i, value in enumerate(tape))
        return Case(tape, output, tuple(i in counted for i in range(len(tape))))

    def cases(self, n: int, seed: int) -> tuple[Case, ...]:
        """The first n cases of the sequence that belongs to this seed."""
        return tuple(islice(self.all_cases(seed), n))

    def all_cases(self, seed: int | str) -> Iterator[Case]:
        """The sequence of cases, without an end, that belongs to this seed."""
        random = Random(f"{self.name}/{seed}")
        while True:
            yield self.case(self.draw(random))

    def problem(self, seed: int = 0, pool: int = POOL, test: int = TEST) -> Problem:
        """The entry as a problem; all of its cases are drawn from different seeds."""
        return Problem(
            self.name,
            self.program,
            self.source.text,
            self.M,
            pool=self.cases(pool, 4 * seed),
            validation=self.cases(VALIDATION, 4 * seed + 1),
            confirmation=self.cases(CONFIRMATION, 4 * seed + 2),
            test=self.cases(test, 4 * seed + 3),
            more=lambda: self.all_cases(f"{seed}/more"),
        )


def laid_out(M: int, cells: Mapping[int, int]) -> Tape:
    """The tape of M cells with these values, 0 elsewhere.

    >>> laid_out(4, {0: 2, 3: 1})
    (2, 0, 0, 1)
    """
    return tuple(cells.get(cell, 0) for cell in range(M))


def listed(tape: Tape, start: int) -> list[int]:
    """The values from a cell on, up to the 0 that ends them.

    >>> listed((9, 3, 4, 0, 7), 1)
    [3, 4]
    """
    return list(tape[start : tape.index(0, start)])


def only(*cells: int) -> Callable[[Tape], Collection[int]]:
    """These cells count, whatever the tape."""
    return lambda tape: cells


@cache
def _compiled(path: Path) -> Program:
    return compile_source(read_source(path)).program

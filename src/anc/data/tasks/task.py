"""Task: a program of the paper with sources of cases for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random

from anc.compiler import compile_source
from anc.data import programs
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.program import Program

Distribution = Callable[[Random], Case]


@dataclass(frozen=True)
class Task:
    """One of the paper's tasks: the generic program, and two distributions of its inputs.

    The *generic* distribution covers what the program is written for, the *biased* one has the
    regularity that an adapted program can use; `bias` says it in words, `ideal` what a person would
    write for it.
    """

    name: str
    generic: Distribution
    biased: Distribution
    bias: str
    ideal: str

    @property
    def source(self) -> Source:
        """The text of the generic program."""
        return programs.source(self.name)

    @property
    def summary(self) -> str:
        """What the program does, in its own words."""
        return programs.summary(self.name)

    @property
    def M(self) -> int:
        """The memory of the program and of all cases."""
        assert self.program.memory is not None
        return self.program.memory

    @property
    def program(self) -> Program:
        """The generic program."""
        return _compiled(self.name)

    def draw(self, biased: bool, n: int, seed: int) -> list[Case]:
        """The first n cases of the sequence that belongs to this distribution and seed."""
        return list(islice(self.cases(biased, seed), n))

    def cases(self, biased: bool, seed: int | str) -> Iterator[Case]:
        """The sequence of cases, without an end, that belongs to this distribution and seed."""
        random = Random(f"{self.name}/{'biased' if biased else 'generic'}/{seed}")
        distribution = self.biased if biased else self.generic
        while True:
            yield distribution(random)


@cache
def _compiled(name: str) -> Program:
    return compile_source(programs.source(name)).program

"""Cases and tasks.

A case is an input tape, its expected final tape, and the mask of the cells that count. A task is a program
of the paper with two distributions of cases, which place blocks of cells at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random

from anc.compiler import compile_source
from anc.data import programs
from anc.language import Source
from anc.program import Program


@dataclass(frozen=True)
class Case:
    input: tuple[int, ...]
    output: tuple[int, ...]
    mask: tuple[bool, ...]

    @property
    def M(self) -> int:
        return len(self.input)

    def is_right(self, tape: tuple[int, ...]) -> bool:
        """Whether a tape equals the expected one in every cell that counts."""
        return all(
            found == wanted
            for found, wanted, counts in zip(tape, self.output, self.mask, strict=True)
            if counts
        )


def case(
    cells: Mapping[int, int], changes: Mapping[int, int], counted: Iterable[int], M: int
) -> Case:
    """Build a case from its non-zero cells, the changes to them, and the cells that count.

    >>> case({0: 2, 1: 7}, {0: 7}, [0], M=3)
    Case(input=(2, 7, 0), output=(7, 7, 0), mask=(True, False, False))
    """
    before = [0] * M
    for cell, value in cells.items():
        before[cell] = value
    after = list(before)
    for cell, value in changes.items():
        after[cell] = value
    which = set(counted)
    return Case(tuple(before), tuple(after), tuple(cell in which for cell in range(M)))


def block(start: int, values: Sequence[int]) -> dict[int, int]:
    """Consecutive cells with these values.

    >>> block(3, [7, 8])
    {3: 7, 4: 8}
    """
    return dict(enumerate(values, start))


def values(random: Random, n: int, low: int, high: int) -> list[int]:
    """n numbers, each uniform from low to high (both included)."""
    return [random.randint(low, high) for _ in range(n)]


def scatter(random: Random, sizes: Sequence[int], start: int, end: int) -> list[int]:
    """Random addresses for disjoint blocks of these sizes in the cells start..end-1.

    The order is random, and all arrangements in one order are equally likely.
    """
    order = list(range(len(sizes)))
    random.shuffle(order)
    free = end - start - sum(sizes)
    before = sorted(random.sample(range(free + len(sizes)), len(sizes)))
    addresses = [0] * len(sizes)
    at = start
    for place, which in enumerate(order):
        addresses[which] = at + before[place] - place
        at += sizes[which]
    return addresses


def free_cell(random: Random, cells: Mapping[int, int], own: int, start: int, M: int) -> int:
    """A random cell for a result: the one that holds its address, or an unused one."""
    return random.choice([own, *(cell for cell in range(start, M) if cell not in cells)])


Distribution = Callable[[Random], Case]


@dataclass(frozen=True)
class Task:
    """One of the paper's tasks: the generic program, and two distributions of its inputs.

    The *generic* distribution covers what the program is written for; the *biased* one has a
    regularity that an adapted program can use. `bias` describes the regularity, `ideal` the program that
    a person would write for it.
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
        """The program's own summary."""
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
        """The first n cases of this distribution and seed."""
        return list(islice(self.cases(biased, seed), n))

    def cases(self, biased: bool, seed: int | str) -> Iterator[Case]:
        """The endless sequence of cases of this distribution and seed."""
        random = Random(f"{self.name}/{'biased' if biased else 'generic'}/{seed}")
        distribution = self.biased if biased else self.generic
        while True:
            yield distribution(random)


@cache
def _compiled(name: str) -> Program:
    return compile_source(programs.source(name)).program

"""A puzzle: numbers come from an inbox, and a program puts others into an outbox.

A hand holds one number at a time, and a few cells of the floor keep some. All arithmetic is modulo 256, and
numbers from 129 on stand for -127 to -1. The inbox ends with -128, which is no number of a puzzle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from random import Random

from anc.compiler import compile_source
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.program import Program

M = 256
INBOX, OUTBOX = 16, 136  # their first cells; the floor is before the inbox
END = 128
LONGEST = OUTBOX - INBOX - 1  # numbers in the inbox
_HEAD = f"""memory {M}
var inbox = {INBOX}
var outbox = {OUTBOX}
"""

Numbers = list[int]


@dataclass(frozen=True)
class Puzzle:
    """A puzzle with a plain solution, what its outbox must hold, and how its inbox is usually filled.

    `oracle` maps the numbers of the inbox to those of the outbox, by the meaning of the sentence. `floor` has the
    cells that are filled before.
    """

    name: str
    sentence: str
    listing: str
    oracle: Callable[[Numbers], Sequence[int]]
    draw: Callable[[Random], Numbers]
    floor: Mapping[int, int] = field(default_factory=dict)
    held_out: bool = False

    @cached_property
    def text(self) -> str:
        return _HEAD + self.listing.strip("\n") + "\n"

    @cached_property
    def program(self) -> Program:
        return compile_source(Source(self.text, self.name)).program

    def case(self, numbers: Numbers) -> Case:
        """An inbox as a tape, and the tape with its outbox; all cells from the outbox on count."""
        tape = [self.floor.get(cell, 0) for cell in range(M)]
        tape[INBOX : INBOX + len(numbers) + 1] = [*(number % M for number in numbers), END]
        put = [number % M for number in self.oracle(numbers)]
        if len(numbers) > LONGEST or len(put) > M - OUTBOX or END in tape[INBOX:][: len(numbers)]:
            raise ValueError(f"{self.name}: {numbers} does not fit into the inbox, or its outbox")
        after = [*tape[:OUTBOX], *put, *[0] * (M - OUTBOX - len(put))]
        return Case(tuple(tape), tuple(after), tuple(cell >= OUTBOX for cell in range(M)))

    def cases(self, n: int, seed: int | str) -> list[Case]:
        """The first n cases of the sequence that belongs to this seed."""
        return list(islice(self.all_cases(seed), n))

    def all_cases(self, seed: int | str) -> Iterator[Case]:
        random = Random(f"{self.name}/{seed}")
        while True:
            yield self.case(self.draw(random))


def take(register: str = "hand", otherwise: str = "l_end") -> str:
    """The lines that take the next number; at the end of the inbox they go elsewhere."""
    return f"{register} = READ(inbox)\ninbox = INC(inbox)\nt = SUB({register}, {END})\nJEZ(t, {otherwise})"


def put(register: str = "hand") -> str:
    """The lines that put a number into the outbox."""
    return f"WRITE(outbox, {register})\noutbox = INC(outbox)"


def if_negative(register: str, label: str) -> str:
    """The lines that go to a label if a number is negative."""
    return f"t = MIN({register}, {END})\nt = SUB(t, {END})\nJEZ(t, {label})"


def several(low: int, high: int, values: Sequence[int]) -> Callable[[Random], Numbers]:
    """From `low` to `high` of these values."""
    return lambda random: random.choices(values, k=random.randint(low, high))


def groups(low: int, high: int, size: int, values: Sequence[int]) -> Callable[[Random], Numbers]:
    """From `low` to `high` groups of so many values."""
    return lambda random: random.choices(values, k=size * random.randint(low, high))


def words(
    low: int, high: int, letters: tuple[int, int], values: Sequence[int]
) -> Callable[[Random], Numbers]:
    """Words of a few values, each with a 0 behind it."""

    def draw(random: Random) -> Numbers:
        found: Numbers = []
        for _ in range(random.randint(low, high)):
            found += [*random.choices(values, k=random.randint(*letters)), 0]
        return found

    return draw


def in_groups(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    """Whole groups of so many numbers."""
    return [numbers[i : i + size] for i in range(0, len(numbers) - size + 1, size)]


def in_words(numbers: Sequence[int]) -> list[list[int]]:
    """The numbers before each 0."""
    found: list[list[int]] = [[]]
    for number in numbers:
        if number == 0:
            found.append([])
        else:
            found[-1].append(number)
    return found[:-1]

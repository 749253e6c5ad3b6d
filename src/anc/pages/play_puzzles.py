"""The puzzles of `anc play`: a task for a program, hidden tapes to check it, and the best known programs.

Each puzzle has an oracle in plain Python. The best known programs lie in `puzzles/`: NAME.anc has the fewest lines,
NAME.fast.anc the fewest steps, where another program has fewer. Their numbers are computed when the page is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from random import Random
from typing import Any

from anc.compiler import compile_source
from anc.language import Source
from anc.machine import exact
from anc.machine.tapes import fill
from anc.program import Program

HIDDEN = 24  # tapes of each puzzle
MOST_STEPS = 2_000
_SEED = 20_16


@dataclass(frozen=True)
class Puzzle:
    """`draw` makes a tape; `answer` returns the cells that the program is to leave, by address."""

    name: str
    title: str
    words: str
    M: int
    example: tuple[int, ...]
    draw: Callable[[Random, int], list[int]]
    answer: Callable[[tuple[int, ...]], dict[int, int]]

    def expected(self, tape: tuple[int, ...]) -> tuple[int, ...]:
        """The tape after the run: the answer's cells change, no other one does."""
        answer = self.answer(tape)
        return tuple(answer.get(cell, value) % self.M for cell, value in enumerate(tape))

    def tapes(self) -> list[tuple[int, ...]]:
        """The hidden tapes: all different, and none is the example."""
        rng, found = Random(f"{_SEED} {self.name}"), {fill(self.example, self.M): None}
        while len(found) <= HIDDEN:
            found[fill(self.draw(rng, self.M), self.M)] = None
        return list(found)[1:]

    def right(self, program: Program) -> bool:
        """Whether the program leaves what is expected on every hidden tape."""
        return all(
            run.stop is exact.Stop.STOPPED and run.tape == self.expected(tape)
            for tape, run in self._runs(program)
        )

    def steps(self, program: Program) -> float:
        """The mean number of steps on the hidden tapes."""
        return sum(run.steps for _, run in self._runs(program)) / HIDDEN

    def _runs(self, program: Program) -> list[tuple[tuple[int, ...], exact.Run]]:
        return [(tape, exact.run(program, tape, MOST_STEPS)) for tape in self.tapes()]

    def best_known(self) -> tuple[Program, Program]:
        """The known programs with the fewest lines, and with the fewest steps."""
        shortest = _program(f"{self.name}.anc")
        fast = resources.files("anc.pages").joinpath("puzzles", f"{self.name}.fast.anc")
        return shortest, _program(f"{self.name}.fast.anc") if fast.is_file() else shortest

    def to_dict(self) -> dict[str, Any]:
        """The puzzle as the page needs it; the best known programs are only counted."""
        shortest, fastest = self.best_known()
        example = fill(self.example, self.M)
        return {
            "id": self.name,
            "title": self.title,
            "words": self.words,
            "M": self.M,
            "example": example,
            "expected": self.expected(example),
            "start": f"# {self.title}\nmemory {self.M}\n\nvar x\n\nx = READ(0)\nSTOP()\n",
            "tapes": [{"input": tape, "output": self.expected(tape)} for tape in self.tapes()],
            "lines": shortest.L,
            "steps": self.steps(fastest),
        }


def _program(name: str) -> Program:
    text = resources.files("anc.pages").joinpath("puzzles", name).read_text(encoding="utf-8")
    return compile_source(Source(text, name)).program


def _numbers(count: int) -> Callable[[Random, int], list[int]]:
    """This many numbers; a free cell behind them; now and then more."""
    return lambda rng, M: [
        *(rng.randrange(M) for _ in range(count)),
        0,
        *(rng.randrange(M) for _ in range(rng.randrange(4))),
    ]


def _pair(rng: Random, M: int) -> list[int]:
    """Two numbers, often equal."""
    first = rng.randrange(M)
    return [first, first if rng.random() < 0.4 else rng.randrange(M)]


def _list(rng: Random, M: int) -> list[int]:
    """Cell 0 is free; from cell 1 on, a list of at least one number, a 0, and whatever comes behind it."""
    count = rng.randint(1, M - 4)
    behind = rng.choice([0, rng.randrange(M - 1 - count)])
    numbers = [rng.randrange(1, M) for _ in range(count)]
    return [0, *numbers, 0, *(rng.randrange(M) for _ in range(behind))]


def _elements(tape: tuple[int, ...]) -> tuple[int, ...]:
    return tape[1 : tape.index(0, 1)]


def _linked(rng: Random, M: int) -> list[int]:
    """Cell 0 points to the first node; a node is the address of the next one (0: none) and a value."""
    places = rng.sample(range(2, M - 1, 2), rng.randint(1, (M - 2) // 2 - 1))
    tape = [0] * M
    tape[0] = places[0]
    for place, after in zip(places, [*places[1:], 0], strict=True):
        tape[place], tape[place + 1] = after, rng.randrange(M)
    return tape


def _nodes(tape: tuple[int, ...]) -> int:
    count, at = 0, tape[0]
    while at:
        count, at = count + 1, tape[at]
    return count


PUZZLES = (
    Puzzle(
        "double",
        "Twice as much",
        "Write twice the number of cell 0 into cell 1. All arithmetic is modulo M.",
        10,
        (3,),
        _numbers(1),
        lambda tape: {1: 2 * tape[0]},
    ),
    Puzzle(
        "distance",
        "How far apart",
        "Write the difference of cells 0 and 1 into cell 2, whichever of them is larger.",
        12,
        (4, 9),
        _numbers(2),
        lambda tape: {2: abs(tape[0] - tape[1])},
    ),
    Puzzle(
        "equal",
        "The same or not",
        "Write 1 into cell 2 if cells 0 and 1 hold the same number. Otherwise leave the 0 there.",
        10,
        (7, 7),
        _pair,
        lambda tape: {2: int(tape[0] == tape[1])},
    ),
    Puzzle(
        "last",
        "The last one",
        "A list of at least one number begins at cell 1; a 0 ends it. Write its last number into cell 0.",
        12,
        (0, 5, 2, 8),
        _list,
        lambda tape: {0: _elements(tape)[-1]},
    ),
    Puzzle(
        "sum",
        "All together",
        "A list of at least one number begins at cell 1; a 0 ends it. Write the sum into cell 0, modulo M.",
        12,
        (0, 3, 1, 4),
        _list,
        lambda tape: {0: sum(_elements(tape))},
    ),
    Puzzle(
        "nodes",
        "Count the nodes",
        "Cell 0 points to the first node of a linked list. A node is two cells: the address of the next node"
        " (0: there is none) and a value. Write the number of nodes into cell 1.",
        16,
        (6, 0, 0, 0, 10, 3, 4, 9, 0, 0, 0, 7),
        _linked,
        lambda tape: {1: _nodes(tape)},
    ),
    Puzzle(
        "times",
        "Times",
        "Write cell 0 times cell 1 into cell 2, modulo M. There is no instruction for it.",
        14,
        (3, 4),
        _numbers(2),
        lambda tape: {2: tape[0] * tape[1]},
    ),
    Puzzle(
        "half",
        "Half of it",
        "Write half of cell 0 into cell 1, without the remainder: half of 7 is 3.",
        14,
        (7,),
        _numbers(1),
        lambda tape: {1: tape[0] // 2},
    ),
)

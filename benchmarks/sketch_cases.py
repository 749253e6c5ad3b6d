"""Cases for the sketches of this folder: what sorting, adding and looking up mean, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np

from anc.adaptation.holes.descent import FillingDescent
from anc.adaptation.holes.machine import CaseJudge, JudgedFilling
from anc.adaptation.holes.reading import sketch_of
from anc.adaptation.holes.sketch import Filling, Sketch
from anc.data.tasks.cases import Case
from anc.language.source import read_source
from anc.machine.encoded import Cases
from anc.training.drawing import draw_indices
from anc.training.interface import Engine
from anc.training.settings import TrainingSettings

FOLDER = Path(__file__).parent / "sketches"


def sorting(random: Random, n: int, M: int) -> Case:
    """A list of n elements, and it in order."""
    elements = [random.randint(1, M - 1) for _ in range(n)]
    rest = [0] * (M - n)
    return _case(elements + rest, sorted(elements) + rest)


def addition(random: Random, n: int, M: int) -> Case:
    """Two numbers of n digits, and their sum."""
    one, two = ([random.randint(0, 9) for _ in range(n)] for _ in range(2))
    total = sum((a + b) * 10**i for i, (a, b) in enumerate(zip(one, two, strict=True)))
    digits = [total // 10**i % 10 for i in range(n + 1)]
    rest = [0] * (M - 1 - 2 * n)
    return _case([n, *one, *two, *rest], [digits[n], *digits[:n], *two, *rest])


def search(random: Random, n: int, M: int) -> Case:
    """A linked list of n nodes, scattered over the tape, and the first one that holds a value."""
    places = random.sample(range(3, M - 1, 2), n)
    values = [random.randint(1, M - 1) for _ in range(n)]
    tape = [places[0], random.choice(values) if random.random() < 0.8 else random.randint(1, M - 1)]
    tape += [0] * (M - 2)
    for place, following, value in zip(places, [*places[1:], 0], values, strict=True):
        tape[place], tape[place + 1] = following, value
    nodes = dict(zip(reversed(values), reversed(places), strict=True))
    return _case(tape, [*tape[:2], nodes.get(tape[1], 0), *tape[3:]])


def _case(before: list[int], after: list[int]) -> Case:
    return Case(tuple(before), tuple(after), (True,) * len(before))


MAKERS: dict[str, Callable[[Random, int, int], Case]] = {
    "sorting": sorting,
    "addition": addition,
    "search": search,
}


def sketch(name: str) -> Sketch:
    return sketch_of(read_source(FOLDER / f"{name}.anc"))


def draw(name: str, sizes: tuple[int, ...], count: int, random: Random, M: int) -> list[Case]:
    """So many cases of these sizes."""
    return [MAKERS[name](random, random.choice(sizes), M) for _ in range(count)]


def spoiled(cases: list[Case], share: float, random: Random) -> list[Case]:
    """The cases with another number in this share of their cells."""
    found = []
    for case in cases:
        cells = [
            (value + random.randrange(1, case.M)) % case.M if random.random() < share else value
            for value in case.output
        ]
        found.append(Case(case.input, tuple(cells), case.mask))
    return found


class OnOwnCases(FillingDescent):
    """Gradient descent each of whose members has cases of its own, as many as the others."""

    def __init__(
        self,
        sketch: Sketch,
        cases: Cases,
        engine: Engine,
        max_steps: int,
        settings: TrainingSettings,
        chosen: Sequence[np.ndarray],  # the numbers of each member's cases
    ) -> None:
        self.chosen = np.stack(chosen)
        self.grounds = [CaseJudge(sketch, cases.choose(which), max_steps) for which in chosen]
        self.known_of: dict[tuple[int, Filling], JudgedFilling] = {}
        super().__init__(sketch, cases, engine, range(len(chosen)), max_steps, settings)

    def indices(self, begin: int, end: int) -> np.ndarray:
        seeds, batch = np.array(self.members.seeds, np.uint64), self.members.shared.batch
        S, each = self.chosen.shape
        drawn = draw_indices(seeds, self.attempts, begin, each, end - begin, batch)
        return self.chosen[np.arange(S)[:, None], drawn]

    def judged(self, member: int, candidate: Filling) -> JudgedFilling:
        key = member, candidate
        if key not in self.known_of:
            self.known_of[key] = self.grounds[member].judged(candidate)
        return self.known_of[key]

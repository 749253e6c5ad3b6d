"""What `anc adapt` left in a folder: the result, the programs, the example."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from anc.adaptation.saved import PROVED, UNPROVED, WHAT, SavedAdaptation, SavedAnswer
from anc.data.loading import compiled
from anc.language import Source, read_source
from anc.machine.tapes import fill
from anc.program import Program
from anc.proof import Fact, parse_fact
from anc.support.diagnostics import AncError
from anc.support.files import read_json
from anc.support.records import read

GENERIC, GUARDED = "generic", "guarded"
COMPARED = (GENERIC, PROVED, UNPROVED)
MOST_STEPS = 2_000  # of a program on the example


@dataclass(frozen=True)
class Adaptation:
    """The folder, read: result.json and the texts of the programs that are there."""

    path: Path
    result: SavedAdaptation
    sources: dict[str, Source]

    @property
    def answers(self) -> tuple[SavedAnswer, ...]:
        """The proved answer and the one without a proof, as far as there are any."""
        return self.result.answers

    @property
    def name(self) -> str:
        return self.result.problem or self.path.name

    @property
    def is_withheld(self) -> bool:
        """Whether adapted.py was not written."""
        return not (self.path / "adapted.py").exists()

    @cached_property
    def programs(self) -> dict[str, Program]:
        memory = self.result.memory
        return {name: compiled(source, memory).program for name, source in self.sources.items()}

    @property
    def compared(self) -> dict[str, Program]:
        """The programs to show side by side."""
        return {name: self.programs[name] for name in COMPARED if name in self.programs}

    @property
    def example(self) -> tuple[int, ...] | None:
        """The tape to show the programs on."""
        return self._filled(self.result.example_tape)

    @property
    def tapes(self) -> dict[str, tuple[int, ...]]:
        """The example, and what refutes an answer, by name."""
        refuted = [each.counterexample for each in self.answers if each.verdict == "refuted"]
        named = [("an example", self.example)]
        named += [("the counter-example", self._filled(tape)) for tape in refuted]
        return {name: tape for name, tape in named if tape is not None}

    def _filled(self, tape: Sequence[int] | None) -> tuple[int, ...] | None:
        if not tape:
            return None
        return fill(tape, self.result.memory or self.programs[GENERIC].memory)

    def found_by_method(self) -> dict[str, list[tuple[float, float]]]:
        """(seconds, steps or cost) of what each method found, in order of time."""
        methods: dict[str, list[tuple[float, float]]] = {}
        for one in sorted(self.result.found, key=lambda one: one.seconds):
            value = one.steps if self.result.unit == "steps" or one.cost is None else one.cost
            methods.setdefault(one.method, []).append((one.seconds, value))
        return methods


def read_adaptation(path: Path) -> Adaptation:
    """Read the folder; what is missing from it is named."""
    file = path / "result.json"
    result = read(SavedAdaptation, read_json(file), file, WHAT)
    files = {GENERIC: "generic.anc"}
    files |= {answer.which: answer.file for answer in result.answers if not answer.is_generic}
    if PROVED in files:
        files[GUARDED] = "guarded.anc"
    sources = {
        which: read_source(path / file)
        for which, file in files.items()
        if os.path.exists(path / file)  # no name is too long for it
    }
    if GENERIC not in sources:
        raise AncError(f"{path} lacks generic.anc, the program that was adapted")
    return Adaptation(path, result, sources)


@dataclass(frozen=True)
class Rejection:
    """The numbers of the facts that a tape breaks, and all cells that these speak of."""

    facts: tuple[int, ...]
    cells: tuple[int, ...]


def why_rejected(precondition: Sequence[str], tape: Sequence[int] | None) -> Rejection:
    """What a tape breaks; nothing where a fact is written in words that are not known here."""
    if tape is None:
        return Rejection((), ())
    try:
        facts = [parse_fact(text, len(tape)) for text in precondition]
    except AncError:
        return Rejection((), ())
    broken = [number for number, fact in enumerate(facts) if not fact.holds(tape)]
    cells = {cell for number in broken for cell in _spoken_of(facts[number], tape)}
    return Rejection(tuple(broken), tuple(sorted(cells)))


def _spoken_of(fact: Fact, tape: Sequence[int]) -> set[int]:
    known = dict(enumerate(tape))
    found = {pointer.place(known, len(tape)) for pointer in fact.pointers}
    return set(fact.cells) | {cell for cell in found if cell is not None}

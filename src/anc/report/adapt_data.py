"""What `anc adapt` left in a folder: the result, the programs, the example."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anc.adaptation.worth import AFTER, BEFORE, Worth
from anc.diagnostics import AncError
from anc.files import read_json
from anc.language import Source, read_source
from anc.limits import MEMORY
from anc.loading import compiled
from anc.machine.tapes import fill
from anc.program import Program
from anc.report.answers import PROVED, UNPROVED, ShownAnswer, answers_of, worth_of
from anc.report.record_data import dropped_of, made_of, seeds_of
from anc.shapes import (
    COUNT,
    NUMBER,
    POSITIVE,
    SHARE,
    TEXT,
    check,
    list_of,
    maybe,
    record,
    table_of,
    within,
)

_TAPE = maybe(list_of(COUNT))
_SUPPORT = {
    "support": maybe(
        record(
            {"accepts": _TAPE, "rejects": _TAPE, "candidates": maybe(COUNT)},
            held=COUNT,
            fresh=COUNT,
            at_least=SHARE,
        )
    ),
    "precondition": maybe(list_of(TEXT)),
}
_EVIDENCE = {
    "how": maybe(TEXT),
    "walked": maybe(COUNT),
    "seconds": maybe(NUMBER),
    "reason": maybe(TEXT),
    "counterexample": _TAPE,
}
_TESTED = {
    "fresh": maybe(COUNT),
    "candidates": maybe(COUNT),
    "wrong_at_most": maybe(SHARE),
    "cases_tested": maybe(COUNT),
}
_ANSWER = maybe(
    record(_SUPPORT | _EVIDENCE | _TESTED, file=TEXT, steps=maybe(NUMBER), verdict=TEXT)
)
_TAKEN = maybe(record({}, **{BEFORE: POSITIVE, AFTER: POSITIVE}))
_WORTH = record(
    {"others_example": maybe(TEXT)}, calls=COUNT, accepts=COUNT, accepted=_TAKEN, others=_TAKEN
)
_FUNCTION = {"words": table_of(TEXT), "python": maybe(TEXT), "worth": maybe(_WORTH)}
_MORE = {
    "seconds": maybe(NUMBER),
    "memory": maybe(within(MEMORY)),
    "example_tape": _TAPE,
    "proved": _ANSWER,
    "unproved": _ANSWER,
    "soft": maybe(record(steps=NUMBER, confidence=SHARE)),
    "function": maybe(record(_FUNCTION)),
}
_RESULT = record(
    _SUPPORT | _TESTED | _MORE,
    steps_generic=NUMBER,
    steps_adapted=maybe(NUMBER),
    verdict=TEXT,
    proof=record(_EVIDENCE),
    found=list_of(record(method=TEXT, seconds=NUMBER, steps=NUMBER)),
)
GENERIC, GUARDED = "generic", "guarded"
COMPARED = (GENERIC, PROVED, UNPROVED)
MOST_STEPS = 2_000  # of a program on the example


@dataclass(frozen=True)
class Adaptation:
    """The folder, read: result.json and the texts of the programs that are there."""

    path: Path
    result: dict[str, Any]
    sources: dict[str, Source]

    @cached_property
    def answers(self) -> tuple[ShownAnswer, ...]:
        """The proved answer and the one without a proof, as far as there are any."""
        return answers_of(self.result)

    @property
    def name(self) -> str:
        return str(self.result.get("problem") or self.path.name)

    @property
    def function(self) -> Mapping[str, Any]:
        """What is told of it as a function of Python; nothing of other programs."""
        return self.result.get("function") or {}

    @property
    def worth(self) -> Worth | None:
        """What it is worth as one; None where nothing was measured."""
        return worth_of(self.result)

    @property
    def is_withheld(self) -> bool:
        """Whether adapted.py was not written."""
        return not (self.path / "adapted.py").exists()

    @property
    def unit(self) -> str:
        """What programs are compared by."""
        return "cost" if self.result.get("weights") else "steps"

    @property
    def generic_cost(self) -> float:
        """What the generic program takes of it."""
        return float(self.result[f"{self.unit}_generic"])

    @cached_property
    def programs(self) -> dict[str, Program]:
        memory = self.result.get("memory")
        return {name: compiled(source, memory).program for name, source in self.sources.items()}

    @property
    def compared(self) -> dict[str, Program]:
        """The programs to show side by side."""
        return {name: self.programs[name] for name in COMPARED if name in self.programs}

    @property
    def example(self) -> tuple[int, ...] | None:
        """The tape to show the programs on."""
        return self._filled(self.result.get("example_tape"))

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
        return fill(tape, self.result.get("memory") or self.programs[GENERIC].memory)

    def found_by_method(self) -> dict[str, list[tuple[float, float]]]:
        """(seconds, steps or cost) of what each method found, in order of time."""
        methods: dict[str, list[tuple[float, float]]] = {}
        for one in sorted(self.result["found"], key=lambda one: float(one["seconds"])):
            pair = (float(one["seconds"]), float(one[self.unit]))
            methods.setdefault(str(one["method"]), []).append(pair)
        return methods


def read_adaptation(path: Path) -> Adaptation:
    """Read the folder; what is missing from it is named."""
    file = path / "result.json"
    result = read_json(file)
    check(result, _RESULT, file)
    try:
        answers = answers_of(result)
        made_of(result), dropped_of(result), seeds_of(result), worth_of(result)
    except (KeyError, TypeError, ValueError) as problem:
        raise AncError(f"{file} is not a result of anc adapt: {problem!r} in an answer") from None
    files = {GENERIC: "generic.anc"}
    files |= {answer.which: answer.file for answer in answers if not answer.is_generic}
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

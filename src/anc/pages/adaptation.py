"""Adaptations: the contents of a folder of `anc adapt`, and its page.

The page shows both answers with their evidence, the search, and runs of all programs.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from anc.adaptation.saved import PROVED, UNPROVED, WHAT, SavedAdaptation, SavedAnswer
from anc.adaptation.worth import Taken, ns
from anc.codegen.tables import shortened
from anc.compiler.assemble import SINK
from anc.data.loading import compiled
from anc.language import Source, read_source
from anc.machine.tapes import fill, short_tape
from anc.pages.page import KEYS, SCRIPTS, made_of, page
from anc.pages.recording import Recording, record_exact
from anc.pages.shown_lines import program_lines
from anc.program import Program
from anc.proof import Fact, parse_fact
from anc.support.diagnostics import AncError
from anc.support.files import read_json
from anc.support.records import plain, read

_PAGE = ("tiles", "charts", "short_tape", "answers", "in_python", "adapt", "record", "page_adapt")
GENERIC, GUARDED = "generic", "guarded"
COMPARED = (GENERIC, PROVED, UNPROVED)
MOST_STEPS = 2_000  # the step limit of programs on the example


@dataclass(frozen=True)
class Adaptation:
    """The contents of the folder: result.json and the sources of the programs."""

    path: Path
    result: SavedAdaptation
    sources: dict[str, Source]

    @property
    def answers(self) -> tuple[SavedAnswer, ...]:
        """The proved and the unproved answer, if there are any."""
        return self.result.answers

    @property
    def name(self) -> str:
        return self.result.problem or self.path.name

    @property
    def is_withheld(self) -> bool:
        """Whether adapted.py was withheld."""
        return not (self.path / "adapted.py").exists()

    @cached_property
    def programs(self) -> dict[str, Program]:
        memory = self.result.memory
        return {name: compiled(source, memory).program for name, source in self.sources.items()}

    @property
    def compared(self) -> dict[str, Program]:
        """The programs shown side by side."""
        return {name: self.programs[name] for name in COMPARED if name in self.programs}

    @property
    def example(self) -> tuple[int, ...] | None:
        """The tape on which the programs are shown."""
        return self._filled(self.result.example_tape)

    @property
    def tapes(self) -> dict[str, tuple[int, ...]]:
        """The example and the counter-examples, by name."""
        refuted = [each.counterexample for each in self.answers if each.verdict == "refuted"]
        named = [("an example", self.example)]
        named += [("the counter-example", self._filled(tape)) for tape in refuted]
        return {name: tape for name, tape in named if tape is not None}

    def _filled(self, tape: Sequence[int] | None) -> tuple[int, ...] | None:
        if not tape:
            return None
        return fill(tape, self.result.memory or self.programs[GENERIC].memory)

    def found_by_method(self) -> dict[str, list[tuple[float, float]]]:
        """The (seconds, steps or cost) of each method's finds, in order of time."""
        methods: dict[str, list[tuple[float, float]]] = {}
        for one in sorted(self.result.found, key=lambda one: one.seconds):
            value = one.steps if self.result.unit == "steps" or one.cost is None else one.cost
            methods.setdefault(one.method, []).append((one.seconds, value))
        return methods


def read_adaptation(path: Path) -> Adaptation:
    """Read the folder; errors name what is missing."""
    file = path / "result.json"
    result = read(SavedAdaptation, read_json(file), file, WHAT)
    files = {GENERIC: "generic.anc"}
    files |= {answer.which: answer.file for answer in result.answers if not answer.is_generic}
    if PROVED in files:
        files[GUARDED] = "guarded.anc"
    sources = {
        which: read_source(path / file)
        for which, file in files.items()
        if os.path.exists(path / file)  # accepts overlong names, too
    }
    if GENERIC not in sources:
        raise AncError(f"{path} lacks generic.anc, the program that was adapted")
    return Adaptation(path, result, sources)


@dataclass(frozen=True)
class Rejection:
    """The numbers of the facts that a tape violates, and all cells in them."""

    facts: tuple[int, ...]
    cells: tuple[int, ...]


def why_rejected(precondition: Sequence[str], tape: Sequence[int] | None) -> Rejection:
    """The facts that a tape violates; none if a fact cannot be parsed."""
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


def adapt_page(found: Adaptation) -> str:
    """The HTML of the page."""
    result = found.result
    return page(
        f"Adapting {found.name}",
        page_data(found),
        (*SCRIPTS, *_PAGE),
        ("stepper", "report", "adapt", "record"),
        subtitle=f"{_costs(found)} {result.unit} on average"
        if result.worth is None
        else str(result.worth),
        notes=(KEYS,),
    )


def _costs(found: Adaptation) -> str:
    """The costs in words, such as ``generic 13.88, proved 6``."""
    costs = {GENERIC: found.result.generic_cost}
    costs |= {each.which: each.compared_by or 0.0 for each in found.answers if not each.is_generic}
    return ", ".join(f"{which} {round(number, 2):.10g}" for which, number in costs.items())


def page_data(found: Adaptation) -> dict[str, Any]:
    result = found.result
    return {
        "result": plain(result),
        "python": _python(found),
        "answers": [_answer(answer) for answer in found.answers],
        "methods": [
            {"name": name, "found": pairs} for name, pairs in found.found_by_method().items()
        ],
        "programs": [
            _program(which, program, found.sources[which])
            for which, program in found.programs.items()
        ],
        "examples": _examples(found),
        "unit": result.unit,
        "generic_cost": result.generic_cost,
        "made": made_of(result.provenance),
        "dropped": [
            plain(each) | {"fails_on": each.counterexample_call or short_tape(each.counterexample)}
            for each in result.dropped
        ],
    }


def _program(which: str, program: Program, source: Source) -> dict[str, Any]:
    lines = program_lines(program, source)
    names = map(program.name_of, range(program.R))
    told = {label for line in lines for label in line.labels} | {SINK}  # already in the listing
    return {
        "which": which,
        "file": Path(source.name).name,
        "lines": [{"labels": line.labels, "text": line.text} for line in lines],
        "registers": [
            [name, value]
            for name, value in zip(names, program.registers, strict=True)
            if not all(part in told or part.isdigit() for part in name.split("/"))
        ],
    }


def _python(found: Adaptation) -> dict[str, Any] | None:
    """The function before and after, when that is right, and its speed as rows of a table."""
    worth, text = found.result.worth, found.result.python
    if worth is None or text is None:
        return None
    function = found.result.function
    deployed = None if function is None else function.deployed
    adapted, original = _parts(text, found.name if function is None else function.name)
    accepted, seen = f"{worth.share:.0%}", f"{worth.calls:,} calls seen"
    others = f"others: {worth.calls - worth.accepts:,} of {seen}"
    if worth.accepts == worth.calls:
        others = f"others: none seen{f'; {worth.example}' if worth.example else ''}"
    return {
        "text": text,
        "original": original,
        "adapted": shortened(adapted),
        "conditions": [] if deployed is None else deployed.words,
        "verdict": "" if deployed is None else deployed.verdict,
        "kind": "good" if worth.is_faster else "bad" if worth.is_slower else "",
        "words": worth.words,
        "taken": f"{worth.expected} a call, with the check",
        "tile": [ns(worth.expected.after), f"instead of {ns(worth.expected.before)} a call"],
        "accepted": [accepted, f"{worth.accepts:,} of {seen}"],
        "rows": [
            _row(f"accepted: {worth.accepts:,} of {seen}", worth.accepted),
            _row(others, worth.others),
            _row("all, as often as they were seen", worth.expected),
        ],
        "file": "adapted.py not written" if found.is_withheld else "adapted.py",
        "why": "It is not faster than your function, so that adapted.py was not written: anc adapt"
        " --write-anyway writes it."
        if found.is_withheld and not worth.is_faster
        else "",
    }


def _parts(text: str, name: str) -> tuple[str, str]:
    """What is before and after the end of a function in a file."""
    begin = re.search(rf"^def {name}\(", text, re.MULTILINE)
    end = -1 if begin is None else text.find("\n\n\n", begin.start())
    return (text, "") if end < 0 else (text[:end], text[end:].strip())


def _row(name: str, taken: Taken | None) -> list[str]:
    if taken is None:
        return [name, "–", "–"]
    return [name, ns(taken.before), ns(taken.after)]


def _answer(answer: SavedAnswer) -> dict[str, Any]:
    """The record of an answer, with derived values."""
    data: dict[str, Any] = plain(answer)
    data |= {
        "cost": answer.compared_by,
        "grounds": answer.grounds,
        "tested": answer.tested,
        "precondition": list(answer.conditions.values()),
        "is_generic": answer.is_generic,
    }
    if answer.support is not None:
        rejection = why_rejected(tuple(answer.conditions), answer.support.rejects)
        told = {"words": str(answer.support), "broken": rejection.facts, "cells": rejection.cells}
        data["support"] |= told
    return data


def _examples(found: Adaptation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "runs": [_recorded(found, which, tape).as_data() for which in found.compared],
        }
        for name, tape in found.tapes.items()
    ]


def _recorded(found: Adaptation, which: str, tape: Sequence[int]) -> Recording:
    return record_exact(found.programs[which], tape, MOST_STEPS, which, found.sources[which])

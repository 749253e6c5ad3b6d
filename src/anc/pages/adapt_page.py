"""The page of an adaptation: both answers with what is known of them, the search, and all at work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anc.adaptation.saved import SavedAnswer
from anc.adaptation.worth import Taken, ns
from anc.compiler.assemble import SINK
from anc.language import Source
from anc.machine.tapes import short_tape
from anc.pages.adapt_data import GENERIC, MOST_STEPS, Adaptation, why_rejected
from anc.pages.page import made_of, page
from anc.pages.recording import Recording, record_exact
from anc.pages.shown_lines import program_lines
from anc.pages.stepper import KEYS, SCRIPTS
from anc.program import Program
from anc.support.records import plain

_PAGE = ("tiles", "charts", "short_tape", "answers", "in_python", "adapt", "record", "page_adapt")


def adapt_page(found: Adaptation) -> str:
    """The HTML of the page."""
    result = found.result
    return page(
        f"Adapting {found.name}",
        _data(found),
        (*SCRIPTS, *_PAGE),
        ("stepper", "report", "adapt", "record"),
        subtitle=f"{_costs(found)} {result.unit} on average"
        if result.worth is None
        else str(result.worth),
        notes=(KEYS,),
    )


def _costs(found: Adaptation) -> str:
    """Such as ``generic 13.88, proved 6``."""
    costs = {GENERIC: found.result.generic_cost}
    costs |= {each.which: each.compared_by or 0.0 for each in found.answers if not each.is_generic}
    return ", ".join(f"{which} {round(number, 2):.10g}" for which, number in costs.items())


def _data(found: Adaptation) -> dict[str, Any]:
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
    told = {label for line in lines for label in line.labels} | {SINK}  # by the listing itself
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
    """The adapted function as it can be pasted, and what it is worth, in rows of a table."""
    worth, text = found.result.worth, found.result.python
    if worth is None or text is None:
        return None
    accepted, seen = f"{worth.share:.0%}", f"{worth.calls:,} calls seen"
    others = f"others: {worth.calls - worth.accepts:,} of {seen}"
    if worth.accepts == worth.calls:
        others = f"others: none seen{f'; {worth.example}' if worth.example else ''}"
    return {
        "text": text,
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
        "why": "It is slower than your function, so that adapted.py was not written: anc adapt"
        " --write-anyway writes it."
        if found.is_withheld and worth.is_slower
        else "",
    }


def _row(name: str, taken: Taken | None) -> list[str]:
    if taken is None:
        return [name, "–", "–"]
    return [name, ns(taken.before), ns(taken.after)]


def _answer(answer: SavedAnswer) -> dict[str, Any]:
    """The record, and what is made of it."""
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

"""The page of an adaptation: both answers with what is known of them, the search, and all at work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anc.compiler.registers import SINK
from anc.language import Source
from anc.program import Program
from anc.report.adapt_data import GENERIC, MOST_STEPS, Adaptation
from anc.report.answers import ShownAnswer
from anc.report.page import page
from anc.report.record_data import dropped_of, made_of, seeds_of
from anc.report.recording import Recording, record_exact
from anc.report.rejection import why_rejected
from anc.report.shown_lines import program_lines
from anc.report.stepper import KEYS, SCRIPTS

_PAGE = ("tiles", "charts", "short_tape", "answers", "adapt", "record", "page_adapt")


def adapt_page(found: Adaptation) -> str:
    """The HTML of the page."""
    return page(
        f"Adapting {found.name}",
        _data(found),
        (*SCRIPTS, *_PAGE),
        ("stepper", "report", "adapt", "record"),
        subtitle=f"{_costs(found)} {found.unit} on average",
        notes=(KEYS,),
    )


def _costs(found: Adaptation) -> str:
    """Such as ``generic 13.88, proved 6``."""
    costs = {GENERIC: found.generic_cost}
    costs |= {each.which: each.cost or 0.0 for each in found.answers if not each.is_generic}
    return ", ".join(f"{which} {round(number, 2):.10g}" for which, number in costs.items())


def _data(found: Adaptation) -> dict[str, Any]:
    return {
        "result": found.result,
        "answers": [_answer(answer, _words(found)) for answer in found.answers],
        "methods": [
            {"name": name, "found": pairs} for name, pairs in found.found_by_method().items()
        ],
        "programs": [
            _program(which, program, found.sources[which])
            for which, program in found.programs.items()
        ],
        "examples": _examples(found),
        "unit": found.unit,
        "generic_cost": found.generic_cost,
        "made": made_of(found.result),
        "dropped": dropped_of(found.result),
        "seeds": seeds_of(found.result),
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


def _words(found: Adaptation) -> dict[str, str]:
    """Facts in words of a Python function's arguments."""
    return (found.result.get("function") or {}).get("words", {})


def _answer(answer: ShownAnswer, words: dict[str, str]) -> dict[str, Any]:
    data = {
        name: getattr(answer, name)
        for name in (
            "which",
            "file",
            "steps",
            "cost",
            "method",
            "verdict",
            "grounds",
            "reason",
            "tested",
        )
    }
    data |= {
        "counterexample": answer.counterexample,
        "precondition": [words.get(text, text) for text in answer.precondition],
        "is_generic": answer.is_generic,
        "support": None,
    }
    if answer.support is not None:
        rejection = why_rejected(answer.precondition, answer.support.rejects)
        data["support"] = {
            "words": str(answer.support),
            "accepts": answer.support.accepts,
            "rejects": answer.support.rejects,
            "accepts_call": answer.support.accepts_call,
            "rejects_call": answer.support.rejects_call,
            "broken": rejection.facts,
            "cells": rejection.cells,
        }
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

"""The page of an adaptation: what was found and when, the verdict, and both programs at work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anc.report.adapt_data import MOST_STEPS, Adaptation
from anc.report.page import page
from anc.report.recording import Recording, record_exact
from anc.report.shown_lines import program_lines
from anc.report.stepper import KEYS, SCRIPTS


def adapt_page(found: Adaptation) -> str:
    """The HTML of the page."""
    result = found.result
    return page(
        f"Adapting {found.name}",
        _data(found),
        (*SCRIPTS, "tiles", "charts", "adapt", "page_adapt"),
        ("stepper", "report", "adapt"),
        subtitle=f"generic {result['steps_generic']:g} steps,"
        f" adapted {_number(result['steps_adapted'])} steps on average",
        notes=(KEYS,),
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


def _data(found: Adaptation) -> dict[str, Any]:
    result = found.result
    return {
        "result": result | {"verdict": {"kind": result["verdict"]} | result["proof"]},
        "methods": [
            {"name": name, "found": pairs} for name, pairs in found.found_by_method().items()
        ],
        "programs": [
            {
                "which": which,
                "file": Path(found.sources[which].name).name,
                "lines": [
                    {"labels": line.labels, "text": line.text}
                    for line in program_lines(program, found.sources[which])
                ],
                "registers": [
                    [program.name_of(r), value] for r, value in enumerate(program.registers)
                ],
            }
            for which, program in found.programs.items()
        ],
        "runs": [recording.as_data() for recording in _recordings(found)],
    }


def _recordings(found: Adaptation) -> list[Recording]:
    if found.example is None:
        return []
    return [
        record_exact(program, found.example, MOST_STEPS, which, found.sources[which])
        for which, program in found.compared.items()
    ]

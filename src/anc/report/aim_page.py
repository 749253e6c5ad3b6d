"""The pages of `anc adapt --objective` and `anc fill`: what was found, compared, and when.

Both say what was found, how it compares with what was there before, and when the best so far was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.files import read_json
from anc.holes import result as fillings
from anc.holes.result import SavedFilled, SavedFilling, SavedScored
from anc.objectives import result as objectives
from anc.objectives.comparing import Comparison
from anc.objectives.result import SavedImproved
from anc.records import plain, read
from anc.report.page import made_of, page

_SCRIPTS = ("tiles", "charts", "record", "page_aim")


@dataclass(frozen=True)
class Aimed:
    """A folder, read: a title, what a page shows, and the progress as (seconds, value)."""

    title: str
    subtitle: str
    result: SavedImproved | SavedFilling
    progress: list[tuple[float, float]]
    measure: str  # what the values of the progress are
    tiles: list[list[str]]
    head: tuple[str, str]  # what is compared
    notes: Iterable[str]
    texts: list[list[str]]


def aim_page(found: Aimed) -> str:
    """The HTML of the page."""
    result = found.result
    data = {
        "result": plain(result),
        "tiles": found.tiles,
        "comparison": None if isinstance(result, SavedFilled) else _comparison(found),
        "notes": found.notes,
        "holes": [] if isinstance(result, SavedImproved) else plain(result.holes),
        "texts": found.texts,
        "progress": found.progress,
        "measure": found.measure,
        "seconds": result.seconds,
        "made": made_of(result.provenance),
    }
    styles = ("report", "adapt", "record", "aim")
    return page(found.title, data, _SCRIPTS, styles, subtitle=found.subtitle)


def read_improved(path: Path) -> Aimed:
    """A program adapted to an objective."""
    file = path / "result.json"
    result = read(SavedImproved, read_json(file), file, objectives.WHAT)
    kind, better = ("good", "better") if result.improved else ("bad", "nothing better was found")
    return Aimed(
        f"Adapting {result.name}",
        result.objective,
        result,
        [(moment.seconds, moment.score) for moment in result.history],
        "score",
        [
            ["result", better, kind, f"found by {result.method}"],
            _score_tile(result.comparison, result.improved),
            ["tried", f"{result.tried:,}", "", "programs and iterations"],
            _time_tile(result),
        ],
        ("generic", "adapted"),
        [result.claim, *result.notes],
        [
            *([] if result.generic is None else [["generic", "generic.anc", result.generic]]),
            ["adapted", "adapted.anc", result.program],
        ],
    )


def read_filled(path: Path) -> Aimed:
    """A sketch whose holes are filled."""
    file = path / "result.json"
    data = read_json(file)
    result: SavedFilled | SavedScored
    if "objective" in data:
        result = read(SavedScored, data, file, fillings.WHAT)
        measure, subtitle, claim = "score", result.objective, [result.claim]
        progress = [(moment.seconds, moment.score) for moment in result.history]
        tiles = [_score_tile(result.comparison, result.improved)]
    else:
        result = read(SavedFilled, data, file, fillings.WHAT)
        measure, claim = "wrong cells", []
        progress = [(moment.seconds, moment.wrong_cells) for moment in result.history]
        subtitle = "right on all cases" if result.right else "not right on all cases"
        tiles = _case_tiles(result)
    as_good = result.fillings_as_good
    counted = "not all were tried" if as_good is None else f"{float(as_good):,.0f}"
    file_name = "filled.py" if "anc.function" in result.program else "filled.anc"
    return Aimed(
        f"Filling {result.problem}",
        subtitle,
        result,
        progress,
        measure,
        [
            ["holes", str(len(result.holes)), "", f"filled by {result.method}"],
            *tiles,
            ["as good", counted, "", f"of {result.fillings:,} fillings"],
            _time_tile(result),
        ],
        ("first choices", "filled"),
        [*claim, *result.notes],
        [["filled", file_name, result.program]],
    )


def _case_tiles(result: SavedFilled) -> list[list[str]]:
    right, kind = result.cases - result.wrong_cases, "good" if result.right else "bad"
    note = f"{result.wrong_cells:,} of {result.cells:,} cells wrong"
    tiles = [["right on", f"{right} of {result.cases} cases", kind, note]]
    if result.fresh_cases:
        tiles.append(["fresh cases", f"{result.fresh_right} of {result.fresh_cases} right"])
    return [*tiles, ["steps", f"{result.steps:.2f}", "", "in the mean"]]


def _time_tile(result: SavedImproved | SavedFilling) -> list[str]:
    return ["time", f"{result.seconds:.1f} s", "", result.stop]


def _score_tile(compared: Comparison, improved: bool) -> list[str]:
    if math.isnan(compared.generic) or math.isnan(compared.adapted):
        return ["score", "no instance to compare on", "bad"]
    interval = ""
    if math.isfinite(compared.low) and math.isfinite(compared.high):
        interval = f", 95 % {compared.low:+.3f} to {compared.high:+.3f}"
    note = f"instead of {compared.generic:.3f}{interval}"
    return ["mean score", f"{compared.adapted:.3f}", "good" if improved else "", note]


def _comparison(found: Aimed) -> dict[str, Any]:
    """Rows of a table: what is compared, before and after."""
    result = found.result
    assert isinstance(result, SavedImproved | SavedScored)
    compared = result.comparison
    pairs = [
        ("mean score", compared.generic, compared.adapted, 3),
        ("mean steps", compared.steps_generic, compared.steps_adapted, 2),
        ("not valid", compared.violations_generic, compared.violations_adapted, 0),
    ]
    return {
        "head": ["", *found.head],
        "rows": [
            [words, *("–" if math.isnan(n) else f"{n:.{digits}f}" for n in (before, after))]
            for words, before, after, digits in pairs
        ],
        "shares": {name: getattr(compared, name) for name in ("better", "equal", "worse")},
        "instances": compared.instances,
        "fresh": result.fresh,
    }

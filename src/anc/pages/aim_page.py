"""The pages of `anc adapt --objective` and `anc fill`: the result, the comparison, and the progress."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from anc.adaptation.holes import result as fillings
from anc.adaptation.holes.result import Completed, Filled, Scored
from anc.adaptation.objectives import result as objectives
from anc.adaptation.objectives.result import Improved, PairedComparison
from anc.pages.page import made_of, page
from anc.support.files import read_json
from anc.support.records import plain, read


def read_improved(path: Path) -> Improved:
    """Read a program adapted to an objective."""
    file = path / "result.json"
    return read(Improved, read_json(file), file, objectives.WHAT)


def read_filled(path: Path) -> Completed:
    """Read a filled sketch."""
    file = path / "result.json"
    data = read_json(file)
    kind = Scored if "objective" in data else Filled
    return read(kind, data, file, fillings.WHAT)


def improved_page(found: Improved) -> str:
    """The HTML of the page about a program adapted to an objective."""
    kind, better = ("good", "better") if found.improved else ("bad", "nothing better was found")
    tiles = [
        ["result", better, kind, f"found by {found.method}"],
        _score_tile(found.comparison, found.improved),
        ["tried", f"{found.tried:,}", "", "programs and iterations"],
    ]
    texts = [] if found.generic is None else [["generic", "generic.anc", found.generic]]
    return _page(
        found,
        f"Adapting {found.name}",
        found.objective,
        tiles,
        comparison=_comparison(found, "generic", "adapted"),
        notes=[found.claim, *found.notes],
        holes=[],
        texts=[*texts, ["adapted", "adapted.anc", found.listing]],
    )


def filled_page(found: Completed) -> str:
    """The HTML of the page about a filled sketch."""
    compared, claim = None, []
    if isinstance(found, Scored):
        subtitle, claim = found.objective, [found.claim]
        tiles = [_score_tile(found.comparison, found.improved)]
        compared = _comparison(found, "first choices", "filled")
    else:
        assert isinstance(found, Filled)
        subtitle = "right on all cases" if found.is_right else "not right on all cases"
        claim = [*found.claims]
        tiles = _case_tiles(found)
    as_good = found.fillings
    counted = "not all were tried" if as_good is None else f"{float(as_good):,.0f}"
    return _page(
        found,
        f"Filling {found.name}",
        subtitle,
        [
            ["holes", str(len(found.holes)), "", f"filled by {found.method}"],
            *tiles,
            ["as good", counted, "", f"of {found.size:,} fillings"],
        ],
        comparison=compared,
        notes=[*claim, *found.notes],
        holes=plain(found.holes),
        texts=[["filled", found.file, found.text]],
    )


def _page(
    found: Improved | Completed,
    title: str,
    subtitle: str,
    tiles: list[list[str]],
    **shown: Any,
) -> str:
    time = ["time", f"{found.seconds:.1f} s", "", found.stop]
    data = {
        "tiles": [*tiles, time],
        **shown,
        "progress": found.progress,
        "measure": found.measure,
        "seconds": found.seconds,
        "made": made_of(found.provenance),
    }
    scripts = ("tiles", "charts", "record", "page_aim")
    return page(title, data, scripts, ("report", "adapt", "record", "aim"), subtitle=subtitle)


def _case_tiles(found: Filled) -> list[list[str]]:
    right, kind = found.cases - found.wrong_cases, "good" if found.is_right else "bad"
    note = f"{found.wrong_cells:,} of {found.cells:,} cells wrong"
    tiles = [["right on", f"{right} of {found.cases} cases", kind, note]]
    if found.fresh_cases:
        tiles.append(["held-out cases", f"{found.fresh_right} of {found.fresh_cases} right"])
    return [*tiles, ["steps", f"{found.steps:.2f}", "", "in the mean"]]


def _score_tile(compared: PairedComparison, improved: bool) -> list[str]:
    if math.isnan(compared.generic) or math.isnan(compared.adapted):
        return ["score", "no instance to compare on", "bad"]
    interval = ""
    if math.isfinite(compared.low) and math.isfinite(compared.high):
        interval = f", 95 % {compared.low:+.3f} to {compared.high:+.3f}"
    note = f"instead of {compared.generic:.3f}{interval}"
    return ["mean score", f"{compared.adapted:.3f}", "good" if improved else "", note]


def _comparison(found: Improved | Scored, before: str, after: str) -> dict[str, Any]:
    """The rows of the comparison, before and after."""
    compared = found.comparison
    pairs = [
        ("mean score", compared.generic, compared.adapted, 3),
        ("mean steps", compared.steps_generic, compared.steps_adapted, 2),
        ("not valid", compared.violations_generic, compared.violations_adapted, 0),
    ]
    return {
        "head": ["", before, after],
        "rows": [
            [words, *("–" if math.isnan(n) else f"{n:.{digits}f}" for n in numbers)]
            for words, *numbers, digits in pairs
        ],
        "shares": {name: getattr(compared, name) for name in ("better", "equal", "worse")},
        "instances": compared.instances,
        "fresh": found.are_fresh,
    }

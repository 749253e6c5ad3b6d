"""What `anc adapt --objective` and `anc fill` left in a folder, checked for the pages.

Both say what was found, how it compares with what was there before, and when the best so far was found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError
from anc.files import read_json
from anc.report.record_data import made_of


@dataclass(frozen=True)
class Aimed:
    """A folder, read: a title, what a page shows, and the progress as (seconds, value)."""

    title: str
    subtitle: str
    data: dict[str, Any]
    progress: list[tuple[float, float]]
    measure: str  # what the values of the progress are


def read_improved(path: Path) -> Aimed:
    """A program adapted to an objective."""
    return _read(path, "a result of anc adapt --objective", _improved)


def read_filled(path: Path) -> Aimed:
    """A sketch whose holes are filled."""
    return _read(path, "a result of anc fill", _filled)


def _read(path: Path, what: str, reader: Callable[[Mapping[str, Any]], Aimed]) -> Aimed:
    file = path / "result.json"
    result = read_json(file)
    try:
        return reader(result)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise AncError(f"{file} is not {what}: {problem!r}") from None


def _improved(result: Mapping[str, Any]) -> Aimed:
    name, objective = str(result["name"]), str(result["objective"])
    compared = _comparison(result, "generic", "adapted")
    progress = _progress(result, "score")
    better = "better" if result["improved"] else "nothing better was found"
    tiles = [
        ["result", better, "good" if result["improved"] else "bad", f"found by {result['method']}"],
        *_score_tiles(result),
        ["tried", f"{int(result['tried']):,}", "", "programs and iterations"],
        ["time", f"{float(result['seconds']):.1f} s", "", str(result["stop"])],
    ]
    texts = [["generic", "generic.anc", str(result["generic"])]] if "generic" in result else []
    texts.append(["adapted", "adapted.anc", str(result["program"])])
    data = {
        "tiles": tiles,
        "comparison": compared,
        "notes": [str(result["claim"]), *map(str, result["notes"])],
        "holes": [],
        "texts": texts,
    }
    return _aimed(f"Adapting {name}", objective, data, progress, "score", result)


def _filled(result: Mapping[str, Any]) -> Aimed:
    has_objective = "objective" in result
    measure = "score" if has_objective else "wrong_cells"
    holes = [_hole(each) for each in result["holes"]]
    tiles = [["holes", str(len(holes)), "", f"filled by {result['method']}"]]
    if has_objective:
        tiles += _score_tiles(result)
        subtitle = str(result["objective"])
    else:
        right = int(result["cases"]) - int(result["wrong_cases"])
        kind = "good" if result["right"] else "bad"
        note = f"{int(result['wrong_cells']):,} of {int(result['cells']):,} cells wrong"
        tiles.append(["right on", f"{right} of {int(result['cases'])} cases", kind, note])
        fresh = int(result["fresh_cases"])
        if fresh:
            tiles.append(["fresh cases", f"{int(result['fresh_right'])} of {fresh} right"])
        tiles.append(["steps", f"{float(result['steps']):.2f}", "", "in the mean"])
        subtitle = "right on all cases" if result["right"] else "not right on all cases"
    as_good = result["fillings_as_good"]
    note = f"of {int(result['fillings']):,} fillings"
    counted = "not all were tried" if as_good is None else f"{float(as_good):,.0f}"
    tiles.append(["as good", counted, "", note])
    tiles.append(["time", f"{float(result['seconds']):.1f} s", "", str(result["stop"])])
    claim = [str(result["claim"])] if has_objective else []
    program = str(result["program"])
    file = "filled.py" if "anc.function" in program else "filled.anc"
    data = {
        "tiles": tiles,
        "comparison": _comparison(result, "first choices", "filled") if has_objective else None,
        "notes": [*claim, *map(str, result["notes"])],
        "holes": holes,
        "texts": [["filled", file, program]],
    }
    progress = _progress(result, measure)
    return _aimed(f"Filling {result['problem']}", subtitle, data, progress, measure, result)


def _aimed(
    title: str,
    subtitle: str,
    data: dict[str, Any],
    progress: list[tuple[float, float]],
    measure: str,
    result: Mapping[str, Any],
) -> Aimed:
    words = measure.replace("_", " ")
    more = {"progress": progress, "measure": words, "seconds": float(result["seconds"])}
    return Aimed(title, subtitle, data | more | {"made": made_of(result)}, progress, words)


def _progress(result: Mapping[str, Any], measure: str) -> list[tuple[float, float]]:
    moments = result.get("history") or ()
    return [(float(moment["seconds"]), float(moment[measure])) for moment in moments]


def _number(value: Any) -> float | None:
    return None if value is None or not math.isfinite(float(value)) else float(value)


def _score_tiles(result: Mapping[str, Any]) -> list[list[str]]:
    compared = result["comparison"]
    before, after = _number(compared["generic"]), _number(compared["adapted"])
    if before is None or after is None:
        return [["score", "no instance to compare on", "bad"]]
    low, high = _number(compared["low"]), _number(compared["high"])
    interval = "" if low is None or high is None else f", 95 % {low:+.3f} to {high:+.3f}"
    note = f"instead of {before:.3f}{interval}"
    return [["mean score", f"{after:.3f}", "good" if result["improved"] else "", note]]


def _comparison(result: Mapping[str, Any], before: str, after: str) -> dict[str, Any]:
    """Rows of a table: what is compared, before and after."""
    compared = result["comparison"]
    shares = {name: float(compared[name]) for name in ("better", "equal", "worse")}
    pairs = [
        ("mean score", "generic", "adapted", 3),
        ("mean steps", "steps_generic", "steps_adapted", 2),
        ("not valid", "violations_generic", "violations_adapted", 0),
    ]
    return {
        "head": ["", before, after],
        "rows": [
            [words, *(_rounded(compared[key], digits) for key in (first, second))]
            for words, first, second, digits in pairs
        ],
        "shares": shares,
        "instances": int(compared["instances"]),
        "fresh": bool(result["fresh"]),
    }


def _rounded(value: Any, digits: int) -> str:
    number = _number(value)
    return "–" if number is None else f"{number:.{digits}f}"


def _hole(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "line": int(told["line"]),
        "column": int(told["column"]),
        "filled": str(told["filled"]),
        "alternatives": [str(word) for word in told["alternatives"]],
        "certain": bool(told["certain"]),
    }

"""How a result was made and what was dropped on the way, as pages show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_FEW_ZEROS = 4
_ORDER = ("command", "seed", "seeds", "jobs", "budget", "method")
_SECONDS = ("budget",)


def made_of(result: Mapping[str, Any]) -> list[list[str]]:
    """How a result was made: [name, value] each; nothing for results that do not say."""
    made = dict(result.get("provenance") or {})
    known = {name: made.pop(name) for name in _ORDER if name in made} | made
    return [
        [
            name,
            f"{value:g} s" if name in _SECONDS and isinstance(value, int | float) else str(value),
        ]
        for name, value in known.items()
        if value is not None
    ]


def dropped_of(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Candidates that became no answer."""
    return [
        {
            "cost": float(each["cost"]),
            "lines": int(each["lines"]),
            "method": str(each["method"]),
            "seed": each.get("seed"),
            "why": str(each["why"]),
            "reason": str(each["reason"]),
            "fails_on": str(each.get("counterexample_call") or short_tape(each["counterexample"])),
            "program": str(each["program"]),
        }
        for each in result.get("dropped") or ()
    ]


def seeds_of(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What each of several seeds led to."""
    return [
        {
            "seed": int(each["seed"]),
            "best": bool(each["best"]),
            "proved": float(each["cost_proved"]),
            "unproved": None if each["cost_unproved"] is None else float(each["cost_unproved"]),
            "seconds": float(each["seconds"]),
            "stop": str(each["stop"]),
        }
        for each in result.get("seeds") or ()
    ]


def short_tape(cells: Sequence[int] | None) -> str:
    """A tape, without the zeros at its end where they are many.

    >>> short_tape([3, 1, 0, 0, 0, 0, 0, 0])
    '3 1 (6 times 0)'
    """
    if not cells:
        return ""
    last = max((i for i, value in enumerate(cells) if value), default=0)
    rest = len(cells) - last - 1
    words = " ".join(map(str, cells[: last + 1] if rest > _FEW_ZEROS else cells))
    return f"{words} ({rest} times 0)" if rest > _FEW_ZEROS else words

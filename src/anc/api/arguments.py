"""Arguments that people get wrong, refused by name before any work is done."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number from `least` up.

    >>> whole("seeds", 3, 1)
    3
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least:
        raise AncError(f"{name} is {_shown(value)}, expected a whole number from {least} up")
    return number


def wholes(name: str, values: Any) -> tuple[int, ...]:
    """A list of whole numbers from 0 up."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise AncError(f"{name} is {_shown(values)}, expected a list of whole numbers")
    return tuple(whole(f"a number of {name}", value) for value in values)


def seconds(name: str, value: Any) -> float:
    """A time above 0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        raise AncError(f"{name} is {_shown(value)}, expected seconds above 0")
    return float(value)


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Several texts; one alone is meant as such, and not letter by letter.

    >>> texts("assume", "tape[0] == 3")
    ('tape[0] == 3',)
    """
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise AncError(f"{name} is {_shown(value)}, expected a list of texts")
    return tuple(found)


def path(name: str, value: Any) -> Path:
    """The name of a file or a folder."""
    if not isinstance(value, str | Path):
        raise AncError(f"{name} is {_shown(value)}, expected the name of a file")
    return Path(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

"""The shape of JSON that anc reads back: what must be there, and what it must be.

Files of results are edited, cut off and written by other versions. Whoever reads one says once what it
must look like; what is not so is named by its place, and everything behind may rely on it.

>>> from anc.support.diagnostics import AncError
>>> try:
...     check({"rows": [{"steps": 3}, {"steps": "x"}]}, record(rows=list_of(record(steps=NUMBER))), "a.json")
... except AncError as problem:
...     print(problem)
a.json is not what anc wrote: rows[1].steps is "x", expected a number
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.limits import Whole

Shape = Callable[[Any, str], Any]  # the value at a place, if it fits; else it raises Misfit
_SHOWN = 40  # characters of a value that a message shows
_MOST = 1e100  # far beyond what anc writes, and far from what a float cannot hold
_COUNTLESS = 2**63  # what an array cannot hold


class Misfit(Exception):
    """What is wrong, and where."""


def check(data: Any, shape: Shape, file: Path | str) -> None:
    """Refuse what has not this shape."""
    try:
        shape(data, "")
    except Misfit as problem:
        raise AncError(f"{file} is not what anc wrote: {problem}") from None


def _simple(wanted: str, fits: Callable[[Any], bool]) -> Shape:
    def shape(value: Any, place: str) -> Any:
        if not fits(value):
            raise Misfit(f"{place or 'it'} is {_shown(value)}, expected {wanted}")
        return value

    return shape


def _is_number(value: Any) -> bool:
    """Whether it is one that arrays and figures can hold."""
    if type(value) is int:
        return abs(value) < _COUNTLESS
    return type(value) is float and abs(value) <= _MOST


ANYTHING = _simple("anything", lambda value: True)
TEXT = _simple("a text", lambda value: isinstance(value, str))
TRUTH = _simple("true or false", lambda value: isinstance(value, bool))
LIST = _simple("a list", lambda value: isinstance(value, list))
OBJECT = _simple("an object", lambda value: isinstance(value, dict))
NUMBER = _simple("a number", _is_number)
POSITIVE = _simple("a number above 0", lambda value: _is_number(value) and value > 0)
ANY_NUMBER = _simple(  # also one that nobody could compute
    "a number", lambda value: _is_number(value) or value != value
)
LARGE = _simple("a number from 0 up", lambda value: type(value) in (int, float) and value >= 0)
SHARE = _simple(
    "a number from 0 to 1", lambda value: type(value) in (int, float) and 0 <= value <= 1
)
COUNT = _simple(
    f"a whole number from 0 up to {_COUNTLESS - 1}",
    lambda value: type(value) is int and 0 <= value < _COUNTLESS,
)


def below(limit: int) -> Shape:
    """A whole number from 0 up, and below a limit."""
    return within(Whole("", 0, limit - 1))


def within(kind: Whole) -> Shape:
    """A number of a kind that users give, too."""
    return _simple(str(kind), lambda value: type(value) is int and kind.least <= value <= kind.most)


def maybe(shape: Shape) -> Shape:
    """This, or null."""
    return lambda value, place: None if value is None else shape(value, place)


def list_of(shape: Shape, length: int | None = None) -> Shape:
    """A list of such values, of so many if that is known."""

    def list_shape(value: Any, place: str) -> list[Any]:
        LIST(value, place)
        if length is not None and len(value) != length:
            raise Misfit(f"{place or 'it'} has {len(value)} elements, expected {length}")
        return [shape(each, f"{place}[{number}]") for number, each in enumerate(value)]

    return list_shape


def table_of(shape: Shape) -> Shape:
    """An object with any keys and such values."""
    return lambda value, place: {
        key: shape(each, inside(place, key)) for key, each in OBJECT(value, place).items()
    }


def record(optional: dict[str, Shape] | None = None, **needed: Shape) -> Shape:
    """An object with these keys; others are let be."""
    shapes = needed | (optional or {})

    def record_shape(value: Any, place: str) -> dict[str, Any]:
        check_keys(value, place, needed)
        return {
            key: shapes[key](each, inside(place, key)) if key in shapes else each
            for key, each in value.items()
        }

    return record_shape


def check_keys(value: Any, place: str, needed: Iterable[str]) -> None:
    """Refuse what is no object, or lacks a key."""
    OBJECT(value, place)
    missing = [repr(inside(place, key)) for key in needed if key not in value]
    if missing:
        raise Misfit(f"it lacks {', '.join(missing)}")


def inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _shown(value: Any) -> str:
    """A value as JSON writes it, cut where it is long."""
    try:
        text = json.dumps(value)
    except ValueError:  # a number of too many digits
        text = "a number"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."

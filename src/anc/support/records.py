"""Records: typed JSON, declared once as dataclasses, and written and read by the declaration.

A record is a frozen dataclass whose fields are the keys of a JSON object, in order. `plain` writes it.
`read` builds it from JSON and names the place of every mismatch. `record_of` makes it from a live
object with attributes of the same names. Unknown keys are ignored; a field with a default may be
missing or null. This is how files of earlier versions are read.

A `Shape` is the schema of a value. Result files are edited, truncated, and written by other versions: a
mismatch is reported with its place, and later code relies on the rest. `check` is for JSON that stays
JSON.

>>> from dataclasses import dataclass
>>> from anc.support.diagnostics import AncError
>>> @dataclass(frozen=True)
... class Found:
...     method: str
...     steps: float = stored(digits=2)
>>> record_of(Found, {}, method="plans", steps=3.14159)
Found(method='plans', steps=3.14)
>>> read(Found, {"method": "plans", "steps": 3, "more": 1}, "a.json")
Found(method='plans', steps=3)
>>> try:
...     read(tuple[Found, ...], [{"method": "x", "steps": "y"}], "a.json")
... except AncError as problem:
...     print(problem)
a.json is not what anc wrote: [0].steps is "y", expected a number
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from anc.support.diagnostics import AncError
from anc.support.limits import Whole

Shape = Callable[[Any, str], Any]  # the value at a place if it fits; raises Misfit otherwise
_SHOWN = 40  # characters of a value shown in a message
_MOST = 1e100  # far beyond what anc writes, and well within a float
_COUNTLESS = 2**63  # more than an array can hold
T = TypeVar("T")


class Misfit(Exception):
    """What is wrong, and where."""


def check(data: Any, shape: Shape, file: Path | str) -> None:
    """Refuse data without this shape."""
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
    """Whether arrays and figures can hold the number."""
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
ANY_NUMBER = _simple(  # also NaN
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
    """A whole number from 0 up to a limit, exclusive."""
    return within(Whole("", 0, limit - 1))


def within(kind: Whole) -> Shape:
    """A whole number within the limits for users."""
    return _simple(str(kind), lambda value: type(value) is int and kind.least <= value <= kind.most)


def maybe(shape: Shape) -> Shape:
    """This shape, or null."""
    return lambda value, place: None if value is None else shape(value, place)


def list_of(shape: Shape, length: int | None = None) -> Shape:
    """A list of values of this shape, with a fixed length if one is given."""

    def list_shape(value: Any, place: str) -> list[Any]:
        LIST(value, place)
        if length is not None and len(value) != length:
            raise Misfit(f"{place or 'it'} has {len(value)} elements, expected {length}")
        return [shape(each, f"{place}[{number}]") for number, each in enumerate(value)]

    return list_shape


def table_of(shape: Shape) -> Shape:
    """An object with any keys and values of this shape."""
    return lambda value, place: {
        key: shape(each, inside(place, key)) for key, each in OBJECT(value, place).items()
    }


def record(optional: dict[str, Shape] | None = None, **needed: Shape) -> Shape:
    """An object with these keys; other keys are ignored."""
    shapes = needed | (optional or {})

    def record_shape(value: Any, place: str) -> dict[str, Any]:
        check_keys(value, place, needed)
        return {
            key: shapes[key](each, inside(place, key)) if key in shapes else each
            for key, each in value.items()
        }

    return record_shape


def check_keys(value: Any, place: str, needed: Iterable[str]) -> None:
    """Refuse anything but an object with these keys."""
    OBJECT(value, place)
    missing = [repr(inside(place, key)) for key in needed if key not in value]
    if missing:
        raise Misfit(f"it lacks {', '.join(missing)}")


def inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _shown(value: Any) -> str:
    """The value as JSON, shortened."""
    try:
        text = json.dumps(value)
    except ValueError:  # a number with too many digits
        text = "a number"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


Share = Annotated[float, SHARE]
Finite = Annotated[float, "null where there is no such number"]
Tape = tuple[int, ...]
_SIMPLE: dict[Any, Shape] = {bool: TRUTH, int: COUNT, float: NUMBER, str: TEXT, Any: ANYTHING}


def stored(
    digits: int | None = None,
    only: tuple[str, ...] | None = None,
    key: str | None = None,
    default: Any = MISSING,
) -> Any:
    """A field that is rounded, has another key, or is a record of which only some keys are written."""
    return field(default=default, metadata={"digits": digits, "only": only, "key": key})


def added() -> Any:
    """A field that earlier versions did not have; it is not written where it is None."""
    return field(default=None, metadata={"added": True})


def unsaved() -> Any:
    """A field that is not written; a record that was read has None in it."""
    return field(default=None, metadata={"unsaved": True})


def _saved(kind: Any) -> list[Field[Any]]:
    """The fields that are written and read."""
    return [each for each in fields(kind) if not each.metadata.get("unsaved")]


def record_of(kind: type[T], source: Any, **given: Any) -> T:
    """A record of the `given` values; the others are attributes of a live object."""
    values = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name in given or hasattr(source, each.name):
            value = given[each.name] if each.name in given else getattr(source, each.name)
            digits = each.metadata.get("digits")
            is_exact = digits is None or value is None
            values[each.name] = value if is_exact else round(value, digits)
    return kind(**values)


def plain(thing: Any, only: tuple[str, ...] | None = None) -> Any:
    """A record as plain data; numbers that JSON cannot hold (infinite ones) become null."""
    if hasattr(thing, "to_dict"):
        return thing.to_dict()
    if is_dataclass(thing):
        return plain_record(thing, only)
    if isinstance(thing, tuple | list):
        return [plain(each) for each in thing]
    if isinstance(thing, Mapping):
        return {key: plain(each) for key, each in thing.items()}
    return None if isinstance(thing, float) and not math.isfinite(thing) else thing


def plain_record(thing: Any, only: tuple[str, ...] | None = None) -> dict[str, Any]:
    """A record as plain data, or only some of its keys."""
    known = {
        each.name: each
        for each in _saved(thing)
        if not (each.metadata.get("added") and getattr(thing, each.name) is None)
    }
    return {
        _key(known[name]): plain(getattr(thing, name), known[name].metadata.get("only"))
        for name in only or known
    }


def read(kind: type[T], data: Any, file: Path | str, what: str = "what anc wrote") -> T:
    """The record in JSON; refuses data that does not fit, as not being `what` it should be."""
    try:
        return _reader(cast(Any, kind))(data, "")
    except Misfit as problem:
        raise AncError(f"{file} is not {what}: {problem}") from None


@cache
def _reader(kind: Any) -> Shape:
    """The reader of a type."""
    origin, args = get_origin(kind), get_args(kind)
    if kind == Finite:
        return lambda value, place: math.nan if value is None else NUMBER(value, place)
    if origin is Annotated:
        return cast(Shape, args[1])
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if origin in (Union, UnionType):
        (inner,) = (_reader(each) for each in args if each is not NoneType)
        return maybe(inner)
    if origin is tuple:
        listed = list_of(_reader(args[0]))
        return lambda value, place: tuple(listed(value, place))
    if origin is Mapping:
        return table_of(_reader(args[1]))
    return lambda value, place: _record(kind, value, place)


@cache
def _declared(kind: Any) -> dict[str, tuple[str, Shape, bool]]:
    """The fields of a record by key: name, reader, and whether it may be missing."""
    types = get_type_hints(kind, include_extras=True)
    return {
        _key(each): (
            each.name,
            _reader(types[each.name]),
            each.default is not MISSING or each.default_factory is not MISSING,
        )
        for each in _saved(kind)
    }


def _key(declared: Field[Any]) -> str:
    return declared.metadata.get("key") or declared.name


def _record(kind: Any, value: Any, place: str) -> Any:
    declared = _declared(kind)
    check_keys(
        value,
        place,
        (key for key, (_, _, may_be_missing) in declared.items() if not may_be_missing),
    )
    try:
        return kind(**{
            name: reader(value[key], inside(place, key))
            for key, (name, reader, may_be_missing) in declared.items()
            if key in value and not (may_be_missing and value[key] is None)
        })  # fmt: skip
    except ValueError as problem:  # raised by a record that checks itself
        raise Misfit(f"{place or 'it'} cannot be: {problem}") from None

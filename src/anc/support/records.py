"""Records: what a result's JSON holds, declared once, written from the declaration and read back by it.

A record is a frozen dataclass whose fields are the keys of a JSON object, in their order. `plain` writes it,
`read` builds it from JSON and names the place of whatever does not fit, and `record_of` makes it from a
live object whose attributes are called like the fields. Keys that a record does not know are let be; a
field with a default may be missing, or null. Files of earlier versions are read in this way.

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

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from anc.support.diagnostics import AncError
from anc.support.shapes import (
    ANYTHING,
    COUNT,
    NUMBER,
    SHARE,
    TEXT,
    TRUTH,
    Misfit,
    Shape,
    check_keys,
    inside,
    list_of,
    maybe,
    table_of,
)

T = TypeVar("T")
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
    """A field that is rounded, has another key, or is a record of which some keys alone are written."""
    return field(default=default, metadata={"digits": digits, "only": only, "key": key})


def record_of(kind: type[T], source: Any, **given: Any) -> T:
    """A record of what is `given`, and for the rest of the attributes of a live object."""
    values = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name in given or hasattr(source, each.name):
            value = given[each.name] if each.name in given else getattr(source, each.name)
            digits = each.metadata.get("digits")
            is_exact = digits is None or value is None
            values[each.name] = value if is_exact else round(value, digits)
    return kind(**values)


def plain(thing: Any, only: tuple[str, ...] | None = None) -> Any:
    """A record as plain data; what JSON cannot hold (a number without an end) is null."""
    if hasattr(thing, "to_dict"):
        return thing.to_dict()
    if is_dataclass(thing):
        known = {each.name: each for each in fields(thing)}
        return {
            _key(known[name]): plain(getattr(thing, name), known[name].metadata.get("only"))
            for name in only or known
        }
    if isinstance(thing, tuple | list):
        return [plain(each) for each in thing]
    if isinstance(thing, Mapping):
        return {key: plain(each) for key, each in thing.items()}
    return None if isinstance(thing, float) and not math.isfinite(thing) else thing


def read(kind: type[T], data: Any, file: Path | str, what: str = "what anc wrote") -> T:
    """The record in JSON; a file that does not hold one is refused, as not being `what` it should be."""
    try:
        return _reader(cast(Any, kind))(data, "")
    except Misfit as problem:
        raise AncError(f"{file} is not {what}: {problem}") from None


@cache
def _reader(kind: Any) -> Shape:
    """What reads a value of a type, at a place."""
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
    """The fields of a record by their keys: the name, how it is read, and whether it may be missing."""
    types = get_type_hints(kind, include_extras=True)
    return {
        _key(each): (
            each.name,
            _reader(types[each.name]),
            each.default is not MISSING or each.default_factory is not MISSING,
        )
        for each in fields(kind)
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
    except ValueError as problem:  # of a record that checks itself
        raise Misfit(f"{place or 'it'} cannot be: {problem}") from None

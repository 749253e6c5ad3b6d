"""Arguments of the API's functions: numbers and flags are checked, and made Python's own, before anything begins."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from anc import limits, resources
from anc.limits import Kind

F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[object], object]
_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def checked(**kinds: Kind) -> Callable[[F], F]:
    """Decorator: what callers give as numbers and flags is refused by name, or is an int, a float, a bool.

    A parameter is a number if `anc.limits` knows its name, or `kinds` says so, and a flag if its default is
    one. None is for those whose default it is. What a function with a `memory_limit` does is bounded by it.

    >>> @checked()
    ... def double(seed: int = 0) -> int:
    ...     return 2 * seed
    >>> import numpy
    >>> double(numpy.uint8(200))
    400
    >>> double(None)
    Traceback (most recent call last):
    anc.diagnostics.AncError: seed is None, expected a whole number from 0 to 4294967295
    """

    def decorate(function: F) -> F:
        parameters = inspect.signature(function).parameters.values()
        checks = _checks(parameters, limits.KINDS | kinds)
        by_place = [
            (place, checks[parameter.name])
            for place, parameter in enumerate(parameters)
            if parameter.kind in _PLACED and parameter.name in checks
        ]

        is_bounded = "memory_limit" in checks

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            given = list(args)
            for place, check in by_place:
                if place < len(given):
                    given[place] = check(given[place])
            for name in named:
                if name in checks:
                    named[name] = checks[name](named[name])
            if not is_bounded:
                return function(*given, **named)
            with resources.bounded(named.get("memory_limit")):
                return function(*given, **named)

        return call  # type: ignore[return-value]

    return decorate


def _checks(parameters: Iterable[inspect.Parameter], kinds: dict[str, Kind]) -> dict[str, Check]:
    checks: dict[str, Check] = {}
    for parameter in parameters:
        name, default = parameter.name, parameter.default
        kind = limits.FLAG if isinstance(default, bool) else kinds.get(name)
        if kind is not None:
            checks[name] = functools.partial(_checked, kind, name, default is None)
    return checks


def _checked(kind: Kind, name: str, may_be_none: bool, value: object) -> object:
    return None if value is None and may_be_none else kind.check(value, name)

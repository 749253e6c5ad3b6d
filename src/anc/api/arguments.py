"""Arguments of the API's functions: numbers and flags are checked, and made Python's own, before anything begins."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from anc import limits
from anc.limits import Kind

F = TypeVar("F", bound=Callable[..., Any])
Check = Callable[[object], object]


def checked(**kinds: Kind) -> Callable[[F], F]:
    """Decorator: what callers give as numbers and flags is refused by name, or is an int, a float, a bool.

    A parameter is a number if `anc.limits` knows its name, or `kinds` says so, and a flag if its default is
    one. None is for those whose default it is.

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
        signature = inspect.signature(function)
        checks = _checks(signature, limits.KINDS | kinds)

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            try:
                given = signature.bind(*args, **named)
            except TypeError:
                return function(*args, **named)  # Python says itself what is missing, or too much
            for name, check in checks.items():
                if name in given.arguments:
                    given.arguments[name] = check(given.arguments[name])
            return function(*given.args, **given.kwargs)

        return call  # type: ignore[return-value]

    return decorate


def _checks(signature: inspect.Signature, kinds: dict[str, Kind]) -> dict[str, Check]:
    checks: dict[str, Check] = {}
    for name, parameter in signature.parameters.items():
        kind = limits.FLAG if isinstance(parameter.default, bool) else kinds.get(name)
        if kind is not None:
            checks[name] = functools.partial(_checked, kind, name, parameter.default is None)
    return checks


def _checked(kind: Kind, name: str, may_be_none: bool, value: object) -> object:
    return None if value is None and may_be_none else kind.check(value, name)

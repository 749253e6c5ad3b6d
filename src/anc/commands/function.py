"""The functions of `import anc`, derived from requests: same names, types, defaults and limits."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from anc.commands.kinds import ReadLater
from anc.commands.request import Request, key_of, needs
from anc.support.diagnostics import AncError

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R", covariant=True)
S = TypeVar("S", covariant=True)


class Either(Protocol[P, R, Q, S]):
    """A function that does one of two things, by its arguments."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> S: ...


def function(request: Callable[P, Request[R]]) -> Callable[P, R]:
    """The function that takes a request's fields and runs it."""
    return _function(request)  # type: ignore[arg-type]


def either(first: Callable[P, Request[R]], second: Callable[Q, Request[S]]) -> Either[P, R, Q, S]:
    """The function that runs the second request where there is an `objective`, else the first."""
    return _function(first, second)  # type: ignore[arg-type]


def _function(*requests: type[Request[Any]]) -> Any:
    signature = merged_signature(requests)

    def call(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs.keys() - signature.parameters.keys():
            raise requests[0].unknown(name)
        given = signature.bind(*args, **kwargs).arguments
        request = request_of(requests, given, is_typed=False)
        with request.bounds_memory():
            return request.run(request.job())

    first = requests[0]
    call.__name__ = call.__qualname__ = first.name
    call.__module__, call.__doc__ = first.__module__, first.__doc__
    call.__annotations__ = {
        **{each.name: each.annotation for each in signature.parameters.values()},
        "return": signature.return_annotation,
    }
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.request = first  # type: ignore[attr-defined]
    return call


def merged_signature(requests: tuple[type[Request[Any]], ...]) -> inspect.Signature:
    """The parameters of a function: those of the first request, and by name what others add."""
    parameters: dict[str, inspect.Parameter] = {}
    for request in requests:
        for name, each in inspect.signature(request).parameters.items():
            if name not in parameters:
                more = request is not requests[0]
                default = None if more and each.default is each.empty else each.default
                kind = each.KEYWORD_ONLY if more else each.kind
                parameters[name] = each.replace(default=default, kind=kind)
            elif each.default is not each.empty and parameters[name].default is each.empty:
                parameters[name] = parameters[name].replace(default=None)
    ordered = sorted(parameters.values(), key=lambda each: each.kind)
    returned = " | ".join(_result(request) for request in requests)
    return inspect.Signature(ordered, return_annotation=returned)


def _result(request: type[Request[Any]]) -> str:
    """The name of what a request returns."""
    base, *_ = (each for each in request.__orig_bases__ if hasattr(each, "__args__"))  # type: ignore[attr-defined]
    [found] = base.__args__
    return str(getattr(found, "__forward_arg__", None) or getattr(found, "__name__", found))


def request_of(
    requests: tuple[type[Request[Any]], ...], given: dict[str, Any], is_typed: bool
) -> Any:
    """The request of what was typed, by words, or passed, by names.

    Of two requests, the second is for an objective; what only the other one takes is refused.
    """
    has_objective = given.get("--objective" if is_typed else "objective") is not None
    first, last = requests[0], requests[-1]
    wanted, other = (last, first) if has_objective else (first, last)
    names, others = names_of(wanted, is_typed), names_of(other, is_typed)
    values = {}
    for key, value in given.items():
        if key in names:
            kind = wanted.options[names[key]].kind
            later = is_typed and isinstance(kind, ReadLater)
            values[names[key]] = kind.read(value) if later else value  # type: ignore[union-attr]
            continue
        spec = other.options[others[key]]
        if not is_typed and spec.kind is not None and not (value is None and spec.default is None):
            spec.kind.check(value, key)  # what is no value at all is told first
        if value is not None and value is not False:
            raise misplaced(key if is_typed else f"'{key}'", has_objective, is_typed)
    return wanted.of(values, is_typed)


def names_of(request: type[Request[Any]], is_typed: bool) -> dict[str, str]:
    """The names of a request's fields, by the words or by the parameters that give them."""
    if not is_typed:
        return {name: name for name, spec in request.options.items() if spec.in_python}
    return {key_of(name, spec): name for name, spec in request.options.items() if spec.in_command}


def misplaced(word: str, has_objective: bool, is_typed: bool) -> AncError:
    """What says that an argument has no meaning beside, or without, an objective."""
    if not has_objective:
        return needs(word, "objective", is_typed)
    objective = "--objective" if is_typed else "'objective'"
    if word in ("'samples'", "'cases'"):
        return AncError(
            f"{word} and {objective} exclude each other: an objective has no right answers",
            help="give tapes without answers as 'inputs'",
        )
    return AncError(
        f"{word} does not go with {objective}",
        help="an objective has no right answers, and its one search is by score",
    )

"""The functions of `import anc`, derived from requests, with the same names, types, defaults and limits."""

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
    """A function with two overloads."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> S: ...


def function(request: Callable[P, Request[R]]) -> Callable[P, R]:
    """The function whose parameters are a request's fields."""
    return _function(request)  # type: ignore[arg-type]


def either(first: Callable[P, Request[R]], second: Callable[Q, Request[S]]) -> Either[P, R, Q, S]:
    """The function that runs the second request if an `objective` is given, else the first."""
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
    """The parameters of the first request, then those that others add, as keywords."""
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
    """The name of a request's result type."""
    base, *_ = (each for each in request.__orig_bases__ if hasattr(each, "__args__"))  # type: ignore[attr-defined]
    [found] = base.__args__
    return str(getattr(found, "__forward_arg__", None) or getattr(found, "__name__", found))


def request_of(
    requests: tuple[type[Request[Any]], ...], given: dict[str, Any], is_typed: bool
) -> Any:
    """Create the request from typed options or passed arguments.

    Of two requests, the second handles an objective; an argument that only the other has is an error.
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
            spec.kind.check(value, key)  # report an invalid value first
        if value is not None and value is not False:
            raise misplaced(key if is_typed else f"'{key}'", has_objective, is_typed)
    return wanted.of(values, is_typed)


def names_of(request: type[Request[Any]], is_typed: bool) -> dict[str, str]:
    """The field names of a request by option name, or by parameter name."""
    if not is_typed:
        return {name: name for name, spec in request.options.items() if spec.in_python}
    return {key_of(name, spec): name for name, spec in request.options.items() if spec.in_command}


def misplaced(word: str, has_objective: bool, is_typed: bool) -> AncError:
    """The error for an argument that conflicts with an objective, or needs one."""
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

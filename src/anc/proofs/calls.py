"""Python functions in proofs: their memory, and what the tape of every call has in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from anc.diagnostics import AncError
from anc.loading import Loaded, of_function

if TYPE_CHECKING:
    from anc.python.function import Function


def facts_of_calls(function: Function) -> Iterator[str]:
    """What holds on the tape of every call: cells of no argument, and those behind a list's end, are 0."""
    for cell, value in function.unused().items():
        yield f"tape[{cell}] == {value}"
    for parameter in function.layout.parameters:
        if parameter.size is not None and parameter.size.up_to is not None:
            for number, cell in enumerate(parameter.elements):
                yield f"tape[{parameter.cell}] <= {number} implies tape[{cell}] == 0"


def same_memory(generic: Loaded, adapted: Loaded) -> tuple[Loaded, Loaded]:
    """A function and what is compared with it, on one memory that there is room for every check on.

    An adapted program may be for a larger memory than its function asks for: to Python that is the same
    function, unless it is meant to wrap around.
    """
    function, other = generic.function, adapted.function
    assert function is not None
    if other is None:
        M = adapted.program.memory
        if M is None or M == function.M or function.wrap:
            return generic, adapted
        return of_function(_for_memory(function, M)), adapted
    if [p.elements for p in function.layout.parameters] != [
        p.elements for p in other.layout.parameters
    ] or (function.layout.result, function.layout.tape is None) != (
        other.layout.result,
        other.layout.tape is None,
    ):
        raise AncError(
            f"{_signature(function)} and {_signature(other)} cannot be compared: their arguments or"
            " results differ",
            help="give both functions the same arguments, with lists of the same size",
        )
    M = max(function.M, other.M)
    if function.wrap or other.wrap:
        if function.M != other.M:
            raise AncError(
                f"{_signature(function)} counts modulo {function.M}, {_signature(other)} modulo"
                f" {other.M}"
            )
        return generic, adapted
    pair = [_for_memory(each, M) for each in (function, other)]
    roomy = [_with_room(each) for each in pair]
    M = max(each.M for each in roomy)
    first, second = (_for_memory(each, M) for each in pair)
    return of_function(first), of_function(second)


def _with_room(function: Function) -> Function:
    try:
        assert function.exact.memory == function.M
        return function
    except AncError:
        return function.with_room()


def _for_memory(function: Function, M: int) -> Function:
    """The same function to Python on another memory; what was the tape is a list of as many elements."""
    if M == function.M:
        return function
    layout = function.layout.with_tape_as_list(function.M)
    routine = replace(function.routine, layout=layout, M=M)
    return type(function)(routine, function.python)


def _signature(function: Function) -> str:
    return f"{function.name}({', '.join(function.names)})"

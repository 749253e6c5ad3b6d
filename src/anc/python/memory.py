"""The memory of a function that states none: the smallest that its constants, lists, lines and calls fit into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anc.python.differences import Execution
from anc.python.layout import Layout, Parameter
from anc.support.diagnostics import AncError
from anc.support.limits import MAX_MEMORY

if TYPE_CHECKING:
    from anc.python.function import Function

LEAST = 64  # while nothing is known of its calls
USUAL = (
    4_096  # proofs take no larger memory; a function that needs more of some calls leaves those out
)


def fitted(largest: Function, least: int = LEAST) -> Function:
    """The function with the smallest memory from `least` on that its programs fit into.

    `largest` has the largest memory, so that everything in it fits.
    """
    M = max(least, largest.needed)
    while True:
        try:
            found = largest.sized(M)
            found.compile()
            return found
        except AncError:
            if M == MAX_MEMORY:
                raise
        M = min(M + M // 8 + 1, MAX_MEMORY)


def fitted_to_calls(function: Function, calls: Sequence[Sequence[Any]]) -> Function:
    """The function with the smallest memory for these calls: arguments, results, and numbers on the way."""
    execution = Execution(function.module, function.definition, function.layout)
    seen = [
        most for call in calls if (most := _largest(function.layout, execution, call)) is not None
    ]
    if not seen:
        return function
    usual = [most for most in seen if most < USUAL]
    most = max(usual if 2 * len(usual) >= len(seen) else seen)
    return fitted(function.sized(MAX_MEMORY), min(most, MAX_MEMORY - 1) + 1)


def _largest(layout: Layout, execution: Execution, call: Sequence[Any]) -> int | None:
    """The largest number of a call in Python; None if it fails."""
    try:
        arguments = layout.completed(call)
        numbers = [
            number
            for p, value in zip(layout.parameters, arguments, strict=True)
            for number in _numbers(p, value)
        ]
        outcome = execution.outcome(arguments)
    except (AncError, TypeError, ValueError):
        return None
    if outcome.error is not None or min(numbers, default=0) < 0:
        return None
    return max([*numbers, outcome.largest], default=0)


def _numbers(p: Parameter, value: Any) -> list[int]:
    if p.size is None:
        return [int(value)]
    return [*map(ord, value)] if isinstance(value, str) else [*map(int, value)]

"""What an adapted program is worth as a function of Python, guard included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from time import perf_counter
from typing import Any

from anc.adaptation.result import Adapted
from anc.emit import guarded_python, to_python
from anc.emit.functions import function_in_python, name_behind

_CALLS = 100
_ROUNDS = 25
_CLOSE = 0.05  # so little is not worth a word


def verdict_on_guard(result: Adapted) -> str:
    """A sentence, if the guarded function takes longer than what was there before; else nothing."""
    before, after = nanoseconds(result)
    if after <= (1 + _CLOSE) * before:
        return ""
    return (
        f"in Python it does not pay: {after:.0f} ns a call, with the check, instead of {before:.0f}"
    )


def nanoseconds(result: Adapted) -> tuple[float, float]:
    """What a call takes of the function that was there before, and of the guarded one."""
    problem, function = result.problem, result.problem.function
    tapes = [case.input for case in problem.test[:_CALLS]]
    if function is None:
        generic = _defined(to_python(problem.program, problem.M, "f"))["f"]
        guarded = guarded_python(problem.program, result.program, result.facts, problem.M, "f")
        return _measured((generic, _defined(guarded)["f"]), [[list(tape)] for tape in tapes])
    space = _defined(function_in_python(function, result.program, result.facts))
    functions = space[name_behind(function)], space[function.name]
    return _measured(functions, [function.layout.arguments_of(tape) for tape in tapes])


def _defined(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    return space


def _measured(
    functions: tuple[Callable[..., Any], Callable[..., Any]], calls: Sequence[list[Any]]
) -> tuple[float, float]:
    """How long calls of two functions take; the best of some rounds."""
    best = [float("inf"), float("inf")]
    for _ in range(_ROUNDS):
        for number, function in enumerate(functions):
            arguments = deepcopy(calls)
            begin = perf_counter()
            for each in arguments:
                function(*each)
            took = (perf_counter() - begin) / len(calls) * 1e9
            best[number] = min(best[number], took)
    return best[0], best[1]

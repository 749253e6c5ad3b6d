"""Measures what an adapted program is worth as a function of Python, guard included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import cycle, islice
from time import perf_counter
from typing import Any

import numpy as np

from anc.adaptation.evidence import MAX_STEPS
from anc.adaptation.result import Adapted
from anc.adaptation.worth import Taken, Worth
from anc.codegen import to_python
from anc.codegen.functions import name_behind
from anc.codegen.names import identifier
from anc.machine import exact
from anc.machine.exact import Stop
from anc.proof.preconditions.failing import holding
from anc.python.originals import original_text

_CALLS = 100  # in a round
_ROUNDS = 25
_LONGEST = 0.02  # seconds that the calls of one function and round may take
_SECONDS = 0.5  # in all

Calls = list[list[Any]]  # the arguments of each


def measured(result: Adapted, text: str) -> Worth:
    """The worth of a function, from its text, on the calls of the test cases.

    Those that the precondition rejects are measured by themselves. Where there are none, what it
    rejects first stands for them.
    """
    tapes = [case.input for case in result.problem.test]
    is_accepted = holding(result.facts, np.array(tapes, np.int64))
    accepted = [tape for tape, is_it in zip(tapes, is_accepted, strict=True) if is_it]
    others = [tape for tape, is_it in zip(tapes, is_accepted, strict=True) if not is_it]
    example, words = result.rejected_by(result.answer), None
    if not others and example is not None and _is_answered(result, example):
        others, words = [example], result.call_of(example) or "what is rejected first"
    groups = [[_call(result, tape) for tape in group[:_CALLS]] for group in (accepted, others)]
    functions = _functions(result, text, [call for group in groups for call in group])
    taken = iter(_taken(functions, [group for group in groups if group]))
    first, second = (next(taken) if group else None for group in groups)
    return Worth(len(tapes), len(accepted), first, second, words)


def _functions(
    result: Adapted, text: str, calls: Calls
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What was there before, and the guarded function, from the text that is written.

    Where wrapping around is meant, what was there is not what is behind the check: it is the user's
    own function, unless Python does not answer some of these calls.
    """
    problem, function, space = result.problem, result.problem.function, _defined(text)
    if function is None:
        name = identifier(result.name_in_files)
        return _defined(to_python(problem.program, problem.M, name))[name], space[name]
    behind = name_behind(function)
    if function.wrap and all(function.in_python(*call).error is None for call in calls):
        return _defined(original_text(function, behind))[behind], space[function.name]
    return space[behind], space[function.name]


def _defined(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    return space


def _call(result: Adapted, tape: Sequence[int]) -> list[Any]:
    """The arguments of the call that a tape stands for."""
    function = result.problem.function
    return [list(tape)] if function is None else function.layout.arguments_of(tape)


def _is_answered(result: Adapted, tape: Sequence[int]) -> bool:
    """Whether what was there before ends on a tape, and soon."""
    problem, function = result.problem, result.problem.function
    if function is None or function.wrap:
        return exact.run(problem.program, tape, MAX_STEPS).stop is Stop.STOPPED
    return function.in_python(*function.layout.arguments_of(tape)).error is None


def _taken(
    functions: tuple[Callable[..., Any], Callable[..., Any]], groups: Sequence[Calls]
) -> list[Taken]:
    """How long calls of two functions take on average, for each group of calls.

    They take turns, and the best of some rounds counts: what disturbs one of them is not its own.
    """
    ends = perf_counter() + _SECONDS
    groups = [_enough(functions[0], group) for group in groups]
    best = [[float("inf")] * len(functions) for _ in groups]
    for round in range(_ROUNDS):
        for times, calls in zip(best, groups, strict=True):
            for number, function in enumerate(functions):
                if round == 0 or perf_counter() < ends:
                    times[number] = min(times[number], _seconds(function, calls) / len(calls))
    return [Taken(1e9 * before, 1e9 * after) for before, after in best]


def _enough(function: Callable[..., Any], calls: Calls) -> Calls:
    """As many calls as a clock can tell, and no more than there is time for."""
    found: Calls = []
    spent = 0.0
    for call in islice(cycle(calls), _CALLS):
        if spent > _LONGEST:
            break
        found.append(call)
        spent += _seconds(function, [call])
    return found


def _seconds(function: Callable[..., Any], calls: Calls) -> float:
    """How long calls take one after the other; each has lists of its own, which it may change."""
    arguments = [deepcopy(call) for call in calls]
    begin = perf_counter()
    for each in arguments:
        function(*each)
    return perf_counter() - begin

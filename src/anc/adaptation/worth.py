"""The speed of a guarded function in Python: nanoseconds per call, before and after adaptation.

Measurements vary between runs, so their fields are named `nanoseconds`; everything else in a result is
reproducible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import cycle, islice
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from anc.codegen import to_python
from anc.codegen.functions import name_behind
from anc.codegen.names import identifier
from anc.machine import exact
from anc.machine.exact import Stop
from anc.python.originals import original_text
from anc.support.records import POSITIVE, plain, stored

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted, Answer

CLOSE = 0.05  # relative differences up to this are ignored
_Nanoseconds = Annotated[float, POSITIVE]


@dataclass(frozen=True)
class Taken:
    """Mean nanoseconds per call, of the original and of the guarded function."""

    before: _Nanoseconds = stored(key="original_nanoseconds")
    after: _Nanoseconds = stored(key="guarded_nanoseconds")

    def __str__(self) -> str:
        return f"{ns(self.after)} instead of {self.before:,.0f}"

    @property
    def rounded(self) -> Taken:
        return Taken(round(self.before, 1), round(self.after, 1))


@dataclass(frozen=True)
class Worth:
    """How many of the seen calls (the test cases) the guard accepts, and the times of accepted and other calls.

    If it accepts all of them, `example` is a rejected call that represents the others.
    """

    calls: int
    accepts: int
    accepted: Taken | None  # None if no call is accepted
    others: Taken | None
    example: str | None = stored(key="others_example", default=None)

    def __post_init__(self) -> None:
        if not 0 < self.calls >= self.accepts:
            raise ValueError(f"{self.accepts} of {self.calls} calls")

    @property
    def share(self) -> float:
        """The share of the seen calls that are accepted."""
        return self.accepts / self.calls

    @property
    def expected(self) -> Taken:
        """The mean time of a call, for calls distributed like the seen ones."""
        parts = ((self.accepted, self.share), (self.others, 1 - self.share))
        known = [(taken, share) for taken, share in parts if taken is not None and share]
        return Taken(
            sum(taken.before * share for taken, share in known),
            sum(taken.after * share for taken, share in known),
        )

    @property
    def is_faster(self) -> bool:
        return self.expected.before > (1 + CLOSE) * self.expected.after

    @property
    def is_slower(self) -> bool:
        return self.expected.after > (1 + CLOSE) * self.expected.before

    @property
    def words(self) -> str:
        """Whether it pays."""
        before, after = self.expected.before, self.expected.after
        if self.is_faster:
            return f"{_times(before / after)} times faster in Python"
        if self.is_slower:
            return f"{_times(after / before)} times slower in Python"
        return "as fast in Python as before"

    @property
    def rows(self) -> list[str]:
        """The accepted share and the times, in words."""
        seen = f"accepts {self.accepts:,} of {self.calls:,} calls seen ({self.share:.0%})"
        rows = [seen if self.accepted is None else f"{seen}: {self.accepted}"]
        if self.accepts < self.calls:
            return [*rows, f"the others: {self.others}"]
        if self.others is None:
            return [*rows, "the others: none was seen, and there is no example to measure"]
        return [*rows, f"the others: none was seen; {self.example} takes {self.others}"]

    def __str__(self) -> str:
        return f"{self.words}: {self.expected} a call, with the check"

    def to_dict(self) -> dict[str, Any]:
        """The data for result.json: the expected times, followed by the fields."""
        accepted, others = (each and plain(each.rounded) for each in (self.accepted, self.others))
        told = {"calls": self.calls, "accepts": self.accepts, "accepted": accepted}
        told |= {"others": others, "others_example": self.example}
        return plain(self.expected.rounded) | told


def ns(number: float) -> str:
    return f"{number:,.0f} ns"


def _times(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


_CALLS = 100  # different ones
_MOST = 800  # calls in a round, so that it takes longer than a clock is uncertain
_ROUNDS = 40
_LONGEST = 0.02  # most seconds for the calls of one function in a round
_SECONDS = 0.5  # in total

Calls = list[list[Any]]  # the arguments of each call


def measured(result: Adapted, answer: Answer, text: str) -> Worth:
    """Measure the guarded answer in a text on the calls of the test cases.

    Calls that the precondition rejects are measured separately. If there are none, the tape that it rejects
    represents them.
    """
    tapes = [case.input for case in result.problem.test]
    accepted = [tape for tape in tapes if all(fact.holds(tape) for fact in answer.facts)]
    others = [tape for tape in tapes if tape not in set(accepted)]
    example, words = result.rejected_by(answer), None
    if not others and example is not None and _is_answered(result, example):
        others, words = [example], result.call_of(example) or "what is rejected first"
    groups = [[_call(result, tape) for tape in group[:_CALLS]] for group in (accepted, others)]
    functions = _functions(result, text, [call for group in groups for call in group])
    taken = iter(_taken(functions, [group for group in groups if group]))
    first, second = (next(taken) if group else None for group in groups)
    return Worth(len(tapes), len(accepted), first, second, words)


def agrees(result: Adapted, text: str) -> bool:
    """Whether the function in a text returns what the original does, of the same types, on the test cases.

    Numbers that wrap around are not what Python returns, and programs return nothing.
    """
    if result.problem.function is None or result.problem.function.wrap:
        return True
    calls = [_call(result, case.input) for case in result.problem.test[:_CALLS]]
    original, guarded = _functions(result, text, calls)
    return all(_returned(original, call) == _returned(guarded, call) for call in calls)


def _returned(function: Callable[..., Any], call: list[Any]) -> Any:
    """What a call returns, with its types, or the kind of its error."""
    try:
        found = function(*deepcopy(call))
    except Exception as problem:
        return type(problem)
    parts = found if isinstance(found, list | tuple) else ()
    return type(found), found, [type(each) for each in parts]


def _functions(
    result: Adapted, text: str, calls: Calls
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The original and the guarded function, from the written text.

    If the function is meant to wrap around, the original is the user's own function and not the fallback of the
    guard, unless Python fails on some of these calls.
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
    """The arguments of the call that a tape represents."""
    function = result.problem.function
    return [list(tape)] if function is None else function.layout.arguments_of(tape)


def _is_answered(result: Adapted, tape: Sequence[int]) -> bool:
    """Whether the original ends on a tape, soon and without an error."""
    from anc.adaptation.evidence import MAX_STEPS

    problem, function = result.problem, result.problem.function
    if function is None or function.wrap:
        return exact.run(problem.program, tape, MAX_STEPS).stop is Stop.STOPPED
    return function.in_python(*function.layout.arguments_of(tape)).error is None


def _taken(
    functions: tuple[Callable[..., Any], Callable[..., Any]], groups: Sequence[Calls]
) -> list[Taken]:
    """The mean times of calls of two functions, for each group of calls.

    The functions take turns, and the fastest of several rounds counts, which excludes disturbances.
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
    """Repeat calls until they take long enough to be measured."""
    found: Calls = []
    spent = 0.0
    for call in islice(cycle(calls), _MOST):
        if spent > _LONGEST:
            break
        found.append(call)
        spent += _seconds(function, [call])
    return found


def _seconds(function: Callable[..., Any], calls: Calls) -> float:
    """The seconds that consecutive calls take; each gets copies of its lists, which it may change."""
    arguments = [deepcopy(call) for call in calls]
    begin = perf_counter()
    for each in arguments:
        function(*each)
    return perf_counter() - begin

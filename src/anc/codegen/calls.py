"""What deployed functions are tested with: tapes, and calls of a Python function with what Python makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from anc.codegen.c import LARGEST, UNKNOWN
from anc.machine import exact
from anc.machine.exact import Stop
from anc.machine.tapes import fill
from anc.proof.facts import Fact
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.python.function import Function


from anc.program import Program

_SAMPLES = 8
_OUTSIDE = 4
_TRIED = 300
_MAX_STEPS = 10_000


@dataclass(frozen=True)
class KnownCall:
    """The arguments of a call, what it returns, and its lists when it is over."""

    arguments: tuple[Any, ...]
    result: int
    lists: tuple[tuple[int, ...], ...]


def known_calls(
    function: Function, facts: Sequence[Fact], tapes: Iterable[Sequence[int]]
) -> list[KnownCall]:
    """Samples, the function's own examples, and calls outside of the precondition and of all limits."""
    arguments_of = function.layout.arguments_of
    examples = [fill(example.input, function.M) for example in function.examples]
    samples = _distinct(map(arguments_of, (*examples, *tapes)))
    found = list(_judged(function, samples, _SAMPLES))
    others = _distinct(map(arguments_of, _around(function, samples)))
    outside = [a for a in others if not all(fact.holds(function.tape(*a)) for fact in facts)]
    found += _judged(function, outside, _OUTSIDE, answered=True)
    for arguments in samples[:1]:
        found += _judged(function, _beyond(function, arguments), _TRIED)
    return found


def _distinct(calls: Iterable[list[Any]]) -> list[list[Any]]:
    """Some calls, each once."""
    return list({str(call): call for call in islice(calls, _TRIED)}.values())


def _judged(
    function: Function, calls: Iterable[list[Any]], most: int, answered: bool = False
) -> Iterator[KnownCall]:
    """The first few of some calls of which it can be said what they do, or that Python answers."""
    judged = (known_call(function, arguments) for arguments in calls)
    good = (call for call in judged if call is not None)
    return islice((call for call in good if not answered or call.result != UNKNOWN), most)


def known_call(function: Function, arguments: Sequence[Any]) -> KnownCall | None:
    """What Python makes of a call; None if nobody can wait for it."""
    lists = tuple(tuple(map(int, each)) for each in arguments if isinstance(each, list))
    given = tuple(arguments)
    unknown = KnownCall(given, UNKNOWN, lists)
    try:
        function.layout.check_lengths(arguments, function.M)
        tape = function.tape(*arguments)
    except AncError:
        return unknown
    if function.wrap:
        left = exact.run(function.program, tape, _MAX_STEPS)
        if left.stop is not Stop.STOPPED:
            return None
        _, changed = function.layout.changed(left.tape)
        return KnownCall(
            given, int(function.layout.result_of(left.tape) or 0), tuple(map(tuple, changed))
        )
    end = exact.run(function.exact, tape, _MAX_STEPS).stop
    if end is not Stop.STOPPED:
        return unknown if end is Stop.PAST_END else None
    outcome = function.in_python(*arguments)
    return KnownCall(given, int(outcome.result or 0), outcome.lists)


def _around(function: Function, calls: Sequence[list[Any]]) -> Iterator[tuple[int, ...]]:
    """Tapes that differ from those of calls in one cell of an argument."""
    M, layout = function.M, function.layout
    cells = range(M) if layout.tape else range(layout.cells - (layout.result is not None))
    for tape in (function.tape(*arguments) for arguments in calls):
        for cell in cells:
            for number in dict.fromkeys((0, 1, tape[cell] + 1, tape[cell] - 1, M // 2, M - 1)):
                if 0 <= number < M and number != tape[cell]:
                    yield (*tape[:cell], number, *tape[cell + 1 :])


def _beyond(function: Function, arguments: list[Any]) -> Iterator[list[Any]]:
    """A call with numbers that do not fit in each place, and with lists that are too long."""
    for place, value in enumerate(arguments):
        for number in (-1, function.M, LARGEST, -LARGEST - 1):
            other: Any = number
            if isinstance(value, list):
                if not value:
                    continue
                other = [*value[:-1], number]
            yield [*arguments[:place], other, *arguments[place + 1 :]]
        size = None if function.layout.tape else function.layout.parameters[place].size
        if size is not None and size.up_to is not None:
            yield [*arguments[:place], [0] * (size.up_to + 1), *arguments[place + 1 :]]


# -- tapes ----------------------------------------------------------------------------


Example = tuple[Sequence[int], Sequence[int]]  # a tape, and what it is afterwards

_SHOWN = 8
_RUN = 200


def examples_of(
    program: Program, M: int, tapes: Iterable[Sequence[int]] | None = None
) -> list[Example]:
    """Tapes on which a program stops, the first few of those given or drawn at random."""
    found: list[Example] = []
    for tape in islice(_drawn(M) if tapes is None else tapes, _RUN):
        run = exact.run(program, tape, _MAX_STEPS)
        if run.stop is Stop.STOPPED:
            found.append((tuple(tape), run.tape))
        if len(found) == _SHOWN:
            break
    return found


def _drawn(M: int) -> Iterable[tuple[int, ...]]:
    random = Random(f"examples/{M}")
    while True:
        yield tuple(random.randrange(M) for _ in range(M))

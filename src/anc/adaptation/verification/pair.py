"""Two programs that should do the same: on which tapes, in which cells, and what is right there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anc.adaptation.evidence import MAX_STEPS, check_assumed, counted_cells, some_counted
from anc.data.loading import Loaded, of_function
from anc.data.tasks.cases import Case
from anc.machine.weights import memory_for
from anc.program import Program
from anc.proof import Claim, Fact, parse_fact
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.python.function import Function

_EXAMPLES = 100  # cases that a proof is told of


@dataclass(frozen=True)
class Pair:
    """A generic and an adapted program, and where they must agree.

    `generic` says what is right: of a Python function that is the program that stops only where it
    does what Python does, and so is `adapted` if it is one, too. `bodies` are the programs that both
    run as. The facts are those that were stated;
    `of_calls` hold on the tape of every call of a function. A `strict` pair has no answer where the
    generic program does not stop, so that such tapes must be kept out.
    """

    generic: Program
    adapted: Program
    bodies: tuple[Program, Program]
    M: int
    mask: tuple[bool, ...]
    facts: tuple[Fact, ...] = ()
    of_calls: tuple[Fact, ...] = ()
    function: Function | None = None
    strict: bool = False
    cases: tuple[Case, ...] = ()
    names: tuple[str, str] = ("generic", "adapted")
    max_steps: int = MAX_STEPS
    counts_are_given: bool = False  # the cells that count were named, whatever cases say
    words: Mapping[str, str] = field(
        default_factory=dict
    )  # facts as a kept function's result words them

    @property
    def counts(self) -> tuple[int, ...]:
        """The cells in which they must agree."""
        return tuple(cell for cell, does in enumerate(self.mask) if does)

    def claim(self) -> Claim:
        """What is to be proved."""
        examples = tuple(dict.fromkeys(case.input for case in self.cases))[:_EXAMPLES]
        return Claim(
            self.generic,
            self.adapted,
            self.M,
            self.mask,
            (*self.facts, *self.of_calls),
            self.max_steps,
            strict=self.strict,
            examples=examples,
        )


def paired(
    generic: Loaded,
    adapted: Loaded,
    assume: Sequence[str] = (),
    cases: Sequence[Case] = (),
    counts: Sequence[int] | None = None,
) -> Pair:
    """What was loaded, to be compared under these facts; masks of cases say which cells count, or `counts`.

    A fact that a case contradicts is refused: nothing that is proved would be about such cases.
    """
    body, other = bodies = generic.program, adapted.program
    M = _memory(generic, adapted, cases)
    function = generic.function
    right, is_strict = body, False
    of_calls: tuple[Fact, ...] = ()
    if function is not None:
        of_calls = tuple(parse_fact(text, M) for text in facts_of_calls(function))
        if not function.wrap:
            right, is_strict = function.exact, True
            if adapted.function is not None and not adapted.function.wrap:
                other, is_strict = adapted.function.exact, False
    facts = tuple(parse_fact(text, M) for text in dict.fromkeys((*generic.facts, *assume)))
    check_assumed(cases, facts, function)
    return Pair(
        right,
        other,
        bodies,
        M,
        _mask(M, cases, counts, function),
        facts,
        of_calls,
        function,
        is_strict,
        tuple(cases),
        (_name(generic), _name(adapted)),
        counts_are_given=counts is not None,
    )


def _name(loaded: Loaded) -> str:
    return f"{loaded.name}:{loaded.function.name}" if loaded.function else loaded.name


def _memory(generic: Loaded, adapted: Loaded, cases: Sequence[Case]) -> int:
    """The one memory that both programs are compared on."""
    sizes = [each.program.memory for each in (generic, adapted)]
    if None not in sizes and sizes[0] != sizes[1]:
        raise AncError(
            f"{generic.name} is for a memory of {sizes[0]} cells, {adapted.name} for one of {sizes[1]}:"
            " they count modulo different numbers",
            help=f"give the memory to compare them on, such as --memory {sizes[0]}",
        )
    M = sizes[0] or sizes[1] or (cases[0].M if cases else None)
    return memory_for(generic.program, M)


def _mask(
    M: int,
    cases: Sequence[Case],
    counts: Sequence[int] | None,
    function: Function | None,
) -> tuple[bool, ...]:
    """The cells that count: those named, those of the cases' masks, those that a caller sees, or all."""
    if counts is not None:
        beyond = [cell for cell in counts if not 0 <= cell < M]
        if beyond or not counts:
            what = f"cell {beyond[0]} cannot count" if beyond else "no cell counts"
            raise AncError(f"{what}: the memory has cells 0 to {M - 1}")
        chosen = set(counts)
        return tuple(cell in chosen for cell in range(M))
    if cases:
        return counted_cells(cases)
    seen = None if function is None else function.layout.counts
    return some_counted(tuple(seen is None or cell in seen for cell in range(M)))


def facts_of_calls(function: Function) -> Iterator[str]:
    """What holds on the tape of every call: cells of no argument, and those behind a list's end, are 0."""
    for cell, value in function.unused().items():
        yield f"tape[{cell}] == {value}"
    for parameter in function.layout.parameters:
        if parameter.length is not None:
            for number, cell in enumerate(parameter.cells):
                yield f"tape[{parameter.length}] <= {number} implies tape[{cell}] == 0"


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
    if [p.cells for p in function.layout.parameters] != [
        p.cells for p in other.layout.parameters
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

"""Pairs: two programs that should agree, on which tapes and in which cells, loaded from programs or folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.adaptation.evidence import MAX_STEPS, check_assumed, counted_cells, some_counted
from anc.adaptation.saved import SavedDeployed, SavedFunction
from anc.data.loading import Loaded, is_folder, load, of_function
from anc.data.tasks.cases import Case
from anc.data.tasks.data import Given
from anc.machine.weights import memory_for
from anc.program import Program
from anc.proof import Claim, Fact, parse_fact
from anc.support.diagnostics import AncError, quoted
from anc.support.files import read_json
from anc.support.records import read

if TYPE_CHECKING:
    from anc.python.function import Function


_EXAMPLES = 100  # most cases that are passed to a proof


@dataclass(frozen=True)
class Pair:
    """A generic and an adapted program, and where they must agree.

    `generic` defines what is right. For a Python function it is the exact program, which stops only where it agrees
    with Python; the same holds for `adapted`. `bodies` are the programs that both run as. `facts` are the stated
    ones; `of_calls` hold on the tape of every call of a function. In a `strict` pair, the facts must exclude the
    tapes on which the generic program does not stop.
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
    counts_are_given: bool = (
        False  # the cells that count were named, which overrides the masks of cases
    )
    words: Mapping[str, str] = field(default_factory=dict)  # facts in the words of a saved function
    deployed: SavedDeployed | None = None  # if it is not the adapted program

    @property
    def counts(self) -> tuple[int, ...]:
        """The cells in which they must agree."""
        return tuple(cell for cell, does in enumerate(self.mask) if does)

    def claim(self) -> Claim:
        """The claim to prove."""
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
    """Pair two loaded programs under these facts; `counts`, or else the masks of cases, say which cells count.

    A fact that a case contradicts is refused, because no proof would cover such cases.
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
    """The memory on which both programs are compared."""
    sizes = [each.program.memory for each in (generic, adapted)]
    if None not in sizes and sizes[0] != sizes[1]:
        raise AncError(
            f"{generic.name} is for a memory of {sizes[0]} cells, {adapted.name} for one of {sizes[1]}:"
            " their arithmetic is modulo different numbers",
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
    """The cells that count: the named ones, those in the masks of cases, those that a caller sees, or all."""
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
    """Facts of every call: cells of no argument, and cells after the end of a list, are 0."""
    for cell, value in function.unused().items():
        yield f"tape[{cell}] == {value}"
    for parameter in function.layout.parameters:
        if parameter.length is not None:
            for number, cell in enumerate(parameter.cells):
                yield f"tape[{parameter.length}] <= {number} implies tape[{cell}] == 0"


def same_instructions(generic: Loaded, adapted: Loaded) -> tuple[Loaded, Loaded]:
    """Move one of two programs to the set of the other: its instructions are there, or it is compiled again."""
    pair = generic, adapted
    first, second = (each.program.instructions for each in pair)
    if first == second:
        return pair
    if not generic.function and (moved := generic.program.in_set(second)):
        return replace(generic, thing=moved), adapted
    if not adapted.function and (moved := adapted.program.in_set(first)):
        return generic, replace(adapted, thing=moved)
    if generic.function:
        return of_function(generic.function.with_instructions(second)), adapted
    if adapted.function:
        return generic, of_function(adapted.function.with_instructions(first))
    return pair


def same_memory(generic: Loaded, adapted: Loaded) -> tuple[Loaded, Loaded]:
    """Move a function and its counterpart to one memory that has room for all checks.

    An adapted program may be for a larger memory than its function requests: in Python it is the same function,
    unless it is meant to wrap around.
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
    ] or (function.layout.result_cells, function.layout.tape is None) != (
        other.layout.result_cells,
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
    """The same Python function on another memory; a tape parameter becomes a list of the same size."""
    if M == function.M:
        return function
    layout = function.layout.with_tape_as_list(function.M)
    routine = replace(function.routine, layout=layout, M=M)
    return type(function)(routine, function.python)


def _signature(function: Function) -> str:
    return f"{function.name}({', '.join(function.names)})"


Load = Callable[[Any, int | None], Loaded]


@dataclass(frozen=True, kw_only=True)
class SavedProof:
    """The part of result.json that a proof needs."""

    memory: int
    precondition: tuple[str, ...]
    counts: tuple[int, ...] | None = None
    function: SavedFunction | None = None


@dataclass(frozen=True)
class SavedPair:
    """A saved adaptation: its programs, the facts under which they agree, and the cells that count."""

    folder: Path
    told: SavedProof

    @property
    def is_exact(self) -> bool:
        """Whether it is of a Python function, so that Python defines what is right."""
        return self.told.function is not None and not self.told.function.wrap

    @property
    def words(self) -> dict[str, str]:
        """The facts in words of the function; empty for a fact that no call can break."""
        function = self.told.function
        told = None if function is None else function.words
        return {} if told is None else {f: told.get(f, "") for f in self.told.precondition}

    @property
    def deployed(self) -> SavedDeployed | None:
        """What is deployed, if it is not the adapted program."""
        found = None if self.told.function is None else self.told.function.deployed
        return found if found is not None and (found.table or found.program) else None

    @property
    def body(self) -> Loaded:
        """The program that was adapted."""
        return load(self.folder / "generic.anc", self.told.memory)

    @property
    def generic(self) -> Loaded:
        """The program that defines what is right."""
        if not self.is_exact:
            return self.body
        file = self.folder / "exact.anc"
        if not file.exists():
            raise AncError(
                f"{self.folder} does not say what its Python function computes: it has no exact.anc",
                help=f"name the function, too: anc verify FILE.py:NAME {self.folder}",
            )
        return load(file, self.told.memory)

    @property
    def adapted(self) -> Loaded:
        return load(self.folder / "adapted.anc", self.told.memory)


def given_pair(
    generic: Any,
    adapted: Any,
    assume: Sequence[str],
    data: Any,
    counts: Sequence[int] | None,
    memory: int | None,
    load: Load,
) -> tuple[Pair, str]:
    """Load a pair, and the note about the file of its cases.

    A folder of `anc adapt` provides the adapted program, its facts and the cells that count, and without a second
    name also the generic program. `load` loads other names.
    """
    if adapted is None:
        if not is_folder(generic):
            raise AncError(
                f"what should {_shown(generic)} be compared with?",
                help="name two programs, or a folder that anc adapt -o FOLDER wrote",
            )
        kept = _kept(Path(generic), memory)
        cases, note = _cases(data, kept.body, memory)
        counts = kept.told.counts if counts is None else counts
        pair = paired(kept.generic, kept.adapted, (*kept.told.precondition, *assume), cases, counts)
        bodies = kept.body.program, pair.adapted
        strict, words, deployed = kept.is_exact, kept.words, kept.deployed
        return replace(pair, bodies=bodies, strict=strict, words=words, deployed=deployed), note
    first = load(generic, memory)
    if is_folder(adapted):
        kept = _kept(Path(adapted), memory)
        second, assume = kept.adapted, (*kept.told.precondition, *assume)
        counts = kept.told.counts if counts is None else counts
    else:
        second = load(adapted, memory)
    first, second = same_instructions(first, second)
    if first.function is not None:
        first, second = same_memory(first, second)
    cases, note = _cases(data, first, memory or second.program.memory)
    return paired(first, second, assume, cases, counts), note


def _kept(folder: Path, memory: int | None) -> SavedPair:
    """Read a saved adaptation, which can be proved only on its own memory."""
    file = folder / "result.json"
    if not file.exists():
        raise AncError(
            f"{folder} is not a result of anc adapt: it has no result.json",
            help="name a folder that anc adapt -o FOLDER wrote, or a program",
        )
    told = read(SavedProof, read_json(file), file, "a result of anc adapt with a proof")
    if memory not in (None, told.memory):
        raise AncError(
            f"{folder} is for a memory of {told.memory} cells, not {memory}",
            help=f"leave --memory out, or name its programs: anc verify {folder}/generic.anc {folder}/adapted.anc",
        )
    return SavedPair(folder, told)


def _shown(what: Any) -> str:
    return quoted(str(what)) if isinstance(what, str | Path) else "this program"


def _cases(data: Any, loaded: Loaded, memory: int | None) -> tuple[Sequence[Case], str]:
    """The cases of a file or of the caller, and the note about the file."""
    if data is None:
        return (), ""
    if not isinstance(data, str | Path) and not len(data):
        raise AncError("data is empty: there are no cases")
    given = Given.of(data, "data", 0, 0, loaded.call, loaded.real_call)
    return given.cases(loaded.program, memory), given.note

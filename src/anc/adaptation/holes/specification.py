"""Specifications: what a sketch is to compute, as a plain Python function or as a program.

A Python function of numbers may be any code: it is called for every input, which draws cases, finds counter-examples
and proves. A program (a listing, an `anc.function`) also covers inputs that are too many for that: the proofs of
`anc verify` compare it with the filled sketch.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from anc.adaptation.holes.result import InputProof
from anc.data.loading import FUNCTION, function_in, load
from anc.data.tasks.cases import Case
from anc.data.tasks.checks import WrongCase
from anc.data.tasks.data import Call, given_case
from anc.language.source import read_source
from anc.machine import exact
from anc.machine.batch import run_all
from anc.program import Program
from anc.proof.claim import Claim
from anc.proof.parser import parse_fact
from anc.proof.prove import prove
from anc.support.clock import Clock
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.limits import as_whole

ENUMERATED = 1 << 20  # inputs, at most
CHUNK = 1 << 15  # inputs that are compared at once
RUN = 0.05  # evaluations charged for a run
ASKED = 5_000  # calls between two looks at the clock
NEW = 8  # counter-examples that become cases at once
DRAWN = 32  # cases at first


@dataclass(frozen=True)
class Check:
    """The outcome of comparing a filled sketch with its specification on all inputs."""

    outcome: str  # proved, refuted or unknown
    how: str
    inputs: int | None = None  # compared, if they were enumerated
    counter_examples: tuple[Case, ...] = ()

    @property
    def is_proved(self) -> bool:
        return self.outcome == "proved"


class Specification(ABC):
    """What a sketch is to compute."""

    name: str
    words: str  # about its inputs
    size: int | None = None  # the number of inputs, if they are enumerated
    searching: float  # share of the time left in which holes are filled, before the comparison

    @abstractmethod
    def draw(self, count: int, seed: int) -> list[Case]:
        """Some cases, and the first and last inputs."""

    @abstractmethod
    def check(self, program: Program, clock: Clock, max_steps: int, new: int = NEW) -> Check:
        """Compare a program with the specification, on all inputs or by a proof."""


@dataclass
class Enumerated(Specification):
    """A Python function of numbers, which is called for every input."""

    name: str
    function: Callable[..., Any]
    domains: tuple[Sequence[int], ...]
    parameters: tuple[str, ...]
    M: int
    call: Call | None  # of a Python function with holes
    clock: Clock
    searching: float = 0.95

    @property
    def size(self) -> int:  # type: ignore[override]
        return prod(map(len, self.domains))

    @property
    def words(self) -> str:  # type: ignore[override]
        ranges = zip(self.parameters, self.domains, strict=True)
        shown = (f"{name} from {min(values)} to {max(values)}" for name, values in ranges)
        return ", ".join(shown)

    def arguments(self, numbers: np.ndarray) -> np.ndarray:
        """The inputs with these numbers (n, k), in the order of nested loops."""
        shape = tuple(map(len, self.domains))
        indices = np.unravel_index(numbers, shape)
        columns = [np.asarray(values)[at] for values, at in zip(self.domains, indices, strict=True)]
        return np.stack(columns, axis=1)

    @cached_property
    def answers(self) -> tuple[np.ndarray, np.ndarray]:
        """The results (n, results) for all inputs, and for which inputs there is one."""
        found: list[tuple[int, ...] | None] = []
        for arguments in self._all():
            if len(found) % ASKED == 0 and self.clock.over:
                done = f"{len(found):,} of {self.size:,} inputs"
                raise AncError(f"'{self.name}' was called for {done} when the time was over")
            found.append(self.answer(arguments))
        widths = {len(each) for each in found if each is not None}
        if not widths:
            raise AncError(
                f"'{self.name}' returns None for all inputs: there is nothing to compute"
            )
        if len(widths) > 1:
            one, other = sorted(widths)[:2]
            raise AncError(
                f"'{self.name}' returns {one} numbers for some inputs and {other} for others"
            )
        free = (0,) * widths.pop()
        results = np.array([free if each is None else each for each in found], np.uint16)
        return results, np.array([each is not None for each in found])

    def _all(self) -> Iterator[tuple[int, ...]]:
        for begin in range(0, self.size, CHUNK):
            rows = self.arguments(np.arange(begin, min(self.size, begin + CHUNK)))
            yield from map(tuple, rows.tolist())

    def answer(self, arguments: Sequence[int]) -> tuple[int, ...] | None:
        """The result for one input; None if any would do."""
        shown = f"{self.name}({', '.join(map(str, arguments))})"
        try:
            result = self.function(*arguments)
        except (Exception, SystemExit) as problem:
            kind = type(problem).__name__
            raise AncError(f"the specification failed: {shown}: {kind}: {problem}") from problem
        if result is None:
            return None
        listed = tuple(result) if isinstance(result, list | tuple) else (result,)
        found = tuple(as_whole(int(each) if isinstance(each, bool) else each) for each in listed)
        for number, given in zip(found, listed, strict=True):
            if number is None or not 0 <= number < self.M:
                raise AncError(
                    f"{shown} is {quoted(given)}, expected a number from 0 to {self.M - 1}",
                    help=f"numbers wrap in programs: return the result % {self.M}",
                )
        if not 0 < len(found) <= self.M:
            raise AncError(f"{shown} is {quoted(result)}, expected 1 to {self.M} numbers")
        return found  # type: ignore[return-value]

    def case(self, number: int) -> Case:
        """The case of an input with an answer."""
        [arguments] = self.arguments(np.array([number])).tolist()
        result = self.answers[0][number].tolist()
        if self.call is not None:
            return self._call_case(arguments, result[0] if len(result) == 1 else result)
        rest = [0] * (self.M - len(arguments))
        output = [*result, *[*arguments, *rest][len(result) :]]
        mask = tuple(cell < len(result) for cell in range(self.M))
        return Case((*arguments, *rest), tuple(output), mask)

    def _call_case(self, arguments: list[int], result: Any) -> Case:
        assert self.call is not None
        try:
            return given_case(self.call((arguments, result)), self.M)
        except (AncError, WrongCase) as problem:
            shown = f"{self.name}({', '.join(map(str, arguments))})"
            message = getattr(problem, "message", problem)
            raise AncError(
                f"{shown} is {result}, which does not fit the sketch: {message}"
            ) from None

    @cached_property
    def counted(self) -> list[int]:
        """The cells that the results are compared with."""
        number = int(np.argmax(self.answers[1]))
        return [cell for cell, counts in enumerate(self.case(number).mask) if counts]

    def draw(self, count: int, seed: int) -> list[Case]:
        allowed = np.flatnonzero(self.answers[1])
        some = np.random.default_rng(seed).permutation(allowed)[:count]
        ends = np.unique([allowed[0], allowed[-1]])
        return [self.case(int(n)) for n in dict.fromkeys([*some.tolist(), *ends.tolist()])]

    def check(self, program: Program, clock: Clock, max_steps: int, new: int = NEW) -> Check:
        results, allowed = self.answers
        wrong: list[np.ndarray] = []
        for begin in range(0, self.size, CHUNK):
            numbers = np.arange(begin, min(self.size, begin + CHUNK))
            numbers = numbers[allowed[numbers]]
            clock.did(RUN * len(numbers))
            tapes = np.zeros((len(numbers), self.M), np.uint16)
            tapes[:, : len(self.domains)] = self.arguments(numbers)
            runs = run_all(program, tapes, max_steps)
            bad = (runs.tapes[:, self.counted] != results[numbers]).any(axis=1) | ~runs.stopped
            wrong.append(numbers[bad])
        numbers = np.concatenate(wrong)
        if not len(numbers):
            return Check("proved", "all inputs enumerated", int(allowed.sum()))
        some = np.random.default_rng(len(numbers)).permutation(numbers)[:new]
        found = tuple(self.case(int(number)) for number in some)
        return Check("refuted", "all inputs enumerated", int(allowed.sum()), found)


@dataclass
class ByProgram(Specification):
    """A program, with which a filled sketch is compared by the proofs of `anc verify`."""

    name: str
    program: Program
    M: int
    mask: tuple[bool, ...]
    domain: Claim  # a claim about the program itself: its tapes
    words: str = "all tapes"
    searching: float = 0.5

    def case(self, tape: Sequence[int], max_steps: int) -> Case | None:
        run = exact.run(self.program, tape, max_steps)
        if run.stop is not exact.Stop.STOPPED:
            return None
        return Case(tuple(tape), run.tape, self.mask)

    def draw(self, count: int, seed: int) -> list[Case]:
        random = Random(seed)
        tapes = (self.domain.tapes.draw(random) for _ in range(count))
        cases = (self.case(tape, self.domain.max_steps) for tape in tapes if tape is not None)
        found = [case for case in cases if case is not None]
        if not found:
            raise AncError(f"{self.name} stops on none of {count} tapes that were drawn")
        return found

    def check(self, program: Program, clock: Clock, max_steps: int, new: int = NEW) -> Check:
        claim = Claim(self.program, program, self.M, self.mask, self.domain.precondition, max_steps)
        verdict = prove(claim, clock.left, asked_to_stop=clock.asked_to_stop)
        if verdict.refuted and verdict.tape is not None:
            case = self.case(verdict.tape, max_steps)
            return Check("refuted", verdict.how, counter_examples=() if case is None else (case,))
        return Check(verdict.outcome.value, str(verdict.reason or verdict.how))


def specification_of(
    what: Any, M: int, call: Call | None, clock: Clock, program: Program
) -> Specification:
    """The specification that a user gives, for a sketch (`program`) of M cells.

    `call` converts a call with its result to a case, where the sketch is a Python function.
    """
    if isinstance(what, str) and FUNCTION.fullmatch(what):
        what = _in_file(what)
    if callable(what) and function_in(what) is None:
        return _enumerated(what, M, call, clock)
    loaded = load(what, None, program.instructions)
    function = loaded.function
    if function is not None:
        loaded = load(function.with_instructions(program.instructions), M)
        function = loaded.function
    spec = loaded.program
    if (spec.memory or M) != M:
        raise AncError(
            f"the specification {loaded.name} has a memory of {spec.memory} cells, the sketch {M}"
        )
    if spec.instructions != program.instructions:
        raise AncError(
            f"the specification has the instruction set {spec.instructions}, the sketch"
            f" {program.instructions}",
            help="write both for one set, or give a plain Python function",
        )
    counts = None if function is None else function.layout.result_cells
    if function is not None and not counts:
        raise AncError(f"the specification '{function.name}' returns nothing")
    mask = tuple(counts is None or cell in counts for cell in range(M))
    facts = tuple(parse_fact(text, M) for text in loaded.facts)
    domain = Claim(spec, spec, M, mask, facts)
    name = function.name if function is not None else loaded.name
    return ByProgram(name, spec, M, mask, domain)


def proof_of(
    specification: Specification | None, check: Check | None, refuted: int
) -> InputProof | None:
    """The record of a comparison, after some fillings that were refuted."""
    if specification is None:
        return None
    check = check or Check("unknown", "there is no filling to compare")
    about = specification.words, check.inputs, specification.size
    return InputProof(specification.name, check.outcome, check.how, *about, refuted)


def _enumerated(function: Any, M: int, call: Call | None, clock: Clock) -> Enumerated:
    name = getattr(function, "__name__", "specification")
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except Exception as problem:
        raise AncError(f"the arguments of '{name}' cannot be read: {problem}") from None
    domains, names = [], []
    for each in parameters:
        if each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD):
            raise AncError(f"'{name}' takes {each}: a specification has a fixed number of numbers")
        domains.append(_domain(name, each.name, each.annotation, M))
        names.append(each.name)
    if not 0 < len(domains) <= M:
        raise AncError(
            f"'{name}' takes {len(domains)} arguments, expected 1 to {M}: the first cells of the tape"
        )
    found = Enumerated(name, function, tuple(domains), tuple(names), M, call, clock)
    if found.size > ENUMERATED:
        raise AncError(
            f"'{name}' has {found.size:,} inputs, and at most {ENUMERATED:,} are enumerated",
            help=f"say which numbers an argument may be: {names[-1]}: range(8); or specify by a"
            " program, which is compared by a proof",
        )
    return found


def _domain(name: str, parameter: str, annotation: Any, M: int) -> Sequence[int]:
    """The numbers that an argument may be: all, or those of the range that annotates it."""
    if annotation in (inspect.Parameter.empty, int):
        return range(M)
    if annotation is bool:
        return range(2)
    if not isinstance(annotation, range):
        raise AncError(
            f"'{parameter}' of '{name}' is annotated with {quoted(annotation)}, expected int or a range",
            help="arguments that are lists need a specification by an anc.function",
        )
    if not annotation or min(annotation) < 0 or max(annotation) >= M:
        raise AncError(
            f"'{parameter}' of '{name}' goes over {annotation}, expected numbers from 0 to {M - 1}"
        )
    return annotation


def _in_file(where: str) -> Any:
    """A function of a Python file, which is run."""
    file, _, name = where.rpartition(":") if not where.endswith(".py") else (where, "", "")
    source = read_source(Path(file))
    module = ModuleType("specification")
    module.__file__ = file
    folder = str(Path(file).resolve().parent)  # it may import what lies beside it
    sys.path.insert(0, folder)
    try:
        exec(compile(source.text, file, "exec"), vars(module))
    except (Exception, SystemExit) as problem:
        raise AncError(f"{file} fails: {type(problem).__name__}: {problem}") from None
    finally:
        sys.path.remove(folder)
    own = {
        key: value
        for key, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "specification") == "specification"
    }
    if not name and len(own) != 1:
        found = ", ".join(own) or "none"
        raise AncError(f"which function of {file}? It has {found}", help=f"write {file}:NAME")
    if name and name not in own and not callable(vars(module).get(name)):
        close = close_match(name, own)
        known = f"it has {', '.join(own) or 'no functions'}"
        help = f"did you mean '{close}'?" if close else known
        raise AncError(f"{file} has no function '{name}'", help=help)
    found = vars(module)[name] if name else next(iter(own.values()))
    return load(where).function if function_in(found) is not None else found

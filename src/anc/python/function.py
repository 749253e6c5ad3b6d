"""Function: a Python function together with the program that it is compiled to."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

from anc import isa
from anc.isa import InstructionSet
from anc.language.tree import Example
from anc.program import Program
from anc.python.compile import (
    Routine,
    check_memory,
    compiled,
    lowered,
    needed_memory,
    unassigned,
    unsupported_parts,
)
from anc.python.differences import CallOutcome, Execution, negative_results, unlike
from anc.python.examples import call_arguments, examples_of
from anc.python.facts import facts_of, unstated
from anc.python.layout import in_words_of
from anc.python.memory import fitted, fitted_to_calls
from anc.python.references import Reference, changed, plain_function, references, source_of
from anc.python.signature import Options, SignatureReader
from anc.python.sketch_function import OpenFunction, holes_in
from anc.python.source import Definition, Module
from anc.support.diagnostics import AncError, render_all
from anc.support.limits import MAX_MEMORY

P = ParamSpec("P")
T = TypeVar("T")

_MUCH_ROOM = 8  # times the requested memory; no exact program needs more lines than that


class Function(Generic[P, T]):
    """A Python function: its source, the cells of its arguments, its memory and its program.

    Calling it calls the Python function. It is accepted wherever a Program is. If it `is_sized`, its
    memory was chosen, and may be chosen again for its calls.
    """

    def __init__(
        self, routine: Routine, python: Callable[P, T] | None = None, is_sized: bool = False
    ) -> None:
        self.routine, self.python, self.is_sized = routine, python, is_sized
        self.module, self.definition = routine.module, routine.definition
        self.layout, self.M, self.wrap = routine.layout, routine.M, routine.wrap
        if python is not None:
            functools.update_wrapper(self, python)
        check_memory(routine)
        lowered(routine)  # reports all errors at once

    @property
    def name(self) -> str:
        return self.definition.name

    def check_names(self) -> None:
        """Raise if a global or closure name no longer has the value that it was compiled with."""
        python, found = self._references
        self.module.refuse([] if python is None else list(changed(self.module, found, python)))

    @cached_property
    def _references(self) -> tuple[FunctionType | None, list[Reference]]:
        return plain_function(self.python), references(self.module, self.definition)

    @cached_property
    def program(self) -> Program:
        """The program that computes it on a tape."""
        self.check_names()
        return self._program

    @cached_property
    def exact(self) -> Program:
        """The program that stops only if its result is Python's, with integers of any size."""
        self.check_names()
        return self._exact

    @cached_property
    def _program(self) -> Program:
        return compiled(self.routine)

    @cached_property
    def _exact(self) -> Program:
        return compiled(self.routine, is_exact=True)

    def compile(self) -> None:
        """Compile both programs, before all names that it sees may be bound."""
        assert self._exact.memory == self._program.memory == self.M

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> T:
        if self.python is None:
            raise AncError(f"'{self.name}' was read from a file; only its program can run")
        return self.python(*arguments, **named)

    def __repr__(self) -> str:
        return f"<anc function {self.name}({', '.join(self.names)}), memory {self.M}>"

    @property
    def summary(self) -> str:
        """The first paragraph of the function's docstring."""
        text = ast.get_docstring(self.definition) or ""
        return "" if text.startswith(">>>") else " ".join(text.split("\n\n", 1)[0].split())

    def tape(self, *arguments: Any) -> tuple[int, ...]:
        """The tape that holds these arguments; an argument that does not fit is an error."""
        return self.layout.tape_of(arguments, self.M)

    def arguments(self, text: str) -> list[Any]:
        """The arguments of a call, from text such as ``[3, 9, 1], 2``."""
        defaults = {p.name: p.default for p in self.layout.parameters if p.default is not None}
        return call_arguments(text, self.names, defaults)

    @property
    def names(self) -> list[str]:
        """The names of its arguments."""
        layout = self.layout
        return [layout.tape] if layout.tape else [p.name for p in layout.parameters]

    def result(self, tape: Sequence[int]) -> Any:
        """The function's result, read from the tape that its program left.

        Warns (RuntimeWarning) if Python returns another result. There is no warning if lists may
        have changed, because the arguments can no longer be read from the tape.
        """
        found = self.layout.result_of(tape)
        note = unlike(self, tape)
        if note:
            warnings.warn(note, RuntimeWarning, stacklevel=2)
        return found

    def call_text(self, tape: Sequence[int]) -> str:
        """The call that a tape stands for, such as ``f([3, 9, 1], 2)``."""
        return f"{self.name}({', '.join(map(repr, self.layout.arguments_of(tape)))})"

    def unused(self) -> dict[int, int]:
        """The cells that belong to no argument, with their initial values."""
        used = {cell for p in self.layout.parameters for cell in p.all_cells}
        cells = () if self.layout.tape else range(self.M)
        return {cell: 0 for cell in cells if cell not in used}

    def in_words(self, fact: str) -> str:
        """A fact about the tape, rewritten with the names of the arguments."""
        return in_words_of(self.layout, fact)

    def cell_in_words(self, cell: int) -> str:
        """The name of a cell in terms of the arguments and the result."""
        if self.layout.tape is not None:
            return f"cell {cell}"
        if cell in self.layout.result_cells[1:]:
            return f"cell {cell - self.layout.result_cells[0]} of the result"
        return "the result" if cell == self.layout.result else self.in_words(f"tape[{cell}]")

    def broken_asserts(self, tape: Sequence[int]) -> list[int]:
        """The lines of the asserts that fail in the call that a tape represents."""
        return list(self.in_python(*self.layout.arguments_of(tape)).broken)

    def call_fields(self, arguments: Sequence[Any]) -> dict[str, Any]:
        """A call as a case: its tape and the mask of the cells that the caller can see afterwards.

        A function of the whole tape also accepts the bare tape.
        """
        if self.layout.tape is not None and not any(isinstance(e, Sequence) for e in arguments):
            arguments = [arguments]
        fields: dict[str, Any] = {"input": list(self.tape(*arguments))}
        if self.layout.counts is not None:
            fields["mask"] = self._seen
        return fields

    @cached_property
    def _seen(self) -> tuple[int, ...]:
        """The mask of the cells that the caller can see after a call."""
        seen = set(self.layout.counts or ())
        return tuple(int(cell in seen) for cell in range(self.M))

    def real_call_fields(self, arguments: Sequence[Any]) -> dict[str, Any]:
        """A recorded call as a case; a call that the original would handle anyway is refused.

        These are calls with a list that is shorter than declared, with 1 for True or True for 1, and
        calls in which an assert fails.
        """
        fields = self.call_fields(arguments)
        self.layout.check_lengths(arguments, self.M)
        for parameter, value in zip(self.layout.parameters, arguments, strict=True):
            parameter.check_type(value)
        broken = self.broken_asserts(fields["input"])
        if broken:
            raise AncError(f"the assert of line {broken[0]} does not hold")
        return fields

    def in_python(self, *arguments: Any) -> CallOutcome:
        """The outcome of a call in Python itself, with integers of any size."""
        self.check_names()
        return self._execution.outcome(arguments)

    @cached_property
    def _execution(self) -> Execution:
        return Execution(self.module, self.definition, self.layout)

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The calls in its docstring and its ``# run:`` lines, as tapes."""
        return examples_of(self)

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The facts that proofs may assume: those of the layout, and the leading asserts."""
        return (*self.layout.facts, *facts_of(self))

    @cached_property
    def warnings(self) -> str:
        """The compiler's warnings, as text."""
        found = unassigned(self.routine)
        found += unstated(self)
        found += negative_results(self)
        return render_all(found, self.module.source.text, self.module.source.name)

    def with_memory(self, M: int | None) -> Function[P, T]:
        """The same function for another memory."""
        if M is None or M == self.M:
            return self
        return Function(replace(self.routine, M=M), self.python)

    def with_instructions(self, instructions: InstructionSet | None) -> Function[P, T]:
        """The same function in another instruction set."""
        if instructions is None or instructions == self.routine.instructions:
            return self
        return Function(replace(self.routine, instructions=instructions), self.python)

    def sized(self, M: int) -> Function[P, T]:
        """The same function with a memory that was chosen for it."""
        return Function(replace(self.routine, M=M), self.python, is_sized=True)

    def fitted_to(self, calls: Sequence[Sequence[Any]]) -> Function[P, T]:
        """The same function with a memory for these calls, if it states none."""
        return fitted_to_calls(self, calls) if self.is_sized else self

    @property
    def needed(self) -> int:
        """The smallest memory for its numbers, arguments, lists and tables."""
        return needed_memory(self.routine)

    def with_room(self) -> Function[P, T]:
        """The same function with the first larger memory that its exact program fits into.

        The tape of a function of the whole tape becomes a list with as many elements as before.
        """
        M, layout = self.M, self.layout.with_tape_as_list(self.M)
        while True:
            M = min(M + M // 8 + 1, MAX_MEMORY)
            found = Function(replace(self.routine, M=M, layout=layout), self.python)
            try:
                assert found.exact.memory == M
                return found
            except AncError:
                if M == MAX_MEMORY or M > _MUCH_ROOM * self.M:
                    raise


def read(
    module: Module,
    definition: Definition,
    memory: int | None = None,
    wrap: bool | None = None,
    python: Callable[..., Any] | None = None,
    instructions: InstructionSet | None = None,
) -> Function:
    """The function of a definition; `memory`, `wrap` and `instructions` override its decorator."""
    try:
        return _read(module, definition, memory, wrap, python, instructions)
    except RecursionError:
        help = "give parts of its expressions names of their own"
        raise AncError(f"'{definition.name}' is nested too deeply", help) from None


def _read(
    module: Module,
    definition: Definition,
    memory: int | None,
    wrap: bool | None,
    python: Callable[..., Any] | None,
    instructions: InstructionSet | None,
) -> Function:
    signature = SignatureReader(module, definition)
    options = signature.options(instructions) if python is None else Options()
    layout = signature.layout()
    refused = unsupported_parts(module, definition, plain_function(python))
    module.refuse([*signature.problems, *refused])
    assert isinstance(definition, ast.FunctionDef)
    options = options.over(memory, wrap, instructions)
    M = options.memory
    if M is None and (options.wrap or layout.tape is not None):
        M = options.memory_of(definition.name)
    known = M or MAX_MEMORY, options.wrap, options.instructions
    function = Function(Routine(module, definition, layout, *known), python)
    return function if M is not None else fitted(function)


def from_python(
    python: Callable[..., Any],
    memory: int | None,
    wrap: bool = False,
    instructions: InstructionSet = isa.WIDE,
) -> Function | OpenFunction:
    """The Function of a Python function, from its source; with holes, an OpenFunction."""
    module, definition = source_of(python)
    if holes_in(definition):
        given = plain_function(python), instructions
        return OpenFunction(module, definition, memory, wrap, *given)
    return read(module, definition, memory, wrap, python, instructions)


def function(
    *, memory: int | None = None, wrap: bool = False, instructions: InstructionSet = isa.WIDE
) -> Callable[[Callable[P, T]], Function[P, T]]:
    """The decorator; see `anc.function`."""

    def made(python: Callable[P, T]) -> Function[P, T]:
        # a function with holes becomes an OpenFunction, which its type cannot express
        return cast("Function[P, T]", from_python(python, memory, wrap, instructions))

    return made

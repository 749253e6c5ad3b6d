"""Where the machine, whose numbers go from 0 to M-1, is not Python: said in words."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anc.diagnostics import Diagnostic, warning
from anc.isa import Effect
from anc.machine import exact
from anc.python.execution import ENDLESS, LONGEST
from anc.python.names import first_stores
from anc.python.source import known_number

if TYPE_CHECKING:
    from anc.python.function import Function


def described(function: Function, tape: Sequence[int]) -> str:
    """The call that a tape holds, on which the machine is not Python, and what Python makes of it."""
    outcome = function.in_python(*function.layout.arguments_of(tape))
    call = function.call_text(tape)
    if outcome.error is not None:
        return f"{call}, where Python ends with {outcome.error}"
    result = function.layout.result_of(exact.run(function.program, tape, LONGEST).tape)
    if outcome.result != result:
        return f"{call}, where Python returns {outcome.result} and the machine {result}"
    return f"{call}, where a number does not fit"


def difference(function: Function, arguments: Sequence[Any], tape: Sequence[int]) -> str:
    """How the tape that a call left differs from what Python computes with numbers of any size."""
    outcome = function.in_python(*arguments)
    if outcome.error is not None:
        return f"Python itself ends with {outcome.error}"
    because = f"the machine counts modulo {function.M} and fills lists up with zeros"
    if outcome.result != function.layout.result_of(tape):
        return f"Python's own result is {outcome.result}; {because}"
    for name, cells, wanted in zip(*function.layout.changed(tape), outcome.lists, strict=True):
        if tuple(cells[: len(wanted)]) != wanted:
            return f"Python itself leaves {list(wanted)} in '{name}'; {because}"
    return ""


def unlike(function: Function, tape: Sequence[int]) -> str:
    """The same of a tape on which the arguments still stand; nothing where lists may have changed."""
    if function.wrap or function.layout.result is None or not _leaves_arguments(function):
        return ""
    arguments = function.layout.arguments_of(tape)
    outcome, found = function.in_python(*arguments), function.layout.result_of(tape)
    call = function.call_text(tape)
    if outcome.error == ENDLESS or (outcome.error is None and outcome.result == found):
        return ""
    python = f"is {outcome.result}" if outcome.error is None else f"ends with {outcome.error}"
    return (
        f"{call} {python} in Python, and {found} on this tape:"
        f" the machine's numbers go from 0 to {function.M - 1}"
    )


def _leaves_arguments(function: Function) -> bool:
    """Whether the program writes nothing but the result."""
    program = function.program
    changed = {line.out for line in program.lines}
    written = [line.first for line in program.lines if line.instruction.effect is Effect.WRITE]
    return all(
        register is not None
        and register not in changed
        and (program.registers[register] or 0) == function.layout.result
        for register in written
    )


def negative_results(function: Function) -> Iterator[Diagnostic]:
    """A warning for each negative number that is returned: the machine has none."""
    if function.wrap:
        return
    module, definition = function.module, function.definition
    hidden = {*first_stores(definition.body), *function.names}
    for statement in ast.walk(definition):
        if not isinstance(statement, ast.Return) or statement.value is None:
            continue
        for node in _decided(statement.value):
            number = known_number(node, module.numbers, hidden, lambda name: None)
            if number is not None and number < 0:
                yield warning(
                    f"this returns {number}, but the machine's numbers go from 0 to"
                    f" {function.M - 1}: it returns {number % function.M}",
                    module.span(node),
                    "return a number that fits, such as the length of a list for 'not found'; or"
                    " write wrap=True if that is meant",
                )


def _decided(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions of which one is the value of this one."""
    if isinstance(node, ast.IfExp):
        yield from _decided(node.body)
        yield from _decided(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from _decided(each)
    else:
        yield node

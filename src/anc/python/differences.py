"""Execution in Python itself, and where the machine's modular arithmetic differs from it.

The function's own text is compiled and run with a step limit. It can reach only its arguments, the
numbers of its module, its helpers and the builtins of the subset, so that running it is safe.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from anc.isa import Effect
from anc.machine import exact
from anc.python.names import first_stores
from anc.python.source import known_number
from anc.support.diagnostics import Diagnostic, warning

if TYPE_CHECKING:
    from anc.python.function import Function


from anc.program import Program
from anc.python.calls import OWN
from anc.python.layout import Layout
from anc.python.references import reached
from anc.python.source import Module

LONGEST = 200_000  # statements and iterations
ENDLESS = "no end"  # the outcome of a call that exceeds LONGEST
_ERRORS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception)
}
_KNOWN = {*OWN, *_ERRORS, "float", "complex", "bytes", "bytearray"}
_TICK, _CHECK, _SEE = "<tick>", "<check>", "<see>"  # no identifiers, so that no source can use them


@dataclass(frozen=True)
class CallOutcome:
    """The result of a call and its final lists, or the error that it raises.

    `broken` are the lines of the asserts that failed.
    """

    result: Any = None
    lists: tuple[tuple[int, ...], ...] = ()
    error: str | None = None
    broken: tuple[int, ...] = ()
    largest: int = 0  # of all numbers that were computed


class _TooLong(BaseException):
    """A call exceeds LONGEST; no function can catch it."""


class Execution:
    """A function, compiled by Python and instrumented with a step counter."""

    def __init__(self, module: Module, definition: ast.FunctionDef, layout: Layout) -> None:
        self.made_of = module, definition, layout
        self.is_bool = layout.is_bool
        self.steps = self.largest = 0
        self.broken: dict[int, None] = {}
        known = {name: value for name, value in vars(builtins).items() if name in _KNOWN}
        space: dict[str, Any] = {"__builtins__": known}
        space |= {**module.numbers, _TICK: self._tick, _CHECK: self._check, _SEE: self._see}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own warnings are not wanted here
            exec(compile(_counted(module, definition), module.source.name, "exec"), space)
        self.function: FunctionType = space[definition.name]

    def __reduce__(self) -> tuple[Any, ...]:
        return Execution, self.made_of  # code cannot be sent to another process

    def outcome(self, arguments: Sequence[Any]) -> CallOutcome:
        """The outcome of a call; all failing asserts are recorded before it ends with an error."""
        self.steps, self.broken, self.largest = 0, {}, 0
        given = [_given(each) for each in arguments]
        result, error = None, None
        try:
            result = self.function(*given)
        except _TooLong:
            error = ENDLESS
        except Exception as problem:
            error = type(problem).__name__
        if self.broken:
            error = AssertionError.__name__
        if error is not None:
            return CallOutcome(error=error, broken=tuple(self.broken))
        if result is not None:
            result = _result(result, self.is_bool)
        lists = (each for each in given if isinstance(each, list | bytearray))
        changed = tuple(tuple(map(int, each)) for each in lists)
        return CallOutcome(result, changed, largest=self.largest)

    def _tick(self) -> bool:
        self.steps += 1
        if self.steps > LONGEST:
            raise _TooLong
        return True

    def _see(self, value: Any) -> Any:
        if isinstance(value, int) and value > self.largest:
            self.largest = value
        return value

    def _check(self, holds: Any, line: int) -> None:
        if not holds:
            self.broken[line] = None


def _given(value: Any) -> Any:
    """An argument of its own, which the call may change."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str | bytes):
        return value
    if isinstance(value, bytearray):
        return bytearray(value)
    return tuple(map(int, value)) if isinstance(value, tuple) else list(map(int, value))


def _result(value: Any, is_bool: bool) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(int, value))
    if isinstance(value, int):
        return bool(value) if is_bool else int(value)
    return value


def _counted(module: Module, definition: ast.FunctionDef) -> ast.Module:
    """The instrumented function and helpers, as new nodes: the module's own are unchanged."""
    lines = {each.lineno for each in reached(module, definition)}
    nodes = ast.walk(ast.parse(module.source.text))
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.lineno in lines]
    return ast.fix_missing_locations(ast.Module([_Counter().visit(f) for f in functions], []))


class _Counter(ast.NodeTransformer):
    """Counts statements and iterations, records asserts, and drops annotations and decorators."""

    def visit(self, node: ast.AST) -> Any:
        found = super().visit(node)
        if isinstance(found, list):
            return [ast.Expr(_call(_TICK)), *found]
        if isinstance(found, ast.stmt) and not isinstance(found, ast.FunctionDef):
            return [ast.Expr(_call(_TICK)), found]
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list, node.returns = [], None
        for argument in node.args.args:
            argument.annotation = None
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call(_TICK)))
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call(_TICK)))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(0, _call(_TICK))
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return ast.Expr(_call(_CHECK, self.visit(node.test), ast.Constant(node.lineno)))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call(_SEE, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        seen = ast.Name(node.target.id, ast.Load()) if isinstance(node.target, ast.Name) else None
        return node if seen is None else [node, ast.Expr(_call(_SEE, seen))]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Avoids Python's warning about ``~True``, which is an integer here."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Invert):
            return ast.BinOp(ast.Constant(-1), ast.Sub(), node.operand)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


# -- messages about differences from Python -------------------------------------------


def described(function: Function, tape: Sequence[int]) -> str:
    """Describes the call that a tape represents, and how Python's result differs."""
    outcome = function.in_python(*function.layout.arguments_of(tape))
    call = function.call_text(tape)
    if outcome.error is not None:
        return f"{call}, where Python ends with {outcome.error}"
    result = function.layout.result_of(exact.run(function.program, tape, LONGEST).tape)
    if outcome.result != result:
        return f"{call}, where Python returns {outcome.result} and the machine {result}"
    return f"{call}, where a number does not fit"


def difference(function: Function, arguments: Sequence[Any], tape: Sequence[int]) -> str:
    """How the final tape of a call differs from Python's result; empty if it does not."""
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
    """The same for a final tape that still holds the arguments; empty if lists may have changed."""
    result = function.layout.result
    if function.wrap or result is None:
        return ""
    if not written_cells(function.program, function.M) <= {result}:
        return ""  # the arguments may have changed
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


def written_cells(program: Program, M: int) -> set[int]:
    """The cells that a program may write."""
    changing = {line.out for line in program.lines}
    found: set[int] = set()
    for line in program.lines:
        if program.row(line).effect is Effect.WRITE:
            assert line.first is not None
            value = program.registers[line.first]
            if line.first in changing or value is None:
                return set(range(M))
            found.add(value % M)
    return found


def negative_results(function: Function) -> Iterator[Diagnostic]:
    """A warning for each negative number that is returned, which the machine cannot represent."""
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
    """The subexpressions, one of which is the value of the expression."""
    if isinstance(node, ast.IfExp):
        yield from _decided(node.body)
        yield from _decided(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from _decided(each)
    else:
        yield node

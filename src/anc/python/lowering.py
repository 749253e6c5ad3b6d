"""Lowering of Python's syntax tree to a graph, by a registry with one function per kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from anc.compiler.graph import Constant, Operand, Variable
from anc.language.source import Source
from anc.python.code import Code, named
from anc.python.names import always_returns, loaded_names, stored_names
from anc.python.source import Module, known_number, parse
from anc.support.diagnostics import Diagnostic, close_match, error


@dataclass(frozen=True)
class ListCells:
    """A list on the tape: its first element's cell, its capacity, and its length's cell if any."""

    begin: int
    most: int
    length: int | None = None


Row = tuple[Operand, ...]  # a tuple: its elements are operands, not cells of the tape
Binding = Operand | ListCells | Row


@dataclass
class Scope:
    """The names of one function, or of one comprehension inside it."""

    module: Module
    names: dict[str, Binding]
    loaded: frozenset[str]  # the names that are read
    leave: Callable[[ast.Return], None]
    is_shown: bool = True  # whether problems and lines are this text's
    assigned: dict[str, Variable] = field(default_factory=dict)  # 1 once a name has a value


@dataclass
class LoopLabels:
    """The labels that `break` and `continue` jump to."""

    done: int
    next: int


STATEMENTS: dict[type, Callable[[Lowering, Any], None]] = {}
VALUES: dict[type, Callable[[Lowering, Any], Operand]] = {}
BRANCHES: dict[type, Callable[[Lowering, Any, int, int, bool], None]] = {}
F = TypeVar("F", bound=Callable)


def statement(*kinds: type) -> Callable[[F], F]:
    """Registers the lowering of a kind of statement."""
    return lambda function: STATEMENTS.update(dict.fromkeys(kinds, function)) or function


def value(*kinds: type) -> Callable[[F], F]:
    """Registers the lowering of a kind of expression to the operand that holds its value."""
    return lambda function: VALUES.update(dict.fromkeys(kinds, function)) or function


def branch(*kinds: type) -> Callable[[F], F]:
    """Registers the lowering of a kind of expression as the condition of a branch."""
    return lambda function: BRANCHES.update(dict.fromkeys(kinds, function)) or function


@dataclass
class Lowering:
    """The state of lowering one function."""

    code: Code
    scope: Scope
    wrap: bool = False  # whether arithmetic is meant to wrap around at M
    is_roomy: bool = True  # whether to spend lines that save many steps
    is_exact: bool = False  # whether it may stop only if its result is Python's
    doubtful: frozenset[str] = frozenset()  # names that may be read before they are assigned
    problems: dict[Diagnostic, None] = field(default_factory=dict)
    loops: list[LoopLabels] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)  # helpers that are being inlined

    @property
    def M(self) -> int:
        return self.code.M

    # -- the registry ----------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for each in statements:
            if self.scope.is_shown:
                self.code.span = self.scope.module.span(each)
            STATEMENTS[type(each)](self, each)

    def value(self, node: ast.expr) -> Operand:
        """The operand that holds the value of an expression."""
        return VALUES[type(node)](self, node)

    def branch(self, node: ast.expr, yes: int, no: int, falls: bool) -> None:
        """Branch to one label if an expression is true, else to the other.

        `falls` says that the code at `yes` comes next, so that a jump to `no` is cheaper.
        """
        if type(node) in BRANCHES:
            BRANCHES[type(node)](self, node, yes, no, falls)
        else:
            self.code.fork(self.value(node), no, yes)

    # -- names -------------------------------------------------------------------

    def binding(self, node: ast.Name) -> Binding:
        """What a name is bound to; numbers of the module are constants."""
        scope = self.scope
        if node.id in scope.names:
            return scope.names[node.id]
        number = scope.module.numbers.get(node.id)
        if isinstance(number, int):
            return self.number(node, number)
        if number is not None:
            return tuple(self.number(node, each) for each in number)
        known = [*scope.names, *scope.module.numbers]
        match = close_match(node.id, known)
        help = f"did you mean '{match}'?" if match else None
        if node.id in scope.module.functions:
            self.wrong(node, f"'{node.id}' is a function, not a number", "call it")
        else:
            self.wrong(
                node,
                f"'{node.id}' is neither a variable nor a whole number of the module",
                help or "only whole numbers and tuples of them are known from outside a function",
            )
        return Constant(0)

    def list_of(self, node: ast.expr) -> ListCells | Row | None:
        """The list or tuple that an expression denotes; None if it is neither."""
        if isinstance(node, ast.Name):
            found = self.binding(node)
            return found if isinstance(found, ListCells | tuple) else None
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self.value(each) for each in node.elts)
        return None

    def known(self, node: ast.expr) -> int | None:
        """The integer value of an expression in Python, if it is a compile-time constant."""
        scope = self.scope
        return known_number(node, scope.module.numbers, scope.names, self._always)

    def _always(self, name: str) -> int | None:
        """The length of a list or tuple, if it is fixed."""
        found = self.scope.names.get(name, self.scope.module.numbers.get(name))
        if isinstance(found, ListCells):
            return found.most if found.length is None else None
        return len(found) if isinstance(found, tuple) else None

    def number(self, node: ast.AST, number: int) -> Constant:
        """A number in the source, which must fit."""
        if abs(number) >= self.M and not self.wrap:
            self.wrong(
                node,
                f"{number} does not fit in a memory of {self.M} cells: numbers go from 0 to"
                f" {self.M - 1}",
                f"use a memory of at least {abs(number) + 1}, or wrap=True if that is meant",
            )
        return self.fitting(number)

    def fitting(self, number: int) -> Constant:
        """A known number; an exact program fails here if it does not fit."""
        if self.is_exact and not 0 <= number < self.M:
            self.code.goto(self.code.failing)
        return self.code.number(number)

    def unset(self, names: Iterable[str]) -> dict[str, Variable]:
        """A flag for each name that may be read before it is assigned: 1 once it has a value."""
        found = {
            name: Variable(f"{name}_is_set") for name in sorted(self.doubtful.intersection(names))
        }
        for each in found.values():
            self.code.assign(each, Constant(0))
        return found

    def variable(self, name: str) -> Variable:
        found = self.scope.names.get(name)
        assert isinstance(found, Variable)
        return found

    # -- problems ----------------------------------------------------------------

    def wrong(self, node: ast.AST, message: str, help: str | None = None) -> Constant:
        module = self.scope.module
        self.problems[error(message, module.span(node), help)] = None
        return Constant(0)


def is_call(node: ast.AST, *names: str) -> bool:
    """Whether this is a call of one of these functions."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


# -- inlining of helpers ---------------------------------------------------------------


GROWING = ("times", "doubled")  # the operations whose result may be M or more


@cache
def own() -> Module:
    """The module of operations that are written in the subset itself."""
    path = Path(__file__).with_name("arithmetic.py")
    return parse(Source(path.read_text(), path.name))


def inlined(low: Lowering, name: str, *arguments: Operand) -> Operand:
    """Inline one of these operations."""
    definition = own().functions[name]
    assert isinstance(definition, ast.FunctionDef)
    is_exact, low.is_exact = low.is_exact, low.is_exact and name in GROWING
    result = put_in_place(low, own(), definition, arguments, is_shown=False)
    low.is_exact = is_exact
    return result


def put_in_place(
    low: Lowering,
    module: Module,
    definition: ast.FunctionDef,
    arguments: tuple[Binding, ...],
    is_shown: bool = True,
) -> Operand:
    """Inline a helper's body; returns the variable that holds its result."""
    code, outer, loops = low.code, low.scope, low.loops
    result, done = Variable(definition.name), code.label()
    stored = stored_names(definition.body)
    names: dict[str, Binding] = {name: named(name) for name in stored}
    for parameter, argument in zip(definition.args.args, arguments, strict=True):
        name = parameter.arg
        if name not in stored or isinstance(argument, tuple) or not isinstance(argument, Operand):
            names[name] = argument
        else:
            code.assign(names[name], argument)  # type: ignore[arg-type]

    def leave(statement: ast.Return) -> None:
        if statement.value is not None:
            code.assign(result, low.value(statement.value))
        code.goto(done)

    own_names = stored.difference(parameter.arg for parameter in definition.args.args)
    assigned = low.unset(own_names) if is_shown else {}
    low.scope = Scope(module, names, loaded_names(definition.body), leave, is_shown, assigned)
    low.loops, span = [], code.span
    low.inside.append(definition.name)
    low.block(definition.body)
    low.inside.pop()
    low.scope, low.loops, code.span = outer, loops, span
    code.place(done)
    return result


def check_returns(low: Lowering, node: ast.AST, definition: ast.FunctionDef) -> None:
    """Check that a helper whose value is used returns a number on every path."""
    returns = [each for each in ast.walk(definition) if isinstance(each, ast.Return)]
    if not always_returns(definition.body) or any(each.value is None for each in returns):
        low.wrong(
            node,
            f"'{definition.name}' does not return a number on every path",
            "end every path with a return of a number",
        )

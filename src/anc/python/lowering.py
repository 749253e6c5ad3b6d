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
from anc.python.changes import Changes
from anc.python.code import Code, named
from anc.python.layout import Size
from anc.python.names import loaded_names, stored_names
from anc.python.sequences import TEXT, Binding, Cells, Row, Sequence, in_words, known_length
from anc.python.source import Module, Number, known_number, parse
from anc.support.diagnostics import Diagnostic, close_match, error


@dataclass
class Scope:
    """The names of one function, or of one comprehension inside it."""

    module: Module
    names: dict[str, Binding]
    loaded: frozenset[str]  # the names that are read
    leave: Callable[[ast.Return], None]
    is_shown: bool = True  # whether problems and lines are this text's
    assigned: dict[str, Variable] = field(default_factory=dict)  # 1 once a name has a value
    definition: ast.FunctionDef | None = None
    changes: Changes = field(default_factory=Changes)
    numbers: set[str] = field(default_factory=set)  # names that have been assigned a number
    sizes: dict[str, Size] = field(default_factory=dict)  # how long names may become, as stated
    begin: int | None = None  # where its body begins, if it calls itself
    stack: object = None  # its stack, if it calls itself not only in tail position
    result: object = None  # where its result is left


@dataclass
class LoopLabels:
    """The labels that `break` and `continue` jump to."""

    done: int
    next: int


STATEMENTS: dict[type, Callable[[Lowering, Any], None]] = {}
VALUES: dict[type, Callable[[Lowering, Any], Binding]] = {}
BRANCHES: dict[type, Callable[[Lowering, Any, int, int, bool], None]] = {}
F = TypeVar("F", bound=Callable)


def statement(*kinds: type) -> Callable[[F], F]:
    """Registers the lowering of a kind of statement."""
    return lambda function: STATEMENTS.update(dict.fromkeys(kinds, function)) or function


def value(*kinds: type) -> Callable[[F], F]:
    """Registers the lowering of a kind of expression to its value: an operand, or a sequence."""
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
    sequences: set[str] = field(default_factory=set)  # names of sequences
    unsure: set[str] = field(default_factory=set)  # names that may have no value, in the text
    least: int = 1  # the smallest memory that all numbers of the source fit into
    depth: int = 0  # of loops around the code that is emitted
    top: int = 0  # the first cell that nothing uses
    tables: dict[tuple[int, ...], int] = field(default_factory=dict)  # constants, and their cell
    wanted: int | None = None  # the capacity of the sequence that is being made, if it is stated
    snapshots: bool = False  # whether lists change while parts of them are gone through
    replaced: frozenset[str] = (
        frozenset()
    )  # names that are assigned while their lists are gone through
    fixed: int = 0  # the first cell behind the arguments and the result

    @property
    def M(self) -> int:
        return self.code.M

    # -- the registry ----------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for each in statements:
            if self.scope.is_shown:
                self.code.span = self.scope.module.span(each)
            STATEMENTS[type(each)](self, each)

    def result(self, node: ast.expr) -> Binding:
        """The value of an expression."""
        return VALUES[type(node)](self, node)

    def value(self, node: ast.expr) -> Operand:
        """The operand that holds the value of an expression, which must be a number."""
        found = self.result(node)
        if isinstance(found, Row | Cells):
            what = f"'{node.id}' is" if isinstance(node, ast.Name) else "this is"
            help = "write int(...) or ord(...) of a character" if found.kind == TEXT else None
            help = help or f"write {ast.unparse(node)[:40]}[0], len(...) or sum(...)"
            return self.wrong(node, f"{what} {in_words(found)}; a number is needed here", help)
        return found

    def sequence(self, node: ast.expr, message: str) -> Sequence | None:
        """The value of an expression that must be a sequence; None, with this message, if it is not."""
        found = self.result(node)
        if isinstance(found, Row | Cells):
            return found
        self.wrong(node, message, "name one: a list, a tuple, text, or the tape")
        return None

    def is_replaced(self, values: Cells) -> bool:
        """Whether the name of a list is assigned while it is gone through."""
        bound = (self.scope.names.get(name) for name in self.replaced)
        return any(isinstance(each, Cells) and each.home == values.home for each in bound)

    def room_for(self, cells: int) -> int:
        """The first of consecutive cells that nothing else uses."""
        begin, self.top = self.top, self.top + cells
        return begin

    def branch(self, node: ast.expr, yes: int, no: int, falls: bool) -> None:
        """Branch to one label if an expression is true, else to the other.

        `falls` says that the code at `yes` comes next, so that a jump to `no` is cheaper.
        """
        if type(node) in BRANCHES:
            BRANCHES[type(node)](self, node, yes, no, falls)
        else:
            found = self.result(node)
            self.code.fork(self.truth_of(found), no, yes)

    def truth_of(self, found: Binding) -> Operand:
        """An operand that is 0 if and only if a value is false in Python."""
        return self.length(found) if isinstance(found, Row | Cells) else found

    def length(self, values: Sequence) -> Operand:
        """The length of a sequence."""
        known = known_length(values)
        if known is not None:
            return self.code.number(known)
        assert isinstance(values, Cells)
        if values.count is not None:
            return values.count
        assert values.counted is not None
        return self.code.read(Constant(values.counted))

    # -- names -------------------------------------------------------------------

    def binding(self, node: ast.Name) -> Binding:
        """What a name is bound to; numbers of the module are constants."""
        scope = self.scope
        if node.id in scope.names:
            return scope.names[node.id]
        number = scope.module.numbers.get(node.id)
        if number is not None:
            return self.constant(node, number)
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

    def constant(self, node: ast.AST, value: Number) -> Binding:
        """A constant: a number, text, or a row of constants."""
        if isinstance(value, int):
            return self.number(node, value)
        if isinstance(value, str):
            return Row(tuple(self.number(node, ord(each)) for each in value), TEXT)
        kind = type(value).__name__
        return Row(tuple(self.constant(node, each) for each in value), kind, True)

    def known(self, node: ast.expr) -> int | None:
        """The integer value of an expression in Python, if it is a compile-time constant."""
        scope = self.scope
        return known_number(node, scope.module.numbers, scope.names, self._always)

    def _always(self, name: str) -> int | None:
        """The length of a list or tuple, if it is fixed."""
        found = self.scope.names.get(name, self.scope.module.numbers.get(name))
        if isinstance(found, Cells | Row):
            return known_length(found)
        return len(found) if isinstance(found, tuple | list | str) else None

    def number(self, node: ast.AST, number: int) -> Constant:
        """A number in the source, which must fit."""
        self.least = max(self.least, abs(number) + 1)
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

    def problem(self, message: str, help: str | None = None) -> None:
        """A problem of the statement that is being lowered."""
        self.problems[error(message, self.code.span, help)] = None

    def wrong(self, node: ast.AST, message: str, help: str | None = None) -> Constant:
        module = self.scope.module
        self.problems[error(message, module.span(node), help)] = None
        return Constant(0)


def is_call(node: ast.AST, *names: str) -> bool:
    """Whether this is a call of one of these functions."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


# -- inlining of helpers ---------------------------------------------------------------


GROWING = (
    "times",
    "doubled",
    "power",
    "power_modulo",
)  # the operations whose result may be M or more


@cache
def own() -> Module:
    """The module of operations that are written in the subset itself."""
    path = Path(__file__).with_name("arithmetic.py")
    return parse(Source(path.read_text(), path.name))


def inlined(low: Lowering, name: str, *arguments: Binding) -> Operand:
    """Inline one of these operations, which take and return numbers."""
    definition = own().functions[name]
    assert isinstance(definition, ast.FunctionDef)
    code, done, stored = low.code, low.code.label(), stored_names(definition.body)
    result = Variable(name)
    names: dict[str, Binding] = {each: named(each) for each in stored}
    for parameter, argument in zip(definition.args.args, arguments, strict=True):
        variable = names.setdefault(parameter.arg, argument)
        if parameter.arg in stored and isinstance(variable, Variable):
            assert not isinstance(argument, Row | Cells)
            code.assign(variable, argument)

    def leave(statement: ast.Return) -> None:
        assert statement.value is not None
        code.assign(result, low.value(statement.value))
        code.goto(done)

    is_exact, low.is_exact = low.is_exact, low.is_exact and name in GROWING
    scope = Scope(own(), names, loaded_names(definition.body), leave, False, definition=definition)
    put_in_place(low, scope, definition)
    low.is_exact = is_exact
    code.place(done)
    return result


def put_in_place(low: Lowering, scope: Scope, definition: ast.FunctionDef) -> None:
    """Lower the body of a function where it is called."""
    outer, loops, span = low.scope, low.loops, low.code.span
    low.scope, low.loops = scope, []
    low.inside.append(definition.name)
    low.block(definition.body)
    low.inside.pop()
    low.scope, low.loops, low.code.span = outer, loops, span

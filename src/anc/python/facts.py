"""Leading asserts as facts about the tape, which proofs may assume."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anc.python.layout import Parameter
from anc.python.source import known_number
from anc.support.diagnostics import Diagnostic, warning

if TYPE_CHECKING:
    from anc.python.function import Function

LONGEST = 64  # facts that one `all` expands to


class _NoFact(Exception):
    """An assert cannot be expressed as a fact."""


def leading_asserts(definition: ast.FunctionDef) -> list[ast.Assert]:
    """The asserts at the beginning of a function, after its docstring."""
    found: list[ast.Assert] = []
    for place, statement in enumerate(definition.body):
        if isinstance(statement, ast.Assert):
            found.append(statement)
        elif place > 0 or not isinstance(statement, ast.Expr):
            break
    return found


def facts_of(function: Function) -> Iterator[str]:
    """The facts that the leading asserts state; asserts that no fact can express are left out."""
    for statement in leading_asserts(function.definition):
        yield from _stated(function, statement) or ()


def unstated(function: Function) -> Iterator[Diagnostic]:
    """A warning for each leading assert that no fact can express."""
    for statement in leading_asserts(function.definition):
        if _stated(function, statement) is None:
            yield warning(
                "no proof can use this assert",
                function.module.span(statement),
                "compare sums of arguments and elements, joined by and, or, not and all",
            )


def _stated(function: Function, statement: ast.Assert) -> list[str] | None:
    try:
        return list(map(ast.unparse, _Facts(function).facts(statement.test)))
    except _NoFact:
        return None


class _Facts:
    """Rewrites conditions on arguments as conditions on cells of the tape.

    Facts are arithmetic without wrap-around, as asserts are in Python.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.parameters = {p.name: p for p in function.layout.parameters}
        self.bound: dict[
            str, ast.expr
        ] = {}  # loop variables of `all` and `any`, and the cell or number of an iteration

    def facts(self, node: ast.expr) -> list[ast.expr]:
        """One fact for each conjunct."""
        match node:
            case ast.BoolOp(ast.And(), parts):
                return [fact for each in parts for fact in self.facts(each)]
            case ast.Call(ast.Name("all"), [inside]):
                return self.each(inside)
        return [self.fact(node)]

    def fact(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.BoolOp(op, parts):
                return ast.BoolOp(op, list(map(self.fact, parts)))
            case ast.UnaryOp(ast.Not(), part):
                return ast.UnaryOp(ast.Not(), self.fact(part))
            case ast.Compare(first, ops, others):
                return ast.Compare(self.term(first), ops, list(map(self.term, others)))
            case ast.Call(ast.Name("all"), [inside]):
                return ast.BoolOp(ast.And(), self.each(inside))
            case ast.Call(ast.Name("any"), [inside]):
                return ast.BoolOp(ast.Or(), self.each(inside))
        return ast.Compare(self.term(node), [ast.NotEq()], [ast.Constant(0)])

    def each(self, node: ast.expr) -> list[ast.expr]:
        """``v < 5 for v in values``: one fact for each element of a list of fixed size."""
        match node:
            case ast.GeneratorExp(test, [loop]) | ast.ListComp(test, [loop]):
                if loop.ifs or not isinstance(loop.target, ast.Name):
                    raise _NoFact
            case _:
                raise _NoFact
        facts, outer = [], self.bound
        for element in self.elements(loop.iter):
            self.bound = outer | {loop.target.id: element}
            facts.append(self.fact(test))
        self.bound = outer
        if not 1 <= len(facts) <= LONGEST:
            raise _NoFact
        return facts

    def elements(self, node: ast.expr) -> list[ast.expr]:
        match node:
            case ast.Name(name) if self.length(name) is not None:
                return [_cell(cell) for cell in self.parameters[name].cells]
            case ast.Call(ast.Name("range"), bounds):
                known = [number for number in map(self.known, bounds) if number is not None]
                if known and len(known) == len(bounds):
                    return [ast.Constant(number) for number in range(*known)]
        raise _NoFact

    def term(self, node: ast.expr) -> ast.expr:
        known = self.known(node)
        if known is not None:
            return ast.Constant(known)
        match node:
            case ast.Name(name) if name in self.bound:
                return self.bound[name]
            case ast.Name(name) if name in self.parameters:
                if self.parameters[name].size is None:
                    return _cell(self.parameters[name].cell)
            case ast.Call(ast.Name("len"), [ast.Name(name)]) if name in self.parameters:
                length = self.parameters[name].length
                if length is not None:
                    return _cell(length)
            case ast.Subscript(ast.Name(name), place) if name == self.function.layout.tape:
                known = self.known(place)
                return _cell(self.term(place) if known is None else known % self.function.M)
            case ast.Subscript(ast.Name(name), place) if name in self.parameters:
                return self.element(self.parameters[name], self.known(place))
            case ast.BinOp(one, ast.Add() | ast.Sub() as op, other):
                return ast.BinOp(self.term(one), op, self.term(other))
            case ast.BinOp(one, ast.Mult() as op, other):
                if self.known(one) is not None or self.known(other) is not None:
                    return ast.BinOp(self.term(one), op, self.term(other))
        raise _NoFact

    def element(self, parameter: Parameter, place: int | None) -> ast.expr:
        size, is_fixed = parameter.size, parameter.length is None
        if size is None or place is None or not (-size if is_fixed else 0) <= place < size:
            raise _NoFact
        return _cell(parameter.cells[place])

    def length(self, name: str) -> int | None:
        """The length of a list of fixed size."""
        found = self.parameters.get(name)
        return None if found is None or found.length is not None else found.size

    def known(self, node: ast.expr) -> int | None:
        known = dict(self.function.module.numbers)
        hidden = self.parameters.keys() | self.bound.keys()
        for name, element in self.bound.items():
            if isinstance(element, ast.Constant) and isinstance(element.value, int):
                known[name] = element.value
                hidden.discard(name)
        return known_number(node, known, hidden, self.length)


def _cell(address: int | ast.expr) -> ast.expr:
    where = ast.Constant(address) if isinstance(address, int) else address
    return ast.Subscript(ast.Name("tape"), where)

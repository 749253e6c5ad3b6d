"""Leading asserts as facts about the tape, so that proofs may use them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anc.python.lowering import is_call
from anc.python.source import known_number
from anc.support.diagnostics import Diagnostic, warning

if TYPE_CHECKING:
    from anc.python.function import Function

_KINDS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_COMPARE = dict(zip(_KINDS, ("<", "<=", ">", ">=", "==", "!="), strict=True))
LONGEST = 64  # facts that one `all` is written out to


class _NoFact(Exception):
    """An assert says something that has no form as a fact."""


def leading_asserts(definition: ast.FunctionDef) -> list[ast.Assert]:
    """The asserts at a function's beginning, behind its documentation."""
    found: list[ast.Assert] = []
    for place, statement in enumerate(definition.body):
        if isinstance(statement, ast.Assert):
            found.append(statement)
        elif place > 0 or not isinstance(statement, ast.Expr):
            break
    return found


def facts_of(function: Function) -> Iterator[str]:
    """The facts that leading asserts state; those that cannot be stated so are left out."""
    for statement in leading_asserts(function.definition):
        yield from _stated(function, statement) or ()


def unstated(function: Function) -> Iterator[Diagnostic]:
    """A warning for each leading assert that no proof can use."""
    for statement in leading_asserts(function.definition):
        if _stated(function, statement) is None:
            yield warning(
                "no proof can use this assert",
                function.module.span(statement),
                "compare sums of arguments and elements, joined by and, or, not and all",
            )


def _stated(function: Function, statement: ast.Assert) -> list[str] | None:
    try:
        return _Facts(function).facts(statement.test)
    except _NoFact:
        return None


class _Facts:
    """Writes expressions over arguments as text over cells of the tape.

    Facts are plain arithmetic without wrap-around; asserts are about arguments only, where the two
    agree as long as nothing is computed: sums in an assert are taken as Python takes them.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.cells = {p.name: p for p in function.layout.parameters}
        self.bound: dict[str, str] = {}

    def fact(self, node: ast.expr) -> str:
        if isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            return word.join(f"({self.fact(each)})" for each in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"not ({self.fact(node.operand)})"
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if is_call(node, "all", "any"):
            assert isinstance(node, ast.Call)
            word = " and " if is_call(node, "all") else " or "
            return word.join(f"({each})" for each in self.each(node))
        return f"{self.term(node)} != 0"

    def facts(self, node: ast.expr) -> list[str]:
        """One fact for each part that must hold."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return [fact for each in node.values for fact in self.facts(each)]
        if is_call(node, "all"):
            assert isinstance(node, ast.Call)
            return self.each(node)
        return [self.fact(node)]

    def comparison(self, node: ast.Compare) -> str:
        found = self.term(node.left)
        for op, each in zip(node.ops, node.comparators, strict=True):
            found += f" {_COMPARE[type(op)]} {self.term(each)}"
        return found

    def each(self, node: ast.Call) -> list[str]:
        """``all(v < 5 for v in values)``: one fact for each element of a list of stated size."""
        inside = node.args[0] if len(node.args) == 1 else node
        if not isinstance(inside, ast.GeneratorExp | ast.ListComp) or len(inside.generators) != 1:
            raise _NoFact
        loop = inside.generators[0]
        if loop.ifs or not isinstance(loop.target, ast.Name):
            raise _NoFact
        facts, outer = [], self.bound
        for text in self.elements(loop.iter):
            self.bound = outer | {loop.target.id: text}
            facts.append(self.fact(inside.elt))
        self.bound = outer
        if not facts or len(facts) > LONGEST:
            raise _NoFact
        return facts

    def elements(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.Name) and node.id in self.cells:
            parameter = self.cells[node.id]
            if parameter.size is not None and parameter.size.up_to is None:
                return [f"tape[{cell}]" for cell in parameter.elements]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            bounds = [self.known(each) for each in node.args]
            if node.func.id == "range" and bounds and None not in bounds:
                return [str(number) for number in range(*(b or 0 for b in bounds))]
        raise _NoFact

    def term(self, node: ast.expr) -> str:
        known = self.known(node)
        if known is not None:
            return str(known)
        if isinstance(node, ast.Name) and node.id in self.bound:
            return self.bound[node.id]
        if isinstance(node, ast.Name) and node.id in self.cells:
            parameter = self.cells[node.id]
            if parameter.size is None:
                return f"tape[{parameter.cell}]"
        if isinstance(node, ast.Subscript):
            return self.element(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            mark = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}[type(node.op)]
            if mark == "*" and self.known(node.left) is self.known(node.right) is None:
                raise _NoFact
            return f"({self.term(node.left)} {mark} {self.term(node.right)})"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.length(node)
        raise _NoFact

    def element(self, node: ast.Subscript) -> str:
        if not isinstance(node.value, ast.Name):
            raise _NoFact
        if node.value.id == self.function.layout.tape:
            known = self.known(node.slice)
            address = self.term(node.slice) if known is None else known % self.function.M
            return f"tape[{address}]"
        parameter = self.cells.get(node.value.id)
        place = self.known(node.slice)
        if parameter is None or parameter.size is None or place is None:
            raise _NoFact
        if place < 0 and parameter.size.up_to is not None:
            raise _NoFact
        if not -len(parameter.elements) <= place < len(parameter.elements):
            raise _NoFact
        return f"tape[{parameter.elements[place]}]"

    def length(self, node: ast.Call) -> str:
        assert isinstance(node.func, ast.Name)
        if node.func.id == "len" and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            parameter = self.cells.get(node.args[0].id)
            if parameter is not None and parameter.size is not None:
                return f"tape[{parameter.cell}]"
        raise _NoFact

    def known(self, node: ast.expr) -> int | None:
        def length(name: str) -> int | None:
            size = self.cells[name].size if name in self.cells else None
            return None if size is None else size.exactly

        places = {name: int(text) for name, text in self.bound.items() if text.isdigit()}
        hidden = (self.cells.keys() | self.bound.keys()) - places.keys()
        return known_number(node, {**self.function.module.numbers, **places}, hidden, length)

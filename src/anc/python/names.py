"""Name analysis: bindings of a module, names that statements store and load, and returns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


def first_stores(nodes: Iterable[ast.AST]) -> dict[str, ast.Name]:
    """The names that statements assign, with the first place; comprehensions have their own scope."""
    found: dict[str, ast.Name] = {}
    for node in _outside_comprehensions(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, node)
    return found


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(first_stores(nodes))


def loaded_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that are loaded; ``x += 1`` loads x."""
    found = set()
    for each in nodes:
        for node in ast.walk(each):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return frozenset(found)


def _outside_comprehensions(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield node
        if isinstance(node, Comprehension):
            continue
        yield from _outside_comprehensions(ast.iter_child_nodes(node))


def always_returns(statements: Iterable[ast.stmt]) -> bool:
    """Whether control never reaches the end of these statements."""
    return any(_returns(each) for each in statements)


def _returns(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return | ast.Raise):
        return True
    if isinstance(statement, ast.If):
        return always_returns(statement.body) and always_returns(statement.orelse)
    if isinstance(statement, ast.While):
        is_endless = isinstance(statement.test, ast.Constant) and bool(statement.test.value)
        if is_endless:
            return not _breaks(statement.body)
    if isinstance(statement, ast.While | ast.For):
        return always_returns(statement.orelse) and not _breaks(statement.body)
    return False


def _breaks(statements: Iterable[ast.stmt]) -> bool:
    """Whether a break among these statements leaves the loop around them."""
    for statement in statements:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and _breaks([*statement.body, *statement.orelse]):
            return True
        if isinstance(statement, ast.For | ast.While) and _breaks(statement.orelse):
            return True
    return False


# -- where the names at the top of a module are bound ---------------------------------


STAR = "*"  # stands for all names that `from x import *` binds

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Binding:
    """A place where a name is bound, and the top-level statement that contains it."""

    line: int
    statement: ast.stmt
    is_plain: bool  # by a top-level = or def, which always runs
    is_late: bool  # by `global` in a function, when it is called


def bindings_of(tree: ast.Module) -> dict[str, list[Binding]]:
    """All bindings of each name, in source order."""
    found: dict[str, list[Binding]] = {}
    for statement in tree.body:
        plain = _plain(statement)
        for name, node, is_late in _bound(statement):
            line = getattr(node, "lineno", statement.lineno)
            is_plain = any(node is each for each in plain)
            binding = Binding(line, statement, is_plain, is_late)
            found.setdefault(name, []).append(binding)
    return found


def plain_targets(statement: ast.stmt) -> list[ast.Name]:
    """The names that an assignment binds to its whole value."""
    if isinstance(statement, ast.Assign):
        return [target for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [statement.target] if isinstance(statement.target, ast.Name) else []
    return []


def _plain(statement: ast.stmt) -> list[ast.AST]:
    return [*plain_targets(statement), *([statement] if isinstance(statement, _Definition) else [])]


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.AST, bool]]:
    """The module's names that a statement binds, where, and whether only a call binds them."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name, node, False
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node, False
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Global):
                        yield from ((name, inner, True) for name in inner.names)
                waiting += node.decorator_list
                continue  # its body has a scope of its own
            case ast.Lambda() | ast.AnnAssign(value=None):
                continue
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                walked = ast.walk(node)
                waiting += [each.target for each in walked if isinstance(each, ast.NamedExpr)]
                continue
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0], node, False
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name, node, False
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name, node, False
        waiting += reversed(list(ast.iter_child_nodes(node)))


# -- names that may have no value ------------------------------------------------------


def unsure_names(definition: ast.FunctionDef) -> set[str]:
    """The local names that may be read before they are assigned, as far as the text tells."""
    own = set(stored_names(definition.body)) - {each.arg for each in definition.args.args}
    return _Assigned(own).unsure_in(definition.body)


class _Assigned:
    """Forward dataflow: the names that certainly have a value; None where nothing gets."""

    def __init__(self, own: set[str]) -> None:
        self.own = own
        self.unsure: set[str] = set()

    def unsure_in(self, body: Iterable[ast.stmt]) -> set[str]:
        self.block(body, frozenset())
        return self.unsure

    def block(
        self, body: Iterable[ast.stmt], known: frozenset[str] | None
    ) -> frozenset[str] | None:
        for statement in body:
            if known is None:
                return None
            known = self.statement(statement, known)
        return known

    def statement(self, node: ast.stmt, known: frozenset[str]) -> frozenset[str] | None:
        match node:
            case ast.If(test=test, body=body, orelse=otherwise):
                self.read([test], known)
                return _either(self.block(body, known), self.block(otherwise, known))
            case ast.While(test=test, body=body, orelse=otherwise):
                self.read([test], known)
                self.block(body, known)
                self.block(otherwise, known)
                return known
            case ast.For(target=target, iter=along, body=body, orelse=otherwise):
                self.read([along], known)
                self.block(body, known | stored_names([target]))
                self.block(otherwise, known)
                return known
            case ast.AugAssign(target=ast.Name(id=name)):
                self.read([node.value, ast.Name(name, ast.Load())], known)
                return known
        self.read([node], known)
        if isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
            return None
        return known | stored_names([node])

    def read(self, nodes: Iterable[ast.AST], known: frozenset[str]) -> None:
        self.unsure |= (self.own & loaded_names(nodes)) - known


def _either(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other

"""What a function's statements say at a glance: names that they set and read, whether they return."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


def first_stores(nodes: Iterable[ast.AST]) -> dict[str, ast.Name]:
    """The names that statements assign, and where first; those of comprehensions are their own."""
    found: dict[str, ast.Name] = {}
    for node in _outside_comprehensions(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, node)
    return found


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(first_stores(nodes))


def loaded_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that are read anywhere; ``x += 1`` reads x."""
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
    """Whether no way leads behind these statements."""
    return any(_returns(each) for each in statements)


def _returns(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
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

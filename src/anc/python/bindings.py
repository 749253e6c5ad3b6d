"""Where the names at the top of a module are bound, as its text says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

STAR = "*"  # whatever `from x import *` binds

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Binding:
    """A place where a name is bound, and the statement of the module that it is in."""

    line: int
    statement: ast.stmt
    is_plain: bool  # by = or def at the top, which is always carried out
    is_late: bool  # by `global`, whenever some function is called


def bindings_of(tree: ast.Module) -> dict[str, list[Binding]]:
    """All places where each name is bound, in the order of the text."""
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
    """The names that an assignment gives its value to."""
    if isinstance(statement, ast.Assign):
        return [target for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return [statement.target] if isinstance(statement.target, ast.Name) else []
    return []


def _plain(statement: ast.stmt) -> list[ast.AST]:
    return [*plain_targets(statement), *([statement] if isinstance(statement, _Definition) else [])]


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.AST, bool]]:
    """The names of the module that a statement binds, where, and whether only a call does so."""
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
                continue  # what is inside has names of its own
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

"""Which names statements assign, change in place, or make longer."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from anc.python.source import Module

RESIZING = ("append", "extend", "insert", "pop", "remove", "clear")
REORDERING = ("sort", "reverse")


@dataclass
class Changes:
    """The number of places that assign each name, and the names of lists that change."""

    stores: Counter[str] = field(default_factory=Counter)
    changed: set[str] = field(
        default_factory=set
    )  # elements are assigned, or it changes its length
    resized: set[str] = field(default_factory=set)

    def any_list(self) -> bool:
        return bool(self.changed)


def changes_of(module: Module, nodes: Iterable[ast.AST], inside: tuple[str, ...] = ()) -> Changes:
    """What statements change; a helper changes the lists that it is given."""
    found = Changes()
    for node in _outside_comprehensions(nodes):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                found.stores[name] += 1
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found.changed.add(name)
        match node:
            case ast.AugAssign(target=ast.Name(id=name)):
                found.changed.add(name)
                found.resized.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                found.changed |= {name} if method in RESIZING + REORDERING else set()
                found.resized |= {name} if method in RESIZING else set()
            case ast.Call(func=ast.Name(id=called)) if called not in inside:
                _add_helper(module, node, called, (*inside, called), found)
    return found


def _add_helper(
    module: Module, node: ast.Call, called: str, inside: tuple[str, ...], found: Changes
) -> None:
    helper = module.functions.get(called)
    if not isinstance(helper, ast.FunctionDef):
        return
    its = changes_of(module, helper.body, inside)
    names = [parameter.arg for parameter in helper.args.args]
    given = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
    for name, argument in given:
        if isinstance(argument, ast.Name):
            found.changed |= {argument.id} if name in its.changed else set()
            found.resized |= {argument.id} if name in its.resized else set()


def _outside_comprehensions(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes but the targets of comprehensions, which have a scope of their own."""
    for node in nodes:
        yield node
        if isinstance(node, ast.comprehension):
            yield from _outside_comprehensions([node.iter, *node.ifs])
        else:
            yield from _outside_comprehensions(ast.iter_child_nodes(node))


def is_replaced_first(module: Module, definition: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is bound to another list before any list of this name changes."""
    for statement in definition.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return True
        found = changes_of(module, [statement])
        if name in found.changed or name in found.stores:
            return False
    return False

"""Is every node of a function one that has a meaning here? All that are not, at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from anc.diagnostics import Diagnostic, error
from anc.python.lowering import BRANCHES, STATEMENTS, VALUES
from anc.python.refused import PARTS, REFUSED
from anc.python.signature import is_hole
from anc.python.source import Definition, Module


def unsupported(module: Module, definition: Definition) -> Iterator[Diagnostic]:
    """A message for each part of a function's body and signature that is not supported."""
    if isinstance(definition, ast.AsyncFunctionDef):
        yield _refusal(module, definition, definition)
        return
    yield from _signature(module, definition)
    for statement in definition.body:
        yield from _inside(module, statement, statement)


def _inside(module: Module, node: ast.AST, around: ast.AST) -> Iterator[Diagnostic]:
    """`around` is the innermost node that has a place: operators have none."""
    if hasattr(node, "lineno"):
        around = node
    if isinstance(node, ast.FunctionDef):
        help = "put the helper at the top of the module"
        yield error("a function inside a function is not supported", module.span(node), help)
        return
    if isinstance(node, ast.Call) and is_hole(node):
        yield unfinished(module, node)
        return
    name = type(node).__name__
    if name in REFUSED:
        yield _refusal(module, node, around)
        return
    if not (name in PARTS or any(type(node) in table for table in (STATEMENTS, VALUES, BRANCHES))):
        yield error(f"{name} is not supported", module.span(around), "write it in another way")
        return
    if isinstance(node, ast.comprehension) and node.is_async:
        yield error("async for is not supported", module.span(node.target), "write a plain for")
    if isinstance(node, ast.AnnAssign):
        children: Iterator[ast.AST] = iter([node.target, *([node.value] if node.value else [])])
    else:
        children = ast.iter_child_nodes(node)
    for child in children:
        yield from _inside(module, child, around)


def unfinished(module: Module, node: ast.AST) -> Diagnostic:
    """A hole is refused wherever a whole program is wanted, and in helpers."""
    return error(
        "this is a hole: the function is not finished",
        module.span(node),
        "fill it from cases: anc fill FILE.py:NAME --data cases.jsonl (holes stand in the function"
        " itself, not in helpers)",
    )


def _refusal(module: Module, node: ast.AST, around: ast.AST) -> Diagnostic:
    what, instead = REFUSED[type(node).__name__]
    return error(f"{what} is not supported", module.span(around), instead)


def _signature(module: Module, definition: ast.FunctionDef) -> Iterator[Diagnostic]:
    taken = definition.args
    for star, one in (("*", taken.vararg), ("**", taken.kwarg)):
        if one is not None:
            help = "name the arguments one by one"
            yield error(f"{star}{one.arg} is not supported", module.span(one), help)
    for one in (*taken.posonlyargs, *taken.kwonlyargs):
        help = "name the arguments in front, without / and *"
        message = "arguments by position only, or by name only, are not supported"
        yield error(message, module.span(one), help)
    for value in (*taken.defaults, *taken.kw_defaults):
        if value is not None:
            help = "give every argument in every call"
            yield error("a default value is not supported", module.span(value), help)
    for one in getattr(definition, "type_params", ()):
        yield _refusal(module, one, one)

"""The check of the subset: reports every unsupported node of a function at once.

A node is supported if the registry lowers it. `REFUSED` has the messages for all others.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from anc.python.lowering import BRANCHES, STATEMENTS, VALUES
from anc.python.methods import METHODS
from anc.python.signature import is_hole
from anc.python.source import Definition, Module
from anc.support.diagnostics import Diagnostic, close_match, error

_NUMBERS = "numbers here are whole, from 0 to M-1"
REFUSED: dict[str, tuple[str, str]] = {
    # definitions
    "AsyncFunctionDef": ("an async function", "write a plain def"),
    "ClassDef": ("a class", "use plain numbers and lists"),
    "Lambda": ("a lambda", "write a helper function with def, beside this one"),
    "TypeAlias": ("a type statement inside a function", "put it at the top of the module"),
    "TypeVar": ("a type parameter", "say int, or Annotated[list[int], anc.Size(8)]"),
    "TypeVarTuple": ("a type parameter", "say int, or Annotated[list[int], anc.Size(8)]"),
    "ParamSpec": ("a type parameter", "say int, or Annotated[list[int], anc.Size(8)]"),
    # statements
    "Delete": ("del", "leave the variable as it is"),
    "AsyncFor": ("async for", "write a plain for"),
    "AsyncWith": ("async with", "do it outside of the function"),
    "With": ("with", "do it outside of the function"),
    "Match": ("match", "write if and elif"),
    "Try": ("try", "nothing fails here: say what must hold with an assert"),
    "TryStar": ("try", "nothing fails here: say what must hold with an assert"),
    "ExceptHandler": ("except", "nothing fails here: say what must hold with an assert"),
    "Import": ("an import", "import at the top of the module; only its numbers are known here"),
    "ImportFrom": ("an import", "import at the top of the module; only its numbers are known here"),
    "Global": ("global", "take the number as an argument, or return it"),
    "Nonlocal": ("nonlocal", "take the number as an argument, or return it"),
    # expressions
    "NamedExpr": (":=", "assign on a line of its own"),
    "Dict": ("a dictionary", "use a list, or if and elif"),
    "Set": ("a set", "compare with each number: x == 1 or x == 2"),
    "SetComp": ("a set", "put the numbers into sum(), any(), all(), min() or max()"),
    "DictComp": ("a dictionary", "use a list, or if and elif"),
    "Await": ("await", "write a plain function"),
    "Yield": ("yield", "return a list: result.append(...)"),
    "YieldFrom": ("yield from", "return a list: result.append(...)"),
    "FormattedValue": ("a format", _NUMBERS),
    "Interpolation": ("a template", _NUMBERS),
    "JoinedStr": ("an f-string", _NUMBERS),
    "TemplateStr": ("a template string", _NUMBERS),
    "Attribute": ("an attribute", "use numbers, lists, text and functions of this module"),
    "Starred": ("a star", "name the values one by one"),
    # operators
    "Div": ("/ does not give a whole number and", "write //"),
    "MatMult": ("@", "write a loop"),
    "Is": ("is", "write =="),
    "IsNot": ("is not", "write !="),
    # parts of the above
    "withitem": ("with", "do it outside of the function"),
    "match_case": ("case", "write if and elif"),
    "MatchValue": ("a pattern", "write if and elif"),
    "MatchSingleton": ("a pattern", "write if and elif"),
    "MatchSequence": ("a pattern", "write if and elif"),
    "MatchMapping": ("a pattern", "write if and elif"),
    "MatchClass": ("a pattern", "write if and elif"),
    "MatchStar": ("a pattern", "write if and elif"),
    "MatchAs": ("a pattern", "write if and elif"),
    "MatchOr": ("a pattern", "write if and elif"),
}


def unsupported(module: Module, definition: Definition) -> Iterator[Diagnostic]:
    """An error for each unsupported part of a function's body and signature."""
    if isinstance(definition, ast.AsyncFunctionDef):
        yield _refusal(module, definition, definition)
        return
    yield from _signature(module, definition)
    for statement in definition.body:
        yield from _inside(module, statement, statement)


def _inside(module: Module, node: ast.AST, around: ast.AST) -> Iterator[Diagnostic]:
    """`around` is the innermost node with a source position: operators have none."""
    if hasattr(node, "lineno"):
        around = node
    if isinstance(node, ast.FunctionDef):
        help = "put the helper at the top of the module"
        yield error("a function inside a function is not supported", module.span(node), help)
        return
    if isinstance(node, ast.Call) and is_hole(node):
        yield unfinished(module, node)
        return
    if isinstance(node, ast.Raise):
        yield from _raised(module, node)
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from _method(module, node)
        return
    name = type(node).__name__
    if name in REFUSED:
        yield _refusal(module, node, around)
        return
    is_whole = isinstance(node, ast.stmt | ast.expr) and not isinstance(node, ast.Slice)
    if is_whole and type(node) not in STATEMENTS.keys() | VALUES.keys() | BRANCHES.keys():
        yield error(f"{name} is not supported", module.span(around), "write it in another way")
        return
    if isinstance(node, ast.comprehension) and node.is_async:
        yield error("async for is not supported", module.span(node.target), "write a plain for")
    children: Iterator[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.AnnAssign):
        children = iter([node.target, *([node.value] if node.value else [])])
    elif isinstance(node, ast.Assert):
        children = iter([node.test])  # its message is only seen where the original runs
    for child in children:
        yield from _inside(module, child, around)


def _method(module: Module, node: ast.Call) -> Iterator[Diagnostic]:
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if name not in METHODS:
        close = close_match(name, METHODS)
        help = f"did you mean {close}()?" if close else f"use {', '.join(METHODS)}"
        yield error(f"the method {name}() is not supported", module.span(node.func), help)
        return
    for part in (node.func.value, *node.args, *node.keywords):
        yield from _inside(module, part, node)


def _raised(module: Module, node: ast.Raise) -> Iterator[Diagnostic]:
    """What is raised must mean the same where the original is pasted: an error of Python itself."""
    error_node = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if node.exc is None:
        return
    name = error_node.id if isinstance(error_node, ast.Name) else ""
    kind = getattr(builtins, name, None)
    is_python = isinstance(kind, type) and issubclass(kind, BaseException)
    if not is_python or name in module.bindings:
        help = "raise one of Python's own, such as ValueError"
        yield error("this error is not Python's own", module.span(node.exc), help)


def unfinished(module: Module, node: ast.AST) -> Diagnostic:
    """The error for a hole where a complete program is needed, or in a helper."""
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
    for one in getattr(definition, "type_params", ()):
        yield _refusal(module, one, one)

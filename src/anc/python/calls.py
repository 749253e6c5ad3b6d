"""Lowering of calls: the supported builtins, and helpers of the module, which are inlined."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc.compiler.graph import Constant, Operand
from anc.python.conditions import truth
from anc.python.loops import any_or_all, extreme, quantified, total
from anc.python.lowering import (
    Binding,
    ListCells,
    Lowering,
    branch,
    check_returns,
    is_call,
    put_in_place,
    value,
)
from anc.support.diagnostics import close_match


@value(ast.Call)
def call(low: Lowering, node: ast.Call) -> Operand:
    if not isinstance(node.func, ast.Name):
        return low.wrong(node.func, "only functions with a plain name can be called", _known())
    name = node.func.id
    if name in low.scope.module.functions:
        return helper(low, node, is_used=True)
    if name not in OWN:
        match = close_match(name, [*OWN, *low.scope.module.functions])
        help = f"did you mean '{match}'?" if match else _known()
        return low.wrong(node.func, f"the function '{name}' is not supported", help)
    if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        return low.wrong(node, f"{name}() takes plain arguments only", "name them one by one")
    return OWN[name](low, node)


@branch(ast.Call)
def call_branch(low: Lowering, node: ast.Call, yes: int, no: int, falls: bool) -> None:
    if is_call(node, "any", "all") and len(node.args) == 1 and not node.keywords:
        any_or_all(low, node, yes, no)
    else:
        low.code.fork(low.value(node), no, yes)


def helper(low: Lowering, node: ast.Call, is_used: bool) -> Operand:
    """Inline a function of the module."""
    assert isinstance(node.func, ast.Name)
    definition = low.scope.module.functions[node.func.id]
    name = definition.name
    if name in low.inside:
        row = " calls ".join(f"'{each}'" for each in [*low.inside[low.inside.index(name) :], name])
        return low.wrong(node, f"recursion: {row}", "write a loop")
    assert isinstance(definition, ast.FunctionDef)
    parameters = [parameter.arg for parameter in definition.args.args]
    if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        return low.wrong(node, "arguments are given by position only", f"write {name}(a, b)")
    if len(node.args) != len(parameters):
        wanted = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
        return low.wrong(node, f"{name}() takes {wanted}, found {len(node.args)}")
    if is_used:
        check_returns(low, node, definition)
    arguments: list[Binding] = []
    for each in node.args:
        found = low.list_of(each) if isinstance(each, ast.Name | ast.Tuple) else None
        arguments.append(low.value(each) if found is None else found)
    return put_in_place(low, low.scope.module, definition, tuple(arguments))


# -- functions of one number ---------------------------------------------------------------


def _abs(low: Lowering, node: ast.Call) -> Operand:
    """abs(): the identity, as no number is negative; of a difference, the distance."""
    if len(node.args) != 1:
        return low.wrong(node, f"abs() takes one argument, found {len(node.args)}")
    inner, code = node.args[0], low.code
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
        one, two = low.value(inner.left), low.value(inner.right)
        return code.subtract(code.larger(one, two), code.smaller(one, two))
    return low.value(inner)


def _len(low: Lowering, node: ast.Call) -> Operand:
    found = low.list_of(node.args[0]) if len(node.args) == 1 else None
    if found is None:
        return low.wrong(node, "len() takes a list, a tuple or the tape", "name one")
    if isinstance(found, tuple):
        return low.fitting(len(found))
    return low.fitting(found.most) if found.length is None else _length(low, found)


def _length(low: Lowering, cells: ListCells) -> Operand:
    assert cells.length is not None
    return low.code.read(Constant(cells.length))


def _int(low: Lowering, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        return low.wrong(node, "int() takes one number here")
    return low.value(node.args[0])


def _bool(low: Lowering, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        return low.wrong(node, "bool() takes one number here")
    return truth(low.code, low.value(node.args[0]))


def _only_in_for(low: Lowering, node: ast.Call) -> Operand:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    return low.wrong(
        node, f"{name}() is not a number", f"use it in a for loop: for x in {name}(...)"
    )


OWN: dict[str, Callable[[Lowering, ast.Call], Operand]] = {
    "min": extreme,
    "max": extreme,
    "abs": _abs,
    "sum": total,
    "any": quantified,
    "all": quantified,
    "len": _len,
    "int": _int,
    "bool": _bool,
    "range": _only_in_for,
    "enumerate": _only_in_for,
    "zip": _only_in_for,
    "reversed": _only_in_for,
}


def _known() -> str:
    return f"use {', '.join(OWN)}, or a function of the same module"

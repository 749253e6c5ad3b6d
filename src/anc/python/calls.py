"""Lowering of calls: the supported builtins, methods, and helpers of the module."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc.compiler.graph import Constant, Operand
from anc.python.building import (
    based,
    both,
    character,
    in_order,
    new_list,
    new_tuple,
    raised,
    text_from,
)
from anc.python.conditions import truth
from anc.python.helpers import helper
from anc.python.loops import any_or_all, extreme, quantified, total
from anc.python.lowering import Lowering, branch, is_call, value
from anc.python.methods import METHODS, method
from anc.python.sequences import KINDS, Binding, Cells, Row, known_length
from anc.python.text import code_of, whole_number
from anc.support.diagnostics import close_match


@value(ast.Call)
def call(low: Lowering, node: ast.Call) -> Binding:
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        return method(low, node)
    if not isinstance(node.func, ast.Name):
        return low.wrong(node.func, "only functions with a plain name can be called", _known())
    name = node.func.id
    if name in low.scope.module.functions:
        return helper(low, node, is_used=True)
    if name not in OWN:
        match = close_match(name, [*OWN, *low.scope.module.functions])
        help = f"did you mean '{match}'?" if match else _known()
        return low.wrong(node.func, f"the function '{name}' is not supported", help)
    is_starred = any(isinstance(each, ast.Starred) for each in node.args)
    if is_starred or (node.keywords and name != "sorted"):
        return low.wrong(node, f"{name}() takes plain arguments only", "name them one by one")
    return OWN[name](low, node)


@branch(ast.Call)
def call_branch(low: Lowering, node: ast.Call, yes: int, no: int, falls: bool) -> None:
    if is_call(node, "any", "all") and len(node.args) == 1 and not node.keywords:
        any_or_all(low, node, yes, no)
    else:
        low.code.fork(low.truth_of(low.result(node)), no, yes)


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
    found = low.result(node.args[0]) if len(node.args) == 1 else None
    if not isinstance(found, Row | Cells):
        return low.wrong(node, "len() takes a list, a tuple, text or the tape", "name one")
    known = known_length(found)
    return low.length(found) if known is None else low.fitting(known)


def _isinstance(low: Lowering, node: ast.Call) -> Operand:
    """Known when it is compiled: arguments have the types that are declared."""
    if len(node.args) != 2:
        return low.wrong(node, f"isinstance() takes two arguments, found {len(node.args)}")
    value, kinds = low.result(node.args[0]), node.args[1]
    parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    names = [each.id if isinstance(each, ast.Name) else "" for each in parts]
    kind = value.kind if isinstance(value, Row | Cells) else "int"
    if not set(names) <= {"int", "float", "complex", *KINDS} and kind not in names:
        return low.wrong(
            kinds, "isinstance() distinguishes int, float, str, list, tuple and bytes here"
        )
    return Constant(int(kind in names) % low.M)


def _bool(low: Lowering, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        return low.wrong(node, "bool() takes one number here")
    return truth(low.code, low.truth_of(low.result(node.args[0])))


def _only_in_for(low: Lowering, node: ast.Call) -> Operand:
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    return low.wrong(
        node, f"{name}() is not a number", f"use it in a for loop: for x in {name}(...)"
    )


OWN: dict[str, Callable[[Lowering, ast.Call], Binding]] = {
    "min": extreme,
    "max": extreme,
    "abs": _abs,
    "sum": total,
    "any": quantified,
    "all": quantified,
    "len": _len,
    "int": whole_number,
    "bool": _bool,
    "str": text_from,
    "bin": based,
    "oct": based,
    "hex": based,
    "ord": code_of,
    "chr": character,
    "list": new_list,
    "tuple": new_tuple,
    "sorted": in_order,
    "divmod": both,
    "pow": raised,
    "isinstance": _isinstance,
    "map": _only_in_for,
    "range": _only_in_for,
    "enumerate": _only_in_for,
    "zip": _only_in_for,
    "reversed": _only_in_for,
}


def _known() -> str:
    return f"use {', '.join(OWN)}, or a function of the same module"

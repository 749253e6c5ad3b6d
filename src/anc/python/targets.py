"""What stands on the left of an assignment."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.expressions import address_of
from anc.python.lowering import Lowering


def store(low: Lowering, target: ast.expr, value: Operand) -> Operand:
    """Give a name or an element a value; what holds it from now on."""
    if isinstance(target, ast.Name):
        return store_name(low, target, value)
    if isinstance(target, ast.Subscript):
        low.code.write(address_of(low, target), value)
    else:
        low.wrong(target, "only names and elements can be assigned", "name one target for each")
    return value


def store_name(low: Lowering, target: ast.Name, value: Operand) -> Operand:
    found = low.scope.names.get(target.id)
    if isinstance(found, Variable):
        held = low.code.assign(found, value)
        if target.id in low.scope.assigned:
            low.code.assign(low.scope.assigned[target.id], Constant(1 % low.M))
        return held
    low.wrong(target, f"'{target.id}' is a list; a list stays the one that it is", "use a new name")
    return value

"""Bounds that the text shows: how often a loop runs, and how much longer a list becomes."""

from __future__ import annotations

import ast
from collections.abc import Sequence as Several

from anc.python.lowering import Lowering
from anc.python.sequences import Cells, Row, bound


def growth(low: Lowering, name: str, body: Several[ast.stmt]) -> int | None:
    """By how many elements a name's list may grow in all; None if that cannot be seen."""
    total = 0
    for statement in body:
        more = _grown(low, name, statement)
        if more is None:
            return None
        total += more
    return total


def _grown(low: Lowering, name: str, node: ast.AST) -> int | None:
    match node:
        case ast.For(iter=along, body=body, orelse=otherwise):
            once, rest = growth(low, name, body), growth(low, name, otherwise)
            if once == 0 or once is None or rest is None:
                return None if once is None else rest
            rounds = rounds_of(low, along)
            return None if rounds is None else rounds * once + rest
        case ast.While(body=body, orelse=otherwise):
            once, rest = growth(low, name, body), growth(low, name, otherwise)
            return rest if once == 0 else None
        case ast.If(body=body, orelse=otherwise):
            ways = growth(low, name, body), growth(low, name, otherwise)
            return None if None in ways else max(way or 0 for way in ways)
        case ast.AugAssign(target=ast.Name(id=target), op=ast.Add(), value=value) if target == name:
            return bound_of(low, value)
        case ast.Assign(targets=targets, value=value) if any(
            isinstance(each, ast.Name) and each.id == name for each in targets
        ):
            return _joined(low, name, value)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=target), method), given)) if (
            target == name
        ):
            if method in ("append", "insert"):
                return 1
            return bound_of(low, given[0]) if method == "extend" and given else 0
    return 0


def _joined(low: Lowering, name: str, value: ast.expr) -> int | None:
    """``x = x + ...`` and ``x = ... + x`` make it longer; any other value replaces it."""
    match value:
        case ast.BinOp(ast.Name(id=one), ast.Add(), more) if one == name:
            return bound_of(low, more)
        case ast.BinOp(more, ast.Add(), ast.Name(id=one)) if one == name:
            return bound_of(low, more)
    return 0


def replaced(low: Lowering, name: str, body: Several[ast.stmt]) -> int:
    """The largest bound of the values that replace a name's list."""
    found = 0
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.Assign) and any(
            isinstance(each, ast.Name) and each.id == name for each in node.targets
        ):
            found = max(found, bound_of(low, node.value) or 0)
    return found


def rounds_of(low: Lowering, node: ast.expr) -> int | None:
    """A bound on the number of iterations over an expression."""
    match node:
        case ast.Call(ast.Name("range"), bounds):
            known = [low.known(each) for each in bounds]
            if None not in known:
                return len(range(*(each or 0 for each in known)))
            if len(bounds) == 1 or (len(bounds) == 2 and known[0] is not None):
                return _number_bound(low, bounds[-1])
            return None
        case ast.Call(
            ast.Name("enumerate" | "reversed" | "sorted" | "list" | "tuple"), [inner, *_]
        ):
            return rounds_of(low, inner)
        case ast.Call(ast.Name("map"), [_, inner]):
            return rounds_of(low, inner)
        case ast.Call(ast.Name("zip"), parts):
            known = [rounds_of(low, each) for each in parts]
            return min((each for each in known if each is not None), default=None)
    return bound_of(low, node)


def _number_bound(low: Lowering, node: ast.expr) -> int | None:
    """A bound on a number: the length of something, perhaps with a known number added."""
    match node:
        case ast.Call(ast.Name("len"), [inner]):
            return bound_of(low, inner)
        case ast.BinOp(one, ast.Add(), other):
            parts = _number_bound(low, one), low.known(other)
            return None if parts[0] is None or parts[1] is None else max(0, parts[0] + parts[1])
        case ast.BinOp(one, ast.Sub() | ast.FloorDiv(), _):
            return _number_bound(low, one)
        case ast.BinOp(_, ast.Mod(), other):
            return low.known(other)
        case ast.Call(ast.Name("min"), parts):
            known = [_number_bound(low, each) for each in parts]
            return min((each for each in known if each is not None), default=None)
    return low.known(node)


def bound_of(low: Lowering, node: ast.expr) -> int | None:
    """A bound on the length of a sequence that an expression makes."""
    match node:
        case ast.Name(id=name):
            found = low.scope.names.get(name, low.scope.module.numbers.get(name))
            if isinstance(found, Row | Cells):
                return bound(found)
            return len(found) if isinstance(found, tuple | list | str) else None
        case ast.Constant(value=str() as text):
            return len(text)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return len(parts)
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return bound_of(low, inner)
        case ast.Subscript(value=inner):
            return 1  # a character
        case ast.BinOp(one, ast.Add(), other):
            parts_of = bound_of(low, one), bound_of(low, other)
            return None if None in parts_of else sum(each or 0 for each in parts_of)
        case ast.BinOp(one, ast.Mult(), other):
            for values, times in ((one, other), (other, one)):
                most, often = bound_of(low, values), _number_bound(low, times)
                if most is not None and often is not None:
                    return most * max(0, often)
            return None
        case ast.IfExp(body=one, orelse=other):
            parts_of = bound_of(low, one), bound_of(low, other)
            return None if None in parts_of else max(each or 0 for each in parts_of)
        case ast.ListComp(generators=loops) | ast.GeneratorExp(generators=loops):
            total = 1
            for loop in loops:
                rounds = rounds_of(low, loop.iter)
                if rounds is None:
                    return None
                total *= rounds
            return total
        case ast.Call(ast.Name("str"), [_]):
            return len(str(low.M - 1))
        case ast.Call(ast.Name("chr"), [_]):
            return 1
        case ast.Call(ast.Name("sorted" | "list" | "tuple" | "reversed" | "map"), parts) if parts:
            return rounds_of(low, parts[-1])
        case ast.Call(ast.Attribute(inner, "upper" | "lower" | "copy" | "replace"), _):
            return bound_of(low, inner)
    return None

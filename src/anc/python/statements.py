"""Lowering of statements: assignments, branches, loops."""

from __future__ import annotations

import ast

from anc.compiler.graph import Operand
from anc.python.calls import helper
from anc.python.expressions import address_of, combined, power, store
from anc.python.iteration import items_of
from anc.python.loops import loop_over
from anc.python.lowering import LoopLabels, Lowering, is_call, statement


@statement(ast.Pass)
def nothing(low: Lowering, node: ast.Pass) -> None:
    pass


@statement(ast.Expr)
def expression(low: Lowering, node: ast.Expr) -> None:
    called = node.value
    if isinstance(called, ast.Constant) and (isinstance(called.value, str) or called.value is ...):
        return  # a docstring, or ...
    if is_call(called, *low.scope.module.functions) and not is_call(called, *low.scope.names):
        assert isinstance(called, ast.Call)
        helper(low, called, is_used=False)
    else:
        low.value(called)


# -- assignments --------------------------------------------------------------------------


@statement(ast.Assign)
def assignment(low: Lowering, node: ast.Assign) -> None:
    if not any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
        value = low.value(node.value)
        for target in node.targets:
            store(low, target, value)
        return
    values = _elements(low, node.value)
    for target in node.targets:
        names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        if len(values) == len(names) and isinstance(target, ast.Tuple | ast.List):
            _unpacked(low, names, values)
        else:
            low.wrong(target, f"{_targets(names)} for {_values(values)}", "give one to each")


def _unpacked(low: Lowering, targets: list[ast.expr], values: list[Operand]) -> None:
    """``a, b = b, a``: all values are read before any target is assigned."""
    stored = [low.scope.names.get(each.id) for each in targets if isinstance(each, ast.Name)]
    old = [
        low.code.copied(value, "old") if any(value is each for each in stored) else value
        for value in values
    ]
    for target, value in zip(targets, old, strict=True):
        store(low, target, value)


def _targets(names: list[ast.expr]) -> str:
    return f"{len(names)} target{'s' * (len(names) != 1)}"


def _values(values: list[Operand]) -> str:
    return f"{len(values)} value{'s' * (len(values) != 1)}"


def _elements(low: Lowering, node: ast.expr) -> list[Operand]:
    """The values of a tuple, or of a list of fixed length, for unpacking."""
    found = low.list_of(node)
    if isinstance(found, tuple):
        return list(found)
    if found is None or found.length is not None:
        low.wrong(node, "this cannot be unpacked", "write the values with commas between them")
        return []
    return [low.code.read(low.code.number(found.begin + i)) for i in range(found.most)]


@statement(ast.AnnAssign)
def annotated(low: Lowering, node: ast.AnnAssign) -> None:
    if node.value is not None:
        store(low, node.target, low.value(node.value))


@statement(ast.AugAssign)
def changed(low: Lowering, node: ast.AugAssign) -> None:
    """``x += 1``; the address of an element is computed once."""
    if isinstance(node.target, ast.Subscript):
        address = address_of(low, node.target)
        old: Operand = low.code.read(address)
    else:
        address, old = None, low.value(ast.copy_location(_loaded(node.target), node.target))
    if isinstance(node.op, ast.Pow):
        new = power(low, old, node.value)
    else:
        new = combined(low, node.op, old, low.value(node.value))
    if address is None:
        store(low, node.target, new)
    else:
        low.code.write(address, new)


def _loaded(target: ast.expr) -> ast.expr:
    return ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else target


# -- branches and loops -----------------------------------------------------------------------


@statement(ast.If)
def condition(low: Lowering, node: ast.If) -> None:
    code = low.code
    yes, no, done = code.label(), code.label(), code.label()
    low.branch(node.test, yes, no, True)
    code.place(yes)
    low.block(node.body)
    code.goto(done)
    code.place(no)
    low.block(node.orelse)
    code.place(done)


@statement(ast.While)
def while_loop(low: Lowering, node: ast.While) -> None:
    code = low.code
    begin, body, exhausted, done = (code.label() for _ in range(4))
    code.place(begin)
    low.branch(node.test, body, exhausted, False)
    code.place(body)
    low.loops.append(LoopLabels(done, begin))
    low.block(node.body)
    low.loops.pop()
    code.goto(begin)
    code.place(exhausted)
    low.block(node.orelse)
    code.place(done)


@statement(ast.For)
def for_loop(low: Lowering, node: ast.For) -> None:
    code = low.code
    exhausted, done = code.label(), code.label()

    def body(following: int) -> None:
        low.loops.append(LoopLabels(done, following))
        low.block(node.body)
        low.loops.pop()

    loop_over(low, items_of(low, node.iter), node.target, exhausted, body)
    code.place(exhausted)
    low.block(node.orelse)
    code.place(done)


@statement(ast.Break)
def leave_loop(low: Lowering, node: ast.Break) -> None:
    low.code.goto(low.loops[-1].done)


@statement(ast.Continue)
def next_round(low: Lowering, node: ast.Continue) -> None:
    low.code.goto(low.loops[-1].next)


@statement(ast.Return)
def leave(low: Lowering, node: ast.Return) -> None:
    low.scope.leave(node)


@statement(ast.Assert)
def assertion(low: Lowering, node: ast.Assert) -> None:
    """Emits no code, as asserts are assumed; its names are still checked.

    An exact program continues only if the assert holds.
    """
    if low.is_exact:
        holds = low.code.label()
        low.branch(node.test, holds, low.code.failing, True)
        low.code.place(holds)
        return
    here, low.code.here = low.code.here, None
    low.branch(node.test, low.code.label(), low.code.label(), True)
    low.code.here = here

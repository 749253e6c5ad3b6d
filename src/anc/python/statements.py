"""Lowering of statements: assignments, branches, loops."""

from __future__ import annotations

import ast

from anc.compiler.graph import Operand, Variable
from anc.python.changes import changes_of
from anc.python.concatenation import extend
from anc.python.elements import address_of
from anc.python.exact import require_value
from anc.python.expressions import combined, power, store
from anc.python.helpers import helper
from anc.python.iteration import Items, items_of
from anc.python.loops import loop_over
from anc.python.lowering import LoopLabels, Lowering, is_call, statement
from anc.python.sequences import CHANGING_KINDS, Binding, Cells, Row, Sequence, in_words
from anc.python.storage import copied


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
        low.result(called)


# -- assignments --------------------------------------------------------------------------


@statement(ast.Assign)
def assignment(low: Lowering, node: ast.Assign) -> None:
    value = _made_for(low, node.targets[0], node.value)
    for target in node.targets:
        store(low, target, value)


def _made_for(low: Lowering, target: ast.expr, node: ast.expr) -> Binding:
    """The value of an expression, as long as what it is assigned to may become."""
    size = low.scope.sizes.get(target.id) if isinstance(target, ast.Name) else None
    low.wanted = None if size is None else size.most
    value = low.result(node)
    low.wanted = None
    return value


@statement(ast.AnnAssign)
def annotated(low: Lowering, node: ast.AnnAssign) -> None:
    if node.value is not None:
        store(low, node.target, _made_for(low, node.target, node.value))


@statement(ast.AugAssign)
def changed(low: Lowering, node: ast.AugAssign) -> None:
    """``x += 1``; the address of an element is computed once."""
    if isinstance(node.target, ast.Name):
        found = low.binding(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        if isinstance(found, Row | Cells):
            require_value(low, node.target.id)
            _longer(low, node, node.target, found)
            return
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


def _longer(low: Lowering, node: ast.AugAssign, target: ast.Name, found: Sequence) -> None:
    """``values += more`` and ``text += "a"``, in place if the memory belongs to the name."""
    in_place = isinstance(found, Cells) and found.own and isinstance(found.count, Variable)
    if isinstance(node.op, ast.Add) and in_place:
        more = low.result(node.value)
        if isinstance(more, Row | Cells) and (more.kind == found.kind or found.kind == "list"):
            assert isinstance(found, Cells)
            kept_apart = isinstance(more, Cells) and more.home == found.home
            extend(low, found, copied(low, more) if kept_apart else more)
            return
        low.wrong(node.value, f"this cannot be added to {in_words(found)}", "add one of its kind")
        return
    if isinstance(found, Cells) and found.kind in CHANGING_KINDS:
        low.wrong(node, "the list of a caller cannot become longer", "begin with a copy: list(...)")
        return
    loaded = ast.copy_location(_loaded(target), target)
    made = ast.copy_location(ast.BinOp(loaded, node.op, node.value), node)
    store(low, target, low.result(made))


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
    low.depth += 1
    low.branch(node.test, body, exhausted, False)
    code.place(body)
    low.loops.append(LoopLabels(done, begin))
    low.block(node.body)
    low.loops.pop()
    low.depth -= 1
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

    loop_over(low, _items(low, node), node.target, exhausted, body)
    code.place(exhausted)
    low.block(node.orelse)
    code.place(done)


def _items(low: Lowering, node: ast.For) -> Items:
    """What a loop goes through: a list itself, as it changes; a copy where it is replaced."""
    within = changes_of(low.scope.module, node.body)
    for inner in ast.walk(node.iter):
        if isinstance(inner, ast.Name) and inner.id in within.resized:
            found = low.scope.names.get(inner.id)
            if isinstance(found, Cells) and found.kind in CHANGING_KINDS:
                help = f"go through a copy: list({inner.id})"
                low.wrong(inner, f"'{inner.id}' becomes longer or shorter in this loop", help)
    replaced = {e.id for e in ast.walk(node.iter) if isinstance(e, ast.Name)} & within.stores.keys()
    outer, low.snapshots = low.snapshots, bool(within.changed or replaced)
    low.replaced = frozenset(replaced)
    found_items = items_of(low, node.iter)
    low.snapshots, low.replaced = outer, frozenset()
    return found_items


@statement(ast.Break)
def leave_loop(low: Lowering, node: ast.Break) -> None:
    low.code.goto(low.loops[-1].done)


@statement(ast.Continue)
def next_round(low: Lowering, node: ast.Continue) -> None:
    low.code.goto(low.loops[-1].next)


@statement(ast.Return)
def leave(low: Lowering, node: ast.Return) -> None:
    low.scope.leave(node)


@statement(ast.Raise)
def failure(low: Lowering, node: ast.Raise) -> None:
    """The program leaves its last line: the original raises the error."""
    if low.wrap:  # what is deployed has no other original
        help = "leave wrap=True out, or return a number that says so"
        low.wrong(node, "raise is not supported with wrap=True", help)
    low.code.goto(low.code.failing)


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

"""Python's functions over many numbers: sum, any, all, min and max of a list, or of an expression with `for`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.code import kept, named
from anc.python.conditions import chosen
from anc.python.exact import added
from anc.python.items import Items, items_of
from anc.python.lowering import Lowering, is_call
from anc.python.names import stored_names
from anc.python.rounds import go_through

Use = Callable[["ast.expr | Operand", int], None]  # an element, and the label of the next round
COMPREHENSIONS = ast.GeneratorExp | ast.ListComp


def each_of(low: Lowering, node: ast.expr, exhausted: int, use: Use) -> None:
    """Use every element of a list, or of an expression with `for` in it, then go to `exhausted`."""
    if isinstance(node, COMPREHENSIONS):
        outer, items = low.scope, items_of(low, node.generators[0].iter)
        targets = stored_names(generator.target for generator in node.generators)
        own = {name: named(name) for name in targets}
        assigned = {name: flag for name, flag in outer.assigned.items() if name not in own}
        low.scope = replace(outer, names=outer.names | own, assigned=assigned)
        _nested(low, node.elt, items, node.generators, exhausted, use)
        low.scope = outer
        return
    element = Variable("element")
    name = ast.Name("element", ast.Store())
    outer = low.scope
    items = items_of(low, node)
    names = outer.names | {"element": element}
    low.scope = replace(outer, names=names, loaded=outer.loaded | {"element"})
    go_through(low, items, name, exhausted, lambda following: use(element, following))
    low.scope = outer


def _nested(
    low: Lowering,
    element: ast.expr,
    items: Items,
    loops: list[ast.comprehension],
    exhausted: int,
    use: Use,
) -> None:
    """What the first loop goes through has been found: its names are those from around it."""
    loop, *others = loops

    def body(following: int) -> None:
        for condition in loop.ifs:
            holds = low.code.label()
            low.branch(condition, holds, following, True)
            low.code.place(holds)
        if others:
            _nested(low, element, items_of(low, others[0].iter), others, following, use)
        else:
            use(element, following)

    go_through(low, items, loop.target, exhausted, body)


def _number(low: Lowering, element: ast.expr | Operand) -> Operand:
    return low.value(element) if isinstance(element, ast.expr) else element


def total(low: Lowering, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        return low.wrong(node, f"sum() takes one argument, found {len(node.args)}")
    code, found, done = low.code, Variable("total"), low.code.label()
    code.assign(found, Constant(0))

    def use(element: ast.expr | Operand, following: int) -> None:
        code.assign(found, added(low, found, _number(low, element)))

    each_of(low, node.args[0], done, use)
    code.place(done)
    return found


def any_or_all(low: Lowering, node: ast.Call, yes: int, no: int) -> None:
    assert isinstance(node.func, ast.Name)
    is_any = node.func.id == "any"

    def use(element: ast.expr | Operand, following: int) -> None:
        ways = (yes, following) if is_any else (following, no)
        if isinstance(element, ast.expr):
            low.branch(element, *ways, not is_any)
        else:
            low.code.fork(element, *ways[::-1])

    each_of(low, node.args[0], no if is_any else yes, use)


def quantified(low: Lowering, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        return low.wrong(node, f"any() and all() take one argument, found {len(node.args)}")
    return chosen(low, node)


def extreme(low: Lowering, node: ast.Call) -> Operand:
    assert isinstance(node.func, ast.Name)
    code = low.code
    choose = code.smaller if node.func.id == "min" else code.larger
    if len(node.args) > 1:
        best = kept(low.value(node.args[0]), "best")
        for each in node.args[1:]:
            best = kept(choose(best, low.value(each)), "best")
        return best
    if not node.args:
        return low.wrong(node, f"{node.func.id}() needs arguments", "write min(a, b)")
    found, done, empty, end = Variable("best"), code.label(), code.label(), code.label()
    is_min = node.func.id == "min"
    code.assign(found, code.number(-1 if is_min else 0))
    some = Variable("some")
    counts = is_min or low.is_exact
    if counts:
        code.assign(some, Constant(0))

    def use(element: ast.expr | Operand, following: int) -> None:
        code.assign(found, choose(found, _number(low, element)))
        if counts:
            code.assign(some, Constant(1 % low.M))

    each_of(low, node.args[0], done, use)
    code.place(done)
    if counts and not _has_elements(low, node.args[0]):
        code.fork(some, code.failing if low.is_exact else empty, end)
        code.place(empty)
        code.assign(found, Constant(0))
        code.place(end)
    return found


def _has_elements(low: Lowering, node: ast.expr) -> bool:
    """Whether there is certainly something to choose from."""
    if isinstance(node, COMPREHENSIONS):
        one = node.generators[0]
        return len(node.generators) == 1 and not one.ifs and _has_elements(low, one.iter)
    if is_call(node, "reversed", "enumerate") and isinstance(node, ast.Call) and node.args:
        return _has_elements(low, node.args[0])
    if is_call(node, "zip") and isinstance(node, ast.Call):
        return all(_has_elements(low, each) for each in node.args)
    if is_call(node, "range") and isinstance(node, ast.Call):
        known = [low.known(each) for each in node.args]
        return None not in known and bool(known) and bool(range(*(k or 0 for k in known)))
    if isinstance(node, ast.Name):
        found = low.list_of(node)
        if isinstance(found, tuple):
            return bool(found)
        return found is not None and found.length is None
    return isinstance(node, ast.Tuple | ast.List) and bool(node.elts)

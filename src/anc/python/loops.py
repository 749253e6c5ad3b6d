"""Loops over iterables, and the reductions sum, any, all, min and max."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.code import named
from anc.python.conditions import chosen
from anc.python.exact import added
from anc.python.expressions import store
from anc.python.iteration import Items, Progression, Shape, items_of
from anc.python.lowering import Lowering, is_call
from anc.python.names import loaded_names, stored_names
from anc.python.sequences import TEXT, Binding, Cells, Row, in_words, known_length

Body = Callable[[int], None]  # is given the label of the next iteration


Target = ast.expr | Callable[[Binding], None]  # what is assigned, or done with the value


@dataclass(frozen=True)
class IterationValue:
    """One value per iteration, and the target that it is assigned to."""

    target: Target
    shape: Progression | Binding

    def assign(self, low: Lowering, value: Binding) -> None:
        if isinstance(self.target, ast.expr):
            store(low, self.target, value)
        else:
            self.target(value)


def loop_over(low: Lowering, items: Items, target: Target, exhausted: int, body: Body) -> None:
    """Emit the body for each iteration, then go to `exhausted`."""
    if items.rounds == 0:
        low.code.goto(exhausted)
        return
    low.depth += 1
    rows = _rows(items.shape)
    if rows:
        _unrolled(low, items, target, exhausted, body, min(map(len, rows)))
    else:
        _looped(low, items, target, exhausted, body)
    low.depth -= 1


def _rows(shape: Shape) -> list[tuple]:
    if isinstance(shape, list):
        return [row for each in shape for row in _rows(each)]
    return [shape] if isinstance(shape, tuple) else []


def _matched(low: Lowering, target: Target, shape: Shape) -> list[IterationValue]:
    """The targets and their values; targets that are never read are left out."""
    if isinstance(shape, list):
        if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == len(shape):
            pairs = zip(target.elts, shape, strict=True)
            return [each for pair in pairs for each in _matched(low, *pair)]
        if isinstance(target, ast.expr):
            low.wrong(target, f"{len(shape)} names are needed here", "write: for a, b in ...")
        else:
            low.problem("this iterates over several values", "name them: for a, b in ...")
        return []
    if isinstance(target, ast.Tuple | ast.List) and isinstance(shape, Progression):
        low.wrong(target, "each iteration gives one number here", "write one name")
        return []
    if isinstance(target, ast.Name) and target.id not in low.scope.loaded:
        return []
    assert not isinstance(shape, tuple)
    return [IterationValue(target, shape)]


# -- loops over progressions --------------------------------------------------------------


def _looped(low: Lowering, items: Items, target: Target, exhausted: int, body: Body) -> None:
    code = low.code
    wanted = _matched(low, target, items.shape)
    leaves = [each.shape for each in wanted if isinstance(each.shape, Progression)]
    first = next((leaf for leaf in leaves if leaf.is_cell), leaves[0] if leaves else None)
    if first is None or any(leaf.by is not None for leaf in leaves):
        # no element is read, or a slope is not known: count down
        begin = items.rounds if not isinstance(items.rounds, int) else code.number(items.rounds)
        first = Progression(begin, -1)
    cursors = {first: Variable("at")}
    for leaf in leaves:
        if _offset(first, leaf) is None:
            cursors.setdefault(leaf, Variable("at"))
    end = _end(low, items, first)
    for leaf, cursor in cursors.items():
        code.assign(cursor, leaf.begin)
    begin_label, following = code.label(), code.label()
    if not items.certain and not isinstance(items.rounds, int):
        code.fork(items.rounds, exhausted, begin_label)
    code.place(begin_label)
    for each in wanted:
        assert isinstance(each.shape, Progression)
        offset = _offset(first, each.shape)
        if each.shape in cursors or offset is None:
            now: Operand = cursors[each.shape]
        else:
            now = code.shifted(cursors[first], offset)
        each.assign(low, _value(low, each.shape, now))
    body(following)
    code.place(following)
    main = cursors[first]
    last = _last(low, items, first)
    if last is not None and last % low.M == 0:
        going_on = code.label()
        code.fork(main, exhausted, going_on)
        code.place(going_on)
        _advance(low, cursors)
        code.goto(begin_label)
    else:
        _advance(low, cursors)
        code.fork(code.subtract(main, end), exhausted, begin_label)


def _value(low: Lowering, shape: Progression, now: Operand) -> Binding:
    """The value of an iteration: a number, or the number or character in a cell."""
    if not shape.is_cell:
        return now
    number = low.code.read(now)
    return Row((number,), TEXT) if shape.text else number


def _advance(low: Lowering, cursors: dict[Progression, Variable]) -> None:
    for leaf, cursor in cursors.items():
        if leaf.by is None:
            low.code.assign(cursor, low.code.shifted(cursor, leaf.slope))
        else:
            low.code.assign(cursor, low.code.add(cursor, leaf.by))


def _offset(first: Progression, leaf: Progression) -> int | None:
    """The constant difference from the first leaf; None if it is not constant."""
    if leaf.slope != first.slope or leaf.by is not None:
        return None
    if leaf.begin == first.begin:
        return 0
    if isinstance(leaf.begin, Constant) and isinstance(first.begin, Constant):
        return leaf.begin.value - first.begin.value
    return None


def _end(low: Lowering, items: Items, leaf: Progression) -> Operand:
    """The number after the last one."""
    code, rounds = low.code, items.rounds
    count = code.number(rounds) if isinstance(rounds, int) else rounds
    return code.copied(code.add(leaf.begin, code.multiple(count, leaf.slope)), "end")


def _last(low: Lowering, items: Items, leaf: Progression) -> int | None:
    if leaf.last is not None:
        return leaf.last
    if isinstance(items.rounds, int) and isinstance(leaf.begin, Constant):
        return leaf.begin.value + (items.rounds - 1) * leaf.slope
    return None


# -- unrolled loops over tuples --------------------------------------------------------------


def _unrolled(
    low: Lowering, items: Items, target: Target, exhausted: int, body: Body, most: int
) -> None:
    code = low.code
    most = min(most, items.rounds) if isinstance(items.rounds, int) else most
    for number in range(most):
        if not isinstance(items.rounds, int) and not (number == 0 and items.certain):
            going_on = code.label()
            code.fork(code.shifted(items.rounds, -number), exhausted, going_on)
            code.place(going_on)
        for each in _matched(low, target, _in_round(low, items.shape, number)):
            shape = each.shape
            if isinstance(shape, Progression):
                shape = _value(low, shape, shape.begin)
            each.assign(low, shape)
        following = code.label()
        body(following)
        code.place(following)
    code.goto(exhausted)


def _in_round(low: Lowering, shape: Shape, number: int) -> Shape:
    """The elements of one iteration."""
    if isinstance(shape, list):
        return [_in_round(low, each, number) for each in shape]
    if isinstance(shape, Progression):
        begin = low.code.add(shape.begin, low.code.number(shape.slope * number))
        return replace(shape, begin=begin, last=None)
    return shape[number]  # type: ignore[return-value]


# -- reductions ---------------------------------------------------------------------------


Use = Callable[["ast.expr | Binding", int], None]  # an element, and the next iteration's label
COMPREHENSIONS = ast.GeneratorExp | ast.ListComp


def each_of(low: Lowering, node: ast.expr, exhausted: int, use: Use) -> None:
    """Emit `use` for every element of an iterable or a comprehension, then go to `exhausted`."""
    if isinstance(node, COMPREHENSIONS):
        outer, items = low.scope, items_of(low, node.generators[0].iter)
        targets = stored_names(generator.target for generator in node.generators)
        own = {name: named(name) for name in targets}
        assigned = {name: flag for name, flag in outer.assigned.items() if name not in own}
        numbers = outer.numbers.difference(own)
        stores = Counter(dict.fromkeys(own, 1)) | outer.changes.stores
        changes = replace(outer.changes, stores=stores)
        low.scope = replace(
            outer,
            names=outer.names | own,
            loaded=outer.loaded | loaded_names([node]),
            assigned=assigned,
            numbers=numbers,
            changes=changes,
        )
        _nested(low, node.elt, items, node.generators, exhausted, use)
        low.scope = outer
        return
    if is_call(node, "map") and isinstance(node, ast.Call) and len(node.args) == 2:
        each_of(low, _mapped(node), exhausted, use)
        return
    each_value(low, items_of(low, node), exhausted, use)


def each_value(
    low: Lowering, items: Items, exhausted: int, use: Callable[[Binding, int], None]
) -> None:
    """Emit `use` for the value of every iteration, then go to `exhausted`."""
    found: list[Binding] = []

    def body(following: int) -> None:
        if found:  # else a problem has been reported
            use(found.pop(), following)

    loop_over(low, items, found.append, exhausted, body)


def _mapped(node: ast.Call) -> ast.GeneratorExp:
    """``map(f, values)`` as ``f(x) for x in values``."""
    name = "<x>"  # no identifier, so that no source can use it
    element = ast.copy_location(ast.Call(node.args[0], [ast.Name(name, ast.Load())], []), node)
    loop = ast.comprehension(ast.Name(name, ast.Store()), node.args[1], [], 0)
    return ast.copy_location(ast.GeneratorExp(element, [loop]), node)


def _nested(
    low: Lowering,
    element: ast.expr,
    items: Items,
    loops: list[ast.comprehension],
    exhausted: int,
    use: Use,
) -> None:
    """The loops of a comprehension; the first iterable belongs to the enclosing scope."""
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

    loop_over(low, items, loop.target, exhausted, body)


def as_value(low: Lowering, element: ast.expr | Binding) -> Binding:
    return low.result(element) if isinstance(element, ast.expr) else element


def _number(low: Lowering, element: ast.expr | Binding) -> Operand:
    if isinstance(element, ast.expr):
        return low.value(element)
    if isinstance(element, Row | Cells):
        low.problem(f"{in_words(element)} stands where a number is needed", "write int() or ord()")
        return Constant(0)
    return element


def total(low: Lowering, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        return low.wrong(node, f"sum() takes one argument, found {len(node.args)}")
    code, found, done = low.code, Variable("total"), low.code.label()
    code.assign(found, Constant(0))

    def use(element: ast.expr | Binding, following: int) -> None:
        code.assign(found, added(low, found, _number(low, element)))

    each_of(low, node.args[0], done, use)
    code.place(done)
    return found


def any_or_all(low: Lowering, node: ast.Call, yes: int, no: int) -> None:
    assert isinstance(node.func, ast.Name)
    is_any = node.func.id == "any"

    def use(element: ast.expr | Binding, following: int) -> None:
        ways = (yes, following) if is_any else (following, no)
        if isinstance(element, ast.expr):
            low.branch(element, *ways, not is_any)
        else:
            low.code.fork(low.truth_of(element), *ways[::-1])

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
        best = low.value(node.args[0])
        for each in node.args[1:]:
            best = choose(best, low.value(each))
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

    def use(element: ast.expr | Binding, following: int) -> None:
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
    """Whether an iterable certainly has elements."""
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
        found = low.binding(node)
        return isinstance(found, Row | Cells) and bool(known_length(found))
    return isinstance(node, ast.Tuple | ast.List) and bool(node.elts)

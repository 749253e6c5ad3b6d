"""Methods of lists and text, by a registry."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.building import sort
from anc.python.capacity import rounds_of
from anc.python.comparing import equal, search
from anc.python.concatenation import HINT, extend
from anc.python.conditions import compare, held
from anc.python.exact import require
from anc.python.iteration import items_in
from anc.python.loops import as_value, each_of, each_value
from anc.python.lowering import Lowering, inlined
from anc.python.sequences import (
    CHANGING_KINDS,
    TEXT,
    Binding,
    Cells,
    Row,
    Sequence,
    bound,
    in_words,
    known_length,
)
from anc.python.storage import append, copied, empty, item_number
from anc.python.tables import laid_out
from anc.python.text import CLASSES, cased, changed_case, characters, classified

Method = Callable[[Lowering, ast.Call, Sequence], Binding]
NOTHING = Constant(0)  # what a method returns that only changes a list


def method(low: Lowering, node: ast.Call) -> Binding:
    """``values.append(3)``, ``text.isdigit()``."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    values = low.sequence(node.func.value, f"a number has no method {name}() here")
    if values is None:
        return NOTHING
    if node.keywords and name != "sort":
        return low.wrong(node, f"{name}() takes plain arguments only", "name them one by one")
    kinds, rule = METHODS[name]
    if values.kind not in kinds:
        return low.wrong(node.func, f"{in_words(values)} has no method {name}() here")
    return rule(low, node, values)


def _taking(number: int) -> Callable[[Method], Method]:
    """A method that takes this number of arguments."""

    def made(rule: Method) -> Method:
        def checked(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
            if len(node.args) != number:
                assert isinstance(node.func, ast.Attribute)
                wanted = f"{number} argument{'s' * (number != 1)}"
                found = len(node.args)
                return low.wrong(node, f"{node.func.attr}() takes {wanted} here, found {found}")
            return rule(low, node, values)

        return checked

    return made


def _own(low: Lowering, node: ast.Call, values: Sequence) -> Cells | None:
    """The memory of a local list that may become longer."""
    if isinstance(values, Cells) and values.own and isinstance(values.count, Variable):
        return values
    assert isinstance(node.func, ast.Attribute)
    low.wrong(
        node,
        f"{node.func.attr}() would change the length of a list that is not this function's own",
        "begin with a copy: values = list(values)",
    )
    return None


def _in_memory(low: Lowering, node: ast.Call, values: Sequence) -> Cells | None:
    """A list whose elements may be assigned."""
    if isinstance(values, Cells) and values.whole:
        return values
    low.wrong(node, f"{in_words(values)} cannot be changed here", "give it a name first")
    return None


# -- methods that change a list ----------------------------------------------------------------


@_taking(1)
def _append(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    number, own = low.value(node.args[0]), _own(low, node, values)
    if own is not None:
        append(low, own, number)
    return NOTHING


@_taking(1)
def _extend(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    from anc.python.building import COMPREHENSIONS, collected

    given = node.args[0]
    more: Sequence | None
    if isinstance(given, COMPREHENSIONS):
        more = collected(low, given, "list")
    else:
        more = low.sequence(given, "extend() takes a list or a tuple")
    own = _own(low, node, values)
    if own is not None and more is not None:
        same = isinstance(more, Cells) and more.home == own.home
        extend(low, own, copied(low, more) if same else more)
    return NOTHING


def _pop(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    """The last element, or the one at a place."""
    own, code = _own(low, node, values), low.code
    if own is None or len(node.args) > 1:
        return NOTHING if own is None else low.wrong(node, "pop() takes at most one place")
    assert isinstance(own.count, Variable)
    require(low, ast.NotEq(), own.count, Constant(0))
    known = low.known(node.args[0]) if node.args else -1
    if known == -1:
        code.assign(own.count, code.shifted(own.count, -1))
        return code.copied(code.read(code.add(own.count, own.begin)), "last")
    if known is not None and known < 0:
        return low.wrong(node, "pop() takes a place from 0 on, or none")
    place = low.value(node.args[0])
    require(low, ast.Lt(), place, own.count)
    at = Variable("at")
    code.assign(at, code.add(place, own.begin))
    found = code.copied(code.read(at), "element")
    code.assign(own.count, code.shifted(own.count, -1))
    _close(low, own, at)
    return found


def _close(low: Lowering, own: Cells, at: Variable) -> None:
    """Move the elements behind an address, as one has left the list."""
    assert isinstance(own.count, Variable)
    code, end = low.code, Variable("end")
    code.assign(end, code.add(own.count, own.begin))
    going_on, body, done = code.label(), code.label(), code.label()
    code.place(going_on)
    code.fork(code.subtract(end, at), done, body)
    code.place(body)
    code.write(at, code.read(code.shifted(at, 1)))
    code.assign(at, code.shifted(at, 1))
    code.goto(going_on)
    code.place(done)


@_taking(1)
def _remove(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    number, own = low.value(node.args[0]), _own(low, node, values)
    if own is not None:
        at, _ = search(low, own, number, low.code.failing)
        assert isinstance(own.count, Variable)
        low.code.assign(own.count, low.code.shifted(own.count, -1))
        _close(low, own, at)
    return NOTHING


@_taking(2)
def _insert(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    """Elements behind the place move up; a place beyond the end is the end."""
    own, code = _own(low, node, values), low.code
    place, number = low.value(node.args[0]), low.value(node.args[1])
    if own is None:
        return NOTHING
    assert isinstance(own.count, Variable)
    require(low, ast.Lt(), own.count, code.number(own.most))
    to, at = Variable("to"), Variable("at")
    code.assign(to, code.add(code.smaller(place, own.count), own.begin))
    code.assign(at, code.add(own.count, own.begin))
    going_on, body, done = code.label(), code.label(), code.label()
    code.place(going_on)
    code.fork(code.subtract(at, to), done, body)
    code.place(body)
    code.write(at, code.read(code.shifted(at, -1)))
    code.assign(at, code.shifted(at, -1))
    code.goto(going_on)
    code.place(done)
    code.write(to, number)
    code.assign(own.count, code.shifted(own.count, 1))
    return NOTHING


@_taking(0)
def _clear(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    own = _own(low, node, values)
    if own is not None:
        assert isinstance(own.count, Variable)
        low.code.assign(own.count, Constant(0))
    return NOTHING


@_taking(0)
def _sort(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    cells = _in_memory(low, node, values)
    if cells is not None:
        sort(low, node, cells)
    return NOTHING


@_taking(0)
def _reverse(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    cells = _in_memory(low, node, values)
    if cells is not None:
        inlined(low, "turn", cells)
    return NOTHING


# -- methods that ask --------------------------------------------------------------------------


@_taking(0)
def _copy(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    return values if isinstance(values, Row) else copied(low, values)


def _found(low: Lowering, node: ast.Call, values: Sequence) -> Operand:
    """The value that a method looks for: of text, the code of a character."""
    value = low.result(node.args[0])
    if values.kind == TEXT:
        if isinstance(value, Row | Cells) and value.kind == TEXT and known_length(value) == 1:
            return item_number(low, value, 0)
        help = "compare text piece by piece"
        return low.wrong(node, "only one character is looked for in text", help)
    if isinstance(value, Row | Cells):
        return low.wrong(node, f"the elements are numbers, and this is {in_words(value)}")
    return value


@_taking(1)
def _index(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    """The first place; without one, the program leaves: Python raises, or -1 does not fit."""
    number = _found(low, node, values)
    cells = laid_out(low, values) if isinstance(values, Row) else values
    missing = low.code.label()
    _, place = search(low, cells, number, missing)
    done = low.code.label()
    low.code.goto(done)
    low.code.place(missing)
    if low.is_exact:
        low.code.goto(low.code.failing)
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "find":
        low.code.assign(place, low.code.number(-1))
    low.code.place(done)
    return place


@_taking(1)
def _count(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    number, code = low.code.copied(_found(low, node, values), "value"), low.code
    total, done = Variable("total"), code.label()
    code.assign(total, Constant(0))

    def body(each: Binding, following: int) -> None:
        here = code.label()
        each = each.items[0] if isinstance(each, Row) and values.kind == TEXT else each
        equal(low, each, number, here, following)
        code.place(here)
        code.assign(total, code.shifted(total, 1))

    each_value(low, items_in(low, values), done, body)
    code.place(done)
    return total


@_taking(1)
def _begins(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    """``text.startswith("ab")`` and ``text.endswith("ab")``."""
    assert isinstance(node.func, ast.Attribute)
    part = low.result(node.args[0])
    if not isinstance(part, Row) or part.kind != TEXT:
        return low.wrong(node.args[0], "this must be text of known length", 'write "ab"')
    code, at_end, size = low.code, node.func.attr == "endswith", len(part.items)
    if size > bound(values):
        return Constant(0)

    def jump(yes: int, no: int) -> None:
        count, enough = low.length(values), code.label()
        compare(code, ast.GtE(), count, code.number(size), enough, no, True)
        code.place(enough)
        for place in range(size):
            following = code.label()
            if isinstance(values, Row):
                from_end = len(values.items) - size if at_end else 0
                mine = item_number(low, values, place + from_end)
            else:
                index = code.shifted(count, place - size) if at_end else code.number(place)
                address = code.add(code.multiple(index, values.step), values.begin)
                mine = code.read(address)
            compare(code, ast.Eq(), mine, item_number(low, part, place), following, no, True)
            code.place(following)
        code.goto(yes)

    return held(code, jump)


@_taking(1)
def _join(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    """``"".join(...)`` of something whose elements are text."""
    given, code = node.args[0], low.code
    rounds = rounds_of(low, given)
    wanted, low.wanted = low.wanted, None
    if rounds is None and wanted is None:
        low.wrong(node, "how long can this become?", HINT)
    count, is_first, done = Variable("length"), Variable("first"), code.label()
    code.assign(count, Constant(0))
    code.assign(is_first, Constant(1 % low.M))
    made: list[Cells] = []

    def use(element: ast.expr | Binding, following: int) -> None:
        part = as_value(low, element)
        if not isinstance(part, Row | Cells) or part.kind != TEXT:
            low.wrong(given, "join() takes text", "write str(...) of a number")
            return
        if not made:
            most = (rounds or 0) * (bound(part) + bound(values)) if wanted is None else wanted
            begin = low.room_for(max(1, most))
            made.append(Cells(code.number(begin), most, count, kind=TEXT, home=begin, fresh=True))
        if bound(values):
            behind, going_on = code.label(), code.label()
            code.fork(is_first, behind, going_on)
            code.place(behind)
            extend(low, made[0], values)
            code.place(going_on)
            code.assign(is_first, Constant(0))
        extend(low, made[0], part)

    each_of(low, given, done, use)
    code.place(done)
    low.wanted = wanted
    return made[0] if made else Row((), TEXT)


@_taking(2)
def _replace(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
    """``text.replace("-", "")``: one character by another one, or by none."""
    old, new = (low.result(each) for each in node.args)
    is_text = all(isinstance(each, Row) and each.kind == TEXT for each in (old, new))
    if not is_text or not isinstance(old, Row) or not isinstance(new, Row):
        return low.wrong(node, "replace() takes text of known length here", 'write "-", ""')
    if len(old.items) != 1 or len(new.items) > 1:
        return low.wrong(node, "replace() takes one character, and one or none for it, here")
    code, done = low.code, low.code.label()
    found = empty(low, bound(values), TEXT)

    def use(each: Operand, following: int) -> None:
        character, other, put = Variable("character"), code.label(), code.label()
        code.assign(character, each)
        ways = code.label()
        compare(code, ast.Eq(), character, item_number(low, old, 0), ways, other, True)
        code.place(ways)
        if not new.items:
            code.goto(following)
        else:
            code.assign(character, item_number(low, new, 0))
            code.goto(put)
        code.place(other)
        code.place(put)
        append(low, found, character, True)

    characters(low, values, done, use)
    code.place(done)
    return found


def _asked(rule: Callable[[Lowering, Sequence, str], Binding]) -> Method:
    """A method of text without arguments."""

    @_taking(0)
    def called(low: Lowering, node: ast.Call, values: Sequence) -> Binding:
        assert isinstance(node.func, ast.Attribute)
        return rule(low, values, node.func.attr)

    return called


LISTS = CHANGING_KINDS
ANY = (*CHANGING_KINDS, "tuple", "bytes", TEXT)
METHODS: dict[str, tuple[tuple[str, ...], Method]] = {
    "append": (LISTS, _append),
    "extend": (LISTS, _extend),
    "insert": (LISTS, _insert),
    "pop": (LISTS, _pop),
    "remove": (LISTS, _remove),
    "clear": (LISTS, _clear),
    "sort": (LISTS, _sort),
    "reverse": (LISTS, _reverse),
    "copy": (LISTS, _copy),
    "index": (ANY, _index),
    "count": (ANY, _count),
    "find": ((TEXT,), _index),
    "startswith": ((TEXT,), _begins),
    "endswith": ((TEXT,), _begins),
    "join": ((TEXT,), _join),
    "replace": ((TEXT,), _replace),
    "upper": ((TEXT,), _asked(changed_case)),
    "lower": ((TEXT,), _asked(changed_case)),
    "isupper": ((TEXT,), _asked(cased)),
    "islower": ((TEXT,), _asked(cased)),
    **{name: ((TEXT,), _asked(classified)) for name in CLASSES},
}

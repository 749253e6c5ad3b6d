"""Names of sequences: where a local list, tuple or text is kept, and how large it may become."""

from __future__ import annotations

import ast
from collections.abc import Sequence as Several
from dataclasses import dataclass, replace

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.capacity import bound_of, growth, replaced
from anc.python.code import named
from anc.python.exact import require
from anc.python.layout import Size
from anc.python.lowering import Lowering
from anc.python.sequences import (
    CHANGING_KINDS,
    TEXT,
    Binding,
    Cells,
    Row,
    Sequence,
    bound,
    in_words,
    is_shared,
    known_length,
)
from anc.python.tables import FEW

FIXED = 16  # elements of a tuple that is kept in variables


@dataclass(frozen=True)
class Keeper:
    """What is known of a name before it is bound: how often it is assigned, and how it changes."""

    name: str
    stores: int = 1
    changed: bool = False
    resized: bool = False
    stated: Size | None = None
    node: ast.AST | None = None


def keeper_of(low: Lowering, target: ast.Name) -> Keeper:
    """What the function's text says of a name."""
    scope, name = low.scope, target.id
    changes = scope.changes
    return Keeper(
        name,
        changes.stores.get(name, 1),
        name in changes.changed,
        name in changes.resized,
        scope.sizes.get(name),
        target,
    )


def kept(low: Lowering, keeper: Keeper, found: Binding | None, value: Sequence) -> Sequence:
    """Bind a name to a sequence, or assign it to the one that the name is bound to."""
    if isinstance(found, Row | Cells):
        return _assigned(low, keeper, found, value)
    if is_shared(value, keeper.changed):
        low.problem(
            f"'{keeper.name}' would be another name of a list that changes",
            "write list(...) to copy it",
        )
    length = known_length(value)
    is_row = length is not None and not keeper.changed and keeper.stated is None
    is_small = value.kind not in CHANGING_KINDS and length is not None and length <= FIXED
    once = keeper.stores <= 1
    if (
        is_row
        and isinstance(value, Row)
        and (once or (is_small and value.kind != TEXT) or length == 1)
    ):
        return Row(_variables(low, keeper.name, value, once), value.kind, True)
    if is_row and isinstance(value, Cells) and length == 1 and value.kind == TEXT:
        return _assigned(low, keeper, Row((named(keeper.name),), TEXT), value)
    if once and isinstance(value, Cells) and not keeper.resized and keeper.stated is None:
        if value.fresh:
            return replace(value, fresh=False, whole=True, changing=keeper.changed, own=True)
        if (
            not value.changing and value.home < low.fixed
        ):  # a part of an argument that never changes
            view = replace(value, begin=Variable("begin"), count=Variable("count"), counted=None)
            return _assigned(low, keeper, view, value)
    return _assigned(low, keeper, _own_cells(low, keeper, value), value)


def _variables(low: Lowering, name: str, row: Row, once: bool) -> tuple[Binding, ...]:
    """The elements of a row, as variables of a name's own; constants stay if it is assigned once."""
    found: list[Binding] = []
    for each in row.items:
        if isinstance(each, Row):
            found.append(Row(_variables(low, name, each, once), each.kind))
        elif isinstance(each, Cells) or (isinstance(each, Constant) and once):
            found.append(each)
        else:
            variable = named(name if len(row.items) == 1 else f"{name}_element")
            low.code.assign(variable, each)
            found.append(variable)
    return tuple(found)


def _own_cells(low: Lowering, keeper: Keeper, value: Sequence) -> Cells:
    """Memory for a local list, as large as it may become."""
    most = capacity(low, keeper, value)
    is_fixed = known_length(value) is not None and keeper.stores <= 1 and not keeper.resized
    is_fixed = is_fixed and known_length(value) == most
    begin = low.room_for(max(1, most))
    count = None if is_fixed else Variable(f"{keeper.name}_length")
    kind, changing = value.kind, keeper.changed or keeper.stores > 1
    return Cells(
        low.code.number(begin), most, count, kind=kind, home=begin, whole=True, changing=changing, own=True
    )  # fmt: skip


def capacity(low: Lowering, keeper: Keeper, value: Sequence) -> int:
    """How long a name's sequence may become: as stated, or as can be seen."""
    if keeper.stated is not None:
        return max(keeper.stated.most, known_length(value) or 0)
    if low.wanted is not None:
        return max(low.wanted, known_length(value) or 0)
    if not keeper.resized and keeper.stores <= 1:
        return bound(value)
    definition = low.scope.definition
    more = None if definition is None else growth(low, keeper.name, definition.body)
    if more is not None and definition is not None:
        return max(bound(value), replaced(low, keeper.name, definition.body)) + more
    kind = "str" if value.kind == TEXT else "list[int]"
    message = f"how long can '{keeper.name}' become?"
    help = f"write {keeper.name}: Annotated[{kind}, anc.Size(up_to=8)] = ... where it begins"
    if keeper.node is None:
        low.problem(message, help)
    else:
        low.wrong(keeper.node, message, help)
    return max(1, bound(value))


def _assigned(low: Lowering, keeper: Keeper, found: Sequence, value: Sequence) -> Sequence:
    """Assign a sequence to the memory, or the variables, of a name."""
    if found.kind != value.kind:
        low.problem(
            f"'{keeper.name}' is {in_words(found)} here, and {in_words(value)} elsewhere",
            "use a name of its own for each",
        )
        return found
    if isinstance(found, Row):
        _assign_row(low, keeper, found, value)
        return found
    if not found.own:
        _move(low, keeper, found, value)
        return found
    is_same = isinstance(value, Cells) and value.home == found.home
    if is_shared(value, keeper.changed) and not is_same:
        low.problem(
            f"'{keeper.name}' would be another name of a list that changes",
            "write list(...) to copy it",
        )
    if isinstance(value, Cells) and value.home == found.home:
        if value.step != 1:
            value = copied(low, value)
        elif value.begin == found.begin and value.count == found.count:
            return found
    count = low.code.copied(low.length(value), "length")
    if bound(value) > found.most:
        require(low, ast.LtE(), count, low.code.number(found.most))
    copy_to(low, value, found.begin)
    if isinstance(found.count, Variable):
        low.code.assign(found.count, count)
    return found


def _move(low: Lowering, keeper: Keeper, found: Cells, value: Sequence) -> None:
    """A name of a part of an argument stands for another part of it."""
    is_part = isinstance(value, Cells) and (value.home, value.step) == (found.home, found.step)
    if not is_part or not isinstance(value, Cells) or not isinstance(found.begin, Variable):
        low.problem(f"'{keeper.name}' cannot be assigned", "use a new name")
        return
    assert isinstance(found.count, Variable)
    begin = low.code.copied(value.begin, "begin")
    low.code.assign(found.count, low.length(value))
    low.code.assign(found.begin, begin)


def _assign_row(low: Lowering, keeper: Keeper, found: Row, value: Sequence) -> None:
    if known_length(value) != len(found.items):
        kind = "str" if value.kind == TEXT else "list[int]"
        low.problem(
            f"'{keeper.name}' has {len(found.items)} elements here, and another length elsewhere",
            f"write {keeper.name}: Annotated[{kind}, anc.Size(up_to=8)] = ... where it begins",
        )
        return
    new = [item(low, value, place) for place in range(len(found.items))]
    many = len(new) > 1
    copies = [
        each if isinstance(each, Row | Cells) or not many else low.code.copied(each, "new")
        for each in new
    ]
    for variable, each in zip(found.items, copies, strict=True):
        if isinstance(variable, Row) and isinstance(each, Row):
            _assign_row(low, keeper, variable, each)
        elif isinstance(variable, Variable) and not isinstance(each, Row | Cells):
            low.code.assign(variable, each)
        elif variable != each:
            low.problem(f"'{keeper.name}' holds elements of several kinds", "use a new name")


def item(low: Lowering, values: Sequence, place: int) -> Binding:
    """The element at a known place, which certainly exists."""
    if isinstance(values, Row):
        return values.items[place]
    address = low.code.add(values.begin, low.code.number(values.step * place))
    number = low.code.read(address)
    return Row((number,), TEXT) if values.kind == TEXT else number


def item_number(low: Lowering, values: Sequence, place: int) -> Operand:
    """The same as a number: of text, the code."""
    found = item(low, values, place)
    if isinstance(found, Row) and values.kind == TEXT:
        found = found.items[0]
    if isinstance(found, Row | Cells):
        low.problem("a list of lists can only be a table of constants", "use one list for each")
        return Constant(0)
    return found


class Choice:
    """The value of one of several expressions: a number, or a sequence."""

    def __init__(self, low: Lowering, name: str, nodes: Several[ast.expr]) -> None:
        self.low, self.name, self.nodes = low, name, nodes
        self.number = Variable(name)
        self.is_number = False
        self.sequence: Sequence | None = None

    def add(self, value: Binding) -> None:
        """The value of one of them, where it is computed."""
        is_several = isinstance(value, Row | Cells)
        if (is_several and self.is_number) or (not is_several and self.sequence is not None):
            self.low.problem(
                f"'{self.name}' is a number here, and several elsewhere", "use one kind of value"
            )
        elif isinstance(value, Row | Cells):
            keeper = Keeper(self.name, len(self.nodes), stated=self.stated(value))
            self.sequence = kept(self.low, keeper, self.sequence, value)
        else:
            self.is_number = True
            self.low.code.assign(self.number, value)

    def stated(self, value: Sequence) -> Size | None:
        """The largest length, if the lengths differ."""
        stated = self.low.scope.sizes.get("return") if self.name not in CHOICES else None
        if stated is not None and value.kind != "tuple":
            return stated
        bounds = [bound_of(self.low, each) for each in self.nodes]
        known = {bound(value), *(each for each in bounds if each is not None)}
        return Size(up_to=max(1, *known)) if len(known) > 1 else None

    def value(self) -> Binding:
        return self.number if self.sequence is None else self.sequence


CHOICES = ("decided", "chosen")  # parts of expressions

# -- copies ----------------------------------------------------------------------------------


def copied(low: Lowering, values: Sequence, most: int | None = None) -> Cells:
    """A copy of a sequence, in memory of its own."""
    most = bound(values) if most is None else most
    begin = low.room_for(max(1, most))
    count = None if known_length(values) == most else low.code.copied(low.length(values), "length")
    found = Cells(low.code.number(begin), most, count, kind=values.kind, home=begin, fresh=True)
    copy_to(low, values, found.begin)
    return found


def copy_to(low: Lowering, values: Sequence, begin: Operand) -> None:
    """Copy all elements to consecutive cells; the first elements are copied first."""
    code, known = low.code, known_length(values)
    if known is not None and (isinstance(values, Row) or known <= FEW):
        for place in range(known):
            to = code.add(begin, code.number(place))
            code.write(to, item_number(low, values, place))
        return
    assert isinstance(values, Cells)
    source, to, rest = Variable("from"), Variable("to"), Variable("rest")
    code.assign(source, values.begin)
    code.assign(to, begin)
    code.assign(rest, low.length(values))
    going_on, body, done = code.label(), code.label(), code.label()
    code.place(going_on)
    code.fork(rest, done, body)
    code.place(body)
    code.write(to, code.read(source))
    code.assign(source, code.shifted(source, values.step))
    code.assign(to, code.shifted(to, 1))
    code.assign(rest, code.shifted(rest, -1))
    code.goto(going_on)
    code.place(done)


def empty(low: Lowering, most: int, kind: str) -> Cells:
    """New memory for a sequence that is made now; its `count` is a variable, 0 at first."""
    begin = low.room_for(max(1, most))
    count = Variable("length")
    low.code.assign(count, Constant(0))
    return Cells(low.code.number(begin), most, count, kind=kind, home=begin, fresh=True)


def append(low: Lowering, values: Cells, number: Operand, is_certain: bool = False) -> None:
    """One more element; an exact program leaves if there is no room."""
    assert isinstance(values.count, Variable)
    code = low.code
    if not is_certain:
        require(low, ast.Lt(), values.count, code.number(values.most))
    code.write(code.add(values.count, values.begin), number)
    code.assign(values.count, code.shifted(values.count, 1))

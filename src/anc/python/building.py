"""New sequences: comprehensions, list(), tuple(), sorted(), str(), chr(), copies."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.capacity import bound_of
from anc.python.concatenation import HINT, concatenated
from anc.python.conditions import compare
from anc.python.exact import require
from anc.python.expressions import combined
from anc.python.loops import COMPREHENSIONS, as_value, each_of
from anc.python.lowering import Lowering, inlined, value
from anc.python.operations import quotient
from anc.python.sequences import TEXT, Binding, Cells, Row, Sequence, in_words
from anc.python.storage import append, copied, empty


@value(ast.ListComp)
def comprehension(low: Lowering, node: ast.ListComp) -> Sequence:
    return collected(low, node, "list")


@value(ast.GeneratorExp)
def generator(low: Lowering, node: ast.GeneratorExp) -> Operand:
    return low.wrong(
        node,
        "expected a value, found a generator",
        "put it into sum(), any(), all(), min(), max() or list()",
    )


def collected(low: Lowering, node: ast.expr, kind: str) -> Sequence:
    """All elements of an iterable, in new memory."""
    most, wanted = bound_of(low, node), low.wanted
    if isinstance(node, ast.Call):
        most = bound_of(low, ast.copy_location(ast.Call(ast.Name("list"), [node], []), node))
    low.wanted = None
    is_certain = most is not None
    if most is None:
        most = wanted
    if most is None:
        low.wrong(node, "how long can this become?", HINT)
        most = 1
    found, done = empty(low, most, kind), low.code.label()

    def use(element: ast.expr | Binding, following: int) -> None:
        number = as_value(low, element)
        if isinstance(number, Row | Cells):
            message = f"an element of a list cannot be {in_words(number)} here"
            low.problem(message, "keep numbers: ord(...) or int(...) of a character")
            return
        append(low, found, number, is_certain)

    each_of(low, node, done, use)
    low.code.place(done)
    low.wanted = wanted
    return found


def _new(low: Lowering, node: ast.Call, kind: str) -> Binding:
    """``list(...)`` and ``tuple(...)``."""
    if not node.args:
        return Row((), kind)
    if len(node.args) > 1:
        return low.wrong(node, f"{kind}() takes one argument, found {len(node.args)}")
    inner = node.args[0]
    if isinstance(inner, COMPREHENSIONS) or (isinstance(inner, ast.Call) and _is_iterator(inner)):
        return collected(low, inner, kind)
    values = low.sequence(inner, f"{kind}() takes something that for goes through")
    if values is None:
        return Row((), kind)
    if values.kind == TEXT:
        message = f"a {kind} of characters is not supported"
        return low.wrong(node, message, "keep the text, or a list of codes: [ord(c) for c in text]")
    if isinstance(values, Row):
        return Row(values.items, kind)
    found = copied(low, values)
    return Cells(
        found.begin, found.most, found.count, kind=kind, home=found.home, fresh=True
    )  # fmt: skip


def _is_iterator(node: ast.Call) -> bool:
    names = ("range", "map", "reversed", "enumerate", "zip")
    return isinstance(node.func, ast.Name) and node.func.id in names


def new_list(low: Lowering, node: ast.Call) -> Binding:
    return _new(low, node, "list")


def new_tuple(low: Lowering, node: ast.Call) -> Binding:
    return _new(low, node, "tuple")


def in_order(low: Lowering, node: ast.Call) -> Binding:
    """``sorted(values)``: a sorted copy."""
    if len(node.args) != 1:
        return low.wrong(node, f"sorted() takes one list, found {len(node.args)} arguments")
    inner = node.args[0]
    if isinstance(inner, COMPREHENSIONS) or (isinstance(inner, ast.Call) and _is_iterator(inner)):
        found = collected(low, inner, "list")
    else:
        values = low.sequence(inner, "sorted() takes a list or a tuple")
        if values is None or values.kind == TEXT:
            if values is not None:
                low.wrong(inner, "sorted characters are not supported", "sort a list of codes")
            return Row((), "list")
        found = copied(low, values)
    assert isinstance(found, Cells)
    found = Cells(found.begin, found.most, found.count, kind="list", home=found.home, fresh=True)
    sort(low, node, found)
    return found


def sort(low: Lowering, node: ast.Call, values: Cells) -> None:
    """Sort in place, as the keyword `reverse` says."""
    inlined(low, "sort", values)
    for keyword in node.keywords:
        known = low.known(keyword.value)
        if keyword.arg != "reverse" or known is None:
            low.wrong(
                keyword.value, "only reverse=True is supported", "sort the numbers themselves"
            )
        elif known:
            inlined(low, "turn", values)


# -- text from numbers -----------------------------------------------------------------------


def text_from(low: Lowering, node: ast.Call) -> Binding:
    """``str(number)``: its decimal digits, the last one first written."""
    if len(node.args) != 1:
        return low.wrong(node, "str() takes one number here")
    given = low.result(node.args[0])
    if isinstance(given, Row | Cells):
        if given.kind == TEXT:
            return given
        return low.wrong(node, f"the text of {in_words(given)} is not supported", "write a number")
    if isinstance(given, Constant):
        return low.constant(node, str(given.value))
    return digits(low, given)


def digits(low: Lowering, number: Operand, base: int = 10) -> Cells:
    code, most = low.code, len(_written(low.M - 1, base))
    begin = low.room_for(most)
    rest, at = Variable("rest"), Variable("at")
    code.assign(rest, number)
    code.assign(at, code.number(begin + most))
    going_on, done = code.label(), code.label()
    code.place(going_on)
    whole = code.copied(quotient(low, rest, Constant(base)), "whole")
    digit = code.subtract(rest, code.multiple(whole, base))
    if base > 10:
        letter, plain = code.label(), code.label()
        digit = code.copied(digit, "digit")
        assert isinstance(digit, Variable)
        compare(code, ast.Gt(), digit, Constant(9), letter, plain, True)
        code.place(letter)
        code.assign(digit, code.shifted(digit, ord("a") - ord("9") - 1))
        code.place(plain)
    code.assign(at, code.shifted(at, -1))
    code.write(at, code.shifted(digit, ord("0")))
    code.assign(rest, whole)
    code.fork(rest, done, going_on)
    code.place(done)
    count = code.copied(code.subtract(code.number(begin + most), at), "count")
    return Cells(at, most, count, kind=TEXT, home=begin, fresh=True)


def _written(number: int, base: int) -> str:
    return str(number) if base == 10 else format(number, {2: "b", 8: "o", 16: "x"}[base])


def based(low: Lowering, node: ast.Call) -> Binding:
    """``bin``, ``oct`` and ``hex``."""
    assert isinstance(node.func, ast.Name)
    base, prefix = {"bin": (2, "0b"), "oct": (8, "0o"), "hex": (16, "0x")}[node.func.id]
    if len(node.args) != 1:
        return low.wrong(node, f"{node.func.id}() takes one number here")
    head = low.constant(node, prefix)
    assert isinstance(head, Row)
    return concatenated(low, head, digits(low, low.value(node.args[0]), base))


def character(low: Lowering, node: ast.Call) -> Binding:
    if len(node.args) != 1:
        return low.wrong(node, "chr() takes one number")
    return Row((low.value(node.args[0]),), TEXT)


def both(low: Lowering, node: ast.Call) -> Binding:
    """``divmod(a, b)``."""
    if len(node.args) != 2:
        return low.wrong(node, f"divmod() takes two numbers, found {len(node.args)}")
    one, other = low.value(node.args[0]), low.value(node.args[1])
    whole = low.code.copied(combined(low, ast.FloorDiv(), one, other), "quotient")
    return Row((whole, combined(low, ast.Mod(), one, other)))


def raised(low: Lowering, node: ast.Call) -> Binding:
    """``pow(a, b)`` and ``pow(a, b, m)``."""
    if len(node.args) not in (2, 3):
        return low.wrong(node, f"pow() takes two or three numbers, found {len(node.args)}")
    numbers = [low.value(each) for each in node.args]
    if len(numbers) == 2:
        return inlined(low, "power", *numbers)
    require(low, ast.NotEq(), numbers[2], Constant(0))
    return inlined(low, "power_modulo", *numbers)

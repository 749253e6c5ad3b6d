"""Text: numbers from digits, codes of characters, and what kind of characters they are."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare, held
from anc.python.exact import added, require, times
from anc.python.iteration import items_in
from anc.python.loops import each_value
from anc.python.lowering import Lowering
from anc.python.sequences import TEXT, Binding, Cells, Row, Sequence, in_words, known_length
from anc.python.storage import append, empty, item_number

Ranges = tuple[tuple[int, int], ...]
DIGITS: Ranges = ((48, 57),)
LOWER: Ranges = ((97, 122),)
UPPER: Ranges = ((65, 90),)
SPACES: Ranges = ((9, 13), (28, 32))
CLASSES: dict[str, Ranges] = {
    "isdigit": DIGITS,
    "isdecimal": DIGITS,
    "isnumeric": DIGITS,
    "isalpha": UPPER + LOWER,
    "isalnum": DIGITS + UPPER + LOWER,
    "isspace": SPACES,
}
ASCII = 128  # beyond these, Python knows more characters than can be told here


def characters(
    low: Lowering, values: Sequence, done: int, use: Callable[[Operand, int], None]
) -> None:
    """Emit `use` for the code of every character, then go to `done`."""

    def body(each: Binding, following: int) -> None:
        code = each.items[0] if isinstance(each, Row) and each.kind == TEXT else each
        assert not isinstance(code, Row | Cells)
        use(code, following)

    each_value(low, items_in(low, values), done, body)


def whole_number(low: Lowering, node: ast.Call) -> Operand:
    """``int(x)`` of a number, or of text: its digits. Signs and spaces are left to Python."""
    if not 1 <= len(node.args) <= 2:
        return low.wrong(node, "int() takes one number or text here")
    given = low.result(node.args[0])
    if not isinstance(given, Row | Cells):
        return given
    if given.kind != TEXT:
        return low.wrong(node, f"int() of {in_words(given)} is not supported", "give it text")
    base = low.known(node.args[1]) if len(node.args) > 1 else 10
    if base is None or not 2 <= base <= 36:
        return low.wrong(node.args[1], "the base must be a known number from 2 to 36")
    if known_length(given) == 1:
        return _digit(low, item_number(low, given, 0), base)
    code, result, done = low.code, Variable("number"), low.code.label()
    require(low, ast.NotEq(), low.length(given), Constant(0))
    code.assign(result, Constant(0))

    def use(each: Operand, following: int) -> None:
        more = times(low, result, code.number(base))
        code.assign(result, added(low, more, _digit(low, each, base)))

    characters(low, given, done, use)
    code.place(done)
    return result


def _digit(low: Lowering, character: Operand, base: int) -> Operand:
    """The value of a digit; an exact program leaves at any other character."""
    code, first = low.code, ord("0")
    require(low, ast.GtE(), character, code.number(first))
    if base <= 10:
        require(low, ast.LtE(), character, code.number(first + base - 1))
        return code.shifted(character, -first)
    digit, letter, small, plain = Variable("digit"), code.label(), code.label(), code.label()
    code.assign(digit, code.shifted(character, -first))
    compare(code, ast.Gt(), character, code.number(ord("9")), letter, plain, True)
    code.place(letter)
    code.assign(digit, code.shifted(digit, first - ord("A") + 10))
    compare(code, ast.GtE(), character, code.number(ord("a")), small, plain, True)
    code.place(small)
    code.assign(digit, code.shifted(digit, ord("A") - ord("a")))
    code.place(plain)
    require(low, ast.Lt(), digit, code.number(base))
    letters = [(ord("0"), ord("9")), (ord("A"), ord("Z")), (ord("a"), ord("z"))]
    if low.is_exact:
        found = held(code, lambda yes, no: within(low, character, tuple(letters), yes, no))
        require(low, ast.NotEq(), found, Constant(0))
    return digit


def within(low: Lowering, character: Operand, ranges: Ranges, yes: int, no: int) -> None:
    """Branch on whether a code is in one of these ranges."""
    code = low.code
    for first, last in ranges:
        if first >= low.M:
            continue
        above, following = code.label(), code.label()
        compare(code, ast.GtE(), character, Constant(first), above, following, True)
        code.place(above)
        compare(code, ast.LtE(), character, Constant(min(last, low.M - 1)), yes, following, False)
        code.place(following)
    code.goto(no)


def code_of(low: Lowering, node: ast.Call) -> Operand:
    """``ord(c)``."""
    if len(node.args) == 1:
        given = low.result(node.args[0])
        if isinstance(given, Row | Cells) and given.kind == TEXT:
            require(low, ast.Eq(), low.length(given), Constant(1))
            return item_number(low, given, 0)
    return low.wrong(node, "ord() takes one character", "write ord(text[0])")


def is_ascii(low: Lowering, character: Operand) -> None:
    if low.M > ASCII:
        require(low, ast.Lt(), character, Constant(ASCII))


def classified(low: Lowering, values: Sequence, name: str) -> Operand:
    """``text.isdigit()``: some characters, and all of them of a class."""
    ranges = CLASSES[name]

    def jump(yes: int, no: int) -> None:
        some = low.code.label()
        low.code.fork(low.length(values), no, some)
        low.code.place(some)

        def use(each: Operand, following: int) -> None:
            is_ascii(low, each)
            within(low, each, ranges, following, no)

        characters(low, values, yes, use)

    return held(low.code, jump)


def cased(low: Lowering, values: Sequence, name: str) -> Operand:
    """``text.isupper()``: at least one letter, and none of the other case."""
    mine, others = (UPPER, LOWER) if name == "isupper" else (LOWER, UPPER)
    code, some = low.code, Variable("some")
    code.assign(some, Constant(0))

    def jump(yes: int, no: int) -> None:
        end = code.label()

        def use(each: Operand, following: int) -> None:
            is_ascii(low, each)
            letter, other = code.label(), code.label()
            within(low, each, others, no, other)
            code.place(other)
            within(low, each, mine, letter, following)
            code.place(letter)
            code.assign(some, Constant(1 % low.M))
            code.goto(following)

        characters(low, values, end, use)
        code.place(end)
        code.fork(some, no, yes)

    return held(code, jump)


def changed_case(low: Lowering, values: Sequence, name: str) -> Sequence:
    """``text.upper()`` and ``text.lower()``."""
    ((first, last),), way = (LOWER, -32) if name == "upper" else (UPPER, 32)
    code = low.code

    def new(character: Operand) -> Operand:
        is_ascii(low, character)
        result, letter, plain = Variable("character"), code.label(), code.label()
        code.assign(result, character)
        within(low, character, ((first, last),), letter, plain)
        code.place(letter)
        code.assign(result, code.shifted(result, way))
        code.place(plain)
        return result

    if isinstance(values, Row):
        codes = [item_number(low, values, place) for place in range(len(values.items))]
        return Row(tuple(new(each) for each in codes), TEXT)
    found, done = empty(low, values.most, TEXT), code.label()

    def use(each: Operand, following: int) -> None:
        append(low, found, new(each), True)

    characters(low, values, done, use)
    code.place(done)
    return found

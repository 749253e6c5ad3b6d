"""Normal forms of products, quotients, remainders and operations on bits.

A number that an operation has as an operand often makes it a sum, a quotient or a remainder; what is left is a
node of the `Operation`. Sums are modulo M, so that most identities need to know that a sum does not wrap around
(`_plain_constant`). Tests compare each identity with the rows on all operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from anc.machine.columns import powers_of_two
from anc.proof.operations import (
    AND,
    DIVIDE,
    MULTIPLY,
    OR,
    REMAIN,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    XOR,
    Operation,
)
from anc.proof.terms import Condition, Form, Node, NodeKind, Value, only

if TYPE_CHECKING:
    from anc.proof.space import Space

_ON_BITS = (AND, OR, XOR)


def computed(space: Space, operation: Operation, a: Value, b: Value) -> Value:
    """The output of an operation."""
    if isinstance(a, int) and isinstance(b, int):
        return operation.meaning(a, b, space.M)
    two, other = _of_two(space, a), _of_two(space, b)
    if operation not in _ON_BITS or all(isinstance(x, int) or _of_two(space, x) for x in (a, b)):
        if two is not None:
            yes, no = (computed(space, operation, value, b) for value in two[1:])
            return space.choice(two[0], yes, no)
        if other is not None:
            yes, no = (computed(space, operation, a, value) for value in other[1:])
            return space.choice(other[0], yes, no)
    return _NORMAL[operation](space, a, b)


def _of_two(space: Space, value: Value) -> tuple[Node, int, int] | None:
    """A value that is one number if a condition holds, and another one if not."""
    if isinstance(value, Form) and len(value.parts) == 1:
        ((node, times),) = value.parts
        if node.kind is NodeKind.CHOICE and isinstance(node.args[1], int):
            more = times * node.args[1]
            return node.args[0], (value.constant + more) % space.M, value.constant
    return None


def _made_by(operation: Operation, value: Value) -> tuple[Value, ...] | None:
    """The operands, if a value is the output of this operation and nothing else."""
    if isinstance(value, Form) and value.constant == 0 and len(value.parts) == 1:
        ((node, times),) = value.parts
        if node.kind is NodeKind.OUTPUT and node.args[0] is operation and times == 1:
            return node.args[1:]
    return None


def _node(space: Space, operation: Operation, *operands: Value) -> Value:
    return space.atom(NodeKind.OUTPUT, (operation, *operands))


def _plain_constant(space: Space, form: Form) -> int | None:
    """The constant with which a sum is from 0 to M - 1 without a reduction; None if there is none."""
    low = high = 0
    for node, coefficient in form.parts:
        times, values = space.signed(coefficient), space.domains.images(node)
        ends = times * int(values[0]), times * int(values[-1])
        low, high = low + min(ends), high + max(ends)
    for constant in (form.constant, form.constant - space.M):
        if low + constant >= 0 and high + constant < space.M:
            return constant
    return None


# -- products, quotients and remainders ----------------------------------------------------


def product(space: Space, a: Value, b: Value) -> Value:
    if isinstance(a, int):
        a, b = b, a
    assert isinstance(a, Form)
    if isinstance(b, int):
        return space.sum(0, a, b)
    (more_a, times_a, x), (more_b, times_b, y) = (_multiple(space, form) for form in (a, b))
    both = _together(space, MULTIPLY, [x, y], 1)
    parts = [(both, times_a * times_b), (x, times_a * more_b), (y, times_b * more_a)]
    return space.total(more_a * more_b, parts)


def _multiple(space: Space, form: Form) -> tuple[int, int, Form]:
    """A number plus a multiple of a form."""
    if len(form.parts) > 1:
        return 0, 1, form
    ((node, times),) = form.parts
    alone = space.form(0, {node: 1})
    assert isinstance(alone, Form)
    return form.constant, times, alone


def _together(space: Space, operation: Operation, operands: Iterable[Value], neutral: int) -> Value:
    """An operation that may be done in any order: one node of all operands."""
    number, by_cell = neutral, dict[int | None, list[Form]]()
    for operand in operands:
        for part in _made_by(operation, operand) or (operand,):
            if isinstance(part, int):
                number = operation.meaning(number, part, space.M)
            else:
                by_cell.setdefault(only(part.support), []).append(part)
    forms = by_cell.pop(None, [])
    if operation is XOR:
        forms = [form for form in dict.fromkeys(forms) if forms.count(form) % 2]
    elif operation is not MULTIPLY:
        forms = list(dict.fromkeys(forms))
    for cell, alike in by_cell.items():
        assert cell is not None
        tables = [space.table(form) for form in alike]
        found = space.function(cell, operation.column(tables, space.M))
        if isinstance(found, int):
            number = operation.meaning(number, found, space.M)
        else:
            forms.append(found)
    if not forms or (number == 0 and operation in (MULTIPLY, AND)):
        return number
    forms.sort(key=lambda form: form.id)
    if operation is MULTIPLY or number == neutral:
        all_forms = forms[0] if len(forms) == 1 else _node(space, operation, *forms)
        return all_forms if number == neutral else space.sum(0, all_forms, number)
    return _node(space, operation, number, *forms)


def quotient(space: Space, a: Value, b: Value) -> Value:
    if a is b:
        return space.choice(space.zero(a), 0, 1)
    if isinstance(a, int) or not isinstance(b, int):
        return 0 if a == 0 else _node(space, DIVIDE, a, b)
    if b == 0 or space.domains.bounds(a)[1] < b:
        return 0
    if b == 1:
        return a
    inner = _made_by(DIVIDE, a)
    if inner is not None and isinstance(inner[1], int):
        return quotient(space, inner[0], inner[1] * b)
    if only(a.support) is None and (constant := _plain_constant(space, a)) is not None:
        times = {node: space.signed(c) for node, c in a.parts}
        whole = space.form(constant // b, {n: c // b for n, c in times.items() if c % b == 0})
        rest = space.form(constant % b, {n: c for n, c in times.items() if c % b})
        if isinstance(rest, int):
            return space.sum(whole, rest // b)
        if rest is not a and _plain_constant(space, rest) == rest.constant:
            return space.sum(whole, quotient(space, rest, b))
    return _node(space, DIVIDE, a, b)


def remainder(space: Space, a: Value, b: Value) -> Value:
    if a is b:
        return 0
    if isinstance(a, int) or not isinstance(b, int):
        return 0 if a == 0 else _node(space, REMAIN, a, b)
    if b == 0 or space.domains.bounds(a)[1] < b:
        return a
    if b == 1:
        return 0
    if only(a.support) is None:
        for is_opened in (True, False):
            rest = _reduced(space, a, b, is_opened)
            if rest is not None and rest is not a:
                return rest % b if isinstance(rest, int) else remainder(space, rest, b)
    return _node(space, REMAIN, a, b)


def _reduced(space: Space, a: Form, b: int, is_opened: bool) -> Value | None:
    """A sum with the same remainder and smaller numbers, perhaps without remainders in it."""
    wraps = space.M % b != 0
    constant = _plain_constant(space, a)
    if wraps and constant is None:
        return None
    parts: list[tuple[Value, int]] = []
    for node, coefficient in a.parts:
        value = space.form(0, {node: 1})
        inner = _made_by(REMAIN, value) if is_opened else None
        if inner is not None and isinstance(inner[1], int) and inner[1] and inner[1] % b == 0:
            value = inner[0]
        parts.append((value, space.signed(coefficient) % b))
    number = (a.constant if constant is None else constant) % b
    found = space.total(number, parts)
    if not wraps or isinstance(found, int):
        return found if not wraps or not any(times for _, times in parts) else None
    high = number + sum(times * space.domains.bounds(value)[1] for value, times in parts)
    return found if high < space.M else None


# -- bits ----------------------------------------------------------------------------------


def _and(space: Space, a: Value, b: Value) -> Value:
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int):
        if b == 0:
            return 0
        low = b & -b
        if (b // low) & (b // low + 1) == 0:  # adjacent bits
            moved = computed(space, DIVIDE, a, low)
            return space.sum(0, computed(space, REMAIN, moved, b // low + 1), low)
    return _together(space, AND, [a, b], (1 << (space.M - 1).bit_length()) - 1)


def _or(space: Space, a: Value, b: Value) -> Value:
    return _any_bits(space, OR, a, b)


def _xor(space: Space, a: Value, b: Value) -> Value:
    return _any_bits(space, XOR, a, b)


def _any_bits(space: Space, operation: Operation, a: Value, b: Value) -> Value:
    if space.M & (space.M - 1) == 0:
        return _together(space, operation, [a, b], 0)
    if isinstance(b, int) or (isinstance(a, Form) and a.id > b.id):
        a, b = b, a
    if a is b:
        return 0 if operation is XOR else a
    return b if a == 0 else _node(space, operation, a, b)


def _shift_left(space: Space, a: Value, b: Value) -> Value:
    powers = powers_of_two(space.M)
    power = int(powers[b]) if isinstance(b, int) else space.mapped(powers, b)
    return computed(space, MULTIPLY, a, power)


def _shift_right(space: Space, a: Value, b: Value) -> Value:
    if isinstance(b, int):
        return 0 if b >= space.M.bit_length() else computed(space, DIVIDE, a, 1 << b)
    return 0 if a == 0 else _node(space, SHIFT_RIGHT, a, b)


_NORMAL: dict[Operation, Callable[[Space, Value, Value], Value]] = {
    MULTIPLY: product,
    DIVIDE: quotient,
    REMAIN: remainder,
    AND: _and,
    OR: _or,
    XOR: _xor,
    SHIFT_LEFT: _shift_left,
    SHIFT_RIGHT: _shift_right,
}


# -- conditions ----------------------------------------------------------------------------


def is_zero(space: Space, value: Form) -> Condition | None:
    """The condition that a value is 0, if it is an output plus a number for which that is simpler."""
    ((node, times), *others) = value.parts
    if others or node.kind is not NodeKind.OUTPUT or times not in (1, space.M - 1):
        return None
    number = -value.constant % space.M if times == 1 else value.constant
    operation, *operands = node.args
    if operation is DIVIDE and isinstance(operands[1], int):
        low = number * operands[1]
        if low >= space.M:
            return False
        high = min(low + operands[1], space.M) - 1
        return space.all_of([space.at_most(low, operands[0]), space.at_most(operands[0], high)])
    if operation is MULTIPLY and number == 0:
        largest = 1
        for operand in operands:
            largest *= space.domains.bounds(operand)[1]
        if largest < space.M:
            return space.any_of(space.zero(operand) for operand in operands)
    if operation is XOR and number == 0 and space.M & (space.M - 1) == 0 and len(operands) == 2:
        return space.zero(space.difference(*operands))
    return None


def is_at_most(space: Space, a: Value, b: Value) -> Condition | None:
    """The condition a <= b, if one is a number; if that is the first, as the opposite of another one."""
    divided = _made_by(DIVIDE, a)
    if divided is not None and isinstance(divided[1], int) and isinstance(b, int):
        return space.at_most(divided[0], min((b + 1) * divided[1], space.M) - 1)
    divided = _made_by(DIVIDE, b)
    if divided is not None and isinstance(divided[1], int) and isinstance(a, int):
        low = a * divided[1]
        return space.at_most(low, divided[0]) if low < space.M else False
    if space.compact and isinstance(a, int):
        return a == 0 or space.opposite(space.at_most(b, a - 1))
    return None


def rejoined(space: Space, constant: int, parts: dict[Node, int]) -> tuple[int, dict[Node, int]]:
    """A sum in which x - x // c * c became x % c, and x % c + x // c * c became x."""
    for node, coefficient in list(parts.items()):
        if node.kind is not NodeKind.OUTPUT or node.args[0] is not DIVIDE:
            continue
        _, x, c = node.args
        if node not in parts or isinstance(x, int) or not isinstance(c, int):
            continue
        rest = space.find(NodeKind.OUTPUT, (REMAIN, x, c))
        if rest in parts and (c * parts[rest] - coefficient) % space.M == 0:
            times = parts[rest]
            del parts[rest], parts[node]
            return _joined(space, constant, parts, x, times)
        times = -(space.signed(coefficient) // c)
        if space.signed(coefficient) % c == 0 and all(
            parts.get(atom) == times * more % space.M for atom, more in x.parts
        ):
            for atom, _ in x.parts:
                del parts[atom]
            del parts[node]
            found = remainder(space, x, c)
            return _joined(space, constant - times * x.constant, parts, found, times)
    return constant, parts


def _joined(
    space: Space, constant: int, parts: dict[Node, int], value: Value, times: int
) -> tuple[int, dict[Node, int]]:
    """A sum and a multiple of a value."""
    if isinstance(value, int):
        return constant + times * value, parts
    for atom, more in value.parts:
        parts[atom] = (parts.get(atom, 0) + times * more) % space.M
        if not parts[atom]:
            del parts[atom]
    return rejoined(space, constant + times * value.constant, parts)

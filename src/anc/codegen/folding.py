"""Forward substitution: ``k = tape[0]; tape[k] = 1`` becomes ``tape[tape[0]] = 1``.

A value is substituted if it is used exactly once, in the same block, and if nothing that it depends on
changes in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from anc.codegen.expressions import (
    Condition,
    Expression,
    Name,
    inside,
    names_in,
    reads_tape,
    replaced,
)
from anc.codegen.statements import Assign, Store, values_of, with_values

LARGEST = 9  # subexpressions in an expression; more are hard to read

Finals = tuple[Expression, ...]


def folded(
    statements: Sequence[Assign | Store], finals: Finals, kept: set[str], M: int
) -> tuple[list[Assign | Store], Finals]:
    """The statements and the final expressions of a block, with single uses substituted.

    `kept` are the variables that are live after the block.
    """
    found = list(statements)
    place = 0
    while place < len(found):
        step = found[place]
        user = _only_user(found, finals, place, kept) if isinstance(step, Assign) else None
        if user is None or not isinstance(step, Assign):
            place += 1
            continue
        put = partial(replaced, name=step.name, by=step.value, M=M)
        is_final = user == len(found)
        new = tuple(map(put, finals if is_final else values_of(found[user])))
        if max(map(_size, new)) > LARGEST:
            place += 1
            continue
        if is_final:
            finals = new
        else:
            found[user] = with_values(found[user], put)
        del found[place]
    return found, finals


def _only_user(
    statements: list[Assign | Store], finals: Finals, place: int, kept: set[str]
) -> int | None:
    """The position of the only use of a value, if it can be substituted there."""
    step = statements[place]
    assert isinstance(step, Assign)
    depends = names_in(step.value)
    user: int | None = None
    movable = True
    for later in range(place + 1, len(statements)):
        other = statements[later]
        uses = _uses(values_of(other), step.name)
        if uses:
            if user is not None or uses > 1 or not movable:
                return None
            user = later
        if isinstance(other, Assign):
            if other.name == step.name:
                return user
            movable = movable and other.name not in depends
        elif reads_tape(step.value):
            movable = False
    if step.name in kept:
        return None
    uses = _uses(finals, step.name)
    if uses:
        return len(statements) if user is None and uses == 1 and movable else None
    return user


def _uses(values: Sequence[Expression | Condition], name: str) -> int:
    return sum(part == Name(name) for value in values for part in inside(value))


def _size(value: Expression | Condition) -> int:
    return sum(1 for _ in inside(value))

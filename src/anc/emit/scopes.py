"""Where C declares its variables: with their first value, in the smallest scope that has them all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from anc.emit.expressions import Condition, Expression, Name, inside
from anc.emit.statements import (
    Assign,
    Body,
    Go,
    If,
    Loop,
    Return,
    Statement,
    Statements,
    Store,
    every,
)


@dataclass(frozen=True)
class Declared(Assign):
    """An assignment that is also the variable's declaration."""


def with_declarations(body: Body) -> tuple[Statements, dict[str, int]]:
    """The statements, and the variables that must be declared in front of them, with a value."""
    total = mentioned(body.statements)
    placed = set(body.first_values)
    found = _declared(body.statements, total, placed)
    return found, body.first_values | dict.fromkeys(sorted(total.keys() - placed), 0)


def _declared(statements: Statements, total: Counter[str], placed: set[str]) -> Statements:
    here = mentioned(statements)
    own = {name for name in here if here[name] == total[name]} - placed
    found: list[Statement] = []
    for statement in statements:
        names = mentioned((statement,))
        if isinstance(statement, Assign) and statement.name in own and names[statement.name] == 1:
            placed.add(statement.name)
            found.append(Declared(statement.name, statement.value))
        else:
            found.append(_inside(statement, total, placed))
        own -= names.keys()
    return tuple(found)


def _inside(statement: Statement, total: Counter[str], placed: set[str]) -> Statement:
    match statement:
        case If(_, then, otherwise):
            return replace(
                statement,
                then=_declared(then, total, placed),
                otherwise=_declared(otherwise, total, placed),
            )
        case Loop(_, body):
            return replace(statement, body=_declared(body, total, placed))
    return statement


def mentioned(statements: Statements) -> Counter[str]:
    """How often variables are read or written."""
    found: Counter[str] = Counter()
    for statement in every(statements):
        if isinstance(statement, Assign):
            found[statement.name] += 1
        for value in values_of(statement):
            found.update(part.text for part in inside(value) if isinstance(part, Name))
    return found


def values_of(statement: Statement) -> tuple[Expression | Condition, ...]:
    match statement:
        case Assign() | Store():
            return statement.values
        case If(condition, _, _):
            return (condition,)
        case Loop(condition, _):
            return () if condition is None else (condition,)
        case Go(to):
            return (to,)
        case Return(value):
            return () if value is None else (value,)
    return ()

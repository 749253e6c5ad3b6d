"""Where a function returns, and what."""

from __future__ import annotations

from dataclasses import replace

from anc.emit.expressions import Expression, Given, Name, Number
from anc.emit.scopes import mentioned
from anc.emit.statements import (
    Assign,
    Dispatch,
    If,
    Loop,
    Return,
    Statement,
    Statements,
    Store,
    every,
    leaves,
)


def returning(statements: Statements, result: Expression | None) -> Statements:
    """The statements with a `return` at their end; one behind the result's assignment returns its value.

    `result` is the variable or the cell that is returned (None: what is returned stays as it is).
    """
    return _said(statements if leaves(statements) else (*statements, Return()), result)


def without_first_value(statements: Statements, result: Expression | None) -> Statements:
    """The statements without a first value of the result that no `return` gives back."""
    if not isinstance(result, Name) or Return(None) in every(statements):
        return statements
    if mentioned(statements)[result.text] > 1:
        return statements
    return tuple(s for s in statements if not (isinstance(s, Assign) and s.name == result.text))


def _said(statements: Statements, result: Expression | None) -> Statements:
    found = [_inside(each, result) for each in statements]
    match found:
        case [*others, Assign(name, value), Return(None)] if result == Name(name):
            return (*others, Return(value))
        case [*others, Store(Number(cell), value), Return(None)] if result == Given(
            f"tape[{cell}]"
        ):
            return (*others, Return(value))
    return tuple(found)


def _inside(statement: Statement, result: Expression | None) -> Statement:
    match statement:
        case If(condition, then, otherwise):
            return If(condition, _said(then, result), _said(otherwise, result))
        case Loop(condition, body):
            return Loop(condition, _said(body, result))
        case Dispatch(_, cases):
            said = tuple((number, _said(body, result)) for number, body in cases)
            return replace(statement, cases=said)
    return statement

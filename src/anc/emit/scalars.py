"""A variable for each cell, where a program always knows which cells it reads and writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from anc.emit.expressions import (
    Apply,
    Both,
    Cell,
    Condition,
    Expression,
    Given,
    Number,
    Test,
    Total,
    inside,
)
from anc.emit.expressions import Name as Variable
from anc.emit.scopes import mentioned, values_of
from anc.emit.statements import (
    Assign,
    Body,
    Dispatch,
    Go,
    If,
    Loop,
    Return,
    Statement,
    Statements,
    Store,
    every,
)


def without_tape(
    body: Body, given: Callable[[int], Expression], name: Callable[[int], str]
) -> tuple[Body, dict[int, Expression]] | None:
    """The same statements on variables, and where the written cells are; None: they need a tape.

    `given` says what a cell holds first, `name` what to call the variable of one that is written.
    """
    addresses = [
        part.address
        for statement in every(body.statements)
        for value in values_of(statement)
        for part in inside(value)
        if isinstance(part, Cell)
    ]
    stores = [each.address for each in every(body.statements) if isinstance(each, Store)]
    if not all(isinstance(address, Number) for address in (*addresses, *stores)):
        return None
    written = {a.value: Variable(name(a.value)) for a in stores if isinstance(a, Number)}

    def cell(number: int) -> Expression:
        return written.get(number) or given(number)

    statements = _Rewriting(cell, {}).statements(body.statements)
    copies = _copies(statements, {*body.first_values, *(each.text for each in written.values())})
    statements = _Rewriting(cell, copies).statements(statements)
    begin = tuple(
        Assign(variable.text, given(number))
        for number, variable in sorted(written.items())
        if _is_read_first(statements, variable.text)
    )
    return replace(body, statements=begin + statements), dict(written)


def _is_read_first(statements: Statements, name: str) -> bool:
    """Whether the first value of a variable may be wanted, also after the last statement."""
    for statement in statements:
        if isinstance(statement, Assign) and statement.name == name:
            return mentioned((statement,))[name] > 1
        inside = every((statement,))
        if mentioned((statement,))[name] or any(isinstance(each, Return) for each in inside):
            return True
    return True


def _copies(statements: Statements, kept: Collection[str]) -> dict[str, Expression]:
    """Variables that are nothing but a part of an argument."""
    assigned = [each for each in every(statements) if isinstance(each, Assign)]
    times = Counter(each.name for each in assigned)
    return {
        each.name: each.value
        for each in assigned
        if isinstance(each.value, Given) and times[each.name] == 1 and each.name not in kept
    }


def _simpler(total: Total) -> Expression:
    """The same sum without the numbers among its terms."""
    number = total.number + sum(sign * t.value for sign, t in total.terms if isinstance(t, Number))
    terms = tuple((sign, t) for sign, t in total.terms if not isinstance(t, Number))
    match terms:
        case ():
            return total
        case ((1, term),) if number == 0:
            return term
    return replace(total, terms=terms, number=number)


class _Rewriting:
    """Puts something else for cells and for variables, which are then not assigned any more."""

    def __init__(self, cell: Callable[[int], Expression], copies: Mapping[str, Expression]) -> None:
        self.cell, self.copies = cell, copies

    def statements(self, statements: Sequence[Statement]) -> Statements:
        kept = (
            each
            for each in statements
            if not (isinstance(each, Assign) and each.name in self.copies)
        )
        return tuple(map(self.statement, kept))

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Store(Number(number), value):
                variable = self.cell(number)
                assert isinstance(variable, Variable)
                return Assign(variable.text, self.value(value))
            case Assign(name, value):
                return Assign(name, self.value(value))
            case If(condition, then, otherwise):
                branches = self.statements(then), self.statements(otherwise)
                return If(self.condition(condition), *branches)
            case Loop(condition, body):
                test = None if condition is None else self.condition(condition)
                return Loop(test, self.statements(body))
            case Go(to):
                return Go(self.value(to))
            case Dispatch(_, cases):
                rewritten = tuple((number, self.statements(body)) for number, body in cases)
                return replace(statement, cases=rewritten)
        return statement

    def value(self, value: Expression) -> Expression:
        match value:
            case Cell(Number(number)):
                return self.cell(number)
            case Variable(name):
                return self.copies.get(name, value)
            case Total(terms):
                return _simpler(replace(value, terms=tuple((s, self.value(t)) for s, t in terms)))
            case Apply(op, operands):
                return Apply(op, tuple(map(self.value, operands)))
        return value

    def condition(self, condition: Condition) -> Condition:
        if isinstance(condition, Both):
            return replace(condition, parts=tuple(map(self.condition, condition.parts)))
        return Test(self.value(condition.left), condition.op, self.value(condition.right))

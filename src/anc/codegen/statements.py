"""Emitted code as a tree of statements, before it is Python or C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from anc.codegen.expressions import Cell, Condition, Expression, Name, Number, inside


@dataclass(frozen=True)
class Assign:
    name: str
    value: Expression


@dataclass(frozen=True)
class Store:
    """A cell of the tape is written."""

    address: Expression
    value: Expression


@dataclass(frozen=True)
class If:
    condition: Condition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Loop:
    """Repeated while the condition holds; without one, until something leaves it."""

    condition: Condition | None
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Break:
    pass


@dataclass(frozen=True)
class Continue:
    pass


@dataclass(frozen=True)
class Return:
    """The program stops; the value is the function's result, if it has one that is known here."""

    value: Expression | None = None


@dataclass(frozen=True)
class PastEnd:
    """The run leaves the last line: it has not stopped, and there is nothing to go on with."""


@dataclass(frozen=True)
class Go:
    """In a dispatch loop: which line comes next."""

    line: Expression


@dataclass(frozen=True)
class Dispatch:
    """Lines by number, each of which says which one is next; `ends` is the first number past them.

    It stands where jumps are computed, or lead into the middle of loops. If it is `forward`, no line
    leads to itself or to one before it, and the first is where it starts.
    """

    start: int
    cases: tuple[tuple[int, tuple[Statement, ...]], ...]
    ends: int | None = None  # where a computed jump can leave the program
    forward: bool = False


Statement = Assign | Store | If | Loop | Break | Continue | Return | PastEnd | Go | Dispatch
Statements = tuple[Statement, ...]
S = TypeVar("S", bound=Statement)

LEAVES = (Break, Continue, Return, PastEnd)


@dataclass(frozen=True)
class Body:
    """The statements of a function and what its variables hold first."""

    statements: Statements
    first_values: dict[str, int] = field(default_factory=dict)


def leaves(statements: Sequence[Statement]) -> bool:
    """Whether control never comes to the end of these statements."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, If):
        return leaves(last.then) and leaves(last.otherwise)
    if isinstance(last, Loop):
        return last.condition is None and not _breaks(last.body)
    return isinstance(last, (*LEAVES, Dispatch))


def _breaks(statements: Sequence[Statement]) -> bool:
    """Whether a `break` among these leaves the loop that they are the body of."""
    return any(
        isinstance(each, Break)
        or (isinstance(each, If) and (_breaks(each.then) or _breaks(each.otherwise)))
        for each in statements
    )


def reachable(statements: Sequence[Statement]) -> Statements:
    """The statements without what stands behind one that control never comes past."""
    found: list[Statement] = []
    for each in statements:
        found.append(with_blocks(each, reachable))
        if leaves(found[-1:]):
            break
    return tuple(found)


def every(statements: Sequence[Statement]) -> Iterator[Statement]:
    """All statements, also those inside of others."""
    for each in statements:
        yield each
        match each:
            case If(_, then, otherwise):
                yield from every(then)
                yield from every(otherwise)
            case Loop(_, body):
                yield from every(body)
            case Dispatch(_, cases):
                for _, body in cases:
                    yield from every(body)


def with_blocks(statement: Statement, change: Callable[[Statements], Statements]) -> Statement:
    """A statement with something else for each row of statements inside of it."""
    match statement:
        case If(_, then, otherwise):
            return replace(statement, then=change(then), otherwise=change(otherwise))
        case Loop(_, body):
            return replace(statement, body=change(body))
        case Dispatch(_, cases):
            return replace(statement, cases=tuple((n, change(body)) for n, body in cases))
    return statement


def values_of(statement: Statement) -> tuple[Expression | Condition, ...]:
    """The expressions and the condition of a statement itself."""
    match statement:
        case Store(address, value):
            return address, value
        case Assign(_, value) | Go(value):
            return (value,)
        case If(condition):
            return (condition,)
        case Loop(condition) if condition is not None:
            return (condition,)
        case Return(value) if value is not None:
            return (value,)
    return ()


def with_values(statement: S, change: Callable[[Any], Any]) -> S:
    """A statement with something else for each of these."""
    match statement:
        case Store(address, value):
            return replace(statement, address=change(address), value=change(value))
        case Assign(_, value):
            return replace(statement, value=change(value))
        case Go(line):
            return replace(statement, line=change(line))
        case If(condition):
            return replace(statement, condition=change(condition))
        case Loop(condition) if condition is not None:
            return replace(statement, condition=change(condition))
        case Return(value) if value is not None:
            return replace(statement, value=change(value))
    return statement


def mentioned(statements: Sequence[Statement]) -> Counter[str]:
    """How often variables are read or written."""
    found: Counter[str] = Counter()
    for statement in every(statements):
        if isinstance(statement, Assign):
            found[statement.name] += 1
        for value in values_of(statement):
            found.update(part.text for part in inside(value) if isinstance(part, Name))
    return found


def has_computed_address(statements: Sequence[Statement]) -> bool:
    """Whether it is only known in a run which cells these read or write."""
    addresses: list[Expression] = []
    for statement in every(statements):
        parts = (part for value in values_of(statement) for part in inside(value))
        addresses += [part.address for part in parts if isinstance(part, Cell)]
        addresses += [statement.address] if isinstance(statement, Store) else []
    return not all(isinstance(address, Number) for address in addresses)


def returning(statements: Statements, result: Expression | None) -> Statements:
    """The statements with a `return` at their end; one behind the result's assignment returns its value.

    `result` is the variable or the cell that is returned (None: what is returned stays as it is).
    """
    ended = statements if leaves(statements) else (*statements, Return())
    return ended if result is None else _returned(ended, result)


def _returned(statements: Statements, result: Expression) -> Statements:
    found = [with_blocks(each, lambda inner: _returned(inner, result)) for each in statements]
    match found:
        case [*others, Assign(name, value), Return(None)] if result == Name(name):
            return (*others, Return(value))
        case [*others, Store(address, value), Return(None)] if result == Cell(address):
            return (*others, Return(value))
    return tuple(found)


def without_first_value(statements: Statements, result: Expression | None) -> Statements:
    """The statements without a first value of the result that no `return` gives back."""
    if not isinstance(result, Name) or Return(None) in every(statements):
        return statements
    if mentioned(statements)[result.text] > 1:
        return statements
    return tuple(s for s in statements if not (isinstance(s, Assign) and s.name == result.text))

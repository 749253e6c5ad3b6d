"""The statement IR: emitted code as a tree, before it is printed as Python or C."""

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
    """A write to a cell of the tape."""

    address: Expression
    value: Expression


@dataclass(frozen=True)
class If:
    condition: Condition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Loop:
    """A loop; endless without a condition."""

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
    """The program stops; `value` is the result if it differs from the function's usual one."""

    value: Expression | None = None


@dataclass(frozen=True)
class PastEnd:
    """The run leaves the last line without stopping."""


@dataclass(frozen=True)
class Go:
    """In a dispatch loop, the next line."""

    line: Expression


@dataclass(frozen=True)
class Dispatch:
    """A dispatch loop over numbered lines, each of which names the next; `ends` is their number.

    It is used for computed jumps and for irreducible control flow. If it is `forward`, no line jumps
    backwards, and the first line is the start.
    """

    start: int
    cases: tuple[tuple[int, tuple[Statement, ...]], ...]
    ends: int | None = None  # the first number past the lines, for computed jumps
    forward: bool = False


Statement = Assign | Store | If | Loop | Break | Continue | Return | PastEnd | Go | Dispatch
Statements = tuple[Statement, ...]
S = TypeVar("S", bound=Statement)

LEAVES = (Break, Continue, Return, PastEnd)


@dataclass(frozen=True)
class Body:
    """The statements of a function and the initial values of its variables."""

    statements: Statements
    first_values: dict[str, int] = field(default_factory=dict)


def leaves(statements: Sequence[Statement]) -> bool:
    """Whether control never reaches the end of these statements."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, If):
        return leaves(last.then) and leaves(last.otherwise)
    if isinstance(last, Loop):
        return last.condition is None and not _breaks(last.body)
    return isinstance(last, (*LEAVES, Dispatch))


def _breaks(statements: Sequence[Statement]) -> bool:
    """Whether a `break` in a loop's body leaves that loop."""
    return any(
        isinstance(each, Break)
        or (isinstance(each, If) and (_breaks(each.then) or _breaks(each.otherwise)))
        for each in statements
    )


def reachable(statements: Sequence[Statement]) -> Statements:
    """The statements without unreachable ones."""
    found: list[Statement] = []
    for each in statements:
        found.append(with_blocks(each, reachable))
        if leaves(found[-1:]):
            break
    return tuple(found)


def every(statements: Sequence[Statement]) -> Iterator[Statement]:
    """All statements, including nested ones."""
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
    """A statement with each of its blocks changed."""
    match statement:
        case If(_, then, otherwise):
            return replace(statement, then=change(then), otherwise=change(otherwise))
        case Loop(_, body):
            return replace(statement, body=change(body))
        case Dispatch(_, cases):
            return replace(statement, cases=tuple((n, change(body)) for n, body in cases))
    return statement


def values_of(statement: Statement) -> tuple[Expression | Condition, ...]:
    """The expressions and the condition of a statement, without nested statements."""
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
    """A statement with each of its expressions and its condition changed."""
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
    """The number of reads and writes of each variable."""
    found: Counter[str] = Counter()
    for statement in every(statements):
        if isinstance(statement, Assign):
            found[statement.name] += 1
        for value in values_of(statement):
            found.update(part.text for part in inside(value) if isinstance(part, Name))
    return found


def has_computed_address(statements: Sequence[Statement]) -> bool:
    """Whether statements access a cell whose address is computed."""
    addresses: list[Expression] = []
    for statement in every(statements):
        parts = (part for value in values_of(statement) for part in inside(value))
        addresses += [part.address for part in parts if isinstance(part, Cell)]
        addresses += [statement.address] if isinstance(statement, Store) else []
    return not all(isinstance(address, Number) for address in addresses)


def returning(statements: Statements, result: Expression | None) -> Statements:
    """The statements with a final `return`; a result that is assigned just before is returned at once.

    `result` is the returned variable or cell; with None, values are not moved into returns.
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
    """The statements without an initial assignment of the result that no `return` uses."""
    if not isinstance(result, Name) or Return(None) in every(statements):
        return statements
    if mentioned(statements)[result.text] > 1:
        return statements
    return tuple(s for s in statements if not (isinstance(s, Assign) and s.name == result.text))

"""Emitted code as a tree of statements, before it is Python or C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from anc.emit.expressions import Condition, Expression


@dataclass(frozen=True)
class Assign:
    name: str
    value: Expression

    @property
    def values(self) -> tuple[Expression, ...]:
        """The expressions in it."""
        return (self.value,)


@dataclass(frozen=True)
class Store:
    """A cell of the tape is written."""

    address: Expression
    value: Expression

    @property
    def values(self) -> tuple[Expression, ...]:
        return self.address, self.value


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
        match each:
            case If(condition, then, otherwise):
                each = If(condition, reachable(then), reachable(otherwise))
            case Loop(condition, body):
                each = Loop(condition, reachable(body))
        found.append(each)
        if leaves((each,)):
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

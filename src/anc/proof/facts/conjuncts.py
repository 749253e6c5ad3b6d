"""Splitting facts into conjuncts, and merging conjuncts into readable facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from anc.proof.facts.bounded_quantifiers import Stepwise
from anc.proof.facts.logic import And, Fact
from anc.proof.facts.relations import Comparison, compare
from anc.proof.facts.sets import Sorted
from anc.proof.facts.terms import At, Sum, cell

AnyFact = TypeVar("AnyFact", bound=Fact)


def conjuncts(facts: Iterable[Fact], pairs: bool = True) -> list[Fact]:
    """Split conjunctions and chains of comparisons, without duplicates.

    With `pairs`, sorted terms also become pairs of neighbours, and facts about lists one fact per
    element.
    """
    found: dict[Fact, None] = {}
    for fact in facts:
        parts: Iterable[Fact] = [fact]
        match fact:
            case And():
                parts = conjuncts(fact.parts, pairs)
            case Comparison():
                parts = (compare(a, op, b) for a, op, b in fact.links())
            case Sorted() if pairs:
                parts = fact.pairs()
            case Stepwise() if pairs:
                parts = fact.clauses()
        found.update(dict.fromkeys(parts))
    return list(found)


def merged(facts: Sequence[Fact]) -> list[Fact]:
    """Merge the two bounds of a cell into one range, and pairs of neighbours into one `sorted`.

    >>> print(*merged([compare(cell(4), "!=", 0), compare(cell(4), "<=", 6)]))
    1 <= tape[4] <= 6
    >>> print(*merged([compare(cell(4), "<=", cell(5)), compare(cell(5), "<=", cell(6))]))
    sorted(tape[4:7])
    """
    lower: dict[Sum, int] = {}
    upper: dict[Sum, int] = {}
    bounds = [_bounds(fact) for fact in facts]
    for of, low, high in bounds:
        if low is not None:
            lower[of] = max(low, lower.get(of, low))
        if high is not None:
            upper[of] = min(high, upper.get(of, high))
    in_order = _in_order(facts)
    found: dict[Fact, None] = {}
    for fact, (of, _, _) in zip(facts, bounds, strict=True):
        if of in lower and of in upper:
            fact = compare(lower[of], "<=", of, "<=", upper[of])
        found[in_order.get(fact, fact)] = None
    return list(found)


def _bounds(fact: Fact) -> tuple[Sum, int | None, int | None]:
    """The cell that a fact bounds, with its lower and upper bound."""
    match fact:
        case Comparison(Sum((), low), (("<=", Sum(((1, _),), 0) as of),)):
            return of, low, None
        case Comparison(Sum(((1, _),), 0) as of, (("!=", Sum((), 0)),)):
            return of, 1, None
        case Comparison(Sum(((1, _),), 0) as of, (("<=", Sum((), high)),)):
            return of, None, high
    return Sum(), None, None


def _in_order(facts: Sequence[Fact]) -> dict[Fact, Sorted]:
    """Map comparisons of neighbouring cells, where there are at least two in a row, to one `sorted`."""
    pairs: dict[int, Fact] = {}  # by the first cell of the pair
    for fact in facts:
        match fact:
            case Comparison(Sum(((1, int(a)),), 0), (("<=", Sum(((1, int(b)),), 0)),)) if (
                b == a + 1
            ):
                pairs[a] = fact
    found: dict[Fact, Sorted] = {}
    for begin in sorted(pairs):
        end = begin
        while begin - 1 not in pairs and end in pairs:
            end += 1
        if end - begin > 1:
            whole = Sorted(tuple(map(cell, range(begin, end + 1))))
            found |= {pairs[place]: whole for place in range(begin, end)}
    return found


def moved(fact: AnyFact, where: Mapping[int, int | At]) -> AnyFact:
    """Rename cells in a fact, also to computed cells.

    >>> from anc.proof.facts import cell, compare
    >>> print(moved(compare(cell(1), "<=", cell(2, plus=7)), {1: 4}))
    tape[4] <= tape[2] + 7
    """
    return fact.replaced({place: Sum(((1, other),)) for place, other in where.items()})


def numbers_in(fact: Fact) -> frozenset[int]:
    """The constants that a fact compares cells with.

    >>> from anc.proof.facts import cell, compare, member
    >>> sorted(numbers_in(compare(7, "<=", cell(2))) | numbers_in(member(cell(3), [1, 4])))
    [1, 4, 7]
    """
    return frozenset(_numbers(fact))


def _numbers(part: Any) -> Iterator[int]:
    match part:
        case Sum((), constant):
            yield constant
        case Fact():
            yield from _numbers(part.fields)
        case tuple():
            for each in part:
                yield from _numbers(each)
        case int():
            yield part

"""Why a precondition rejects a tape: the facts that fail on it, and the cells that they speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anc.diagnostics import AncError
from anc.verify import Fact, parse_fact


@dataclass(frozen=True)
class Rejection:
    """The numbers of the facts that a tape breaks, and all cells that these speak of."""

    facts: tuple[int, ...]
    cells: tuple[int, ...]


def why_rejected(precondition: Sequence[str], tape: Sequence[int] | None) -> Rejection:
    """What a tape breaks; nothing where a fact is written in words that are not known here."""
    if tape is None:
        return Rejection((), ())
    try:
        facts = [parse_fact(text, len(tape)) for text in precondition]
    except AncError:
        return Rejection((), ())
    broken = [number for number, fact in enumerate(facts) if not fact.holds(tape)]
    cells = {cell for number in broken for cell in _spoken_of(facts[number], tape)}
    return Rejection(tuple(broken), tuple(sorted(cells)))


def _spoken_of(fact: Fact, tape: Sequence[int]) -> set[int]:
    known = dict(enumerate(tape))
    found = {pointer.place(known, len(tape)) for pointer in fact.pointers}
    return set(fact.cells) | {cell for cell in found if cell is not None}

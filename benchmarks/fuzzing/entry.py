"""An entry point: how its inputs are made, and what must hold of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from anc.support.diagnostics import AncError

Parts = dict[
    str, str
]  # an input: named texts, so that any of them can be cut down (bytes: latin-1)


class Wrong(Exception):
    """An answer that is not what the definition says, or a promise that is not kept."""


@dataclass(frozen=True)
class Entry:
    """`check` returns whether the input was accepted; an AncError says that it was refused.

    Anything else that it raises is a failure. `share` says how many inputs it gets beside the others,
    `seconds` how long one may take; `warm` does what takes long only once in a process. `tested` inputs
    of it are among the project's tests.
    """

    name: str
    make: Callable[[Random], Parts]
    check: Callable[[Parts], bool]
    share: int = 10
    seconds: float = 5.0
    warm: Callable[[], object] | None = None
    tested: int = 15

    def input(self, seed: int, number: int) -> Parts:
        """The input of that number: the same on every machine."""
        return self.make(Random(f"{self.name}/{seed}/{number}"))


@contextmanager
def must(what: str) -> Iterator[None]:
    """Here nothing may be refused any more."""
    try:
        yield
    except AncError as problem:
        raise Wrong(f"{what} is refused: {str(problem)[:500]}") from problem


def same(what: str, found: object, wanted: object) -> None:
    """Two ways that must lead to the same."""
    if found != wanted:
        raise Wrong(f"{what}: {str(found)[:1000]} instead of {str(wanted)[:1000]}")

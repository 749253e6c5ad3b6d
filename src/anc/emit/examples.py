"""Tapes for a self-test, with what a program leaves there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from random import Random

from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program

Example = tuple[Sequence[int], Sequence[int]]  # a tape, and what it is afterwards

_SHOWN = 8
_TRIED = 200
_MAX_STEPS = 10_000


def examples_of(
    program: Program, M: int, tapes: Iterable[Sequence[int]] | None = None
) -> list[Example]:
    """Tapes on which a program stops, the first few of those given or drawn at random."""
    found: list[Example] = []
    for tape in islice(_drawn(M) if tapes is None else tapes, _TRIED):
        run = exact.run(program, tape, _MAX_STEPS)
        if run.stop is Stop.STOPPED:
            found.append((tuple(tape), run.tape))
        if len(found) == _SHOWN:
            break
    return found


def _drawn(M: int) -> Iterable[tuple[int, ...]]:
    random = Random(f"examples/{M}")
    while True:
        yield tuple(random.randrange(M) for _ in range(M))

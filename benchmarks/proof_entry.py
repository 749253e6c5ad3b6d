"""A claim of the benchmark of proofs, with the verdict that it deserves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program
from anc.proof import Claim, parse_fact

MAX_STEPS = 20_000


@dataclass(frozen=True)
class Entry:
    """A claim with a name and the verdict that it deserves; it is made when it is needed."""

    name: str
    M: int
    expected: str  # "proved" or "refuted"
    make: Callable[[], Claim]


def entry(
    name: str,
    M: int,
    expected: str,
    generic: str,
    adapted: str,
    facts: Iterable[str] = (),
    mask: Sequence[int] | None = None,
) -> Entry:
    def make() -> Claim:
        counts = [mask is None or cell in mask for cell in range(M)]
        stated = [parse_fact(text, M) for text in facts]
        both = (compiled(text, M) for text in (generic, adapted))
        return Claim(*both, M, counts, stated, MAX_STEPS)

    return Entry(name, M, expected, make)


def compiled(text: str, M: int) -> Program:
    return compile_source(Source(text), memory=M).program

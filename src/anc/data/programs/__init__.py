"""The paper's thirteen programs, as source texts that carry their own examples."""

from __future__ import annotations

from importlib import resources

from anc.language import Source
from anc.support.diagnostics import AncError, close_match

_NAMES = (
    "access",
    "copy",
    "increment",
    "reverse",
    "permutation",
    "swap",
    "listsearch",
    "listk",
    "walkbst",
    "merge",
    "dijkstra",
    "addition",
    "sort",
)


def names() -> tuple[str, ...]:
    """The names of the programs, in the paper's order."""
    return _NAMES


def summary(name: str) -> str:
    """The summary of a program, from its leading comment.

    >>> summary("access")
    'access: replace cell 0 by the k-th element of a list, counted from 0'
    """
    return source(name).summary


def source(name: str) -> Source:
    """The source text of a program.

    >>> source("listk").name
    'listk.anc'
    """
    if name not in _NAMES:
        match = close_match(name, _NAMES)
        help = f"did you mean '{match}'?" if match else "the programs are " + ", ".join(_NAMES)
        raise AncError(f"there is no program '{name}'", help)
    file = f"{name}.anc"
    return Source(resources.files(__name__).joinpath(file).read_text(encoding="utf-8"), file)

"""Lists that people give as arguments, refused by name if they are something else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from anc.diagnostics import AncError, quoted
from anc.limits import CELL


def wholes(name: str, values: Any) -> tuple[int, ...]:
    """A list of numbers of cells, or of what cells hold.

    >>> wholes("counts", range(3))
    (0, 1, 2)
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise AncError(f"{name} is {quoted(values)}, expected a list of whole numbers")
    return tuple(CELL.check(value, f"a number of {name}") for value in values)


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Several texts; one alone is meant as such, and not letter by letter.

    >>> texts("machines", "exact")
    ('exact',)
    """
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise AncError(f"{name} is {quoted(value)}, expected a list of texts")
    return tuple(found)

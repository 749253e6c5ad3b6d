"""Listings as texts: their canonical form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.language import Source


def fmt(listing: str | Path) -> str:
    """A listing in canonical form, with its comments kept; it stays the same program.

    The listing is a text, a file, or the name of a shipped program.

    >>> import anc
    >>> print(anc.fmt("var k=0 ; k = READ( k )  # the first cell\\nWRITE(1,k);STOP()"), end="")
    var k = 0
    k = READ(k)  # the first cell
    WRITE(1, k)
    STOP()
    """
    from anc.loading import listing_source

    if not isinstance(listing, str | Path):
        raise AncError(f"expected a listing, found something of type {type(listing).__name__}")
    return formatted(listing_source(listing))


def formatted(source: Source) -> str:
    """The canonical form of a text, if it is a listing."""
    from anc.language.formatting import format_listing

    if source.name.endswith((".json", ".py")) or source.text.lstrip().startswith("{"):
        raise AncError(
            f"{source.name} is no listing", help="only listings, .anc files, have a form"
        )
    return format_listing(source)

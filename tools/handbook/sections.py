"""Sections of pages, by the anchors of their headings."""

from __future__ import annotations

import re

from handbook import DOCS

HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$", flags=re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)


def slug(heading: str) -> str:
    """The anchor of a heading."""
    words = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)).strip().lower()
    return re.sub(r"[-\s]+", "-", words)


def headings(markdown: str) -> list[tuple[int, int, str, str]]:
    """Place, level, title and anchor of each heading."""
    bare = FENCED.sub(lambda block: re.sub(r"\S", "x", block[0]), markdown)
    return [
        (found.start(), len(found[1]), found[2], slug(found[2])) for found in HEADING.finditer(bare)
    ]


def title_of(page: str) -> str:
    """The first heading of a page."""
    return headings((DOCS / page).read_text())[0][2]

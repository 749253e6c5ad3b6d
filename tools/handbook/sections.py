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


def section(address: str) -> str:
    """The text below a heading, ``page.md#anchor``, with a word on where it stands."""
    page, _, anchor = address.partition("#")
    markdown = (DOCS / page).read_text()
    found = headings(markdown)
    for number, (place, level, _, name) in enumerate(found):
        if name == anchor:
            rest = (other for other, its_level, _, _ in found[number + 1 :] if its_level <= level)
            end = next(rest, len(markdown))
            body = markdown[markdown.index("\n", place) : end].strip()
            inside = re.sub(r"\]\(#", f"]({page}#", body)
            return f"*From [{title_of(page)}]({address}).*\n\n{inside}"
    raise LookupError(f"{page} has no heading with the anchor {anchor}")


def title_of(page: str) -> str:
    """The first heading of a page."""
    return headings((DOCS / page).read_text())[0][2]

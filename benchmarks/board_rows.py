"""Tables of boards in Markdown: a row for each problem, and its listing and command on a click."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class BoardRow:
    """One problem: its cells in the table, the command that repeats it, and what that finds."""

    name: str
    what: str
    cells: tuple[str, ...]
    command: str
    listing: str
    seconds: float

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Board:
    """A table with its headings, and where its commands run."""

    name: str
    headings: tuple[str, ...]
    folder: str

    def markdown(self, rows: Iterable[BoardRow], when: str) -> Iterator[str]:
        """The lines of the table, then the commands and listings."""
        rows = list(rows)
        titles = ("", "what", *self.headings)
        yield when
        yield ""
        yield from _table(titles, [(row.name, row.what, *row.cells) for row in rows])
        yield ""
        yield f"The commands run in `{self.folder}`; a click shows the command and what it finds."
        yield ""
        for row in rows:
            yield f"<details><summary>{html.escape(row.name)}: {html.escape(row.what)}</summary>"
            yield ""  # otherwise some readers of Markdown end the block at the first empty line
            body = f"$ {row.command}\n\n{row.listing.strip()}"
            yield f"<pre><code>{html.escape(body)}</code></pre></details>"
        yield ""


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield "|" + "---|" * len(titles)
    for row in rows:
        yield f"| {' | '.join(each.replace('|', '&#124;') for each in row)} |"


def replaced(text: str, name: str, lines: Iterable[str]) -> str:
    """A page with the part between the marks of a board replaced."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    head, found, rest = text.partition(begin)
    _, has_end, tail = rest.partition(end)
    if not (found and has_end):
        raise SystemExit(f"the page has no part between '{begin.strip()}' and '{end}'")
    return head + begin + "\n".join(lines) + "\n" + end + tail

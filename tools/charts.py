"""Draws the bar charts of the README and the start page from the tables of the documentation: `python tools/charts.py`.

Each number has one home, the table. `tests/test_handbook.py` compares the charts with their tables.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from handbook import DOCS
from handbook.sections import headings

ASSETS = DOCS / "assets"
LABEL, WIDTH, BAR, GAP, TOP = 130, 640, 20, 12, 70  # pixels
MOST = 4  # functions


@dataclass(frozen=True)
class Group:
    """What is compared: its name, and a value with its text for each kind of bar."""

    name: str
    values: tuple[float, float]
    texts: tuple[str, str]


def table(address: str, *columns: str) -> list[list[str]]:
    """The cells of the named columns, from all tables of a section that have these columns."""
    rows: list[list[str]] = []
    where: list[int] | None = None
    for line in _section(address).splitlines():
        if not line.startswith("|"):
            where = None
            continue
        cells = [cell.strip().strip("*") for cell in line.strip("|").split("|")]
        if where is None:
            where = [cells.index(each) for each in columns] if set(columns) <= set(cells) else []
        elif where and not set(cells[0]) <= set("-: "):
            rows.append([cells[each] for each in where])
    if not rows:
        raise LookupError(f"{address} has no table with the columns {', '.join(columns)}")
    return rows


def _section(address: str) -> str:
    """The text from a heading, ``page.md#anchor``, to the next one of its level."""
    page, _, anchor = address.partition("#")
    text = (DOCS / page).read_text()
    found = headings(text)
    where = [name for *_, name in found].index(anchor)
    begin, level = found[where][:2]
    ends = [place for place, other, *_ in found[where + 1 :] if other <= level]
    return text[begin : ends[0] if ends else len(text)]


def functions() -> str:
    """Nanoseconds of a call, for the functions that gain most."""
    rows = table("nanoseconds.md#numbers", "function", "original", "guarded")
    both = [(name, (float(a), float(b))) for name, a, b in rows if b.replace(".", "").isdigit()]
    best = sorted(both, key=lambda row: row[1][1] / row[1][0])[:MOST]
    groups = [Group(name, ns, (f"{ns[0]:.0f} ns", f"{ns[1]:.0f} ns")) for name, ns in best]
    return drawn("A call in plain Python", ("as written", "adapted, with its check"), groups)


def table1() -> str:
    """Iterations of the paper's tasks, before and after gradient descent."""
    rows = table("results/training.md#with-ours", "task", "generic", "learned: best")
    groups = [Group(task, (float(a), float(b)), (a, b)) for task, a, b in rows]
    return drawn(
        "Iterations of the paper's tasks", ("generic", "learned by gradient descent"), groups
    )


def mnist() -> str:
    """Right sums on MNIST, of networks that were told sums only."""
    rows = table("layers.md#programs-inside-models", "", "told results only", "best published")
    groups = []
    for name, ours, best in rows:
        if best:
            digits = "".join(each for each in name if each.isdigit())
            both = (float(best.rstrip(" %")), float(ours.rstrip(" %")))
            groups.append(Group(f"{digits} digits", both, (best, ours)))
    return drawn("Right sums of two numbers on MNIST", ("best published", "anc"), groups)


def drawn(title: str, kinds: tuple[str, str], groups: Sequence[Group]) -> str:
    """The chart as SVG, on a ground of its own: an image does not know the colours of its page."""
    longest = max(max(group.values) for group in groups)
    room = WIDTH - LABEL - 80
    marks = []
    for n, group in enumerate(groups):
        top = TOP + n * (2 * BAR + GAP)
        marks.append(
            f'<text class="name" x="{LABEL - 10}" y="{top + BAR + 5}">{escape(group.name)}</text>'
        )
        for which, kind in enumerate(("before", "after")):
            y, length = top + which * BAR, max(2.0, room * group.values[which] / longest)
            marks.append(
                f'<rect class="{kind}" x="{LABEL}" y="{y + 1}" width="{length:.1f}" height="{BAR - 2}"/>'
                f'<text class="{kind}" x="{LABEL + length + 8:.1f}" y="{y + 15}">{escape(group.texts[which])}</text>'
            )
    legend = "".join(
        f'<rect class="{kind}" x="{x}" y="42" width="12" height="12"/>'
        f'<text x="{x + 18}" y="53">{escape(text)}</text>'
        for kind, text, x in zip(("before", "after"), kinds, (LABEL, LABEL + 150), strict=True)
    )
    height = TOP + len(groups) * (2 * BAR + GAP) + GAP
    body = "\n".join((legend, *marks))
    return _SVG.format(width=WIDTH, height=height, title=escape(title), left=LABEL, body=body)


_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<style>
text {{ font: 15px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; fill: #566273; }}
.title {{ font-weight: 600; font-size: 17px; }} .name {{ text-anchor: end; }}
.title, .name, text.after {{ fill: #17202b; }}
rect.card {{ fill: #fff; }}
rect.after {{ fill: #c94f00; }} rect.before {{ fill: #b4bec9; }} text.after {{ font-weight: 600; }}
</style>
<rect class="card" width="{width}" height="{height}" rx="6"/>
<text class="title" x="{left}" y="28">{title}</text>
{body}
</svg>
"""

CHARTS = {"functions.svg": functions, "mnist.svg": mnist, "table1.svg": table1}


def main() -> None:
    for name, chart in CHARTS.items():
        (ASSETS / name).write_text(chart())
        print(f"wrote {(ASSETS / name).relative_to(DOCS.parent)}")


if __name__ == "__main__":
    sys.exit(main())

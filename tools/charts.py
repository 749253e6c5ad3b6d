"""Draws the bar charts of the README and the start page from the tables of the documentation: `python tools/charts.py`.

Each number has one home, the table. `tests/test_handbook.py` compares the charts with their tables.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from handbook import DOCS
from handbook.sections import section

ASSETS = DOCS / "assets"
LABEL, WIDTH, ROW, TOP = 190, 720, 26, 58  # pixels


@dataclass(frozen=True)
class Bar:
    """One bar: what it is called, its length, the text at its end, and whether it is ours."""

    name: str
    value: float
    text: str
    ours: bool


def table(address: str, *columns: str) -> list[list[str]]:
    """The cells of the named columns, from all tables of a section that have these columns."""
    rows: list[list[str]] = []
    where: list[int] | None = None
    for line in section(address).splitlines():
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


def functions() -> str:
    """Nanoseconds of a call, for the functions that gain most."""
    rows = table("good-for.md#numbers", "function", "original", "guarded")
    gains = [(name, float(a), float(b)) for name, a, b in rows if b.replace(".", "").isdigit()]
    best = sorted(gains, key=lambda gain: gain[2] / gain[1])[:5]
    bars = []
    for name, original, guarded in best:
        bars.append(Bar(name, original, f"{original:.0f} ns", False))
        bars.append(Bar("adapted, with its check", guarded, f"{guarded:.0f} ns", True))
    return drawn("A call in plain Python, in nanoseconds: as written, and adapted by anc", bars)


def drawn(title: str, bars: Sequence[Bar]) -> str:
    """The chart as SVG, in light and dark colours."""
    longest = max(bar.value for bar in bars)
    room = WIDTH - LABEL - 80
    marks = []
    for n, bar in enumerate(bars):
        y, length = TOP + n * ROW, max(2.0, room * bar.value / longest)
        kind = "ours" if bar.ours else "theirs"
        marks.append(
            f'<text class="name {kind}" x="{LABEL - 10}" y="{y + 16}">{escape(bar.name)}</text>'
            f'<rect class="{kind}" x="{LABEL}" y="{y + 3}" width="{length:.1f}" height="{ROW - 8}" rx="2"/>'
            f'<text class="{kind}" x="{LABEL + length + 8:.1f}" y="{y + 16}">{escape(bar.text)}</text>'
        )
    height = TOP + len(bars) * ROW + 12
    return _SVG.format(width=WIDTH, height=height, title=escape(title), marks="\n".join(marks))


_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<style>
text {{ font: 14px system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; fill: #566273; }}
.title {{ font-weight: 600; fill: #17202b; }} .name {{ text-anchor: end; }}
rect.ours {{ fill: #c94f00; }} rect.theirs {{ fill: #b4bec9; }} text.ours {{ fill: #17202b; font-weight: 600; }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #9aa7b8; }} .title, text.ours {{ fill: #e7ecf2; }}
  rect.ours {{ fill: #f5a34b; }} rect.theirs {{ fill: #46505d; }}
}}
</style>
<text class="title" x="0" y="26">{title}</text>
{marks}
</svg>
"""

CHARTS = {"functions.svg": functions}


def main() -> None:
    for name, chart in CHARTS.items():
        (ASSETS / name).write_text(chart())
        print(f"wrote {(ASSETS / name).relative_to(DOCS.parent)}")


if __name__ == "__main__":
    sys.exit(main())

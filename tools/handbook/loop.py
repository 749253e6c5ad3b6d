"""The animation of the start page: two runs on the same tape, as the exact machine makes them."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import anc
from anc.compiler import to_text
from anc.program import Program
from handbook import DOCS

TAPE = (3, 2, 2, 5, 4, 7, 5, 9, 6, 0, 7)
ADAPTED = DOCS / "assets" / "listk-adapted.anc"  # written by: anc adapt listk --budget 12s


def loop_figure() -> str:
    """The listings side by side, with the runs as data for the script that moves through them."""
    runs = [recorded("listk", "generic"), recorded(ADAPTED, "adapted to lists that lie in order")]
    panels = "".join(_panel(run) for run in runs)
    return _FRAME.format(panels=panels, data=escape(json.dumps(runs), quote=True))


def recorded(program: Any, title: str) -> dict[str, Any]:
    """A run as the page needs it: its listing, and for each step what it does."""
    loaded = anc.load(program)
    assert isinstance(loaded, Program)
    run = anc.run(loaded, TAPE, trace=True)
    return {
        "title": title,
        "listing": listing(loaded),
        "jumps_back": jumps_back(loaded, run),
        "steps": [
            {
                "line": step.line,
                "cell": step.cell,
                "read": step.first if step.op == "READ" else None,
                "tape": step.tape[: len(TAPE)],
            }
            for step in run.trace
        ],
    }


def listing(program: Program) -> list[str]:
    """The program lines as they are written, without declarations."""
    lines = to_text(program).splitlines()
    return [line for line in lines if line and not line.startswith(("memory ", "var ", "start "))]


def jumps_back(program: Program, run: Any) -> list[list[int]]:
    """The jumps that lead to an earlier line, as (from, to): the loops that the run went through."""
    ends = zip(run.trace, run.trace[1:], strict=False)
    return [list(jump) for jump in sorted({(a.line, b.line) for a, b in ends if b.line < a.line})]


def _panel(run: dict[str, Any]) -> str:
    lines = "".join(f"<li><code>{escape(line)}</code></li>" for line in run["listing"])
    cells = "".join(f"<li><small>{n}</small><b>{v}</b></li>" for n, v in enumerate(TAPE))
    return (
        f'<figure><figcaption>{run["title"]}</figcaption><ol class="loop-lines" start="0">{lines}</ol>'
        f"<p><output>0</output> of {len(run['steps'])} steps</p>"
        f'<ol class="loop-tape" start="0" aria-label="tape">{cells}</ol></figure>'
    )


_FRAME = """<div class="loop" data-runs="{data}">
<div class="loop-panels">{panels}</div>
<div class="loop-buttons"><button type="button" data-do="play">Play</button>
<button type="button" data-do="back" aria-label="one step back">&#9664;</button>
<button type="button" data-do="on" aria-label="one step forward">&#9654;</button>
<input type="range" min="0" value="0" aria-label="step"></div>
</div>"""

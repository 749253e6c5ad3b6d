"""The page of `anc play`: both machines in a browser, with an editor, training and puzzles.

The page is one file. What it shows is in the fragment of its address, so that a link opens a state: see `link`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

from anc.data import programs
from anc.pages.page import SCRIPTS, page
from anc.pages.play_data import engine_script, play_data
from anc.pages.play_puzzles import PUZZLES

_VIEWS = ("tiles", "charts", "short_tape", "program_diff", "answers", "adapt")
_PAGE = (
    "button",
    "sharpness",
    "state",
    "runs",
    "arrows",
    "see",
    "editor",
    "tape",
    "train",
    "adapt",
    "puzzles",
)
NOTES = (
    "← → one step · Home End · space plays",
    "Nothing that you type leaves this page; the link holds it all",
)


def play_page(
    program: str = "listk",
    text: str | None = None,
    tape: Sequence[int] | None = None,
    memory: int | None = None,
    has_server: bool = False,
) -> str:
    """The HTML of the page, which begins with a shipped program, or with the text of another one.

    With `has_server` it asks the server that it comes from to adapt programs.
    """
    start: dict[str, Any] = {"program": program if text is None else None, "text": text}
    if tape is not None or text is not None:
        start["tape"] = list(tape or ())
    if memory is not None:
        start["memory"] = memory
    data = play_data() | {
        "start": start,
        "puzzles": [puzzle.to_dict() for puzzle in PUZZLES],
        "server": has_server,
    }
    sources = ["worker-src blob:"] + (["connect-src 'self'"] if has_server else [])
    return page(
        "The machine, live",
        data,
        (*SCRIPTS, *_VIEWS, *(f"play_page_{part}" for part in _PAGE), "play_page"),
        ("stepper", "report", "adapt", "play_page"),
        subtitle="a program on the exact and on the soft machine, side by side",
        notes=NOTES,
        engine=engine_script(),
        allowed=sources,
    )


def link(program: str | None = None, text: str | None = None, **state: Any) -> str:
    """The fragment that opens a state of the page: a program, or the text of one, and what else is not as usual.

    The names are those of the page: tape, memory, spare, limit, sharpness, step, seed, tab, task, puzzle, embed.

    >>> link("listk", tape=[3, 1, 2], sharpness=5, step=4)
    '#program=listk&tape=3,1,2&sharpness=5&step=4'
    """
    given: dict[str, Any] = {}
    if text is not None:
        packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()
        given["text"] = packed.rstrip("=")
    elif program is not None:
        given["program"] = programs.source(program).name.removesuffix(".anc")
    for name, value in state.items():
        given[name] = ",".join(map(str, value)) if name == "tape" else value
    return "#" + urlencode(given, quote_via=quote, safe=",")

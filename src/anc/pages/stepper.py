"""The stepper: a page that walks through one run, or two side by side."""

from __future__ import annotations

from collections.abc import Sequence

from anc.pages.page import page
from anc.pages.recording import Recording

SCRIPTS = (
    "unpack",
    "recording",
    "words",
    "clock",
    "listing",
    "command",
    "registers",
    "tape_map",
    "tape",
    "timeline",
    "panel",
    "stepper",
)
KEYS = "← → one step · Home End · Page Up Page Down · space plays · Tab and arrows read the tape"
_SHOWN_CELLS = 24


def stepper_page(recordings: Sequence[Recording]) -> str:
    """The HTML of a page about one run or two; the data of both is inside."""
    first = recordings[0]
    title = " and ".join(dict.fromkeys(recording.title for recording in recordings))
    cells = " ".join(map(str, first.tape[:_SHOWN_CELLS]))
    more = " …" if len(first.tape) > _SHOWN_CELLS else ""
    return page(
        title,
        {"runs": [recording.as_data() for recording in recordings]},
        (*SCRIPTS, "page_stepper"),
        ("stepper",),
        subtitle=f"on the tape {cells}{more}",
        notes=(KEYS,),
    )

"""Self-contained pages: style, script and data in a single file that needs no network.

User input (titles, program texts, file names) enters the page only as escaped text or as data. The
page's content security policy allows only its own script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from anc.pages.figures import Figures
from anc.support.diagnostics import AncError, plain, quoted
from anc.support.folders import KINDS, ResultKind
from anc.version import __version__

if TYPE_CHECKING:
    from anc.pages.recording import Recording


_MADE_FIRST = ("command", "seed", "seeds", "jobs", "budget", "method")
_SECONDS = ("budget",)
_SCRIPTS_FIRST = ("dom", "theme", "tooltip", "start")
SCRIPTS = (
    "unpack",
    "run",
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


def page(
    title: str,
    data: Any,
    scripts: Sequence[str],
    styles: Sequence[str],
    subtitle: str = "",
    notes: Sequence[str] = (),
    engine: str = "",
    allowed: Sequence[str] = (),
) -> str:
    """The HTML of a page that shows `data` with these scripts and styles.

    `engine` is generated script in front of the others; `allowed` are further sources of the content
    security policy.
    """
    style = "\n".join(_static(f"{name}.css") for name in ("base", *styles))
    script = '"use strict";\n' + "\n".join(
        [engine, *(_static(f"{name}.js") for name in (*_SCRIPTS_FIRST, *scripts))]
    )
    policy = "; ".join(
        [
            f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}",
            "img-src data:; base-uri 'none'; form-action 'none'",
            *allowed,
        ]
    )
    # a file name may contain unencodable characters
    title, subtitle, *notes = (escape(plain(text)) for text in (title, subtitle, *notes))
    return Template(_static("page.html")).substitute(
        title=title,
        subtitle=f' <span class="subtitle">{subtitle}</span>' if subtitle else "",
        notes="".join(f"<span>{note}</span>\n" for note in notes),
        version=escape(__version__),
        policy=escape(policy),
        style=style,
        script=script,
        data=json_for_html(data),
    )


def stepper_page(recordings: Sequence[Recording]) -> str:
    """The HTML of a page that steps through one run or two, with their data inside."""
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


def made_of(provenance: Mapping[str, Any]) -> list[list[str]]:
    """The provenance of a result as [name, value] pairs, the important ones first."""
    first = {name: provenance[name] for name in _MADE_FIRST if name in provenance}
    return [
        [
            name,
            f"{value:g} s" if name in _SECONDS and isinstance(value, int | float) else str(value),
        ]
        for name, value in (first | dict(provenance)).items()
        if value is not None
    ]


def json_for_html(data: Any) -> str:
    """JSON for a script element: nothing in it can end the element or open another.

    >>> json_for_html("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _static(name: str) -> str:
    return resources.files("anc.pages").joinpath("static", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def kind_of(path: Path) -> ResultKind:
    """The kind of a result folder; refuses other folders, with what is expected."""
    if not os.path.exists(path):
        raise AncError(f"there is no folder {quoted(str(path))}")
    if not os.path.isdir(path):
        raise AncError(f"{quoted(str(path))} is a file, expected a result folder")
    for kind in KINDS:
        if kind.page and kind.is_in(path, if_damaged=True):  # its reader reports the damage
            return kind
    raise AncError(
        f"{quoted(str(path))} does not hold a result to report on",
        help="it should hold run.json (anc train -o), result.json (anc adapt -o,"
        " anc fill -o) or table1.json (anc table1 -o)",
    )


def report_page(path: Path) -> str:
    """The page about a result folder."""
    kind = kind_of(path)
    return kind.made(kind.page, path)


def folder_figures(path: Path) -> Figures:
    """All figures of a result folder."""
    kind = kind_of(path)
    return kind.made(kind.figures, path)

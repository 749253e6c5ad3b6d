"""One self-contained page: template, style, script and data in a single file that needs no network.

What comes from a user (titles, program texts, file names) reaches the page only as escaped text or as
data, and the page's own policy lets nothing but its own script run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from anc.diagnostics import plain
from anc.version import __version__

_SCRIPTS_FIRST = ("dom", "theme", "tooltip", "start")


def page(
    title: str,
    data: Any,
    scripts: Sequence[str],
    styles: Sequence[str],
    subtitle: str = "",
    notes: Sequence[str] = (),
) -> str:
    """The HTML of a page that shows `data` with these scripts and styles."""
    environment = Environment(
        loader=PackageLoader("anc.report"), autoescape=True, undefined=StrictUndefined
    )
    style = "\n".join(_static(f"{name}.css") for name in ("base", *styles))
    script = '"use strict";\n' + "\n".join(
        _static(f"{name}.js") for name in (*_SCRIPTS_FIRST, *scripts)
    )
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return environment.get_template("page.html.j2").render(
        title=plain(title),  # a file's name need not be text that can be written
        subtitle=plain(subtitle),
        notes=[plain(note) for note in notes],
        version=__version__,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        data=Markup(json_for_html(data)),
    )


def json_for_html(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or begin another.

    >>> json_for_html("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _static(name: str) -> str:
    return resources.files("anc.report").joinpath("static", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

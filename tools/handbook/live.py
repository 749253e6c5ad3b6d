"""The page of `anc play` inside the site: one file beside the others, and frames that show a state of it."""

from __future__ import annotations

from html import escape

from mkdocs.structure.files import File

from anc.pages.play import play_page

PLACE = "assets/play.html"
_HEIGHT = 640  # pixels


def live_page(config) -> File:
    """The page as a file of the site."""
    return File.generated(config, PLACE, content=play_page())


def live_frame(state: str = "") -> str:
    """A frame with the page in a state, which is the fragment of a link; for pages at the root of the site."""
    address = escape(f"{PLACE}#{state}", quote=True)
    return (
        f'<iframe class="live" src="{address}" height="{_HEIGHT}" loading="lazy"'
        ' title="A program on the exact and on the soft machine; the slider blurs it"></iframe>'
    )

"""The pages of `anc adapt --objective` and `anc fill`: what was found, compared, and when."""

from __future__ import annotations

from anc.report.aim_data import Aimed
from anc.report.page import page

_SCRIPTS = ("tiles", "charts", "record", "page_aim")


def aim_page(found: Aimed) -> str:
    """The HTML of the page."""
    styles = ("report", "adapt", "record", "aim")
    return page(found.title, found.data, _SCRIPTS, styles, subtitle=found.subtitle)

"""Options of commands in the text of a page: a line of it does not end between their hyphens."""

from __future__ import annotations

import re

_OPTION = re.compile(r"<code>(--?[a-z][a-z-]*)</code>")


def with_whole_options(html: str) -> str:
    """The page's HTML, with every option marked as a word that is not broken."""
    return _OPTION.sub(r'<code class="whole">\1</code>', html)

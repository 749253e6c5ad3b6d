"""Lines of a page that stand for something that is made when the site is built."""

from __future__ import annotations

import re
from collections.abc import Callable

from handbook.api import api_reference, packages_reference, results_reference
from handbook.commands import command_reference
from handbook.live import live_frame
from handbook.loop import loop_figure
from handbook.settings import settings_reference
from handbook.source import source

DIRECTIVE = re.compile(r"^\[\[(\w+)(?: (.+))?\]\]$", flags=re.MULTILINE)
WORDS: dict[str, Callable[..., str]] = {
    "api": api_reference,
    "commands": command_reference,
    "live": live_frame,
    "loop": loop_figure,
    "packages": packages_reference,
    "results": results_reference,
    "settings": settings_reference,
    "source": source,
}


def expanded(markdown: str) -> str:
    """A page with its directives replaced; an unknown word is an error."""

    def made(found: re.Match[str]) -> str:
        word, arguments = found.groups()
        if word not in WORDS:
            raise ValueError(f"[[{word}]] is none of {', '.join(WORDS)}")
        return WORDS[word](arguments) if arguments else WORDS[word]()

    return DIRECTIVE.sub(made, markdown)

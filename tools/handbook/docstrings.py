"""Docstrings of this project as Markdown: examples become blocks, and so does what follows ``::``."""

from __future__ import annotations

import re

import griffe

EXAMPLE = re.compile(r"^([ ]*)>>> (?:.+\n?)+", flags=re.MULTILINE)
LITERAL = re.compile(r"::\n\n((?:[ ]{4}.*\n|\n)+)")


def as_markdown(text: str) -> str:
    """A docstring with its examples in fences."""
    literal = LITERAL.sub(lambda found: ":\n\n" + found[1] + "\n", f"{text}\n")
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", literal).rstrip()


class Docstrings(griffe.Extension):
    """Rewrites each docstring as it is read."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: object) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)

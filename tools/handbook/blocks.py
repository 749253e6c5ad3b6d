"""The commands that pages show: ``console`` blocks are run by the tests, ``sh`` blocks take too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from handbook import DOCS, ROOT


class Shown(NamedTuple):
    """A command of a page, and what it prints."""

    command: str
    prints: str


def documents() -> list[Path]:
    """The README and every page."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(document: Path, kind: str) -> list[str]:
    """The fenced blocks of one kind."""
    found = re.findall(r"^```([^\n]*)\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)
    return [text for word, text in found if word == kind]


def run_by_tests(block: str) -> list[Shown]:
    """The commands of a console block: each goes up to the next ``$``."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Shown(command, text) for command, _, text in (part.partition("\n") for part in parts)]


def too_long_to_run(block: str) -> list[Shown]:
    """The commands of an sh block: one in a line."""
    lines = (line.partition("  #")[0].strip() for line in block.splitlines())
    return [Shown(line, "") for line in lines if line]


def examples(command: str) -> Iterator[tuple[Path, Shown]]:
    """Where pages show a command of anc, those that are run first."""
    readers = {"console": run_by_tests, "sh": too_long_to_run}
    for kind, read in readers.items():
        for document in documents():
            for block in blocks(document, kind):
                for shown in read(block):
                    if f"{shown.command} ".startswith(f"anc {command} "):
                        yield document, shown

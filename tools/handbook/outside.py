"""Links from the pages to other files of the project: shown inside the site, so that it is whole."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

from handbook import DOCS, ROOT

LINK = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)")
LANGUAGES = {".py": "python", ".anc": "text", ".toml": "toml"}  # shown as listings
FOLDER = "files/"


def outside_pages(files, config) -> list[File]:
    """A page, or a copy, for each file outside docs/ that some page links to, or such a file."""
    found: set[Path] = set()
    waiting = [DOCS / file.src_uri for file in files.documentation_pages()]
    while waiting:
        new = set(linked_outside(waiting.pop())) - found
        found |= new
        waiting += [path for path in new if path.suffix == ".md"]
    return [_page(path, config) for path in sorted(found)]


def linked_outside(document: Path) -> list[Path]:
    """Files outside docs/ that a document links to."""
    targets = (document.parent / found[2] for found in LINK.finditer(document.read_text()))
    paths = [target.resolve() for target in targets]
    return [path for path in paths if path.is_file() and not path.is_relative_to(DOCS)]


def with_links_inside(markdown: str, page: str) -> str:
    """A page of the site whose links to files of the project go to their places there."""
    is_outside = page.startswith(FOLDER)
    origin = ROOT / page.removeprefix(FOLDER) if is_outside else DOCS / page

    def inside(found: re.Match[str]) -> str:
        path = (origin.parent / found[2]).resolve()
        if not path.is_file() or (path.is_relative_to(DOCS) and not is_outside):
            return found[0]
        return found[1] + posixpath.relpath(_uri(path), posixpath.dirname(page) or ".")

    return LINK.sub(inside, markdown)


def _uri(path: Path) -> str:
    """Where a file of the project has its place on the site."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return f"{FOLDER}{name}.md" if path.suffix in LANGUAGES else f"{FOLDER}{name}"


def _page(path: Path, config) -> File:
    name = path.relative_to(ROOT)
    text = path.read_text()
    language = LANGUAGES.get(path.suffix)
    if language:
        text = f"# {name.name}\n\n`{name}`\n\n```{language}\n{text}\n```\n"
    return File.generated(config, _uri(path), content=text)

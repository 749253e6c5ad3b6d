"""Links from the pages to other files of the project: shown inside the site, so that it is whole."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

from handbook import DOCS, ROOT

LINK = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)")
LANGUAGES = {".py": "python", ".anc": "text", ".toml": "toml"}


def linked_outside(markdown: str, page: str) -> list[Path]:
    """Files outside docs/ that a page links to."""
    targets = (DOCS / Path(page).parent / found[2] for found in LINK.finditer(markdown))
    paths = [target.resolve() for target in targets]
    return [path for path in paths if path.is_file() and not path.is_relative_to(DOCS)]


def outside_pages(files, config) -> list[File]:
    """A page, or a copy, for each file outside that some page links to."""
    paths = {
        path
        for file in files.documentation_pages()
        for path in linked_outside(file.content_string, file.src_uri)
    }
    return [_page(path, config) for path in sorted(paths)]


def with_links_inside(markdown: str, page: str) -> str:
    """A page whose links to files outside go to their pages."""
    here = posixpath.dirname(page)

    def inside(found: re.Match[str]) -> str:
        path = (DOCS / here / found[2]).resolve()
        if not path.is_file() or path.is_relative_to(DOCS):
            return found[0]
        return found[1] + posixpath.relpath(_uri(path), here or ".")

    return LINK.sub(inside, markdown)


def _uri(path: Path) -> str:
    """Where a file outside has its place on the site."""
    name = path.relative_to(ROOT).as_posix()
    is_shown = path.suffix in LANGUAGES
    return f"files/{name}.md" if is_shown else f"files/{name}"


def _page(path: Path, config) -> File:
    name = path.relative_to(ROOT)
    text = path.read_text()
    language = LANGUAGES.get(path.suffix)
    if language:
        text = f"# {name.name}\n\n`{name}`\n\n```{language}\n{text}\n```\n"
    return File.generated(config, _uri(path), content=text)

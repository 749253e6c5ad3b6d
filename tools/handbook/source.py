"""Source text by its dotted name, so that what a page shows is what runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from handbook import ROOT

PART = re.compile(r"(\S+)(?: from '(.+)' to '(.+)')?")


def source(arguments: str) -> str:
    """A fenced block: ``anc.machine.soft.step``, or a part of it, ``... from 'first' to 'line'``."""
    found = PART.fullmatch(arguments)
    if not found:
        raise ValueError(f"write: name, or name from 'beginning' to 'beginning', not {arguments}")
    name, begin, end = found.groups()
    path, text = definition(name)
    if begin:
        text = part(text, begin, end)
    return f'```python title="{path.relative_to(ROOT)}"\n{text}\n```'


def definition(name: str) -> tuple[Path, str]:
    """The file and the text of a function, class, method or assignment."""
    path, inside = file_of(name.split("."))
    text = path.read_text()
    body: list[ast.stmt] = ast.parse(text).body
    for wanted in inside:
        node = next((node for node in body if wanted in names(node)), None)
        if node is None:
            raise LookupError(f"{path.relative_to(ROOT)} does not define {'.'.join(inside)}")
        body = getattr(node, "body", [])
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    lines = text.splitlines()[first - 1 : node.end_lineno]
    return path, "\n".join(unindented(lines))


def file_of(parts: list[str]) -> tuple[Path, list[str]]:
    """The file of a dotted name, and what is left of the name for things in it."""
    for end in range(len(parts) - 1, 0, -1):
        path = (ROOT / "src").joinpath(*parts[:end]).with_suffix(".py")
        if path.is_file():
            return path, parts[end:]
    raise LookupError(f"no file defines {'.'.join(parts)}")


def unindented(lines: list[str]) -> list[str]:
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return [line[indent:] for line in lines]


def names(node: ast.stmt) -> list[str]:
    """What a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def part(text: str, begin: str, end: str) -> str:
    """From the line that begins with `begin` to the next one that begins with `end`."""
    lines = text.splitlines()
    first = _place(lines, begin, 0)
    last = _place(lines, end, first)
    return "\n".join(unindented(lines[first : last + 1]))


def _place(lines: list[str], beginning: str, after: int) -> int:
    for number in range(after, len(lines)):
        if lines[number].lstrip().startswith(beginning):
            return number
    raise LookupError(f"no line begins with {beginning!r}")

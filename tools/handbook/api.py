"""The reference of the Python API: what `import anc` offers, module by module, and what comes back."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from typing import Any

import anc


def api_reference() -> str:
    """A section for each module that something of ``anc.__all__`` comes from; then their results."""
    groups: dict[str, list[str]] = {}
    for name in anc.__all__:
        if not name.startswith("_"):
            groups.setdefault(getattr(anc, name).__module__, []).append(name)
    ordered = sorted(groups, key=lambda module: (not module.startswith("anc.api"), module))
    sections = [_group(module, groups[module]) for module in ordered]
    given_back = sorted({place for module in ordered for place in results(module, groups[module])})
    entries = [_entry(f"{module}.{name}", name) for name, module in given_back]
    return "\n\n".join([*sections, "## What they give back", *entries])


def results(module: str, functions: list[str]) -> list[tuple[str, str]]:
    """The classes of ours that functions of a module say they return, as (name, module)."""
    tree = ast.parse(Path(inspect.getfile(importlib.import_module(module))).read_text())
    imported = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anc.")
        for alias in node.names
    }
    returned = {
        part.id
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in functions and node.returns
        for part in ast.walk(node.returns)
        if isinstance(part, ast.Name)
    }
    known = set(anc.__all__)
    found = [(name, str(imported[name])) for name in returned if name in imported]
    return [(name, place) for name, place in found if name not in known and _is_class(place, name)]


def _is_class(module: str, name: str) -> bool:
    return inspect.isclass(getattr(importlib.import_module(module), name, None))


def _group(module: str, names: list[str]) -> str:
    about = (inspect.getdoc(importlib.import_module(module)) or module).partition(":")[0]
    title = about.splitlines()[0].rstrip(".")
    entries = (_entry(_path(getattr(anc, name), name), f"anc.{name}") for name in sorted(names))
    return "\n\n".join([f"## {title}", *entries])


def _path(thing: Any, name: str) -> str:
    return f"{thing.__module__}.{name}"


def _entry(path: str, heading: str) -> str:
    """What mkdocstrings replaces by the docstring, under the name that users write."""
    options = {"heading": heading, "toc_label": heading.removeprefix("anc.")}
    lines = "".join(f"\n      {key}: {value}" for key, value in options.items())
    return f'<a id="{heading}"></a>\n\n::: {path}\n    options:{lines}'

"""The reference of the Python API: what `import anc` offers, module by module."""

from __future__ import annotations

import importlib
import inspect

import anc


def api_reference() -> str:
    """A section for each module that something of ``anc.__all__`` comes from."""
    groups: dict[str, list[str]] = {}
    for name in anc.__all__:
        if not name.startswith("_"):
            groups.setdefault(getattr(anc, name).__module__, []).append(name)
    ordered = sorted(groups, key=lambda module: (not module.startswith("anc.api"), module))
    return "\n\n".join(_group(module, groups[module]) for module in ordered)


def _group(module: str, names: list[str]) -> str:
    about = (inspect.getdoc(importlib.import_module(module)) or module).partition(":")[0]
    entries = (f"::: anc.{name}\n    options:\n      heading_level: 3" for name in sorted(names))
    return f"## {about.splitlines()[0].rstrip('.')}\n\n" + "\n\n".join(entries)

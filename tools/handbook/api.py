"""The reference of the Python API: what `import anc` offers, module by module, and what comes back."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import anc
from handbook import ROOT


def api_reference() -> str:
    """A section for each module that something of ``anc.__all__`` comes from."""
    return "\n\n".join(_group(module, names) for module, names in groups().items())


_WHOLE = {"heading_level": "2", "separate_signature": "false", "show_if_no_docstring": "true"}


def results_reference() -> str:
    """The classes that these functions return, with all that they hold."""
    found = {place for module, names in groups().items() for place in results(module, names)}
    return "\n\n".join(_entry(f"{module}.{name}", name, **_WHOLE) for name, module in sorted(found))


def packages_reference() -> str:
    """What else is meant to be imported: the packages below anc that say what they offer."""
    homes = sorted(place.parent.name for place in (ROOT / "src" / "anc").glob("*/__init__.py"))
    packages = [importlib.import_module(f"anc.{name}") for name in homes]
    return "\n\n".join(_package(package) for package in packages if hasattr(package, "__all__"))


def _package(package: ModuleType) -> str:
    about = (inspect.getdoc(package) or "").splitlines()[0]
    entries = (
        _entry(_path(getattr(package, name), name), f"{package.__name__}.{name}")
        for name in package.__all__
    )
    return "\n\n".join([f"## {package.__name__}", about, *entries])


def groups() -> dict[str, list[str]]:
    """The names of ``anc.__all__`` by the module that defines them: functions first, large groups first."""
    found: dict[str, list[str]] = {}
    for name in sorted(anc.__all__):
        if not name.startswith("_"):
            found.setdefault(getattr(anc, name).__module__, []).append(name)
    ordered = sorted(
        found,
        key=lambda module: (not module.startswith("anc.commands"), -len(found[module]), module),
    )
    return {module: found[module] for module in ordered}


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
    returned |= {
        part.id
        for name in functions
        if (request := getattr(getattr(anc, name), "request", None)) is not None
        for part in ast.walk(ast.parse(_signature(name).return_annotation))
        if isinstance(part, ast.Name) and request.__module__ == module
    }
    known = set(anc.__all__)
    found = [
        getattr(importlib.import_module(str(imported[name])), name, None)
        for name in returned
        if name in imported and name not in known
    ]
    return [(thing.__name__, thing.__module__) for thing in found if inspect.isclass(thing)]


def _group(module: str, names: list[str]) -> str:
    about = (inspect.getdoc(importlib.import_module(module)) or module).partition(":")[0]
    title = about.splitlines()[0].rstrip(".")
    return "\n\n".join([f"## {title}", *map(_offered, names)])


def _offered(name: str) -> str:
    """An entry of ``anc.__all__``; a function that is made of a request has its text, and a signature of its own."""
    thing, heading = getattr(anc, name), f"anc.{name}"
    request = getattr(thing, "request", None)
    if request is None:
        return _entry(_path(thing, name), heading)
    shown = f"### {heading}\n\n```python\n{_shown(name)}\n```"
    entry = _entry(
        _path(request, request.__name__), heading, show_root_heading="false", members="false"
    )
    anchor, _, described = entry.partition("\n\n")
    return "\n\n".join([anchor, shown, described])


def _signature(name: str) -> inspect.Signature:
    return inspect.signature(getattr(anc, name))


def _shown(name: str) -> str:
    """The signature of a function, an argument in each line."""
    signature, rows, is_named = _signature(name), [], False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not is_named:
            is_named = True
            rows.append("*")
        default = "" if each.default is each.empty else f" = {each.default!r}"
        rows.append(f"{each.name}: {each.annotation}{default}")
    arguments = "".join(f"    {row},\n" for row in rows)
    return f"anc.{name}(\n{arguments}) -> {signature.return_annotation}"


def _path(thing: Any, name: str) -> str:
    return f"{thing.__module__}.{name}"


def _entry(path: str, heading: str, **more: str) -> str:
    """What mkdocstrings replaces by the docstring, under the name that users write."""
    options = {"heading": heading, "toc_label": heading.rpartition(".")[2], **more}
    lines = "".join(f"\n      {key}: {value}" for key, value in options.items())
    return f'<a id="{heading}"></a>\n\n::: {path}\n    options:{lines}'

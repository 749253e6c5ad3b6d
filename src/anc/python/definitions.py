"""Where a Python function that is already there was written, and the numbers that it knows."""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from anc.diagnostics import AncError
from anc.language.source import Source
from anc.python.source import Definition, Module, Number, parse


def source_of(python: Callable[..., Any]) -> tuple[Module, Definition]:
    """A function's definition in the text of its module, and numbers that it knows from elsewhere."""
    python = inspect.unwrap(python, stop=lambda each: not hasattr(each, "recorder"))
    if not inspect.isfunction(python):
        raise AncError(f"expected a Python function, found {type(python).__name__}")
    try:
        lines, _ = inspect.findsource(python)
        name = inspect.getsourcefile(python) or "<function>"
    except (OSError, TypeError):
        raise AncError(
            f"the source of '{python.__name__}' cannot be found",
            help="write it to a file; anc reads its text",
        ) from None
    if python.__name__ == "<lambda>":
        raise AncError("a lambda cannot be compiled", help="write it as a function, with def")
    module = parse(Source("".join(lines), name), _numbers(python))
    first = python.__code__.co_firstlineno
    for node in ast.walk(module.tree):
        if not isinstance(node, Definition) or node.name != python.__name__:
            continue
        if first in (node.lineno, *(each.lineno for each in node.decorator_list)):
            return module, node
    raise AncError(f"'{python.__name__}' is not in the text of {name} any more")


def _numbers(python: Callable[..., Any]) -> Mapping[str, Number]:
    """The whole numbers, and tuples of them, among a function's globals and its closure."""
    found = dict(python.__globals__)
    for name, cell in zip(python.__code__.co_freevars, python.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a name that has no value yet
            found[name] = cell.cell_contents
    return {name: value for name, value in found.items() if _is_number(value)}


def _is_number(value: object) -> bool:
    if isinstance(value, tuple):
        return all(type(each) is int for each in value)
    return type(value) is int

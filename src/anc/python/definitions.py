"""Where a Python function that is already there was written, and the numbers that it knows."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from anc.diagnostics import AncError
from anc.language.source import Source
from anc.python.source import Definition, Module, Number, is_number, parse
from anc.recording.recorder import behind

UNBOUND = object()  # what a name without a value is


def source_of(python: Callable[..., Any]) -> tuple[Module, Definition]:
    """A function's definition in the text of its module, and numbers that it knows from elsewhere."""
    python = plain_function(python)
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
    for node in ast.walk(module.tree):
        if isinstance(node, Definition) and is_defined_by(
            python, node, python.__code__.co_filename
        ):
            return module, node
    raise AncError(f"'{python.__name__}' is not in the text of {name} any more")


def seen(python: FunctionType, name: str, is_free: bool) -> object:
    """What a name is that a function has from its closure, or from its module and Python itself."""
    if is_free:
        cells = dict(zip(python.__code__.co_freevars, python.__closure__ or (), strict=True))
        try:
            return cells[name].cell_contents
        except ValueError:
            return UNBOUND
    own = python.__globals__
    of_python = cast(Any, python).__builtins__  # which not every typeshed knows
    return own[name] if name in own else of_python.get(name, UNBOUND)


def _numbers(python: FunctionType) -> dict[str, Number]:
    """The whole numbers, and tuples of them, that a function sees."""
    found = dict(python.__globals__)
    found |= {name: seen(python, name, is_free=True) for name in python.__code__.co_freevars}
    return {name: cast(Number, value) for name, value in found.items() if is_number(value)}


def is_defined_by(python: object, definition: Definition, file: str) -> bool:
    """Whether a function, or what anc made of it, was made by a definition in a file."""
    python = plain_function(python)
    if not isinstance(python, FunctionType):
        return False
    code = python.__code__
    lines = (definition.lineno, *(each.lineno for each in definition.decorator_list))
    is_there = code.co_filename == file and code.co_firstlineno in lines
    return is_there and code.co_name == definition.name


def plain_function(python: Any) -> Any:
    """The Python function that anc compiled or records calls of; anything else as it is."""
    from anc.python.function import Function

    while True:
        if isinstance(python, Function):
            python = python.python
        elif (recorded := behind(python)) is not None:
            python = recorded
        else:
            return python

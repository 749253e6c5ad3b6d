"""Examples of a function: calls in its docstring, and ``# run:`` lines."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from anc.language.tokens import parse_examples
from anc.language.tree import Example
from anc.machine import exact
from anc.python.differences import LONGEST
from anc.support.diagnostics import AncError, Span

if TYPE_CHECKING:
    from anc.python.function import Function


def examples_of(function: Function) -> tuple[Example, ...]:
    """All examples, as initial and final tapes."""
    return (*_documented(function), *_run_lines(function))


def _run_lines(function: Function) -> tuple[Example, ...]:
    definition = function.definition
    last = definition.end_lineno or definition.lineno
    return parse_examples(function.module.source, definition.lineno, last)


def _documented(function: Function) -> Iterator[Example]:
    """``>>> count([3, 9, 1], 2)`` and its result; other lines of a session are ignored."""
    for call, wanted, line in _sessions(function.definition):
        span = Span(line, 1)
        try:
            before = function.tape(*call)
        except AncError as problem:
            where = f"{function.module.source.name}:{line}"
            raise AncError(f"{where}: {problem.message}", problem.help) from None
        after = _left(function, before)
        if after is None:
            continue
        if function.layout.result is not None and wanted is not None:
            layout = function.layout
            after = layout.tape_after(after, wanted, function.layout.changed(after)[1], function.M)
        yield Example(before, tuple(after), span)


def _left(function: Function, before: Sequence[int]) -> list[int] | None:
    """The final tape of a call; None if it does not end.

    If arithmetic wraps around, or if Python raises an error, it is the program's final tape.
    """
    outcome = function.in_python(*function.layout.arguments_of(before))
    if function.wrap or outcome.error is not None:
        run = exact.run(function.program, before, LONGEST)
        return list(run.tape) if run.stop is exact.Stop.STOPPED else None
    return function.layout.tape_after(before, outcome.result, outcome.lists, function.M)


def _sessions(definition: ast.FunctionDef) -> Iterator[tuple[list[Any], Any, int]]:
    """The arguments, result and line of each call of the function."""
    first = definition.body[0]
    text = ast.get_docstring(definition, clean=False)
    if text is None:
        return
    try:
        sessions = doctest.DocTestParser().get_examples(text)
    except ValueError:  # not a session
        return
    for example in sessions:
        call = _parsed(example.source)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        wanted = _literal(_parsed(example.want.strip()))
        arguments = [_literal(each) for each in call.args]
        if call.func.id == definition.name and None not in arguments and not call.keywords:
            yield arguments, wanted, first.lineno + example.lineno


def call_arguments(
    text: str, names: Sequence[str], defaults: Mapping[str, Any] = MappingProxyType({})
) -> list[Any]:
    """Arguments given as Python literals: ``[3, 9, 1], 2``."""
    call = _parsed(f"call({text})")
    if not isinstance(call, ast.Call):
        raise AncError(f"'{text}' is not a list of arguments", help='write "[3, 9, 1], 2"')
    nodes: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
    nodes |= {each.arg: each.value for each in call.keywords if each.arg in names}  # type: ignore[misc]
    missing = [name for name in names if name not in nodes and name not in defaults]
    if len(nodes) != len(call.args) + len(call.keywords) or missing:
        given = len(call.args) + len(call.keywords)
        raise AncError(f"expected {len(names)} arguments ({', '.join(names)}), found {given}")
    found = {name: _literal(node) for name, node in nodes.items()}
    for name, value in found.items():
        if value is None:
            raise AncError(f"'{name}' is not a literal number, text or list of numbers")
    return [found.get(name, defaults.get(name)) for name in names]


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _literal(node: ast.expr | None) -> Any:
    """A number, text, or a list or tuple of numbers; None for anything else."""
    try:
        value = None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        return None
    if isinstance(value, list | tuple):
        return value if all(isinstance(each, int) for each in value) else None
    return value if isinstance(value, int | str | bytes) else None

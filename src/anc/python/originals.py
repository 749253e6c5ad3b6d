"""Extraction of a function's source with its dependencies, to be pasted into another file."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anc.python.changes import changes_of, is_replaced_first
from anc.python.layout import Parameter
from anc.python.references import reached
from anc.python.signature import SignatureReader
from anc.python.source import Module

if TYPE_CHECKING:
    from anc.python.function import Function

_PLAIN = ("int", "bool", "list", "list[int]", "list[bool]", "None", "str", "bytes", "bytearray")


@dataclass(frozen=True)
class _Edit:
    """A replacement of the source between two positions (line, byte)."""

    begin: tuple[int, int]
    end: tuple[int, int]
    text: str


def original_text(function: Function, name: str) -> str:
    """The source of the function under another name, preceded by its constants and helpers.

    It needs no imports: decorators are left out, and annotations are reduced to builtin types.
    """
    function.check_names()
    module, main = function.module, function.definition
    helpers, beside = _helpers(module, main), names_at_top(function)
    kinds = {p.name: type_of(p) for p in function.layout.parameters if p.size is not None}
    numbers = _constants(module, [main, *helpers])
    texts = ["\n".join(f"{known} = {module.values[known]!r}" for known in numbers)]
    texts += [_cut(module, each, _typed(module, each, {}, beside)) for each in helpers]
    edits = [_renamed(module, main, name), *_typed(module, main, kinds, beside)]
    return "\n\n\n".join(text for text in [*texts, _cut(module, main, edits)] if text) + "\n"


def names_at_top(function: Function) -> set[str]:
    """The names of a function and of its dependencies in its own file."""
    helpers = _helpers(function.module, function.definition)
    numbers = _constants(function.module, [function.definition, *helpers])
    return {function.name, *(helper.name for helper in helpers), *numbers}


def type_text(kind: str, beside: Collection[str]) -> str:
    """An annotation; quoted, so that it is never evaluated, if the file redefines one of its names."""
    return f'"{kind}"' if set(re.findall(r"\w+", kind)).intersection(beside) else kind


def changes_lists(function: Function) -> bool:
    """Whether the function or one of its helpers changes a list that is an argument."""
    changes = changes_of(function.module, function.definition.body)
    names = {p.name for p in function.layout.parameters if p.is_list} | {function.layout.tape}
    return any(
        name in changes.changed
        and not is_replaced_first(function.module, function.definition, str(name))
        for name in names
    )


def type_of(p: Parameter) -> str:
    """The type of an argument, as an annotation."""
    number = "bool" if p.truths else "int"
    if p.size is None:
        return number
    return {"list": f"list[{number}]", "tuple": f"tuple[{number}, ...]"}.get(p.kind, p.kind)


def _helpers(module: Module, main: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The functions that a function calls, directly or indirectly, in source order."""
    _, *found = reached(module, main)
    return sorted((e for e in found if isinstance(e, ast.FunctionDef)), key=lambda e: e.lineno)


def _constants(module: Module, definitions: list[ast.FunctionDef]) -> list[str]:
    used = {
        node.id
        for definition in definitions
        for part in (*definition.body, *definition.args.defaults)
        for node in ast.walk(part)
        if isinstance(node, ast.Name)
    }
    return [name for name in module.values if name in used]


def _cut(module: Module, definition: ast.FunctionDef, edits: list[_Edit]) -> str:
    lines = [line.encode() for line in module.source.text.split("\n")]
    for edit in sorted(edits, key=lambda edit: edit.begin, reverse=True):
        (first, start), (last, stop) = edit.begin, edit.end
        joined = lines[first - 1][:start] + edit.text.encode() + lines[last - 1][stop:]
        lines[first - 1 : last] = [joined, *[b""] * (last - first)]
    begin, end = definition.lineno - 1, definition.end_lineno or definition.lineno
    return textwrap.dedent(b"\n".join(lines[begin:end]).decode()).rstrip()


def _renamed(module: Module, definition: ast.FunctionDef, name: str) -> _Edit:
    line = module.source.text.split("\n")[definition.lineno - 1].encode()
    found = re.compile(rb"def\s+").match(line, definition.col_offset)
    begin = definition.col_offset + len("def ") if found is None else found.end()
    row = definition.lineno
    return _Edit((row, begin), (row, begin + len(definition.name.encode())), name)


def _typed(
    module: Module, definition: ast.FunctionDef, kinds: dict[str, str], beside: Collection[str]
) -> list[_Edit]:
    """Edits that reduce annotations to builtin types."""
    found = []
    for argument in definition.args.args:
        if argument.annotation is not None:
            kind = kinds.get(argument.arg) or _kind_of(module, definition, argument.annotation)
            found.append(_retyped(argument.annotation, kind, beside))
    if definition.returns is not None:
        returns = [node for node in ast.walk(definition) if isinstance(node, ast.Return)]
        is_value = any(node.value is not None for node in returns)
        kind = _kind_of(module, definition, definition.returns) if is_value else "None"
        found.append(_retyped(definition.returns, kind, beside))
    for node in (inner for each in definition.body for inner in ast.walk(each)):
        if isinstance(node, ast.AnnAssign):
            kind = _kind_of(module, definition, node.annotation)
            found.append(_retyped(node.annotation, kind, beside))
    return found


def _kind_of(module: Module, definition: ast.FunctionDef, annotation: ast.expr) -> str:
    """The builtin type that an annotation stands for."""
    kind = SignatureReader(module, definition).sequence(annotation)
    return {None: "int", "list": "list[int]", "tuple": "tuple[int, ...]"}.get(kind) or str(kind)


def _retyped(node: ast.expr, kind: str, beside: Collection[str]) -> _Edit:
    """The edit that keeps an annotation of builtin types, and replaces any other."""
    written = ast.unparse(node)
    is_plain = written in _PLAIN or re.fullmatch(r"tuple\[int(, int)*\]", written)
    text = type_text(written if is_plain else kind, beside)
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return _Edit((node.lineno, node.col_offset), end, text)

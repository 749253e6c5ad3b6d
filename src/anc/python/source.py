"""Python source text, read and never run: its functions, its whole numbers, and places in it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from anc.diagnostics import Diagnostic, SourceError, Span, error
from anc.language.source import Source

Number = int | tuple[int, ...]  # a constant of a module
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Module:
    """The syntax tree of a text; `outside` are numbers that it has from elsewhere."""

    source: Source
    tree: ast.Module
    outside: Mapping[str, Number] = field(default_factory=dict)

    @cached_property
    def functions(self) -> dict[str, Definition]:
        """The functions at the top of the module; of several with one name, the last."""
        found = (s for s in self.tree.body if isinstance(s, Definition))
        return {function.name: function for function in found}

    @cached_property
    def aliases(self) -> dict[str, ast.expr]:
        """Names at the top of the module for expressions, such as long annotations."""
        found: dict[str, ast.expr] = {}
        for statement in self.tree.body:
            value = getattr(statement, "value", None)
            name = getattr(statement, "name", None)
            names = [name.id] if isinstance(name, ast.Name) else _targets(statement)
            if isinstance(value, ast.expr):
                found |= dict.fromkeys(names, value)
        return found

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """Names at the top of the module that are whole numbers, or tuples of them, for good."""
        found: dict[str, Number] = dict(self.outside)
        assigned: dict[str, int] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Global):
                assigned |= dict.fromkeys(node.names, 2)
        for statement in self.tree.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    assigned[node.id] = assigned.get(node.id, 0) + _weight(statement)
        for statement in self.tree.body:
            value = constant(getattr(statement, "value", None), found)
            for name in _targets(statement):
                found.pop(name, None)
                if value is not None and assigned[name] == 1:
                    found[name] = value
        return found

    def span(self, node: ast.AST) -> Span:
        """Where a node is, in characters; only its first line if it has several."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        lines = self.source.text.split("\n")
        text = lines[line - 1].encode() if line <= len(lines) else b""
        end = getattr(node, "end_col_offset", None)
        if end is None or getattr(node, "end_lineno", line) != line:
            end = len(text.rstrip())
        before = len(text[:column].decode(errors="replace"))
        return Span(line, before + 1, max(1, len(text[column:end].decode(errors="replace"))))


def parse(source: Source, outside: Mapping[str, Number] | None = None) -> Module:
    """The module of a text; a SourceError where Python itself would not accept it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own opinion is not asked for here
            tree = ast.parse(source.text)
    except SyntaxError as problem:
        raise SourceError([_said_by_python(problem)], source.text, source.name) from None
    except (ValueError, RecursionError, MemoryError) as problem:
        raise SourceError([error(f"not Python: {problem}")], source.text, source.name) from None
    return Module(source, tree, outside or {})


def refused_by_python(definition: Definition) -> Iterator[Diagnostic]:
    """What Python finds only when it compiles what it has parsed: two arguments of one name, say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(ast.Module([definition], []), "<source>", "exec", dont_inherit=True)
    except SyntaxError as problem:
        yield _said_by_python(problem)


def _said_by_python(problem: SyntaxError) -> Diagnostic:
    return error(f"not Python: {problem.msg}", Span(problem.lineno or 1, problem.offset or 1))


def constant(node: ast.AST | None, known: Mapping[str, Number]) -> Number | None:
    """The whole number, or tuple of them, that an expression is; None if it is something else."""
    if isinstance(node, ast.Constant):
        return int(node.value) if isinstance(node.value, int) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Tuple):
        parts = [constant(part, known) for part in node.elts]
        return tuple(p for p in parts if isinstance(p, int)) if _whole(parts) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Invert):
        value = constant(node.operand, known)
        if isinstance(value, int):
            return {ast.USub: -value, ast.UAdd: value, ast.Invert: ~value}[type(node.op)]
    if isinstance(node, ast.BinOp):
        return _joined(node.op, constant(node.left, known), constant(node.right, known))
    return None


def known_number(
    node: ast.expr,
    numbers: Mapping[str, Number],
    hidden: Container[str],
    length: Callable[[str], int | None],
) -> int | None:
    """The whole number that an expression is in Python itself, where its text alone tells.

    `hidden` are names of variables, `length` says how long a list always is.
    """
    found = constant(node, {name: n for name, n in numbers.items() if name not in hidden})
    if isinstance(found, int):
        return found
    if isinstance(node, ast.BinOp):
        sides = (known_number(side, numbers, hidden, length) for side in (node.left, node.right))
        return _joined(node.op, *sides)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    inner = node.args[0] if node.func.id == "len" and len(node.args) == 1 else None
    return length(inner.id) if isinstance(inner, ast.Name) else None


def _joined(op: ast.operator, left: Number | None, right: Number | None) -> int | None:
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    if isinstance(op, ast.Pow | ast.LShift) and not (0 <= right <= 64 and abs(left) < 2**16):
        return None
    if isinstance(op, ast.FloorDiv | ast.Mod) and right == 0:
        return None
    simple: dict[type, Callable[[int, int], int]] = {
        ast.Add: int.__add__,
        ast.Sub: int.__sub__,
        ast.Mult: int.__mul__,
        ast.FloorDiv: int.__floordiv__,
        ast.Mod: int.__mod__,
        ast.Pow: int.__pow__,
        ast.LShift: int.__lshift__,
    }
    return simple[type(op)](left, right) if type(op) in simple else None


def _whole(parts: list[Number | None]) -> bool:
    return all(isinstance(part, int) for part in parts)


def _weight(statement: ast.stmt) -> int:
    """A name that is assigned inside of something at the top is no constant."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return 0
    return 1 if isinstance(statement, ast.Assign | ast.AnnAssign) else 2


def _targets(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Assign):
        return [t.id for t in statement.targets if isinstance(t, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []

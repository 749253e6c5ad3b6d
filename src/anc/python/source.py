"""Python modules, parsed and never run: their functions, constants and source spans."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from anc.language.source import Source
from anc.python.names import STAR, Binding, bindings_of, plain_targets
from anc.support.diagnostics import Diagnostic, SourceError, Span, error

Number = int | str | tuple["Number", ...] | list["Number"]  # a constant of a module
CHANGING_METHODS = ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Module:
    """A module's syntax tree; `outside` are the values of its numbers if it was imported."""

    source: Source
    tree: ast.Module
    outside: Mapping[str, Number] | None = None

    @cached_property
    def functions(self) -> dict[str, Definition]:
        """The top-level functions; if a name is defined several times, the last definition."""
        found = (s for s in self.tree.body if isinstance(s, Definition))
        return {function.name: function for function in found}

    @cached_property
    def aliases(self) -> dict[str, ast.expr]:
        """Top-level aliases: names that are assigned an expression, such as a long annotation."""
        found: dict[str, ast.expr] = {}
        for statement in self.tree.body:
            value = getattr(statement, "value", None)
            name = getattr(statement, "name", None)
            names = [name] if isinstance(name, ast.Name) else plain_targets(statement)
            if isinstance(value, ast.expr):
                found |= dict.fromkeys((each.id for each in names), value)
        return found

    @cached_property
    def bindings(self) -> dict[str, list[Binding]]:
        """The places where each top-level name is bound."""
        return bindings_of(self.tree)

    def doubt(self, name: str) -> str | None:
        """The reason why the value of a top-level name is uncertain; None if it is certain.

        In an imported module, a name that is bound exactly once is certain.
        """
        found = self.bindings.get(name, [])
        lines = [binding.line for binding in found]
        if len({id(b.statement) for b in found}) > 1 or any(b.is_late for b in found):
            return f"'{name}' is bound in {_listed(lines)}"
        if self.outside is not None:
            return None
        for star in self.bindings.get(STAR, []):
            if not found or star.line > lines[-1]:
                return f"'{name}' may be bound by the 'import *' in line {star.line}"
        if len(found) > 1 or not all(binding.is_plain for binding in found):
            return f"only running line {lines[0]} tells what '{name}' is"
        return None

    @cached_property
    def values(self) -> dict[str, Number]:
        """The module's constants: integers, text, and tuples and lists of them; True stays True."""
        found: dict[str, Number] = dict(self.outside or {})
        for statement in self.tree.body:
            value = value_of(getattr(statement, "value", None), found)
            for target in plain_targets(statement):
                if target.id in (self.outside or {}):
                    continue  # the imported module has its value
                found.pop(target.id, None)
                if value is not None and self.doubt(target.id) is None:
                    found[target.id] = value
        changed = self._changed
        return {n: v for n, v in found.items() if not isinstance(v, list) or n not in changed}

    @cached_property
    def _changed(self) -> set[str]:
        """The names whose lists the module changes, or may change."""
        found = set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Subscript(value=inner, ctx=ast.Store() | ast.Del()):
                    found |= {each.id for each in ast.walk(inner) if isinstance(each, ast.Name)}
                case ast.AugAssign(target=ast.Name(id=name)):
                    found.add(name)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                    found |= {name} if method in CHANGING_METHODS else set()
        local = {node.arg for node in ast.walk(self.tree) if isinstance(node, ast.arg)}
        return {name for name in found if name not in local}

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """The constants as the machine has them: True is 1."""
        return {name: _whole(value) for name, value in self.values.items()}

    def refuse(self, problems: Sequence[Diagnostic]) -> None:
        """Raise a SourceError if there are problems."""
        if problems:
            raise SourceError(problems, self.source.text, self.source.name)

    def span(self, node: ast.AST) -> Span:
        """The source span of a node, in characters; the first line of a node with several."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        lines = self.source.text.split("\n")
        text = lines[line - 1].encode() if line <= len(lines) else b""
        end = getattr(node, "end_col_offset", None)
        if end is None or getattr(node, "end_lineno", line) != line:
            end = len(text.rstrip())
        before = len(text[:column].decode(errors="replace"))
        return Span(line, before + 1, max(1, len(text[column:end].decode(errors="replace"))))


def parse(source: Source, outside: Mapping[str, Number] | None = None) -> Module:
    """Parse a module; a SourceError if it is not valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own warnings are not wanted here
            tree = ast.parse(source.text)
    except SyntaxError as problem:
        raise SourceError([_said_by_python(problem)], source.text, source.name) from None
    except (ValueError, RecursionError, MemoryError) as problem:
        raise SourceError([error(f"not Python: {problem}")], source.text, source.name) from None
    return Module(source, tree, outside)


def refused_by_python(definition: Definition) -> Iterator[Diagnostic]:
    """Errors that Python reports only when it compiles, such as two arguments with one name."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(ast.Module([definition], []), "<source>", "exec", dont_inherit=True)
    except SyntaxError as problem:
        yield _said_by_python(problem)


def _said_by_python(problem: SyntaxError) -> Diagnostic:
    return error(f"not Python: {problem.msg}", Span(problem.lineno or 1, problem.offset or 1))


def constant(node: ast.AST | None, known: Mapping[str, Number]) -> Number | None:
    """Constant folding: the integer, text, or tuple or list of them, that an expression is, or None."""
    found = value_of(node, known)
    return None if found is None else _whole(found)


def value_of(node: ast.AST | None, known: Mapping[str, Number]) -> Number | None:
    """The same, with True and False kept as they are."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | str) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Tuple | ast.List):
        parts = [value_of(part, known) for part in node.elts]
        made = tuple(parts) if isinstance(node, ast.Tuple) else parts
        return made if is_number(made) else None  # type: ignore[return-value]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd | ast.Invert):
        value = constant(node.operand, known)
        if isinstance(value, int):
            return {ast.USub: -value, ast.UAdd: value, ast.Invert: ~value}[type(node.op)]
    if isinstance(node, ast.BinOp):
        return _joined(node.op, constant(node.left, known), constant(node.right, known))
    return None


def is_number(value: object) -> bool:
    """Whether a value is exactly an int, a bool or text, or a tuple or list of these."""
    if type(value) in (tuple, list):
        return all(map(is_number, value))  # type: ignore[call-overload]
    return type(value) in (int, bool, str)


def _whole(value: Number) -> Number:
    if isinstance(value, tuple):
        return tuple(map(_whole, value))
    if isinstance(value, list):
        return list(map(_whole, value))
    return value if isinstance(value, str) else int(value)


def known_number(
    node: ast.expr,
    numbers: Mapping[str, Number],
    hidden: Container[str],
    length: Callable[[str], int | None],
) -> int | None:
    """The integer value of an expression in Python, if it is a compile-time constant.

    `hidden` are the names of variables; `length` returns the length of a list if it is fixed.
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


def _listed(lines: list[int]) -> str:
    *others, last = sorted(lines)
    return f"lines {', '.join(map(str, others))} and {last}" if others else f"line {last}"

"""Signatures and decorators, read from source: the layout of a function's arguments on the tape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from anc.python.layout import Layout, Parameter, Size
from anc.python.source import Definition, Module, constant
from anc.support.diagnostics import AncError, Diagnostic, error

INT = "write int, or Annotated[list[int], anc.Size(8)]"
TAPE = "tape"


@dataclass(frozen=True)
class Options:
    """The options of ``@anc.function(memory=64, wrap=True)``."""

    memory: int | None = None
    wrap: bool = False

    def over(self, memory: int | None, wrap: bool | None) -> Options:
        """These options, overridden by those that are given."""
        return Options(
            self.memory if memory is None else memory, self.wrap if wrap is None else wrap
        )

    def memory_of(self, name: str) -> int:
        """The size of the memory; an error if neither decorator nor caller gives it."""
        if self.memory is None:
            raise AncError(
                f"how large is the memory of '{name}'?",
                help="write @anc.function(memory=64) above it, or give --memory 64",
            )
        return self.memory


class SignatureReader:
    """Reads the signature of a definition; errors are collected in `problems`."""

    def __init__(self, module: Module, definition: Definition) -> None:
        self.module, self.definition = module, definition
        self.problems: list[Diagnostic] = []

    # -- the decorator -----------------------------------------------------------

    def options(self) -> Options:
        found = Options()
        for decorator in self.definition.decorator_list:
            is_anc = is_decorator_of_ours(self.module, decorator)
            if is_anc and is_ours(decorator, "function"):
                found = self._options(decorator)
            elif not is_anc:
                self.wrong(decorator, "this decorator is not supported", "only anc.function is")
        return found

    def _options(self, decorator: ast.expr) -> Options:
        given: dict[str, int] = {}
        if isinstance(decorator, ast.Call):
            if decorator.args:
                self.wrong(decorator.args[0], "this needs a name", "write memory=64")
            for keyword in decorator.keywords:
                if keyword.arg == "instructions":
                    continue  # the reader of the text chooses the machine
                value = constant(keyword.value, self.module.numbers)
                if keyword.arg not in ("memory", "wrap") or not isinstance(value, int):
                    help = "write memory=64, and wrap=True if numbers of M and more are meant"
                    self.wrong(keyword.value, f"'{keyword.arg}' is not a known number", help)
                else:
                    given[keyword.arg] = value
        return Options(given.get("memory"), bool(given.get("wrap", False)))

    # -- arguments and result ------------------------------------------------------

    def layout(self) -> Layout:
        arguments = self.definition.args.args
        if len(arguments) == 1 and arguments[0].arg == TAPE and not self._size(arguments[0]):
            if any(node.value is not None for node in self._returns()):
                help = "write it to a cell, such as tape[0] = x"
                self.wrong(arguments[0], "a function of the tape returns nothing", help)
            return Layout(tape=TAPE)
        parameters: list[Parameter] = []
        cell = 0
        for argument in arguments:
            size, truths = self._kind(argument), self._is_bool(argument)
            parameter = Parameter(argument.arg, cell, truths=truths)
            if size is not None and size.up_to is None:
                parameter = replace(parameter, size=size.most)
            elif size is not None:
                parameter = replace(parameter, cell=cell + 1, size=size.most, length=cell)
            parameters.append(parameter)
            cell = parameter.cells.stop
        returns = [node for node in self._returns() if node.value is not None]
        is_bool = _is_name(self.definition.returns, "bool")
        return Layout(tuple(parameters), cell if returns else None, is_bool)

    def _size(self, argument: ast.arg) -> bool:
        return argument.annotation is not None and not _is_list(argument.annotation)

    def _returns(self) -> Iterator[ast.Return]:
        found = (n for each in self.definition.body for n in ast.walk(each))
        return (node for node in found if isinstance(node, ast.Return))

    def _kind(self, argument: ast.arg) -> Size | None:
        """The size of a list; None for a number."""
        annotation = self._resolved(argument.annotation)
        if annotation is None:
            help = f"{INT}; or call the only argument 'tape' to get the whole tape"
            self.wrong(argument, f"what is '{argument.arg}'?", help)
            return None
        if _is_name(annotation, "int") or _is_name(annotation, "bool"):
            return None
        if isinstance(annotation, ast.Subscript) and _is_name(annotation.value, "Annotated"):
            parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
            sizes = [part for part in parts[1:] if is_ours(part, "Size")]
            if len(parts) > 1 and _is_name(parts[0], "int"):
                return None
            if len(sizes) == 1 and _is_list(parts[0]):
                return self._stated(sizes[0])
        if _is_list(annotation):
            help = f"write Annotated[list[int], anc.Size(8)] for '{argument.arg}'"
            self.wrong(annotation, "how long is this list?", help)
        else:
            message = f"this is no kind of argument that '{argument.arg}' can be"
            self.wrong(argument.annotation or argument, message, INT)
        return None

    def _is_bool(self, argument: ast.arg) -> bool:
        """Whether the type is ``bool``, or a list of ``bool``."""
        kind = self._resolved(argument.annotation)
        while isinstance(kind, ast.Subscript):
            of = kind.slice
            kind = self._resolved(of.elts[0] if isinstance(of, ast.Tuple) else of)
        return _is_name(kind, "bool")

    def _resolved(self, annotation: ast.expr | None) -> ast.expr | None:
        """Resolves annotations that are strings, or aliases defined at the top of the module."""
        for _ in range(10):
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
                annotation = _parsed(annotation.value)
            elif isinstance(annotation, ast.Name) and annotation.id in self.module.aliases:
                annotation = self.module.aliases[annotation.id]
        return annotation

    def _stated(self, node: ast.expr) -> Size | None:
        problem = "the size is not a known number"
        if isinstance(node, ast.Call):
            numbers = self.module.numbers
            given = [constant(each, numbers) for each in node.args]
            named = {each.arg: constant(each.value, numbers) for each in node.keywords}
            try:
                return Size(*given, **named)  # type: ignore[arg-type]
            except (AncError, TypeError) as found:
                problem = str(found).split("\n")[0]
        self.wrong(node, problem, "write anc.Size(8), or anc.Size(up_to=8)")
        return None

    def wrong(self, node: ast.AST, message: str, help: str | None = None) -> None:
        self.problems.append(error(message, self.module.span(node), help))


def is_ours(node: ast.expr, name: str) -> bool:
    """Whether this is ``anc.NAME``, ``NAME`` or a call of it."""
    return _is_name(node.func if isinstance(node, ast.Call) else node, name)


def is_decorator_of_ours(module: Module, decorator: ast.expr) -> bool:
    """Whether this is ``anc.function`` or ``anc.record``, which do not change the function."""
    if not any(is_ours(decorator, name) for name in ("function", "record")):
        return False
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    root = node.value if isinstance(node, ast.Attribute) else node
    bound = module.bindings.get(root.id, []) if isinstance(root, ast.Name) else []
    return all(_is_from_anc(binding.statement) for binding in bound)


def _is_from_anc(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "anc"
    return isinstance(statement, ast.Import) and any(e.name == "anc" for e in statement.names)


def is_hole(node: ast.expr) -> bool:
    """Whether this is a call of ``anc.hole``."""
    return isinstance(node, ast.Call) and is_ours(node, "hole")


def _is_name(node: ast.expr | None, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) and node.id == name


def _is_list(node: ast.expr) -> bool:
    """``list``, ``List``, ``list[int]``, ``Sequence[int]``."""
    if isinstance(node, ast.Subscript):
        return _is_list(node.value) and (
            _is_name(node.slice, "int") or _is_name(node.slice, "bool")
        )
    return any(_is_name(node, name) for name in ("list", "List", "Sequence", "MutableSequence"))


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None

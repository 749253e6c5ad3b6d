"""Signatures and decorators, read from source: the layout of a function's arguments on the tape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from anc import isa
from anc.isa import InstructionSet
from anc.python.layout import Layout, Parameter, Several, Size
from anc.python.names import stored_names
from anc.python.source import Definition, Module, constant, value_of
from anc.support.diagnostics import AncError, Diagnostic, error

INT = "write int, or Annotated[list[int], anc.Size(8)]"
TAPE = "tape"


@dataclass(frozen=True)
class Options:
    """The options of ``@anc.function(memory=64, wrap=True, instructions="paper")``."""

    memory: int | None = None
    wrap: bool = False
    instructions: InstructionSet = isa.WIDE

    def over(
        self, memory: int | None, wrap: bool | None, instructions: InstructionSet | None
    ) -> Options:
        """These options, overridden by those that are given."""
        return Options(
            self.memory if memory is None else memory,
            self.wrap if wrap is None else wrap,
            self.instructions if instructions is None else instructions,
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

    def options(self, instructions: InstructionSet | None = None) -> Options:
        """What the decorator says; its instruction set is not read if another one is given."""
        found = Options()
        for decorator in self.definition.decorator_list:
            is_anc = is_decorator_of_ours(self.module, decorator)
            if is_anc and is_ours(decorator, "function"):
                found = self._options(decorator, instructions)
            elif not is_anc:
                self.wrong(decorator, "this decorator is not supported", "only anc.function is")
        return found

    def _options(self, decorator: ast.expr, instructions: InstructionSet | None) -> Options:
        given: dict[str, int] = {}
        if isinstance(decorator, ast.Call):
            if decorator.args:
                self.wrong(decorator.args[0], "this needs a name", "write memory=64")
            for keyword in decorator.keywords:
                if keyword.arg == "instructions":
                    if instructions is None:
                        instructions = self._instructions(keyword.value)
                    continue
                value = constant(keyword.value, self.module.numbers)
                if keyword.arg not in ("memory", "wrap") or not isinstance(value, int):
                    help = "write memory=64, and wrap=True if numbers of M and more are meant"
                    self.wrong(keyword.value, f"'{keyword.arg}' is not a known number", help)
                else:
                    given[keyword.arg] = value
        wrap = bool(given.get("wrap", False))
        return Options(given.get("memory"), wrap, instructions or isa.WIDE)

    def _instructions(self, node: ast.expr) -> InstructionSet | None:
        """The set that the decorator names: as a text, or as ``anc.PAPER``."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return isa.load(node.value)
        for name, found in isa.NAMED.items():
            if is_ours(node, name.upper()):
                return found
        help = 'write instructions="paper", or a file\'s name; or give --instructions FILE'
        self.wrong(node, "the text does not tell which instruction set this is", help)
        return None

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
            default = self._default(argument)
            parameter = Parameter(argument.arg, cell, truths=truths, default=default)
            kind = self.sequence(argument.annotation) or "list"
            if size is not None and size.up_to is None:
                parameter = replace(parameter, size=size.most, kind=kind)
            elif size is not None:
                parameter = replace(
                    parameter, cell=cell + 1, size=size.most, length=cell, kind=kind
                )
            parameters.append(parameter)
            cell = parameter.cells.stop
        returns = [node for node in self._returns() if node.value is not None]
        same = self._same(parameters, returns)
        if same is not None:
            return Layout(tuple(parameters), same=same)
        is_bool = _is_name(self.definition.returns, "bool")
        several = self._several(returns) if returns else None
        return Layout(tuple(parameters), cell if returns else None, is_bool, several=several)

    def _same(self, parameters: list[Parameter], returns: list[ast.Return]) -> str | None:
        """The list that is an argument and that every return names; it is never another list."""
        names = {each.value.id if isinstance(each.value, ast.Name) else "" for each in returns}
        lists = {p.name for p in parameters if p.is_list} - stored_names(self.definition.body)
        return names.pop() if len(names) == 1 and names <= lists else None

    def _default(self, argument: ast.arg) -> Any:
        taken = self.definition.args
        names = [each.arg for each in taken.args][len(taken.args) - len(taken.defaults) :]
        if argument.arg not in names:
            return None
        node = taken.defaults[names.index(argument.arg)]
        value = value_of(node, self.module.values)
        if value is None or isinstance(value, list):
            self.wrong(node, "a default must be a known number or text", "write a number")
            return None
        return value

    def _several(self, returns: list[ast.Return]) -> Several | None:
        """The type of a result that is a list, a tuple or text; None for a number."""
        annotation = self._resolved(self.definition.returns)
        kind = self.sequence(annotation)
        if kind is None:
            displays = [each.value for each in returns if isinstance(each.value, ast.Tuple)]
            sizes = {len(each.elts) for each in displays}
            if annotation is None and len(displays) == len(returns) and len(sizes) == 1:
                return Several("tuple", sizes.pop())
            return None
        if isinstance(annotation, ast.Subscript) and _is_name(annotation.value, "Annotated"):
            size = self.stated(annotation)
            return None if size is None else Several(kind, size.most, size.up_to is not None)
        if kind == "tuple" and isinstance(annotation, ast.Subscript):
            parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
            parts = parts or [annotation.slice]
            if not any(isinstance(each, ast.Constant) for each in parts):  # ... has no length
                for each in parts:
                    if not _is_name(each, "int") and not _is_name(each, "bool"):
                        self.wrong(each, "a tuple of numbers is expected", "write tuple[int, int]")
                return Several("tuple", len(parts))
        where = annotation if annotation is not None and hasattr(annotation, "lineno") else None
        written = f"Annotated[{kind if kind in _PLAIN else f'{kind}[int]'}, anc.Size(up_to=8)]"
        self.wrong(where or self.definition, "how long is the result?", f"write -> {written}")
        return None

    def sequence(self, annotation: ast.expr | None) -> str | None:
        """The type of a sequence: list, tuple, str, bytes or bytearray; None for anything else."""
        annotation = self._resolved(annotation)
        if isinstance(annotation, ast.Subscript):
            if _is_name(annotation.value, "Annotated"):
                parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
                return self.sequence(parts[0]) if parts else None
            annotation = annotation.value
        names = {"List": "list", "Sequence": "list", "MutableSequence": "list", "Tuple": "tuple"}
        names |= {"list": "list", "tuple": "tuple", **{each: each for each in _PLAIN}}
        return next((kind for name, kind in names.items() if _is_name(annotation, name)), None)

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
            if len(parts) > 1 and _is_name(parts[0], "int"):
                return None
            if self.stated(annotation, argument.annotation) is not None or self.problems:
                return self.stated(annotation, argument.annotation)
        kind = self.sequence(annotation)
        if kind is not None:
            written = kind if kind in _PLAIN else f"{kind}[int]"
            help = f"write Annotated[{written}, anc.Size(8)] for '{argument.arg}'"
            self.wrong(annotation, f"how long is this {_WORDS.get(kind, kind)}?", help)
        else:
            message = f"this is no kind of argument that '{argument.arg}' can be"
            self.wrong(argument.annotation or argument, message, INT)
        return None

    def stated(self, annotation: ast.expr, where: ast.expr | None = None) -> Size | None:
        """The size in ``Annotated[list[int], anc.Size(8)]``; None if there is none."""
        annotation = self._resolved(annotation) or annotation
        if not isinstance(annotation, ast.Subscript) or not _is_name(annotation.value, "Annotated"):
            return None
        parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
        sizes = [part for part in parts[1:] if is_ours(part, "Size")]
        if len(sizes) == 1 and (self.sequence(parts[0]) in _PLAIN or _is_list(parts[0])):
            return self._stated(sizes[0])
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


_PLAIN = ("str", "bytes", "bytearray")  # sequences that say no type of their elements
_WORDS = {"str": "text"}


def stated_sizes(module: Module, definition: ast.FunctionDef) -> dict[str, Size]:
    """The sizes that annotations of names state; `return` is that of the result.

    A name that is returned may become as long as the result.
    """
    reader, found = SignatureReader(module, definition), {}
    result = None if definition.returns is None else reader.stated(definition.returns)
    if result is not None:
        found["return"] = result
    for node in ast.walk(definition):
        if isinstance(node, ast.Return) and result is not None:
            found |= {name: result for name in _returned(node.value) if name not in found}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            size = reader.stated(node.annotation)
            if size is not None:
                found[node.target.id] = size
    module.refuse(reader.problems)
    return found


def _returned(node: ast.expr | None) -> list[str]:
    """The names whose sequences, or copies or slices of them, are returned."""
    match node:
        case ast.Name(id=name):
            return [name]
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return _returned(inner)
        case ast.Call(func=ast.Name("list" | "tuple" | "sorted" | "reversed"), args=[inner]):
            return _returned(inner)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return [*_returned(one), *_returned(other)]
    return []


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
    if isinstance(node, ast.Subscript) and _is_name(node.value, "tuple"):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return all(_is_name(each, "int") or isinstance(each, ast.Constant) for each in parts)
    if isinstance(node, ast.Subscript):
        return _is_list(node.value) and (
            _is_name(node.slice, "int") or _is_name(node.slice, "bool")
        )
    return any(
        _is_name(node, name) for name in ("list", "List", "Sequence", "MutableSequence", "tuple")
    )


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None

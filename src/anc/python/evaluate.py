"""What a function means: a slow, obvious interpreter of its syntax tree.

Every operation gives what Python gives for numbers from 0 to M-1, modulo M; a list is a part of the
tape. Compiled programs are compared with this.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anc.python.layout import Layout
from anc.python.names import stored_names
from anc.python.numbers import Numbers, View, is_row
from anc.python.source import Module, Number


@dataclass(frozen=True)
class Evaluation:
    """What a call leaves: the tape, what was returned, and the asserts that did not hold."""

    tape: tuple[int, ...]
    result: int | None
    failed: tuple[ast.Assert, ...] = ()


class _Return(Exception):
    pass


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def evaluate(
    module: Module, definition: ast.FunctionDef, layout: Layout, tape: Sequence[int]
) -> Evaluation:
    """The meaning of a function on a tape that holds its arguments."""
    cells = list(tape)
    machine = Evaluator(module, cells)
    names: dict[str, Any] = {}
    if layout.tape is not None:
        names[layout.tape] = View(cells, 0, len(cells))
    for p in layout.parameters:
        length = p.cell if p.size is not None and p.size.up_to is not None else None
        elements = View(cells, p.elements.start, len(p.elements), length)
        names[p.name] = cells[p.cell] if p.size is None else elements
    result = machine.call(definition, names)
    if layout.result is not None and result is not None:
        cells[layout.result] = result
    return Evaluation(tuple(cells), result, tuple(machine.failed))


class Evaluator(Numbers):
    """Goes through a function's statements."""

    def __init__(self, module: Module, tape: list[int]) -> None:
        super().__init__(module, tape)
        self._seen: dict[ast.FunctionDef, Mapping[str, Number]] = {}

    def call(self, definition: ast.FunctionDef, names: dict[str, Any]) -> int | None:
        outer = self.names, self.numbers
        self.names, self.numbers = names, self._seen_from(definition)
        try:
            self.block(definition.body)
        except _Return as returned:
            return returned.args[0]
        finally:
            self.names, self.numbers = outer
        return None

    def _seen_from(self, definition: ast.FunctionDef) -> Mapping[str, Number]:
        """The module's numbers, but for names that the function assigns: those are variables all along."""
        if definition not in self._seen:
            own, numbers = stored_names(definition.body), self.module.numbers
            self._seen[definition] = {name: n for name, n in numbers.items() if name not in own}
        return self._seen[definition]

    # -- statements --------------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for each in statements:
            self.tick()
            getattr(self, f"do_{type(each).__name__}")(each)

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def do_Assign(self, node: ast.Assign) -> None:
        value = self.several(node.value) if is_row(node.value) else self.any_value(node.value)
        for target in node.targets:
            self.store(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.value(node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            cells, address = self.address(node.target)
            old = cells[address]
            cells[address] = self.operation(node.op, old, self.value(node.value))
        else:
            assert isinstance(node.target, ast.Name)
            old = self.of_Name(node.target)
            self.names[node.target.id] = self.operation(node.op, old, self.value(node.value))

    def do_If(self, node: ast.If) -> None:
        self.block(node.body if self.value(node.test) else node.orelse)

    def do_While(self, node: ast.While) -> None:
        self.loop(iter(lambda: bool(self.value(node.test)), False), node, lambda _: None)

    def do_For(self, node: ast.For) -> None:
        self.loop(self.items(node.iter), node, lambda item: self.store(node.target, item))

    def loop(self, items: Iterable, node: ast.For | ast.While, begin: Callable) -> None:
        for item in items:
            self.tick()
            begin(item)
            try:
                self.block(node.body)
            except _Continue:
                continue
            except _Break:
                return
        self.block(node.orelse)

    def do_Break(self, node: ast.Break) -> None:
        raise _Break

    def do_Continue(self, node: ast.Continue) -> None:
        raise _Continue

    def do_Return(self, node: ast.Return) -> None:
        raise _Return(None if node.value is None else self.value(node.value))

    def do_Assert(self, node: ast.Assert) -> None:
        if not self.value(node.test):
            self.failed[node] = None

    def store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for each, part in zip(target.elts, value, strict=True):
                self.store(each, part)
        elif isinstance(target, ast.Subscript):
            cells, address = self.address(target)
            cells[address] = value
        else:
            assert isinstance(target, ast.Name)
            self.names[target.id] = value

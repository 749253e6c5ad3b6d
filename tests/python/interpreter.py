"""What a function means on the machine: a slow, obvious interpreter of its syntax tree.

Every operation gives what Python gives for numbers from 0 to M-1, modulo M; a list is a part of the
tape. Compiled programs are compared with this.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from anc.python.function import Function
from anc.python.names import stored_names
from anc.python.source import Module, Number, known_number

LONGEST = 200_000  # statements and rounds of loops


@dataclass(frozen=True)
class View:
    """A list on the tape."""

    tape: list[int]
    begin: int
    most: int
    length: int | None = None

    def __len__(self) -> int:
        return self.most if self.length is None else self.tape[self.length]

    def __iter__(self) -> Iterator[int]:
        for place in range(len(self)):
            yield self.tape[(self.begin + place) % len(self.tape)]

    def __reversed__(self) -> Iterator[int]:
        for place in reversed(range(len(self))):
            yield self.tape[(self.begin + place) % len(self.tape)]


class TooLong(Exception):
    """A call that takes more than LONGEST rounds."""


class Numbers(ABC):
    """Expressions over names and a tape, as the syntax tree has them."""

    functions: ClassVar[dict[str, Callable[[Iterable[int]], int]]] = {
        "min": lambda numbers: min(numbers, default=0),
        "max": lambda numbers: max(numbers, default=0),
        "sum": sum,
        "any": any,
        "all": all,
    }

    def __init__(self, module: Module, tape: list[int]) -> None:
        self.module, self.tape, self.M = module, tape, len(tape)
        self.names: dict[str, Any] = {}
        self.numbers: Mapping[str, Number] = module.numbers  # but for those that variables hide
        self.failed: dict[ast.Assert, None] = {}
        self.rounds = 0

    @abstractmethod
    def call(self, definition: ast.FunctionDef, names: dict[str, Any]) -> int | None:
        """What a function returns."""

    @abstractmethod
    def store(self, target: ast.expr, value: Any) -> None:
        """Give a target a value."""

    def fit(self, number: int) -> int:
        """A number as the machine holds it."""
        return number % self.M

    def tick(self) -> None:
        self.rounds += 1
        if self.rounds > LONGEST:
            raise TooLong

    # -- what can be gone through ----------------------------------------------------

    def items(self, node: ast.expr) -> Iterable:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "range":
                return range(*map(self.bound, node.args))
            parts = [self.items(each) for each in node.args[:1]]
            if node.func.id == "enumerate":
                start = self.value(node.args[1]) if len(node.args) > 1 else 0
                return ((self.fit(start + i), each) for i, each in enumerate(parts[0]))
            if node.func.id == "zip":
                return zip(*map(self.items, node.args), strict=False)
            return reversed(parts[0])  # type: ignore[call-overload]
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self.comprehension(node.elt, node.generators)
        return self.several(node)

    def bound(self, node: ast.expr) -> int:
        known = self.known(node)
        return self.value(node) if known is None else known

    def several(self, node: ast.expr) -> Sequence[int] | View:
        if isinstance(node, ast.Tuple | ast.List):
            return [self.value(each) for each in node.elts]
        found = self.any_value(node)
        return [self.fit(each) for each in found] if isinstance(found, tuple) else found

    def comprehension(self, element: ast.expr, loops: list[ast.comprehension]) -> Iterator[int]:
        loop, *others = loops
        for item in self.items(loop.iter):
            self.tick()
            self.store(loop.target, item)
            if all(self.value(condition) for condition in loop.ifs):
                yield from self.comprehension(element, others) if others else [self.value(element)]

    # -- numbers -----------------------------------------------------------------------

    def known(self, node: ast.expr) -> int | None:
        def length(name: str) -> int | None:
            found = self.names.get(name, self.numbers.get(name))
            if isinstance(found, View):
                return found.most if found.length is None else None
            return len(found) if isinstance(found, tuple | list) else None

        return known_number(node, self.numbers, self.names, length)

    def any_value(self, node: ast.expr) -> Any:
        """A number, or the list or tuple that a name stands for."""
        if isinstance(node, ast.Name):
            if node.id not in self.names and node.id in self.numbers:
                found = self.numbers[node.id]
                return self.fit(found) if isinstance(found, int) else found
            return self.names[node.id] if node.id in self.names else self.unassigned(node.id)
        return self.value(node)

    def unassigned(self, name: str) -> int:
        """What a variable is before it has a value."""
        return 0

    def value(self, node: ast.expr) -> int:
        return getattr(self, f"of_{type(node).__name__}")(node)

    def of_Name(self, node: ast.Name) -> int:
        return self.any_value(node)

    def of_Constant(self, node: ast.Constant) -> int:
        return self.fit(int(node.value))  # type: ignore[arg-type]

    def of_UnaryOp(self, node: ast.UnaryOp) -> int:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return self.fit(int(not value))
        signs: dict[type, int] = {ast.USub: -value, ast.UAdd: value, ast.Invert: ~value}
        return self.fit(signs[type(node.op)])

    def of_BinOp(self, node: ast.BinOp) -> int:
        match node:
            case ast.BinOp(ast.BinOp(one, ast.Sub(), other), ast.Mod(), by):
                return self.remainder(self.value(one) - self.value(other), self.value(by))
            case ast.BinOp(ast.UnaryOp(ast.USub(), other), ast.Mod(), by):
                return self.remainder(-self.value(other), self.value(by))
        left = self.value(node.left)
        return self.operation(node.op, left, self.value(node.right))

    def remainder(self, difference: int, by: int) -> int:
        """Of a difference, also of a negative one, it is Python's."""
        return difference % by if by else self.fit(difference)

    def operation(self, op: ast.operator, a: int, b: int) -> int:
        """Python's result for numbers from 0 to M-1; what Python cannot divide is 0, and left over."""
        if isinstance(op, ast.FloorDiv):
            return a // b if b else 0
        if isinstance(op, ast.Mod):
            return a % b if b else a
        return self.fit(OPERATIONS[type(op)](a, b))

    def of_BoolOp(self, node: ast.BoolOp) -> int:
        value = 0
        for each in node.values:
            value = self.value(each)
            if bool(value) != isinstance(node.op, ast.And):
                break
        return value

    def of_Compare(self, node: ast.Compare) -> int:
        left = self.value(node.left)
        for op, each in zip(node.ops, node.comparators, strict=True):
            right = self.value(each)
            if not COMPARISONS[type(op)](left, right):
                return 0
            left = right
        return self.fit(1)

    def of_IfExp(self, node: ast.IfExp) -> int:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def of_Subscript(self, node: ast.Subscript) -> int:
        row = self.several(node.value)
        if isinstance(row, View):
            cells, address = self.address(node)
            return cells[address]
        known = self.known(node.slice)
        place = self.value(node.slice) if known is None else known
        return self.of_row(row, place)

    def of_row(self, row: Sequence[int], place: int) -> int:
        """An element of a tuple; there is a 0 behind its end."""
        return row[place] if place < len(row) else 0

    def address(self, node: ast.Subscript) -> tuple[list[int], int]:
        """The tape, or a list of its own, and the place of an element in it."""
        view, known = self.any_value(node.value), self.known(node.slice)
        if known is not None and known < 0:
            return self.tape, self.fit(view.begin + len(view) + known)
        return self.tape, self.fit(
            view.begin + (self.value(node.slice) if known is None else known)
        )

    def of_Call(self, node: ast.Call) -> Any:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in self.module.functions:
            definition = self.module.functions[name]
            assert isinstance(definition, ast.FunctionDef)
            values = [self.argument(each) for each in node.args]
            parameters = [parameter.arg for parameter in definition.args.args]
            return self.call(definition, dict(zip(parameters, values, strict=True)))
        if name in ("min", "max") and len(node.args) > 1:
            return self.functions[name]([self.value(each) for each in node.args])
        if name in self.functions:
            outer = dict(self.names)  # the names of a comprehension are its own
            found = self.fit(int(self.functions[name](self.items(node.args[0]))))
            self.names = outer
            return found
        if name == "len":
            return self.fit(len(self.several(node.args[0])))
        inner = node.args[0]
        if name == "abs" and isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
            return abs(self.value(inner.left) - self.value(inner.right))
        value = self.value(inner)
        return self.fit({"abs": abs(value), "bool": int(bool(value)), "int": value}[name])

    def argument(self, node: ast.expr) -> Any:
        return tuple(self.several(node)) if is_row(node) else self.any_value(node)


def is_row(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List)


OPERATIONS: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Pow: lambda a, b: a**b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}
COMPARISONS: dict[type, Callable[[int, int], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


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


def meaning(function: Function, tape: Sequence[int]) -> Evaluation:
    """The meaning of a function on a tape that holds its arguments."""
    module, definition, layout = function.module, function.definition, function.layout
    cells = list(tape)
    machine = Evaluator(module, cells)
    names: dict[str, Any] = {}
    if layout.tape is not None:
        names[layout.tape] = View(cells, 0, len(cells))
    for p in layout.parameters:
        elements = View(cells, p.cell, len(p.cells), p.length)
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

"""What Python itself makes of a call: the same interpreter with numbers of any size."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from anc.python.differences import ENDLESS
from anc.python.evaluate import Evaluator
from anc.python.layout import Layout
from anc.python.numbers import TooLong, View
from anc.python.source import Module


@dataclass(frozen=True)
class Outcome:
    """What a call returns, how it leaves its lists; or the error that it ends with."""

    result: Any = None
    lists: tuple[tuple[int, ...], ...] = ()
    error: str | None = None


def in_python(
    module: Module, definition: ast.FunctionDef, layout: Layout, arguments: Sequence[Any]
) -> Outcome:
    """The outcome of calling a function with these arguments, as Python would run it."""
    names = [layout.tape] if layout.tape else [parameter.name for parameter in layout.parameters]
    values: dict[str, Any] = {}
    lists: list[list[int]] = []
    for name, value in zip(names, arguments, strict=True):
        if isinstance(value, int):
            values[str(name)] = int(value)
        else:
            lists.append([int(element) for element in value])
            values[str(name)] = _Whole(lists[-1], 0, len(lists[-1]))
    try:
        result = _Integers(module, []).call(definition, values)
    except (ArithmeticError, AssertionError, LookupError, NameError, ValueError) as problem:
        return Outcome(error=type(problem).__name__)
    except TooLong:
        return Outcome(error=ENDLESS)
    shown = bool(result) if layout.is_bool and result is not None else result
    return Outcome(shown, tuple(map(tuple, lists)))


class _Whole(View):
    """A list of its own."""

    def __len__(self) -> int:
        return len(self.tape)

    def __iter__(self):
        return iter(self.tape)

    def __reversed__(self):
        return reversed(self.tape)


class _Integers(Evaluator):
    functions: ClassVar = Evaluator.functions | {"min": min, "max": max}

    def fit(self, number: int) -> int:
        return number

    def operation(self, op: ast.operator, a: int, b: int) -> int:
        if isinstance(op, ast.FloorDiv | ast.Mod):
            return a // b if isinstance(op, ast.FloorDiv) else a % b
        return super().operation(op, a, b)

    def address(self, node: ast.Subscript) -> tuple[list[int], int]:
        cells = self.any_value(node.value).tape
        place = self.value(node.slice)
        cells[place]  # an IndexError, as in Python
        return cells, place

    def of_row(self, row: Sequence[int], place: int) -> int:
        return row[place]

    def do_Assert(self, node: ast.Assert) -> None:
        if not self.value(node.test):
            raise AssertionError

    def unassigned(self, name: str) -> int:
        raise UnboundLocalError(name)

"""What Python itself makes of a call: the function's own text, compiled and run with its rounds counted.

That runs nothing else: a function of the subset imports nothing, and reaches only its arguments, the
numbers of its module, its helpers, and those functions of Python's own that the subset has.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from anc.python.calls import OWN
from anc.python.layout import Layout
from anc.python.references import reached
from anc.python.source import Module

LONGEST = 200_000  # statements and rounds of loops
ENDLESS = "no end"  # the outcome of a call that nobody waits for
_TICK, _CHECK = "<tick>", "<check>"  # names that no text can have


@dataclass(frozen=True)
class Outcome:
    """What a call returns and how it leaves its lists; or the error that it ends with.

    `broken` are the lines of the asserts that did not hold.
    """

    result: Any = None
    lists: tuple[tuple[int, ...], ...] = ()
    error: str | None = None
    broken: tuple[int, ...] = ()


class _TooLong(Exception):
    """A call takes more than LONGEST rounds."""


class Execution:
    """A function, ready to be called as Python calls it, with numbers of any size."""

    def __init__(self, module: Module, definition: ast.FunctionDef, layout: Layout) -> None:
        self.made_of = module, definition, layout
        self.is_bool = layout.is_bool
        self.rounds = 0
        self.broken: dict[int, None] = {}
        space: dict[str, Any] = {"__builtins__": {name: getattr(builtins, name) for name in OWN}}
        space |= {**module.numbers, _TICK: self._tick, _CHECK: self._check}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's own opinion is not asked for here
            exec(compile(_counted(module, definition), module.source.name, "exec"), space)
        self.function: FunctionType = space[definition.name]

    def __reduce__(self) -> tuple[Any, ...]:
        return Execution, self.made_of  # code cannot be sent to another process

    def outcome(self, arguments: Sequence[Any]) -> Outcome:
        """What a call with these arguments gives; an assert that fails is noted, and ends it in the end."""
        self.rounds, self.broken = 0, {}
        given = [int(a) if isinstance(a, int) else list(map(int, a)) for a in arguments]
        result, error = None, None
        try:
            result = self.function(*given)
        except (ArithmeticError, LookupError, NameError, ValueError) as problem:
            error = type(problem).__name__
        except _TooLong:
            error = ENDLESS
        if self.broken:
            error = AssertionError.__name__
        if error is not None:
            return Outcome(error=error, broken=tuple(self.broken))
        if result is not None:
            result = bool(result) if self.is_bool else int(result)
        lists = (each for each in given if isinstance(each, list))
        return Outcome(result, tuple(tuple(map(int, each)) for each in lists))

    def _tick(self) -> bool:
        self.rounds += 1
        if self.rounds > LONGEST:
            raise _TooLong
        return True

    def _check(self, holds: Any, line: int) -> None:
        if not holds:
            self.broken[line] = None


def _counted(module: Module, definition: ast.FunctionDef) -> ast.Module:
    """A function and its helpers, as new nodes: the module's own stay as they are."""
    lines = {each.lineno for each in reached(module, definition)}
    nodes = ast.walk(ast.parse(module.source.text))
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.lineno in lines]
    return ast.fix_missing_locations(ast.Module([_Counter().visit(f) for f in functions], []))


class _Counter(ast.NodeTransformer):
    """Counts statements and rounds, notes asserts, and drops what only readers of a text need."""

    def visit(self, node: ast.AST) -> Any:
        found = super().visit(node)
        if isinstance(found, ast.stmt) and not isinstance(found, ast.FunctionDef):
            return [ast.Expr(_call(_TICK)), found]
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list, node.returns = [], None
        for argument in node.args.args:
            argument.annotation = None
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call(_TICK)))
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call(_TICK)))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(0, _call(_TICK))
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return ast.Expr(_call(_CHECK, self.visit(node.test), ast.Constant(node.lineno)))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Python warns of ``~True``, which is a number here as everywhere."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Invert):
            return ast.BinOp(ast.Constant(-1), ast.Sub(), node.operand)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])

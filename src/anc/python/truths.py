"""Which functions return True or False, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard

from anc.python.source import Module

_DECIDING = ("any", "all", "bool")


def returns_truths(module: Module, definition: ast.FunctionDef) -> bool:
    """Whether all that a function returns is True or False, as far as its text tells."""
    return _Truths(module).all_returned(definition)


class _Truths:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.names: frozenset[str] = frozenset()

    def all_returned(self, definition: ast.FunctionDef) -> bool:
        outer, self.names = self.names, frozenset(_truthful_arguments(definition))
        self.names |= self.assigned_truths(definition)
        nodes = [node for each in definition.body for node in ast.walk(each)]
        returned = [node.value for node in nodes if isinstance(node, ast.Return)]
        found = bool(returned) and all(
            each is not None and self.is_truth(each) for each in returned
        )
        self.names = outer
        return found

    def assigned_truths(self, definition: ast.FunctionDef) -> frozenset[str]:
        """The names of which all values are True or False."""
        nodes = list(ast.walk(definition))
        assignments = [node for node in nodes if isinstance(node, ast.Assign)]
        values: dict[str, list[ast.expr]] = {}
        simple: set[ast.expr] = set()
        for each in assignments:
            for target in each.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(each.value)
                    simple.add(target)
        others = {node.id for node in nodes if _is_stored(node) and node not in simple}
        others.update(argument.arg for argument in definition.args.args)
        return frozenset(
            name for name, given in values.items() if name not in others and self.all_are(given)
        )

    def is_truth(self, node: ast.expr) -> bool:
        match node:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Constant(value=bool()):
                return True
            case ast.Name(id=name):
                return name in self.names
            case ast.BoolOp(values=parts):
                return self.all_are(parts)
            case ast.IfExp(body=one, orelse=other):
                return self.all_are((one, other))
            case ast.Call(func=ast.Name(id=name)):
                helper = self.module.functions.get(name)
                if isinstance(helper, ast.FunctionDef):
                    return self.all_returned(helper)
                return name in _DECIDING
        return False

    def all_are(self, nodes: Iterable[ast.expr]) -> bool:
        return all(map(self.is_truth, nodes))


def _truthful_arguments(definition: ast.FunctionDef) -> Iterable[str]:
    """The arguments that are said to be bool and stay what they are."""
    stored = {node.id for node in ast.walk(definition) if _is_stored(node)}
    for argument in definition.args.args:
        kind = argument.annotation
        if isinstance(kind, ast.Name) and kind.id == "bool" and argument.arg not in stored:
            yield argument.arg


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)

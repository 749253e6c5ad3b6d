"""Type inference for bool: which functions return only True or False."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from anc.python.source import Module

Names = frozenset[str]  # variables that certainly hold a bool
_DECIDING = ("any", "all", "bool", "isinstance")
_ASKING = ("startswith", "endswith")  # methods of text, beside those that begin with "is"
_CHOOSING = ("min", "max")
_BETWEEN_TRUTHS = ast.BitAnd | ast.BitOr | ast.BitXor  # of two bools they make a bool


def returns_truths(module: Module, definition: ast.FunctionDef) -> bool:
    """Whether a function certainly returns only bools.

    Arguments that are annotated as bool are assumed to be bools.
    """
    said = {a.arg for a in definition.args.args if _says_bool(a.annotation)}
    return _Truths(module, definition).all_returned(frozenset(said))


def _says_bool(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


class _Truths:
    """Forward dataflow over a function: the names that hold bools; None where unreachable."""

    def __init__(
        self,
        module: Module,
        definition: ast.FunctionDef,
        inside: Mapping[ast.FunctionDef, Names] | None = None,
    ) -> None:
        self.module, self.definition = module, definition
        self.inside = dict(inside or {})  # the calls up to here, with the arguments that are bools
        self.returned: dict[ast.Return, bool] = {}
        self.left: list[Names] = []  # the states at break and continue
        arguments = {argument.arg for argument in definition.args.args}
        self.own = arguments | _stored(definition.body)

    def all_returned(self, names: Names) -> bool:
        self.inside[self.definition] = names
        self.block(self.definition.body, names)
        return bool(self.returned) and all(self.returned.values())

    # -- statements --------------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt], names: Names | None) -> Names | None:
        for statement in statements:
            if names is None:
                return None
            names = self.statement(statement, names)
        return names

    def statement(self, statement: ast.stmt, names: Names) -> Names | None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                found = names
                for target in targets:
                    found = self.assigned(target, value, names, found)
                return found
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.assigned(target, value, names, names)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                is_kept = isinstance(op, _BETWEEN_TRUTHS) and self.is_truth(value, names)
                return names if is_kept else names - {name}
            case ast.If(body=body, orelse=otherwise):
                return _both(self.block(body, names), self.block(otherwise, names))
            case ast.While() | ast.For():
                return self.loop(statement, names)
            case ast.Return(value=value):
                self.returned[statement] = value is not None and self.is_truth(value, names)
                return None
            case ast.Break() | ast.Continue():
                self.left.append(names)
                return None
        return names - _stored([statement])

    def assigned(self, target: ast.expr, value: ast.expr, before: Names, now: Names) -> Names:
        """The state after an assignment, whose value is evaluated in the state before it."""
        match target, value:
            case ast.Name(id=name), _:
                return now | {name} if self.is_truth(value, before) else now - {name}
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, its in zip(targets, values, strict=True):
                    now = self.assigned(one, its, before, now)
                return now
        return now - _stored([target])

    def loop(self, loop: ast.While | ast.For, names: Names) -> Names | None:
        """The loop invariant, which also holds after the last iteration."""
        outer = self.left
        target = _stored([loop.target]) if isinstance(loop, ast.For) else frozenset()
        while True:
            self.left = []
            after = self.block(loop.body, names - target)
            always = names.intersection(*self.left, *([] if after is None else [after]))
            if always == names:
                break
            names = always
        self.left = outer
        return _both(names, self.block(loop.orelse, names))

    # -- expressions -------------------------------------------------------------

    def is_truth(self, node: ast.expr, names: Names) -> bool:
        match node:
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
                return True
            case ast.Name(id=name):
                return name in names or self.is_constant(name)
            case ast.BoolOp(values=parts):
                return self.all_are(parts, names)
            case ast.IfExp(body=one, orelse=other):
                return self.all_are((one, other), names)
            case ast.BinOp(left=one, op=op, right=other):
                return isinstance(op, _BETWEEN_TRUTHS) and self.all_are((one, other), names)
            case ast.Subscript(value=values):
                return self.are_truths(values, names)
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in _ASKING or name.startswith("is")
            case ast.Call(func=ast.Name(id=name), args=given, keywords=others):
                return self.is_truth_called(name, given, others, names)
        return False

    def all_are(self, nodes: Iterable[ast.expr], names: Names) -> bool:
        return all(self.is_truth(node, names) for node in nodes)

    def are_truths(self, values: ast.expr, names: Names) -> bool:
        """Whether all elements of an iterable are bools."""
        match values:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return self.all_are(parts, names)
            case ast.GeneratorExp(elt=each, generators=along):
                return self.is_truth(each, names - _stored(part.target for part in along))
            case ast.Name(id=name):
                return self.is_constant(name)
        return False

    def is_constant(self, name: str) -> bool:
        """Whether a name is a constant of the module: a bool, or a tuple of bools."""
        if name in self.own or name not in self.module.values:
            return False
        value = self.module.values[name]
        return all(
            isinstance(each, bool) for each in (value if isinstance(value, tuple) else [value])
        )

    def is_truth_called(
        self, name: str, given: list[ast.expr], others: list[ast.keyword], names: Names
    ) -> bool:
        helper = self.module.functions.get(name)
        if isinstance(helper, ast.FunctionDef):
            wanted = [argument.arg for argument in helper.args.args]
            pairs = [*zip(wanted, given, strict=False), *((k.arg, k.value) for k in others)]
            said = {key for key, value in pairs if key and self.is_truth(value, names)}
            if helper in self.inside:  # then its other returns decide
                return self.inside[helper] <= said
            return _Truths(self.module, helper, self.inside).all_returned(frozenset(said))
        if name in _CHOOSING and len(given) == 1:
            return not others and self.are_truths(given[0], names)
        if name in _CHOOSING:
            return self.all_are(given, names)
        return name in _DECIDING


def _both(one: Names | None, other: Names | None) -> Names | None:
    """The join of two states."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _stored(nodes: Iterable[ast.AST]) -> Names:
    """The names that are assigned anywhere inside nodes."""
    found = (inner for node in nodes for inner in ast.walk(node))
    return frozenset(
        each.id for each in found if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )

"""Helper functions: a call becomes the helper's own commands, with its names apart."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from anc.compiler.graph import Operand, Variable
from anc.language.source import Source
from anc.python.code import kept, named
from anc.python.lowering import Binding, Lowering, Scope
from anc.python.names import always_returns, loaded_names, stored_names
from anc.python.source import Module, parse

GROWING = ("times", "doubled")  # the operations whose result may be M or more


@cache
def own() -> Module:
    """The operations that are written in the subset itself."""
    path = Path(__file__).with_name("arithmetic.py")
    return parse(Source(path.read_text(), path.name))


def inlined(low: Lowering, name: str, *arguments: Operand) -> Operand:
    """One of these operations on numbers."""
    definition = own().functions[name]
    assert isinstance(definition, ast.FunctionDef)
    is_exact, low.is_exact = low.is_exact, low.is_exact and name in GROWING
    result = put_in_place(low, own(), definition, arguments, is_shown=False)
    low.is_exact = is_exact
    return result


def put_in_place(
    low: Lowering,
    module: Module,
    definition: ast.FunctionDef,
    arguments: tuple[Binding, ...],
    is_shown: bool = True,
) -> Operand:
    """A helper's body, with what it returns in a variable of its own."""
    code, outer, loops = low.code, low.scope, low.loops
    result, done = Variable(definition.name), code.label()
    stored = stored_names(definition.body)
    names: dict[str, Binding] = {name: named(name) for name in stored}
    for parameter, argument in zip(definition.args.args, arguments, strict=True):
        name = parameter.arg
        if name not in stored or isinstance(argument, tuple) or not isinstance(argument, Operand):
            names[name] = argument
            if isinstance(argument, Variable):
                kept(argument, name)
        else:
            code.assign(names[name], argument)  # type: ignore[arg-type]

    def leave(statement: ast.Return) -> None:
        if statement.value is not None:
            code.assign(result, low.value(statement.value))
        code.goto(done)

    own_names = stored.difference(parameter.arg for parameter in definition.args.args)
    assigned = low.unset(own_names) if is_shown else {}
    low.scope = Scope(module, names, loaded_names(definition.body), leave, is_shown, assigned)
    low.loops, span = [], code.span
    low.inside.append(definition.name)
    low.block(definition.body)
    low.inside.pop()
    low.scope, low.loops, code.span = outer, loops, span
    code.place(done)
    return result


def check_returns(low: Lowering, node: ast.AST, definition: ast.FunctionDef) -> None:
    """A call whose value is used needs one on every way."""
    returns = [each for each in ast.walk(definition) if isinstance(each, ast.Return)]
    if not always_returns(definition.body) or any(each.value is None for each in returns):
        low.wrong(
            node,
            f"'{definition.name}' does not return a number on every way through it",
            "end every way with a return of a number",
        )

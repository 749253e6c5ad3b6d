"""Helpers of the module, which are put where they are called; tail calls of a function are loops."""

from __future__ import annotations

import ast
from dataclasses import replace

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.changes import changes_of, is_replaced_first
from anc.python.code import named
from anc.python.lowering import Lowering, Scope, put_in_place
from anc.python.names import always_returns, loaded_names, unsure_names
from anc.python.recursion import Stack, calls_itself, needs_stack, own_calls
from anc.python.sequences import CHANGING_KINDS, Binding, Cells, Row
from anc.python.signature import stated_sizes
from anc.python.source import constant
from anc.python.storage import Choice, Keeper, copied, keeper_of, kept


def helper(low: Lowering, node: ast.Call, is_used: bool) -> Binding:
    """Inline a function of the module."""
    assert isinstance(node.func, ast.Name)
    module = low.scope.module
    definition = module.functions[node.func.id]
    name = definition.name
    stack = low.scope.stack
    if name == low.inside[-1] and isinstance(stack, Stack):
        assert isinstance(definition, ast.FunctionDef)
        return _called_again(low, node, definition, stack)
    if name in low.inside:
        row = " calls ".join(f"'{each}'" for each in [*low.inside[low.inside.index(name) :], name])
        return low.wrong(node, f"recursion: {row}", "let one function call itself, or write a loop")
    assert isinstance(definition, ast.FunctionDef)
    given = arguments_of(low, node, definition)
    if given is None:
        return low.wrong(node, f"{name}() cannot be called so")
    if is_used:
        check_returns(low, node, definition)
    return called(low, definition, given)


def called(low: Lowering, definition: ast.FunctionDef, given: dict[str, Binding]) -> Binding:
    """The result of a helper's body on these arguments."""
    code, done, module = low.code, low.code.label(), low.scope.module
    result = _Result(low, definition)
    changes = changes_of(module, definition.body)
    is_recursive = calls_itself(definition)
    names: dict[str, Binding] = {name: named(name) for name in changes.stores}
    scope = Scope(module, names, loaded_names(definition.body), _leaver(low, result, done))
    scope.definition, scope.changes = definition, changes
    scope.sizes = stated_sizes(module, definition)
    outer, low.scope = low.scope, scope
    stack = Stack(low, scope, lambda new: _assign(low, new)) if needs_stack(definition) else None
    scope.stack, scope.result = stack, result
    for name, argument in given.items():
        take(low, name, argument, is_recursive)
    scope.begin = code.label() if is_recursive else None
    if scope.begin is not None:
        code.place(scope.begin)
    low.unsure |= unsure_names(definition)
    scope.assigned = low.unset(changes.stores.keys() - given.keys())
    low.scope = outer
    put_in_place(low, scope, definition)
    if stack is not None:
        low.sequences |= changes.stores.keys()  # names whose values a call keeps look assigned
        left = code.label()
        stack.finish(done, left, result.operands())
        done = left
    code.place(done)
    return result.value()


def _called_again(
    low: Lowering, node: ast.Call, definition: ast.FunctionDef, stack: Stack
) -> Binding:
    """A call of a function inside of itself, which keeps the numbers of its caller."""
    given = arguments_of(low, node, definition)
    if given is None:
        return Constant(0)
    stack.call(
        {n: low.code.copied(e, "new") if isinstance(e, Operand) else e for n, e in given.items()}
    )
    result = low.scope.result
    assert isinstance(result, _Result)
    if isinstance(result.sequence, Row):
        items = [
            low.code.copied(e, "result") for e in result.sequence.items if isinstance(e, Operand)
        ]
        return Row(tuple(items), result.sequence.kind)
    if result.sequence is not None:
        return low.wrong(node, "the lists of nested calls cannot be kept", "return numbers")
    result.is_number = True
    return low.code.copied(result.number, "result")


def take(low: Lowering, name: str, argument: Binding, is_recursive: bool) -> None:
    """Bind a parameter: to the argument itself unless the function assigns the name."""
    scope = low.scope
    found, changes = scope.names.get(name), scope.changes
    is_stored = name in changes.stores or is_recursive
    if isinstance(argument, Row | Cells):
        scope.names[name] = _taken(low, name, argument, is_recursive)
    elif is_stored:
        variable = found if isinstance(found, Variable) else named(name)
        low.code.assign(variable, argument)
        scope.names[name] = variable
        scope.numbers.add(name)
    else:
        scope.names[name] = argument


def _taken(low: Lowering, name: str, argument: Row | Cells, is_recursive: bool) -> Binding:
    changes = low.scope.changes
    is_stored, is_changed = name in changes.stores, name in changes.changed
    definition = low.scope.definition
    assert definition is not None
    is_own = is_replaced_first(low.scope.module, definition, name)
    if is_stored and is_changed and argument.kind in CHANGING_KINDS and not is_own:
        low.problem(
            f"the list '{name}' is changed, and the name is assigned to another list",
            f"use a new name for the other list, beside '{name}'",
        )
    if is_stored or (is_changed and isinstance(argument, Row)):
        target = ast.Name(name, ast.Store())
        keeper = replace(keeper_of(low, target), node=None, stores=changes.stores.get(name, 0) + 1)
        given = (
            copied(low, argument) if isinstance(argument, Cells) and argument.whole else argument
        )
        return kept(low, keeper, None, given)
    if is_recursive and isinstance(argument, Cells):
        begin, count = Variable("begin"), Variable("count")
        low.code.assign(begin, argument.begin)
        low.code.assign(count, low.length(argument))
        return replace(argument, begin=begin, count=count, counted=None, own=False)
    return argument


class _Result(Choice):
    """What a helper returns: a number in a variable, or a sequence."""

    def __init__(self, low: Lowering, definition: ast.FunctionDef) -> None:
        returns = [each for each in ast.walk(definition) if isinstance(each, ast.Return)]
        super().__init__(low, definition.name, [each.value for each in returns if each.value])

    def add(self, value: Binding) -> None:
        is_list = isinstance(value, Cells) and value.kind in CHANGING_KINDS
        if is_list and isinstance(value, Cells) and self.is_same(value):
            self.sequence = value
        else:
            super().add(value)

    def is_same(self, value: Cells) -> bool:
        """Whether a list itself is returned: all returns must name the same."""
        if self.sequence is None:
            return value.whole and (len(self.nodes) == 1 or not value.own)
        return self.sequence == value

    def operands(self) -> set[Operand]:
        """The variables that a call leaves its result in."""
        row = self.sequence.items if isinstance(self.sequence, Row) else ()
        return {self.number, *(each for each in row if isinstance(each, Operand))}

    def value(self) -> Binding:
        """A list of the helper's own is new to the caller."""
        found = self.sequence
        outer = self.low.scope.names.values()
        homes = {each.home for each in outer if isinstance(each, Cells)}
        if isinstance(found, Cells) and found.own and found.home not in homes:
            return replace(found, fresh=True, whole=False, own=False)
        return super().value()


def _leaver(low: Lowering, result: _Result, done: int):
    def leave(statement: ast.Return) -> None:
        if tail_call(low, statement):
            return
        if statement.value is not None:
            result.add(low.result(statement.value))
        low.code.goto(done)

    return leave


# -- arguments -----------------------------------------------------------------------------------


def arguments_of(
    low: Lowering, node: ast.Call, definition: ast.FunctionDef
) -> dict[str, Binding] | None:
    """The arguments by parameter; None, and a problem, if they do not match."""
    names = [parameter.arg for parameter in definition.args.args]
    if any(isinstance(each, ast.Starred) for each in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        low.wrong(node, "arguments with a star are not supported", "name the values one by one")
        return None
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg in given or keyword.arg not in names:
            low.wrong(keyword.value, f"{definition.name}() takes no other argument '{keyword.arg}'")
            return None
        given[keyword.arg] = keyword.value
    defaults = defaults_of(definition)
    missing = [name for name in names if name not in given and name not in defaults]
    if len(node.args) > len(names) or missing:
        wanted = f"{len(names)} argument{'s' * (len(names) != 1)}"
        found = len(node.args) + len(node.keywords)
        low.wrong(node, f"{definition.name}() takes {wanted}, found {found}")
        return None
    found_values = {name: low.result(value) for name, value in given.items()}
    for name in names:
        if name not in found_values:
            known = constant(defaults[name], low.scope.module.numbers)
            if known is None:
                low.wrong(defaults[name], "a default must be a known number", "write a number")
                known = 0
            found_values[name] = low.constant(defaults[name], known)
    return {name: found_values[name] for name in names}


def defaults_of(definition: ast.FunctionDef) -> dict[str, ast.expr]:
    """The default values of a function's last parameters."""
    names = [parameter.arg for parameter in definition.args.args]
    values = definition.args.defaults
    return dict(zip(names[len(names) - len(values) :], values, strict=True))


def check_returns(low: Lowering, node: ast.AST, definition: ast.FunctionDef) -> None:
    """Check that a helper whose value is used returns one on every path."""
    returns = [each for each in ast.walk(definition) if isinstance(each, ast.Return)]
    if not always_returns(definition.body) or any(each.value is None for each in returns):
        low.wrong(
            node,
            f"'{definition.name}' does not return a number on every path",
            "end every path with a return of a number",
        )


# -- tail calls ------------------------------------------------------------------------------------


def tail_call(low: Lowering, statement: ast.Return) -> bool:
    """``return f(...)`` in f itself: new arguments, and back to its beginning."""
    scope, node = low.scope, statement.value
    definition = scope.definition
    if scope.begin is None or definition is None:
        return False
    if isinstance(node, ast.IfExp) and own_calls(node, definition.name):
        code, yes, no = low.code, low.code.label(), low.code.label()
        low.branch(node.test, yes, no, True)
        code.place(yes)
        scope.leave(ast.copy_location(ast.Return(node.body), statement))
        code.place(no)
        scope.leave(ast.copy_location(ast.Return(node.orelse), statement))
        return True
    is_tail = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if not is_tail or not isinstance(node, ast.Call) or len(own_calls(node, definition.name)) != 1:
        return False
    if node.func.id != definition.name:  # type: ignore[attr-defined]
        return False
    given = arguments_of(low, node, definition)
    if given is None:
        return True
    _assign(
        low,
        {n: low.code.copied(e, "new") if isinstance(e, Operand) else e for n, e in given.items()},
    )
    low.code.goto(scope.begin)
    return True


def _assign(low: Lowering, given: dict[str, Binding]) -> None:
    """Give the parameters of a function their values for the next round."""
    for name, value in given.items():
        found = low.scope.names[name]
        if isinstance(found, Variable) and isinstance(value, Operand):
            low.code.assign(found, value)
        elif isinstance(found, Row | Cells) and isinstance(value, Row | Cells):
            if found != value:
                low.scope.names[name] = kept(low, Keeper(name, 2), found, value)
        else:
            low.problem(f"'{name}' is a number here, and several elsewhere", "use two functions")

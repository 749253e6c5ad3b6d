"""Free names of a function: what the source says they are, and what they are at run time.

A name has the value that the function's module and closure give it at the time of the call. For a file
that is only read, the source must decide. For an imported function, the actual values are checked as
well, whenever a program is made of it.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast

from anc.language.source import Source
from anc.python.calls import OWN
from anc.python.lowering import is_call
from anc.python.names import Comprehension, stored_names
from anc.python.recording.recorder import behind
from anc.python.signature import is_decorator_of_ours
from anc.python.source import Definition, Module, Number, is_number, parse
from anc.support.diagnostics import AncError, Diagnostic, error, quoted

_PYTHON = {name: getattr(builtins, name) for name in OWN}  # before user code can change one


@dataclass(frozen=True, eq=False)
class Reference:
    """The first use of a free name, and what the compiler takes it for.

    That is a definition in the module, a builtin or a number; None: nothing.
    """

    node: ast.Name
    taken: object
    is_called: bool
    is_own: bool  # whether it is used in the function itself, which may have a closure

    @property
    def name(self) -> str:
        return self.node.id


def reached(module: Module, definition: Definition) -> list[Definition]:
    """A function and the functions of the module that it calls, directly or indirectly."""
    found = {definition: None}
    waiting = [definition]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                other = module.functions.get(node.func.id)
                if other is not None and other not in found:
                    found[other] = None
                    waiting.append(other)
    return list(found)


def references(module: Module, definition: Definition) -> list[Reference]:
    """The free names of a function and its helpers, each once per function."""
    found: dict[tuple[Definition, str, bool], Reference] = {}
    for each in reached(module, definition):
        for node, is_called, is_local in _loads(each):
            if is_local:
                continue
            taken: object = module.values.get(node.id)
            if is_called:
                taken = module.functions.get(node.id, _PYTHON.get(node.id))
            reference = Reference(node, taken, is_called, each is definition)
            found.setdefault((each, node.id, is_called), reference)
    return list(found.values())


def misread(
    module: Module, definition: Definition, python: FunctionType | None
) -> Iterator[Diagnostic]:
    """An error for each name that may not be what the source says."""
    for each in reached(module, definition):
        for node, is_called, is_local in _loads(each):
            if is_called and is_local:
                message = f"'{node.id}' is a number or a list, not a function"
                yield error(message, module.span(node))
    closure = () if python is None else python.__code__.co_freevars
    found = references(module, definition)
    for reference in found:
        is_free = reference.is_own and reference.name in closure
        if reference.name == definition.name and reference.taken not in (None, definition):
            message = f"'{reference.name}' is also the name of the function that is compiled"
            yield error(message, module.span(reference.node), "give one of them another name")
            continue
        if reference.is_own and _is_private(module, definition, reference.name):
            message = f"'{reference.name}' is private in a class: it has another name there"
            yield error(message, module.span(reference.node), "begin it with less than two _")
            continue
        problem = _rebound(module, reference) if is_free else _doubt(module, reference)
        if problem is not None:
            yield error(problem[0], module.span(reference.node), problem[1])
    if python is not None:
        yield from changed(module, found, python, is_final=False)


def changed(
    module: Module, found: Sequence[Reference], python: FunctionType, is_final: bool = True
) -> Iterator[Diagnostic]:
    """An error for each name whose current value is not what it was taken for.

    When a function is decorated, names that the module binds further down may still be unbound.
    """
    for reference in found:
        if reference.taken is None:
            continue
        is_free = reference.is_own and reference.name in python.__code__.co_freevars
        actual = seen(python, reference.name, is_free)
        if actual is UNBOUND and not is_final and not is_free:
            continue
        if not _is(actual, reference.taken, python):
            message, help = _difference(reference, actual)
            yield error(message, module.span(reference.node), help)


def _loads(definition: Definition) -> Iterator[tuple[ast.Name, bool, bool]]:
    """The names that a function loads: the node, whether it is called, and whether it is local."""
    own = {argument.arg for argument in definition.args.args} | stored_names(definition.body)
    waiting: list[tuple[ast.AST, frozenset[str]]]
    waiting = [(each, frozenset(own)) for each in reversed(definition.body)]
    while waiting:
        node, hidden = waiting.pop()
        inside = list(ast.iter_child_nodes(node))
        if isinstance(node, Comprehension):
            waiting.append((node.generators[0].iter, hidden))  # evaluated in the enclosing scope
            hidden |= stored_names(loop.target for loop in node.generators)
            inside = _parts(node)
        elif is_call(node, "isinstance"):
            inside = inside[:2]  # types are known by their names
            yield node.func, True, node.func.id in hidden  # type: ignore[attr-defined]
            inside = inside[1:]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func, True, node.func.id in hidden
            inside.remove(node.func)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node, False, node.id in hidden
        elif isinstance(node, ast.AnnAssign):
            inside.remove(node.annotation)  # never evaluated
        elif isinstance(node, ast.Attribute):
            is_ours = isinstance(node.value, ast.Name) and node.value.id == "anc"
            inside = [] if is_ours else [node.value]  # such as anc.hole, and values.append
        elif isinstance(node, ast.Raise):
            inside = []  # an error of Python itself
        elif isinstance(node, ast.Assert):
            inside = [node.test]
        waiting += [(each, hidden) for each in reversed(inside)]


def _parts(node: Comprehension) -> list[ast.AST]:
    """The parts of a comprehension without its first iterable."""
    first, *others = node.generators
    inside = [e for e in ast.iter_child_nodes(node) if not isinstance(e, ast.comprehension)]
    return [first.target, *first.ifs, *others, *inside]


def _doubt(module: Module, reference: Reference) -> tuple[str, str] | None:
    """Why a name of the module may not be what it is taken for, and what to do."""
    name, taken = reference.name, reference.taken
    is_read = module.outside is None  # and nothing else is known
    if taken is None and (reference.is_called or not is_read or name not in module.bindings):
        return None  # it is undefined, which is reported elsewhere
    is_own = is_read or isinstance(taken, Definition)  # else its actual value decides
    if reference.is_called and name in _PYTHON and name in module.bindings and is_own:
        line = module.bindings[name][0].line
        help = "give the other one another name"
        return f"'{name}' is not Python's own function here: line {line} binds it", help
    if isinstance(taken, Definition) and is_read:
        for decorator in taken.decorator_list:
            if not is_decorator_of_ours(module, decorator):
                message = f"'{name}' has a decorator, which may make something else of it"
                return message, "call a function without one"
    doubt = module.doubt(name)
    if doubt is None:
        return None
    if "import *" in doubt:
        return doubt, "import what is needed by its name"
    return doubt, "bind it once, at the top of this module, with = or def"


def _is_private(module: Module, definition: Definition, name: str) -> bool:
    """Whether a name is mangled, as private names inside a class are."""
    if not name.startswith("__") or name.endswith("__"):
        return False
    classes = (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))
    return any(c.lineno < definition.lineno <= (c.end_lineno or c.lineno) for c in classes)


def _rebound(module: Module, reference: Reference) -> tuple[str, str] | None:
    """The same for a name of the function's closure."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Nonlocal) and reference.name in node.names:
            message = f"'{reference.name}' is nonlocal in line {node.lineno}: it may change"
            return message, "take it as an argument"
    return None


def _is(actual: object, taken: object, python: FunctionType) -> bool:
    if isinstance(taken, Definition):
        return is_defined_by(actual, taken, python.__code__.co_filename)
    if actual is taken:
        return True
    return is_number(taken) and is_number(actual) and repr(actual) == repr(taken)


def _difference(reference: Reference, actual: object) -> tuple[str, str]:
    name, taken = reference.name, reference.taken
    found = f"'{name}' has no value" if actual is UNBOUND else f"'{name}' is {_shown(actual)}"
    if isinstance(taken, Definition):
        help = "call a plain function, not one that a decorator replaces"
        return f"{found}, expected the function of line {taken.lineno}", help
    if is_number(taken):
        help = "bind it once, above the function, or take it as an argument"
        return f"{found}, expected {quoted(taken)} as before", help
    return f"{found}, expected Python's own function", "give the other one another name"


def _shown(actual: object) -> str:
    if is_number(actual):
        return quoted(actual)
    name = getattr(actual, "__qualname__", None)
    if isinstance(name, str):
        return f"{getattr(actual, '__module__', None) or 'an unknown module'}.{name}"
    return f"of type {type(actual).__name__}"


# -- imported Python functions -------------------------------------------------------


UNBOUND = object()  # the value of an unbound name


def source_of(python: Callable[..., Any]) -> tuple[Module, Definition]:
    """The definition of an imported function in its module, with the numbers that it sees."""
    python = plain_function(python)
    if not inspect.isfunction(python):
        raise AncError(f"expected a Python function, found {type(python).__name__}")
    try:
        lines, _ = inspect.findsource(python)
        name = inspect.getsourcefile(python) or "<function>"
    except (OSError, TypeError):
        raise AncError(
            f"the source of '{python.__name__}' cannot be found",
            help="write it to a file; anc reads its text",
        ) from None
    if python.__name__ == "<lambda>":
        raise AncError("a lambda cannot be compiled", help="write it as a function, with def")
    module = parse(Source("".join(lines), name), _numbers(python))
    for node in ast.walk(module.tree):
        if isinstance(node, Definition) and is_defined_by(
            python, node, python.__code__.co_filename
        ):
            return module, node
    raise AncError(f"'{python.__name__}' is not in the text of {name} any more")


def seen(python: FunctionType, name: str, is_free: bool) -> object:
    """The value of a name in a function's closure, or else in its module or the builtins."""
    if is_free:
        cells = dict(zip(python.__code__.co_freevars, python.__closure__ or (), strict=True))
        try:
            return cells[name].cell_contents
        except ValueError:
            return UNBOUND
    own = python.__globals__
    of_python = cast(Any, python).__builtins__  # missing in some versions of typeshed
    return own[name] if name in own else of_python.get(name, UNBOUND)


def _numbers(python: FunctionType) -> dict[str, Number]:
    """The integers, and tuples of them, that a function can see."""
    found = dict(python.__globals__)
    found |= {name: seen(python, name, is_free=True) for name in python.__code__.co_freevars}
    return {name: cast(Number, value) for name, value in found.items() if is_number(value)}


def is_defined_by(python: object, definition: Definition, file: str) -> bool:
    """Whether a function, or anc's wrapper of it, comes from a definition in a file."""
    python = plain_function(python)
    if not isinstance(python, FunctionType):
        return False
    code = python.__code__
    lines = (definition.lineno, *(each.lineno for each in definition.decorator_list))
    is_there = code.co_filename == file and code.co_firstlineno in lines
    return is_there and code.co_name == definition.name


def plain_function(python: Any) -> Any:
    """The Python function inside a Function or a recorder; any other object is returned as is."""
    from anc.python.function import Function

    while True:
        if isinstance(python, Function):
            python = python.python
        elif (recorded := behind(python)) is not None:
            python = recorded
        else:
            return python

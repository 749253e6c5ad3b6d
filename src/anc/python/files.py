"""Functions in files: ``file.py:name``, or ``file.py`` if one function is marked."""

from __future__ import annotations

from pathlib import Path

from anc.isa import InstructionSet
from anc.language.source import read_source
from anc.python.function import Function, read
from anc.python.signature import is_decorator_of_ours, is_ours
from anc.python.sketch_function import OpenFunction, holes_in
from anc.python.source import Definition, Module, parse
from anc.support.diagnostics import AncError, close_match


def marked_functions(where: str) -> list[str]:
    """The names of the marked functions of a Python file, as ``file.py:name``."""
    if not where.endswith(".py"):
        return [where]
    marked = _marked(parse(read_source(Path(where))))
    return [f"{where}:{name}" for name in marked] if len(marked) > 1 else [where]


def read_function(
    where: str, memory: int | None = None, instructions: InstructionSet | None = None
) -> Function:
    """The function with this name; the file is read, never run."""
    return read(*_named(where), memory, instructions=instructions)


def read_open_function(
    where: str, memory: int | None = None, instructions: InstructionSet | None = None
) -> OpenFunction:
    """The function with holes with this name."""
    found = open_function_in(where, memory, instructions)
    if found is None:
        name = _named(where)[1].name
        raise AncError(f"'{name}' has no holes to fill", help="write anc.hole((0, 1))")
    return found


def open_function_in(
    where: str, memory: int | None = None, instructions: InstructionSet | None = None
) -> OpenFunction | None:
    """The same, or None if the function has no holes."""
    module, definition = _named(where)
    if not holes_in(definition):
        return None
    return OpenFunction(module, definition, memory, None, instructions=instructions)


def _named(where: str) -> tuple[Module, Definition]:
    file, _, name = where.rpartition(":") if not where.endswith(".py") else (where, "", "")
    module = parse(read_source(Path(file)))
    functions = module.functions
    if not name:
        candidates = _marked(module) or list(functions)
        if len(candidates) != 1:
            found = ", ".join(candidates) or "none"
            raise AncError(
                f"which function of {file}? It has {found}",
                help=f"name it: {file}:{candidates[0] if candidates else 'name'}",
            )
        name = candidates[0]
    if name not in functions:
        close = close_match(name, functions)
        known = f"it has {', '.join(functions)}" if functions else "it has no functions"
        help = f"did you mean '{close}'?" if close else known
        raise AncError(f"{file} has no function '{name}'", help=help)
    doubt = module.doubt(name)
    if doubt is not None:
        raise AncError(f"{file}: {doubt}", help="define it once, with def, at the top of the file")
    return module, functions[name]


def _marked(module: Module) -> list[str]:
    """The names of the functions with the decorator ``anc.function``."""
    return [
        name
        for name, function in module.functions.items()
        if any(
            is_ours(decorator, "function") and is_decorator_of_ours(module, decorator)
            for decorator in function.decorator_list
        )
    ]

"""A function to a Program: one short row of passes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType

from anc import isa
from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.chain_layout import straighten
from anc.compiler.constant_propagation import thread_known_jumps
from anc.compiler.dataflow import Walk, liveness, walk
from anc.compiler.graph import Constant, Graph, Variable
from anc.compiler.licm import hoist, share_tails
from anc.compiler.passes import tidy
from anc.isa import InstructionSet
from anc.language.tree import NOWHERE
from anc.program import Program
from anc.python import calls, conditions, expressions, statements  # noqa: F401, they register
from anc.python.check import unsupported
from anc.python.code import Code, TooLarge, named
from anc.python.layout import Layout
from anc.python.lowering import Binding, Cells, Lowering, Scope
from anc.python.names import always_returns, first_stores, loaded_names
from anc.python.references import misread, reached
from anc.python.source import Definition, Module, refused_by_python
from anc.support.diagnostics import AncError, Diagnostic, error, warning
from anc.support.limits import MAX_MEMORY


@dataclass(frozen=True)
class Routine:
    """What is compiled: a function of a module, where its arguments lie, for which machine.

    `wrap` says whether numbers of M and more are meant to wrap around.
    """

    module: Module
    definition: ast.FunctionDef
    layout: Layout
    M: int
    wrap: bool = False
    instructions: InstructionSet = isa.PAPER


def compiled(
    routine: Routine, is_exact: bool = False, finish: Callable[[Graph], None] = lambda graph: None
) -> Program:
    """The program of a function that has been checked; a shorter one where there is no room.

    An exact one stops only where it does what Python does. `finish` may change the graph at the end.
    """
    doubtful: frozenset[str] = frozenset()
    if is_exact:
        graph = lowered(routine, is_exact=True)
        doubtful = frozenset(variable.name for variable in _live_at_the_beginning(graph))
    for is_roomy in (True, False):
        try:
            graph = lowered(routine, is_roomy, is_exact, doubtful)
            arrange(graph)
            finish(graph)
            return assemble(graph)
        except NoRoom as problem:
            reason = str(problem)
    checked = ", with every number checked," if is_exact else ""
    raise AncError(
        f"'{routine.definition.name}'{checked} does not fit in a memory of {routine.M} cells:"
        f" {reason}",
        help="line numbers are values too: use a larger memory, or write it shorter",
    )


def arrange(graph: Graph) -> None:
    """All that is to be done before lines have numbers."""
    improve(graph)
    share_tails(graph)
    neighbours(graph)


def improve(graph: Graph) -> None:
    """All that makes a graph take fewer steps, again and again until nothing changes."""
    is_new = True
    while is_new:
        tidy(graph)
        threaded = thread_known_jumps(graph)
        is_new = hoist(graph) or threaded


def unsupported_parts(
    module: Module, definition: Definition, python: FunctionType | None = None
) -> Iterator[Diagnostic]:
    """Everything in a function, and in the helpers that it calls, that has no meaning here.

    If there is nothing, what has no meaning in Python either, or may have another one.
    """
    has_meaning, seen = True, reached(module, definition)
    for each in seen:
        for problem in unsupported(module, each):
            has_meaning = False
            yield problem
    if has_meaning:
        for each in seen:
            yield from refused_by_python(each)
        yield from misread(module, definition, python)


def lowered(
    routine: Routine,
    is_roomy: bool = True,
    is_exact: bool = False,
    doubtful: frozenset[str] = frozenset(),
) -> Graph:
    """The graph of a function, as it was written; a SourceError with all that is wrong."""
    module, definition, layout = routine.module, routine.definition, routine.layout
    code = Code(routine.M, routine.instructions)
    stores = first_stores(definition.body)
    names: dict[str, Binding] = {
        name: named(name, module.span(node)) for name, node in stores.items()
    }
    if layout.tape is not None:
        names[layout.tape] = Cells(0, routine.M)
    for parameter in layout.parameters:
        if parameter.size is None:
            variable = names.setdefault(parameter.name, named(parameter.name))
            assert isinstance(variable, Variable)
            code.assign(variable, code.read(Constant(parameter.cell)))
        else:
            cells = parameter.elements
            length = parameter.cell if parameter.size.up_to is not None else None
            names[parameter.name] = Cells(cells.start, len(cells), length)

    def leave(statement: ast.Return) -> None:
        if statement.value is not None and layout.result is not None:
            code.write(Constant(layout.result), low.value(statement.value))
        elif layout.result is not None:
            low.wrong(statement, "other ways return a number", "write return 0, say")
        code.stop()

    scope = Scope(module, names, loaded_names(definition.body), leave)
    low = Lowering(
        code, scope, routine.wrap, is_roomy, is_exact, doubtful, inside=[definition.name]
    )
    scope.assigned = low.unset(stores.keys() - {p.name for p in layout.parameters})
    try:
        low.block(definition.body)
    except TooLarge:
        message = f"'{definition.name}' becomes too large"
        help = "loops over tuples and calls of helpers are written out: use fewer of them"
        low.wrong(definition, message, help)
    if layout.result is not None and not always_returns(definition.body):
        message = f"'{definition.name}' does not return a number on every way through it"
        low.wrong(definition, message, "end it with a return")
    module.refuse(list(low.problems))
    code.stop()
    return code.graph


def unassigned(routine: Routine) -> list[Diagnostic]:
    """A warning for each variable that may be read before it has a value."""
    return [
        warning(
            f"variable '{variable.name}' may be read before it has a value",
            variable.span,
            f"begin with {variable.name} = 0",
        )
        for variable in _live_at_the_beginning(lowered(routine))
        if variable.span is not NOWHERE
    ]


def _live_at_the_beginning(graph: Graph) -> list[Variable]:
    """The variables that may be read before they have a value."""
    alive = liveness(graph)
    return list(alive.variables(alive.before[graph.start]))


def check_memory(routine: Routine) -> None:
    """Raise unless the arguments fit into the memory."""
    definition, layout, M = routine.definition, routine.layout, routine.M
    sizes = [p.size.up_to for p in layout.parameters if p.size is not None and p.size.up_to]
    least = max([1, layout.cells, *(size + 1 for size in sizes)])
    if not least <= M <= MAX_MEMORY:
        message = f"a memory of {M} cells is not possible for '{definition.name}'"
        help = f"use a size from {least} to {MAX_MEMORY}"
        routine.module.refuse([error(message, routine.module.span(definition), help)])


# -- an order of lines to suit how often each edge is passed, as a guess --------------


ROUNDS = 8.0  # how often a loop runs, where nothing is known about it
BACK = 0.99  # what the way back to a loop's beginning counts: the way in is as good otherwise


def neighbours(graph: Graph) -> None:
    """Choose what follows what without a jump, the busiest edges first, in as few lines as it takes."""
    passes = _passes(graph)
    lines = straighten(graph, passes, 0)
    straighten(graph, passes, lines)


def _passes(graph: Graph) -> dict[int, float]:
    """How often each node is left without a jump, for each time that the program runs."""
    way = walk({n: node.followers for n, node in graph.nodes.items()}, graph.start)
    often: dict[int, float] = defaultdict(float, {graph.start: 1.0})
    passes: dict[int, float] = {}
    for number in way.order:
        node = graph.nodes[number]
        if number in way.bodies:
            often[number] *= ROUNDS
        ways = dict.fromkeys(node.followers)
        exits = [_leaves_a_loop(way, number, follower) for follower in ways]
        for follower, leaves in zip(ways, exits, strict=True):
            share = often[number] * _share(leaves, exits)
            is_back = number not in way.previous[follower]
            if not is_back:
                often[follower] += share
            if follower == node.after:
                passes[number] = share * BACK if is_back else share
    return passes


def _leaves_a_loop(way: Walk, number: int, follower: int) -> bool:
    bodies = [body for body in way.bodies.values() if body is not None]
    return any(number in body and follower not in body for body in bodies)


def _share(leaves: bool, exits: list[bool]) -> float:
    """How many of the runs that come to a node go this way: few of them leave a loop."""
    if all(exits) or not any(exits):
        return 1 / len(exits)
    return 1 / ROUNDS if leaves else 1 - 1 / ROUNDS

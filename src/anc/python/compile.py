"""The compilation pipeline: from a function to a Program."""

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
from anc.python.lowering import Binding, ListCells, Lowering, Scope
from anc.python.names import always_returns, first_stores, loaded_names
from anc.python.references import misread, reached
from anc.python.source import Definition, Module, refused_by_python
from anc.support.diagnostics import AncError, Diagnostic, error, warning
from anc.support.limits import MAX_MEMORY


@dataclass(frozen=True)
class Routine:
    """A compilation unit: a function of a module, its layout and the target machine.

    `wrap` says whether arithmetic is meant to wrap around at M.
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
    """Compile a checked function; if the fast program does not fit, a shorter one.

    An exact program stops only if its result is Python's. `finish` may change the final graph.
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
    """All passes before lines are numbered."""
    improve(graph)
    share_tails(graph)
    neighbours(graph)


def improve(graph: Graph) -> None:
    """The passes that save steps, repeated until nothing changes."""
    is_new = True
    while is_new:
        tidy(graph)
        threaded = thread_known_jumps(graph)
        is_new = hoist(graph) or threaded


def unsupported_parts(
    module: Module, definition: Definition, python: FunctionType | None = None
) -> Iterator[Diagnostic]:
    """Errors for all unsupported parts of a function and of the helpers that it calls.

    If there are none, errors for what Python rejects, and for names that may mean something else.
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
    """The graph of a function before any pass; a SourceError with all problems."""
    module, definition, layout = routine.module, routine.definition, routine.layout
    code = Code(routine.M, routine.instructions)
    stores = first_stores(definition.body)
    names: dict[str, Binding] = {
        name: named(name, module.span(node)) for name, node in stores.items()
    }
    if layout.tape is not None:
        names[layout.tape] = ListCells(0, routine.M)
    for parameter in layout.parameters:
        if parameter.size is None:
            variable = names.setdefault(parameter.name, named(parameter.name))
            assert isinstance(variable, Variable)
            code.assign(variable, code.read(Constant(parameter.cell)))
        else:
            names[parameter.name] = ListCells(parameter.cell, parameter.size, parameter.length)

    def leave(statement: ast.Return) -> None:
        if statement.value is not None and layout.result is not None:
            code.write(Constant(layout.result), low.value(statement.value))
        elif layout.result is not None:
            low.wrong(statement, "other paths return a number", "write return 0, say")
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
        help = "loops over tuples are unrolled and helpers are inlined: use fewer of them"
        low.wrong(definition, message, help)
    if layout.result is not None and not always_returns(definition.body):
        message = f"'{definition.name}' does not return a number on every path"
        low.wrong(definition, message, "end it with a return")
    module.refuse(list(low.problems))
    code.stop()
    return code.graph


def unassigned(routine: Routine) -> list[Diagnostic]:
    """A warning for each variable that may be read before it is assigned."""
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
    """The variables that may be read before they are assigned."""
    alive = liveness(graph)
    return list(alive.variables(alive.before[graph.start]))


def check_memory(routine: Routine) -> None:
    """Raise unless the arguments fit into the memory."""
    definition, layout, M = routine.definition, routine.layout, routine.M
    sizes = [p.size for p in layout.parameters if p.size and p.length is not None]
    least = max([1, layout.cells, *(size + 1 for size in sizes)])
    if not least <= M <= MAX_MEMORY:
        message = f"a memory of {M} cells is not possible for '{definition.name}'"
        help = f"use a size from {least} to {MAX_MEMORY}"
        routine.module.refuse([error(message, routine.module.span(definition), help)])


# -- block layout by estimated edge frequencies ---------------------------------------


ROUNDS = 8.0  # the assumed number of iterations of a loop
BACK = 0.99  # the weight of a back edge, so that a tie goes to the edge that enters the loop


def neighbours(graph: Graph) -> None:
    """Choose the fall-through edges, the most frequent first, in as few lines as possible."""
    passes = _passes(graph)
    lines = straighten(graph, passes, 0)
    straighten(graph, passes, lines)


def _passes(graph: Graph) -> dict[int, float]:
    """The estimated frequency of each fall-through edge, per run of the program."""
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
    """The estimated probability of a branch: few iterations leave a loop."""
    if all(exits) or not any(exits):
        return 1 / len(exits)
    return 1 / ROUNDS if leaves else 1 - 1 / ROUNDS

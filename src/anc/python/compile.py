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
from anc.python.changes import changes_of
from anc.python.check import unsupported
from anc.python.code import Code, TooLarge, named
from anc.python.exact import require
from anc.python.helpers import called, tail_call, take
from anc.python.layout import Layout, Parameter
from anc.python.lowering import Lowering, Scope
from anc.python.names import always_returns, first_stores, loaded_names, unsure_names
from anc.python.recursion import calls_itself, needs_stack
from anc.python.references import misread, reached
from anc.python.sequences import (
    CHANGING_KINDS,
    Binding,
    Cells,
    Row,
    bound,
    in_words,
    is_shared,
    known_length,
)
from anc.python.signature import stated_sizes
from anc.python.source import Definition, Module, refused_by_python
from anc.python.storage import copy_to
from anc.python.tables import write_tables
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
    instructions: InstructionSet = isa.WIDE


def compiled(
    routine: Routine, is_exact: bool = False, finish: Callable[[Graph], None] = lambda graph: None
) -> Program:
    """Compile a checked function; if the fast program does not fit, a shorter one.

    An exact program stops only if its result is Python's. `finish` may change the final graph.
    """
    doubtful: frozenset[str] = frozenset()
    if is_exact:
        low = lowering_of(routine, is_exact=True)
        live = (variable.name for variable in _live_at_the_beginning(low.code.graph))
        doubtful = frozenset(live) | (low.unsure & low.sequences)
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
    return lowering_of(routine, is_roomy, is_exact, doubtful).code.graph


def lowering_of(
    routine: Routine,
    is_roomy: bool = True,
    is_exact: bool = False,
    doubtful: frozenset[str] = frozenset(),
) -> Lowering:
    """The lowering of a function, done."""
    module, definition, layout = routine.module, routine.definition, routine.layout
    code = Code(routine.M, routine.instructions)
    stores, changes = first_stores(definition.body), changes_of(module, definition.body)
    names: dict[str, Binding] = {
        name: named(name, module.span(node)) for name, node in stores.items()
    }
    if layout.tape is not None:
        names[layout.tape] = Cells(Constant(0), routine.M, whole=True, changing=True, home=-1)

    def leave(statement: ast.Return) -> None:
        if tail_call(low, statement):
            return
        if layout.same is not None:
            pass  # the caller has the list that is returned
        elif statement.value is not None and layout.result is not None:
            write_result(low, layout, statement.value)
        elif layout.result is not None:
            low.wrong(
                statement, "other paths return a number", "end it with a number, such as return 0"
            )
        code.stop()

    scope = Scope(module, names, loaded_names(definition.body), leave)
    scope.definition, scope.changes = definition, changes
    scope.sizes = stated_sizes(module, definition)
    low = Lowering(
        code, scope, routine.wrap, is_roomy, is_exact, doubtful, inside=[definition.name]
    )
    low.top = low.fixed = routine.M if layout.tape is not None else layout.cells
    try:
        if needs_stack(definition):
            given = {p.name: _argument(low, p) for p in layout.parameters}
            value, low.inside = called(low, definition, given), [definition.name]
            if layout.result is not None:
                write_value(low, layout, value, definition)
        else:
            _body(low, layout, definition)
    except TooLarge:
        message = f"'{definition.name}' becomes too large"
        help = "loops over tuples are unrolled and helpers are inlined: use fewer of them"
        low.wrong(definition, message, help)
    has_result = layout.result is not None or layout.same is not None
    if has_result and not always_returns(definition.body):
        message = f"'{definition.name}' does not return a number on every path"
        low.wrong(definition, message, "end it with a return")
    if low.top > routine.M and not low.problems:
        message = f"'{definition.name}' needs {low.top} cells for its arguments, lists and tables"
        low.wrong(definition, message, f"use a memory of at least {low.top}")
    module.refuse(list(low.problems))
    code.stop()
    write_tables(low)
    return low


def needed_memory(routine: Routine) -> int:
    """The smallest memory for its numbers, arguments, lists and tables; of its lines nothing is known."""
    low = lowering_of(routine)
    sizes = [(p.size or 0) + 1 for p in routine.layout.parameters if p.length is not None]
    return max([low.least, low.top, *sizes])


def _body(low: Lowering, layout: Layout, definition: ast.FunctionDef) -> None:
    """The body of the function itself."""
    scope, is_recursive = low.scope, calls_itself(definition)
    for parameter in layout.parameters:
        value = _argument(low, parameter)
        if isinstance(value, Variable):  # it gets the parameter's name
            scope.names.setdefault(parameter.name, named(parameter.name))
            low.code.assign(low.variable(parameter.name), value)
            scope.numbers.add(parameter.name)
        else:
            take(low, parameter.name, value, is_recursive)
    if is_recursive:
        scope.begin = low.code.label()
        low.code.place(scope.begin)
    low.unsure |= unsure_names(definition)
    stored = scope.changes.stores.keys() - {p.name for p in layout.parameters}
    scope.assigned = low.unset(stored)
    low.block(definition.body)


def _argument(low: Lowering, parameter: Parameter) -> Binding:
    """The value of a parameter: a number that is read, or cells of the tape."""
    if parameter.size is None:
        return low.code.read(Constant(parameter.cell))
    changes, name = low.scope.changes, parameter.name
    is_changing = name in changes.changed or name in changes.stores
    return Cells(
        Constant(parameter.cell),
        parameter.size,
        counted=parameter.length,
        kind=parameter.kind,
        home=parameter.cell,
        whole=True,
        changing=is_changing and parameter.kind in CHANGING_KINDS,
    )


def write_result(low: Lowering, layout: Layout, node: ast.expr) -> None:
    """Write what is returned to the cells of the result."""
    low.wanted = None if layout.several is None else layout.several.size
    value = low.result(node)
    low.wanted = None
    write_value(low, layout, value, node)


def write_value(low: Lowering, layout: Layout, value: Binding, node: ast.AST) -> None:
    several, code = layout.several, low.code
    assert layout.result is not None
    if several is None:
        if isinstance(value, Row | Cells):
            kind = in_words(value)
            help = "write -> Annotated[list[int], anc.Size(up_to=8)], or -> tuple[int, int]"
            low.wrong(node, f"this returns {kind}: say so, and how long it can be", help)
            return
        code.write(Constant(layout.result), value)
        return
    if not isinstance(value, Row | Cells) or value.kind != several.kind:
        found = in_words(value) if isinstance(value, Row | Cells) else "a number"
        low.wrong(
            node, f"this returns {found}, expected {several.kind}", "return one kind of value"
        )
        return
    is_given = isinstance(value, Cells) and value.home < low.fixed
    if is_given and is_shared(value, is_changed=True):
        low.wrong(node, "this returns the caller's own list", "return a copy: list(...)")
        return
    first = layout.result
    size = code.copied(low.length(value), "length")
    if several.has_length:
        if bound(value) > several.size:
            require(low, ast.LtE(), size, code.number(several.size))
        code.write(code.number(first), size)
        first += 1
    elif known_length(value) is None:
        require(low, ast.Eq(), size, code.number(several.size))
    elif known_length(value) != several.size:
        message = f"this returns {known_length(value)} values, expected {several.size}"
        low.wrong(node, message, "say how many there are: -> tuple[int, int]")
        return
    copy_to(low, value, code.number(first))


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

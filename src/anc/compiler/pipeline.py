"""The compiler: one short function that names its passes, and what it warns about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

from anc.compiler.assemble import assemble
from anc.compiler.dataflow import liveness
from anc.compiler.graph import STOP, Graph
from anc.compiler.name_resolution import resolve
from anc.isa import InstructionSet
from anc.language.parser import parse
from anc.language.source import Source
from anc.language.tree import Example, Listing
from anc.program import Program
from anc.support.diagnostics import Diagnostic, render_all, warning


@dataclass(frozen=True)
class Compilation:
    """A compiled program, what the compiler warns about, and the source's own examples."""

    program: Program
    warnings: tuple[Diagnostic, ...]
    examples: tuple[Example, ...]
    source: Source

    def rendered_warnings(self) -> str:
        return render_all(self.warnings, self.source.text, self.source.name)


def compile_source(
    source: Source, memory: int | None = None, instructions: InstructionSet | None = None
) -> Compilation:
    """Compile a text; `memory` overrides the text's own, `instructions` are what it is made of."""
    tree = parse(source, instructions)
    graph = resolve(tree, source, memory)
    program = replace(assemble(graph), frozen=tree.frozen)
    return Compilation(program, find_warnings(graph), tree.examples, source)


def compile_tree(tree: Listing) -> Program:
    """The program of a syntax tree that was never a text."""
    return replace(assemble(resolve(tree, Source(""))), frozen=tree.frozen)


def find_warnings(graph: Graph) -> tuple[Diagnostic, ...]:
    """No STOP reachable, unreachable lines, and variables that are of no use."""
    reachable = set(graph.reachable())
    return (*_stop(graph, reachable), *_unreachable(graph, reachable), *_variables(graph))


def _stop(graph: Graph, reachable: set[int]):
    stops = [number for number, node in graph.nodes.items() if node.op == STOP]
    if not reachable.intersection(stops):
        found = "no STOP can be reached" if stops else "the program has no STOP"
        yield warning(
            f"{found}: it never ends by itself",
            graph.nodes[stops[0] if stops else max(graph.nodes)].span,
            help="let a line lead to this STOP()" if stops else "end the program with STOP()",
        )


def _unreachable(graph: Graph, reachable: set[int]):
    for is_reached, row in groupby(sorted(graph.nodes), reachable.__contains__):
        first, *others = (graph.nodes[number].span for number in row)
        if not is_reached:
            many = others and f"these {1 + len(others)} lines, down to line {others[-1].line}, are"
            yield warning(f"{many or 'this line is'} never reached", first)


def _variables(graph: Graph):
    alive = liveness(graph)
    written = {node.out for node in graph.nodes.values()}
    read = {operand for node in graph.nodes.values() for operand in node.operands}
    for variable in graph.declared:
        if variable.pinned is not None:
            continue
        if variable not in read:
            found = "assigned but never read" if variable in written else "never used"
            yield warning(f"variable '{variable.name}' is {found}", variable.span)
        elif variable.value is None and alive.before[graph.start] & alive.bit[variable]:
            yield warning(
                f"variable '{variable.name}' may be read before it has a value",
                variable.span,
                help=f"give it one: var {variable.name} = 0",
            )

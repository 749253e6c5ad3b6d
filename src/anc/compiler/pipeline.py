"""The compiler: one short function that names its passes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anc.compiler.assemble import assemble
from anc.compiler.names import resolve
from anc.compiler.warnings import find_warnings
from anc.diagnostics import Diagnostic, render_all
from anc.isa import InstructionSet
from anc.language.parser import parse
from anc.language.source import Source
from anc.language.tree import Example, Listing
from anc.program import Program


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

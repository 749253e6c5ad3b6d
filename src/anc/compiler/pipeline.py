"""The compiler: one short function that names its passes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anc import isa
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
    source: Source, memory: int | None = None, instructions: InstructionSet = isa.TABLE
) -> Compilation:
    """Compile a text; `memory` overrides the text's own."""
    tree = parse(source)
    graph = resolve(tree, source, memory, instructions)
    program = replace(assemble(graph), frozen=tree.frozen)
    return Compilation(program, find_warnings(graph), tree.examples, source)


def compile_tree(tree: Listing, instructions: InstructionSet = isa.TABLE) -> Program:
    """The program of a syntax tree that was never a text."""
    graph = resolve(tree, Source(""), instructions=instructions)
    return replace(assemble(graph), frozen=tree.frozen)

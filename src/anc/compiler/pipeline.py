"""The compiler: one short function that names its passes."""

from __future__ import annotations

from dataclasses import dataclass

from anc.compiler.flow import control_flow
from anc.compiler.liveness import liveness
from anc.compiler.names import resolve
from anc.compiler.registers import allocate
from anc.compiler.warnings import find_warnings
from anc.diagnostics import Diagnostic, render_all
from anc.language.parser import parse
from anc.language.source import Source
from anc.language.tree import Example
from anc.program import Line, Program


@dataclass(frozen=True)
class Compilation:
    """A compiled program, what the compiler warns about, and the source's own examples."""

    program: Program
    warnings: tuple[Diagnostic, ...]
    examples: tuple[Example, ...]
    source: Source

    def rendered_warnings(self) -> str:
        return render_all(self.warnings, self.source.text, self.source.name)


def compile_source(source: Source, memory: int | None = None, spare: int = 0) -> Compilation:
    """Compile a text; `memory` overrides the text's own, `spare` adds registers for learning."""
    tree = parse(source)
    code = resolve(tree, source, memory)
    flow = control_flow(code)
    alive = liveness(code, flow)
    registers = allocate(code, alive)
    lines = tuple(
        Line(
            command.op,
            *registers.operands(command),
            registers.out(command),
            source_line=command.span.line,
        )
        for command in code.commands
    )
    program = Program(
        lines,
        registers.values + (None,) * spare,
        code.start,
        registers.names + tuple(f"spare{i + 1}" for i in range(spare)),
        code.memory,
    )
    return Compilation(program, find_warnings(code, flow, alive), tree.examples, source)

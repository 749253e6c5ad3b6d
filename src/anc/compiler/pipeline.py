"""The compiler, one short function that names its passes, with its warnings; and its inverse.

`to_text` prints a listing that compiles to the same program. Registers that are never written print as numbers
and labels, the others as variables. A program whose registers the compiler would choose differently (a learnt
one, say) prints with register names R1, R2, ...: such names choose their own register.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from anc.compiler.assemble import assemble
from anc.compiler.dataflow import liveness
from anc.compiler.graph import JUMP, STOP, Graph
from anc.compiler.name_resolution import resolve
from anc.isa import InstructionSet
from anc.language.parser import parse
from anc.language.source import Source
from anc.language.tree import (
    Call,
    Declaration,
    Example,
    Listing,
    Name,
    Number,
    Operand,
    Statement,
    print_tree,
)
from anc.program import Line, Program
from anc.support.diagnostics import AncError, Diagnostic, render_all, warning

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REGISTER = re.compile(r"R[0-9]+")
_WORDS = ("var", "memory", "start")


@dataclass(frozen=True)
class Compilation:
    """A compiled program, its warnings, and the examples of its source."""

    program: Program
    warnings: tuple[Diagnostic, ...]
    examples: tuple[Example, ...]
    source: Source

    def rendered_warnings(self) -> str:
        return render_all(self.warnings, self.source.text, self.source.name)


def compile_source(
    source: Source, memory: int | None = None, instructions: InstructionSet | None = None
) -> Compilation:
    """Compile a text; `memory` and `instructions` override its own."""
    tree = parse(source, instructions)
    graph = resolve(tree, source, memory)
    program = replace(assemble(graph), frozen=tree.frozen)
    return Compilation(program, find_warnings(graph), tree.examples, source)


def compile_tree(tree: Listing) -> Program:
    """The program of a syntax tree without a source text."""
    return replace(assemble(resolve(tree, Source(""))), frozen=tree.frozen)


def find_warnings(graph: Graph) -> tuple[Diagnostic, ...]:
    """Warnings: no reachable STOP, unreachable lines, unused variables."""
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


def to_text(program: Program) -> str:
    """The canonical text of a program."""
    return print_tree(listing(program))


def listing(program: Program) -> Listing:
    """The syntax tree of a program, with readable names if they compile to the same program."""
    numbered = {register: f"R{register + 1}" for register in range(program.R)}
    for names in (_readable_names(program), numbered):
        tree = _Listing(program, names).tree()
        try:
            if compile_tree(tree) == program:
                return tree
        except AncError:
            continue
    raise AssertionError("a program's own listing compiles to another program")


def _readable_names(program: Program) -> dict[int, str]:
    """Names of the registers that are both written and read; the others need none."""
    read = {register for line in program.lines for register in line.operands}
    names: dict[int, str] = {}
    for register in sorted(read & {line.out for line in program.lines}):
        number = register + 1
        while f"x{number}" in names.values():
            number += program.R
        parts = program.name_of(register).split("/")
        taken = (*names.values(), *program.instructions.names)
        choices = (p for p in parts if _is_free(p, taken) and not p.startswith("l_"))
        names[register] = next(choices, f"x{number}")
    return names


def _is_free(name: str, taken) -> bool:
    is_name = _IDENTIFIER.fullmatch(name) and not _REGISTER.fullmatch(name)
    return bool(is_name) and name not in _WORDS and name not in taken


class _Listing:
    """Builds the listing; registers with a name are its variables."""

    def __init__(self, program: Program, names: dict[int, str]) -> None:
        self.program, self.names = program, names
        self.targets = {line.second for line in program.lines if line.op == JUMP}
        self.labels: dict[int, str] = {}

    def tree(self) -> Listing:
        program = self.program
        memory = None if program.memory is None else Number(program.memory)
        start = Name(self.label(program.start)) if program.start else None
        declarations = tuple(
            Declaration(Name(name), self.value(register, register in self.targets))
            for register, name in self.names.items()
        )
        bodies = [(self.output(line), self.call(line)) for line in program.lines]
        statements = tuple(
            Statement(
                (Name(self.labels[n]),) if n in self.labels else (), out, call, n in program.frozen
            )
            for n, (out, call) in enumerate(bodies)
        )
        instructions = program.instructions
        return Listing(memory, start, declarations, statements, (), instructions, instructions.path)

    def label(self, line: int) -> str:
        if line not in self.labels:
            known = [
                part
                for register, value in enumerate(self.program.registers)
                if value == line and register not in self.names and self.program.names
                for part in self.program.names[register].split("/")
            ]
            taken = {
                *self.names.values(),
                *self.labels.values(),
                *self.program.instructions.names,
            }
            choices = [*known, f"l_{line}", f"l_{line}_"]
            self.labels[line] = next(name for name in choices if _is_free(name, taken))
        return self.labels[line]

    def value(self, register: int, is_target: bool) -> Operand | None:
        """The initial value of a register, as a label if it is a jump target."""
        value = self.program.registers[register]
        if value is None:
            return None
        if is_target and value < self.program.L:
            return Name(self.label(value))
        return Number(value)

    def call(self, line: Line) -> Call:
        operands = [
            self.operand(register, line.op == JUMP and place == 1)
            for place, register in enumerate(line.operands)
        ]
        return Call(Name(line.op), tuple(operands))

    def operand(self, register: int, is_target: bool) -> Operand:
        if register in self.names:
            return Name(self.names[register])
        # A register without a value cannot be printed: use the numbered listing.
        return self.value(register, is_target) or Name(f"no_value_{register + 1}")

    def output(self, line: Line) -> Name | None:
        return Name(self.names[line.out]) if line.out in self.names else None

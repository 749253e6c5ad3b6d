"""Program back to a listing, such that compiling the listing gives the same program.

Registers that nobody writes print as numbers and labels, the others as variables. A program whose
registers the compiler would choose differently (a learnt one, say) prints with register names R1,
R2, ... instead: such names choose their own register.
"""

from __future__ import annotations

import re

from anc import isa
from anc.compiler.pipeline import compile_source
from anc.diagnostics import AncError
from anc.language.printer import print_tree
from anc.language.source import Source
from anc.language.tree import Call, Declaration, Listing, Name, Number, Operand, Statement
from anc.program import Line, Program

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REGISTER = re.compile(r"R[0-9]+")
_WORDS = {*isa.NAMES, "var", "memory", "start"}


def to_text(program: Program) -> str:
    """The canonical text of a program."""
    return print_tree(listing(program))


def listing(program: Program) -> Listing:
    """The syntax tree of a program, with readable names wherever they compile to the same."""
    for tree in (_Readable(program).tree(), _Numbered(program).tree()):
        try:
            again = compile_source(Source(print_tree(tree))).program
        except AncError:
            continue
        if again == program:
            return tree
    raise AssertionError("a program's own listing compiles to another program")


class _Numbered:
    """The listing with every register named by its number, every output written out."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.written = {line.out for line in program.lines}
        self.targets = {
            line.second
            for line in program.lines
            if line.instruction.effect is isa.Effect.JUMP and line.second is not None
        }
        self.labels: dict[int, str] = {}

    def tree(self) -> Listing:
        program = self.program
        memory = None if program.memory is None else Number(program.memory)
        start = Name(self.label(program.start)) if program.start else None
        declarations = tuple(
            Declaration(Name(self.name(r)), self.initial(r))
            for r in range(program.R)
            if self.is_declared(r)
        )
        bodies = [(self.output(line), self.call(line)) for line in program.lines]
        statements = tuple(
            Statement((Name(self.labels[n]),) if n in self.labels else (), out, call)
            for n, (out, call) in enumerate(bodies)
        )
        return Listing(memory, start, declarations, statements)

    def label(self, line: int) -> str:
        return self.labels.setdefault(line, f"l_{line}")

    def initial(self, register: int) -> Operand | None:
        value = self.program.registers[register]
        if value is None:
            return None
        if register in self.targets and value < self.program.L:
            return Name(self.label(value))
        return Number(value)

    def call(self, line: Line) -> Call:
        jump = line.instruction.effect is isa.Effect.JUMP
        operands = [
            self.operand(register, jump and place == 1)
            for place, register in enumerate((line.first, line.second))
            if register is not None
        ]
        return Call(Name(line.op), tuple(operands))

    def name(self, register: int) -> str:
        return f"R{register + 1}"

    def is_declared(self, register: int) -> bool:
        return True

    def operand(self, register: int, is_target: bool) -> Operand:
        return Name(self.name(register))

    def output(self, line: Line) -> Name | None:
        return Name(self.name(line.out))


class _Readable(_Numbered):
    """The listing with variables, numbers and labels, as a person would write it."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.read = {register for line in program.lines for register in line.operands}
        self.names: dict[int, str] = {}
        taken: set[str] = set()
        for register in range(program.R):
            if self.is_declared(register):
                self.names[register] = self.choose(register, taken)
                taken.add(self.names[register])
        self.taken = taken

    def choose(self, register: int, taken: set[str]) -> str:
        for part in self.program.name_of(register).split("/"):
            if self.is_free(part, taken) and not part.startswith("l_"):
                return part
        number = register + 1
        while f"x{number}" in taken:
            number += self.program.R
        return f"x{number}"

    def is_free(self, name: str, taken: set[str]) -> bool:
        return bool(
            _IDENTIFIER.fullmatch(name)
            and not _REGISTER.fullmatch(name)
            and name not in _WORDS
            and name not in taken
        )

    def label(self, line: int) -> str:
        if line not in self.labels:
            known = [
                part
                for register, value in enumerate(self.program.registers)
                if value == line and not self.is_declared(register) and self.program.names
                for part in self.program.names[register].split("/")
            ]
            taken = self.taken | set(self.labels.values())
            choices = [*known, f"l_{line}", f"l_{line}_"]
            self.labels[line] = next(name for name in choices if self.is_free(name, taken))
        return self.labels[line]

    def name(self, register: int) -> str:
        return self.names[register]

    def is_declared(self, register: int) -> bool:
        return register in self.written and register in self.read

    def operand(self, register: int, is_target: bool) -> Operand:
        value = self.program.registers[register]
        if self.is_declared(register):
            return Name(self.names[register])
        if value is None:
            return Name(f"no_value_{register + 1}")  # not readable: the numbered listing it is
        if is_target and value < self.program.L:
            return Name(self.label(value))
        return Number(value)

    def output(self, line: Line) -> Name | None:
        return Name(self.names[line.out]) if self.is_declared(line.out) else None

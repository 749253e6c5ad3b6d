"""Names and limits: every name of a listing resolved, every number checked.

The result speaks of *units*: a variable, or a constant (a number; a label is one too). Units become
registers later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from anc import isa
from anc.diagnostics import Diagnostic, SourceError, Span, close_match, error
from anc.language.source import Source
from anc.language.tree import Listing, Name, Number, Operand

MAX_MEMORY = 65_536
_PINNED = re.compile(r"R([1-9][0-9]*)")
_MAX_PINNED = 1_000


@dataclass(eq=False)
class Unit:
    """A variable or a constant: something that needs a register."""

    name: str
    value: int | None
    constant: bool
    span: Span
    reads: int = 0
    writes: int = 0

    @property
    def pinned(self) -> int | None:
        """The register that a variable named R1, R2, ... insists on (counted from 0)."""
        match = None if self.constant else _PINNED.fullmatch(self.name)
        return int(match[1]) - 1 if match else None


@dataclass(frozen=True)
class Command:
    """One program line over units; `out` is None when nobody wants the output."""

    op: str
    operands: tuple[Unit, ...]
    out: Unit | None
    span: Span

    @property
    def instruction(self) -> isa.Instruction:
        return isa.instruction(self.op)


@dataclass(frozen=True)
class Code:
    """A listing with its names resolved; `units` has variables first, then constants."""

    commands: tuple[Command, ...]
    units: tuple[Unit, ...]
    start: int
    memory: int | None
    declared: tuple[Unit, ...] = field(default=())


def resolve(tree: Listing, source: Source, memory: int | None = None) -> Code:
    """Check all names and numbers; raises a SourceError with all that is wrong."""
    resolver = _Resolver(tree, memory)
    code = resolver.code()
    if resolver.mistakes:
        raise SourceError(resolver.mistakes, source.text, source.name)
    return code


class _Resolver:
    def __init__(self, tree: Listing, memory: int | None) -> None:
        self.tree = tree
        self.mistakes: list[Diagnostic] = []
        self.M = memory if memory is not None else tree.memory.value if tree.memory else None
        self.overridden = memory is not None
        self.labels: dict[str, tuple[int, Span]] = {}
        self.variables: dict[str, Unit] = {}
        self.constants: dict[int, Unit] = {}

    def code(self) -> Code:
        self.check_memory()
        self.collect_labels()
        self.collect_variables()
        commands = []
        for statement in self.tree.statements:
            call = statement.call
            known = self.check_instruction(call.op, len(call.operands), call.span)
            operands = tuple(self.operand(operand) for operand in call.operands)
            for unit in operands:
                unit.reads += 1
            out = self.target(statement.out) if statement.out is not None else None
            if known:
                commands.append(Command(call.op.text, operands, out, call.span))
        start = self.start_line()
        declared = tuple(self.variables.values())
        units = (*declared, *self.constants.values())
        return Code(tuple(commands), units, start, self.M, declared)

    # -- limits --------------------------------------------------------------

    def check_memory(self) -> None:
        span = self.tree.memory.span if self.tree.memory and not self.overridden else None
        if self.M is None:
            return
        if not 1 <= self.M <= MAX_MEMORY:
            self.wrong(
                f"a memory of {self.M} cells is not possible",
                span,
                f"use a size from 1 to {MAX_MEMORY}",
            )
        lines = len(self.tree.statements)
        if lines > self.M:
            where = self.tree.statements[self.M].call.span if self.M >= 0 else span
            self.wrong(
                f"the program has {lines} lines, which is more than its memory of {self.M} cells",
                where,
                f"line numbers are values too: use a memory of at least {lines}",
            )

    def check_number(self, value: int, span: Span) -> None:
        if self.M is not None and value >= self.M:
            self.wrong(
                f"{value} does not fit in a memory of {self.M} cells: values go from 0 to"
                f" {self.M - 1}",
                span,
                f"use a memory of at least {value + 1}",
            )

    # -- names ---------------------------------------------------------------

    def collect_labels(self) -> None:
        for number, statement in enumerate(self.tree.statements):
            for label in statement.labels:
                if label.text in self.labels:
                    first = self.labels[label.text][1].line
                    self.wrong(
                        f"label '{label.text}' is defined twice, first in line {first}", label.span
                    )
                elif label.text in isa.INDEX:
                    self.wrong(f"'{label.text}' is an instruction, not a label", label.span)
                else:
                    self.labels[label.text] = (number, label.span)

    def collect_variables(self) -> None:
        for declaration in self.tree.declarations:
            name, value = declaration.name, declaration.value
            if name.text in self.variables:
                first = self.variables[name.text].span.line
                self.wrong(
                    f"variable '{name.text}' is defined twice, first in line {first}", name.span
                )
                continue
            self.variable(name, self.initial_value(value))

    def variable(self, name: Name, value: int | None) -> None:
        if name.text in self.labels:
            line = self.labels[name.text][1].line
            self.wrong(
                f"'{name.text}' is a variable here and a label in line {line}",
                name.span,
                "rename one of the two",
            )
        elif name.text in isa.INDEX:
            self.wrong(f"'{name.text}' is an instruction, not a variable", name.span)
        unit = Unit(name.text, value, False, name.span)
        if unit.pinned is not None and unit.pinned >= _MAX_PINNED:
            self.wrong(
                f"'{name.text}' names a register beyond R{_MAX_PINNED}",
                name.span,
                "names such as R1 choose their register; use another name, or a smaller number",
            )
        self.variables[name.text] = unit

    def initial_value(self, value: Operand | None) -> int | None:
        if value is None:
            return None
        if isinstance(value, Number):
            self.check_number(value.value, value.span)
            return value.value
        if value.text in self.labels:
            return self.labels[value.text][0]
        if value.text in self.variables or value.text in {
            declaration.name.text for declaration in self.tree.declarations
        }:
            self.wrong(
                f"'{value.text}' is a variable; an initial value is a number or a label", value.span
            )
        else:
            self.undefined(value)
        return None

    def operand(self, operand: Operand) -> Unit:
        if isinstance(operand, Number):
            self.check_number(operand.value, operand.span)
            return self.constant(operand.value, str(operand.value), operand.span)
        if operand.text in self.variables:
            return self.variables[operand.text]
        if operand.text in self.labels:
            return self.constant(self.labels[operand.text][0], operand.text, operand.span)
        self.undefined(operand)
        return self.constant(0, "0", operand.span)

    def constant(self, value: int, name: str, span: Span) -> Unit:
        unit = self.constants.setdefault(value, Unit(name, value, True, span))
        if name not in unit.name.split("/"):
            unit.name += f"/{name}"
        return unit

    def target(self, name: Name) -> Unit | None:
        unit = self.variables.get(name.text)
        if unit is not None:
            unit.writes += 1
        elif name.text in self.labels:
            self.wrong(f"'{name.text}' is a label; only a variable can take an output", name.span)
        else:
            match = close_match(name.text, self.variables)
            help = f"did you mean '{match}'?" if match else f"declare it: var {name.text}"
            self.wrong(f"variable '{name.text}' is not declared", name.span, help)
        return unit

    def undefined(self, name: Name) -> None:
        match = close_match(name.text, [*self.variables, *self.labels])
        help = f"did you mean '{match}'?" if match else f"declare it: var {name.text} = 0"
        self.wrong(f"'{name.text}' is neither a variable nor a label", name.span, help)

    def start_line(self) -> int:
        start = self.tree.start
        if start is None:
            return 0
        if isinstance(start, Number):
            if start.value >= len(self.tree.statements):
                self.wrong(
                    f"start {start.value}: the program has only lines 0 to"
                    f" {len(self.tree.statements) - 1}",
                    start.span,
                )
            return start.value
        if start.text in self.labels:
            return self.labels[start.text][0]
        match = close_match(start.text, self.labels)
        help = f"did you mean '{match}'?" if match else "name a label, or give a line number"
        self.wrong(f"start names '{start.text}', which is not a label", start.span, help)
        return 0

    def check_instruction(self, op: Name, found: int, span: Span) -> bool:
        if op.text not in isa.INDEX:
            match = close_match(op.text, isa.NAMES)
            help = (
                f"did you mean {match}?"
                if match
                else "the instructions are " + ", ".join(isa.NAMES)
            )
            self.wrong(f"unknown instruction '{op.text}'", op.span, help)
            return False
        wanted = isa.instruction(op.text).operands
        if found != wanted:
            operands = ", ".join(("first", "second")[:wanted])
            self.wrong(
                f"{op.text} takes {_count(wanted, 'operand')}, found {found}",
                span,
                f"write {op.text}({operands})",
            )
            return False
        return True

    def wrong(self, message: str, span: Span | None = None, help: str | None = None) -> None:
        self.mistakes.append(error(message, span, help))


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"

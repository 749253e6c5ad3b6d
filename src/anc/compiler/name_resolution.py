"""Name resolution: the graph of a listing, with every name resolved and every number checked."""

from __future__ import annotations

from collections.abc import Iterable

from anc.compiler.graph import JUMP, Constant, Graph, Node, Target, Variable
from anc.compiler.graph import Operand as Resolved
from anc.language.source import Source
from anc.language.tree import Call, HoleSyntax, Listing, Name, Number, Operand
from anc.support.diagnostics import Diagnostic, SourceError, Span, close_match, error
from anc.support.limits import MAX_MEMORY

_MAX_PINNED = 1_000


def resolve(tree: Listing, source: Source, memory: int | None = None) -> Graph:
    """The graph whose nodes are the lines of a listing; raises a SourceError with all mistakes."""
    refuse_holes(tree, source)
    resolver = _Resolver(tree, memory)
    graph = resolver.graph()
    if resolver.mistakes:
        raise SourceError(resolver.mistakes, source.text, source.name)
    return graph


def refuse_holes(tree: Listing, source: Source) -> None:
    """Refuse a sketch where a program is needed; reports every hole."""
    file = source.name if source.name.endswith(".anc") else "FILE"
    help = f"fill it from cases: anc fill {file} --data cases.jsonl"
    problems = [
        error("this is a hole: the program is not finished", hole.span, help)
        for hole in tree.holes()
    ]
    if problems:
        raise SourceError(problems, source.text, source.name)


class _Resolver:
    def __init__(self, tree: Listing, memory: int | None) -> None:
        self.tree, self.instructions = tree, tree.instructions
        self.mistakes: list[Diagnostic] = []
        self.M = memory if memory is not None else tree.memory.value if tree.memory else None
        self.overridden = memory is not None
        self.labels: dict[str, tuple[int, Span]] = {}
        self.variables: dict[str, Variable] = {}

    def graph(self) -> Graph:
        self.check_memory()
        self.collect_labels()
        self.collect_variables()
        nodes: dict[int, Node] = {}
        L = len(self.tree.statements)
        for number, statement in enumerate(self.tree.statements):
            call = statement.call
            assert isinstance(call.op, Name)
            self.check_instruction(call)
            operands = [self.operand(operand) for operand in call.operands]
            if call.op.text == JUMP:
                operands[1:] = map(self.target, operands[1:])
            out = self.output(statement.out) if statement.out is not None else None
            after = (number + 1) % L
            nodes[number] = Node(call.op.text, tuple(operands), out, after, span=call.span)
        declared = tuple(self.variables.values())
        start = self.start_line()
        return Graph(nodes, start, self.M, declared, anchored=L, instructions=self.instructions)

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
                first = self.labels.get(label.text)
                self.check_definition("label", label, first and first[1])
                self.labels.setdefault(label.text, (number, label.span))

    def collect_variables(self) -> None:
        values: dict[Variable, Operand | None] = {}
        for declaration in self.tree.declarations:
            name = declaration.name
            first = self.variables.get(name.text)
            self.check_definition("variable", name, first.span if first else None)
            if first is None:
                variable = self.variables[name.text] = Variable(name.text, span=name.span)
                self.check_variable(variable)
                values[variable] = declaration.value
        for variable, value in values.items():
            variable.value = self.initial_value(value)

    def check_definition(self, what: str, name: Name, first: Span | None) -> None:
        if first is not None:
            message = f"{what} '{name.text}' is defined twice, first in line {first.line}"
            self.wrong(message, name.span)
        elif name.text in self.instructions:
            self.wrong(f"'{name.text}' is an instruction, not a {what}", name.span)

    def check_variable(self, variable: Variable) -> None:
        if variable.name in self.labels:
            line = self.labels[variable.name][1].line
            self.wrong(
                f"'{variable.name}' is a variable here and a label in line {line}",
                variable.span,
                "rename one of the two",
            )
        if variable.pinned is not None and variable.pinned >= _MAX_PINNED:
            self.wrong(
                f"'{variable.name}' names a register beyond R{_MAX_PINNED}",
                variable.span,
                "names such as R1 choose their register; use another name, or a smaller number",
            )

    def initial_value(self, value: Operand | None) -> int | None:
        found = None if value is None else self.operand(value)
        if isinstance(found, Variable):
            message = f"'{found.name}' is a variable; an initial value is a number or a label"
            self.wrong(message, value.span if value else None)
            return None
        return found.node if isinstance(found, Target) else found.value if found else None

    def operand(self, operand: Operand) -> Resolved:
        assert not isinstance(operand, HoleSyntax)
        if isinstance(operand, Number):
            self.check_number(operand.value, operand.span)
            return Constant(operand.value, str(operand.value))
        if operand.text in self.variables:
            return self.variables[operand.text]
        if operand.text in self.labels:
            return Target(self.labels[operand.text][0], operand.text)
        message = f"'{operand.text}' is neither a variable nor a label"
        help = f"declare it: var {operand.text} = 0"
        self.unknown(message, operand, [*self.variables, *self.labels], help)
        return Constant(0)

    def target(self, operand: Resolved) -> Resolved:
        """A jump target: a line number stands for its line."""
        if isinstance(operand, Constant) and operand.value < len(self.tree.statements):
            return Target(operand.value, operand.name)
        return operand

    def output(self, name: Name) -> Variable | None:
        if name.text in self.labels and name.text not in self.variables:
            self.wrong(f"'{name.text}' is a label; only a variable can take an output", name.span)
        elif name.text not in self.variables:
            message, help = (
                f"variable '{name.text}' is not declared",
                f"declare it: var {name.text}",
            )
            self.unknown(message, name, self.variables, help)
        return self.variables.get(name.text)

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
        assert isinstance(start, Name)
        if start.text in self.labels:
            return self.labels[start.text][0]
        message = f"start names '{start.text}', which is not a label"
        self.unknown(message, start, self.labels, "name a label, or give a line number")
        return 0

    def check_instruction(self, call: Call) -> None:
        assert isinstance(call.op, Name)
        op, found = call.op.text, len(call.operands)
        if op not in self.instructions:
            names = self.instructions.names
            match = close_match(op, names)
            all_of_them = "the instructions are " + ", ".join(names)
            help = f"did you mean {match}?" if match else all_of_them
            self.wrong(f"unknown instruction '{op}'", call.op.span, help)
        elif found != (wanted := self.instructions[op].operands):
            count = f"{wanted or 'no'} operand{'' if wanted == 1 else 's'}"
            operands = ", ".join(("first", "second")[:wanted])
            self.wrong(f"{op} takes {count}, found {found}", call.span, f"write {op}({operands})")

    def unknown(self, message: str, name: Name, known: Iterable[str], otherwise: str) -> None:
        """Report an unknown name, with a close match."""
        match = close_match(name.text, known)
        self.wrong(message, name.span, f"did you mean '{match}'?" if match else otherwise)

    def wrong(self, message: str, span: Span | None = None, help: str | None = None) -> None:
        self.mistakes.append(error(message, span, help))

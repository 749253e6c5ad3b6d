"""The places and the choices of a listing's holes as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anc import isa
from anc.compiler import compile_source
from anc.compiler.assemble import SINK
from anc.diagnostics import Span
from anc.holes.sketch import FIELDS, Hole, Sketch
from anc.language import tree as trees
from anc.language.source import Source
from anc.language.tree import Listing, Name, Number, Operand, Statement
from anc.program import Line, Program

Choice = Number | Name
Choices = dict[Span, tuple[Choice, ...]]  # of the hole at each place


def with_choice(tree: Listing, choices: Choices, k: int) -> Listing:
    """The listing with the k-th choice in every hole, or the last one where there are fewer."""

    def chosen(part: Operand) -> Choice:
        if not isinstance(part, trees.Hole):
            return part
        found = choices[part.span]
        return found[min(k, len(found) - 1)]

    def filled(statement: Statement) -> Statement:
        op = chosen(statement.call.op)
        assert isinstance(op, Name)
        operands = tuple(map(chosen, statement.call.operands))
        return replace(statement, call=replace(statement.call, op=op, operands=operands))

    declarations = (
        each if each.value is None else replace(each, value=chosen(each.value))
        for each in tree.declarations
    )
    return replace(
        tree,
        declarations=tuple(declarations),
        statements=tuple(map(filled, tree.statements)),
    )


def numbered(tree: Listing, choices: Choices, source: Source, M: int) -> Sketch:
    """The sketch of a listing whose choices have been checked."""
    numbers = _Numbers(tree, choices)
    return Sketch(
        source,
        numbers.program(M),
        tuple(numbers.holes(source)),
        M,
        lambda filled: compile_source(filled, M).program,
    )


class _Numbers:
    """A register for every variable and for every constant that is or may become an operand."""

    def __init__(self, tree: Listing, choices: Choices) -> None:
        self.tree, self.choices = tree, choices
        self.first = with_choice(tree, choices, 0)
        self.labels = {
            label.text: number
            for number, statement in enumerate(tree.statements)
            for label in statement.labels
        }
        self.variables = {d.name.text: place for place, d in enumerate(tree.declarations)}
        self.constants: dict[int, tuple[int, str]] = {}  # register and name, by value
        for statement in tree.statements:
            for operand in statement.call.operands:
                for part in self.possible(operand):
                    value = self.value(part)
                    if value is not None:
                        where = len(self.variables) + len(self.constants)
                        self.constants.setdefault(value, (where, _word(part)))
        self.sink = len(self.variables) + len(self.constants)

    def possible(self, part: Operand) -> tuple[Choice, ...]:
        return self.choices[part.span] if isinstance(part, trees.Hole) else (part,)

    def value(self, part: Choice) -> int | None:
        """The number that a constant is; None for a variable."""
        if isinstance(part, Number):
            return part.value
        return None if part.text in self.variables else self.labels[part.text]

    def register(self, part: Choice) -> int:
        value = self.value(part)
        if value is not None:
            return self.constants[value][0]
        assert isinstance(part, Name)
        return self.variables[part.text]

    def program(self, M: int) -> Program:
        """Every hole at its first choice."""
        first = self.first
        values: list[int | None] = []
        for declaration in first.declarations:
            assert not isinstance(declaration.value, trees.Hole)
            values.append(None if declaration.value is None else self.value(declaration.value))
        registers = (*values, *self.constants, None)
        names = (*self.variables, *(name for _, name in self.constants.values()), SINK)
        start = 0
        if first.start is not None:
            assert not isinstance(first.start, trees.Hole)
            start = self.value(first.start) or 0
        lines = tuple(map(self.line, first.statements))
        return Program(lines, registers, start, names, M, self.tree.frozen)

    def line(self, statement: Statement) -> Line:
        op = statement.call.op
        assert isinstance(op, Name)
        operands: list[int | None] = [None, None]
        for place, operand in enumerate(statement.call.operands):
            assert not isinstance(operand, trees.Hole)
            operands[place] = self.register(operand)
        out = self.sink if statement.out is None else self.variables[statement.out.text]
        return Line(op.text, operands[0], operands[1], out, statement.call.span.line)

    def holes(self, source: Source) -> Iterator[Hole]:
        begins = [0]
        for line in source.text.split("\n"):
            begins.append(begins[-1] + len(line) + 1)

        def hole(field: str, at: int, part: Operand) -> Iterator[Hole]:
            if not isinstance(part, trees.Hole):
                return
            found = self.choices[part.span]
            numbers = [
                isa.INDEX[_word(each)]
                if field == "op"
                else self.value(each) or 0
                if field == "value"
                else self.register(each)
                for each in found
            ]
            begin = begins[part.span.line - 1] + part.span.column - 1
            words = tuple(map(_word, found))
            end = begin + part.span.width
            yield Hole(field, at, tuple(numbers), words, part.span, begin, end)

        for register, declaration in enumerate(self.tree.declarations):
            if declaration.value is not None:
                yield from hole("value", register, declaration.value)
        for number, statement in enumerate(self.tree.statements):
            call = statement.call
            parts = (call.op, *call.operands)
            for field, part in zip(FIELDS, parts, strict=False):  # a line has no value
                yield from hole(field, number, part)


def _word(part: Choice) -> str:
    return str(part.value) if isinstance(part, Number) else part.text

"""The printer of statements as Python."""

from __future__ import annotations

from collections.abc import Collection
from textwrap import wrap
from typing import ClassVar

from anc import isa
from anc.codegen.expressions import Expression, Number, Total, negated
from anc.codegen.printer import INDENT, WIDTH, Printer, multiples, signed
from anc.codegen.statements import Dispatch, Go, If, Statement, Statements


class PythonPrinter(Printer):
    words: ClassVar = {"and": "and", "or": "or"}

    nothing: ClassVar = [INDENT + "pass"]
    endless = "while True:"
    past_end = ('raise RuntimeError("it ran past its last line")',)

    def __init__(self, M: int, taken: Collection[str] = ()) -> None:
        super().__init__(M)
        self.taken = taken  # names that tables must avoid
        self.truth = False  # whether the result is a bool
        self.has_truths = False  # whether an argument is a bool

    def statement(self, statement: Statement) -> list[str]:
        match statement:
            case If(condition, (Go(to),), (Go(other),)):
                ways = self.expression(to), self.expression(other)
                return [f"line = {ways[0]} if {self.condition(condition)} else {ways[1]}"]
        return super().statement(statement)

    def is_one_line(self, statement: If) -> bool:
        match statement:
            case If(_, (Go(),), (Go(),)):
                return True
        return False

    def returned(self, result: Expression) -> str:
        text = super().returned(result)
        if isinstance(result, Number):
            return str(result.value != 0) if self.truth else text
        if self.truth:
            return f"{text} != 0"
        return f"int({text})" if self.has_truths else text

    def dispatch(self, loop: Dispatch) -> list[str]:
        """A dispatch loop; a line that falls through to the next does so in the same iteration."""
        if loop.forward:
            return self.forward(loop)
        head = "while True:" if loop.ends is None else f"while line < {loop.ends}:"
        found = [f"line = {loop.start}", head]
        for number, body in loop.cases:
            found.append(f"{INDENT}if line == {number}:")
            found += self.lines(body, 2)
        return found if loop.ends is None else [*found, *self.past_end]

    def forward(self, loop: Dispatch) -> list[str]:
        """A dispatch without a loop: each line runs at most once, if `line` is not past it."""
        (_, first), *others = loop.cases
        found = self.lines(first)
        following = [number for number, _ in others[1:]]
        for (number, body), after in zip(others, [*following, None], strict=True):
            if after is None:  # all runs that have not returned reach the last line
                return found + self.lines(body)
            head = f"if line <= {number}:"
            found += [head, *self.block(_falling(body, after))]
        return found

    def total(self, total: Total) -> str:
        parts = multiples((sign, self.expression(term)) for sign, term in total.terms)
        if total.number:
            number = (1 if total.number > 0 else -1, str(abs(total.number)))
            parts.insert(len(parts) if parts[0][0] > 0 else 0, number)
        text = signed(parts)
        return f"({text}) % {self.M}" if total.wraps else text

    def table(self, rows: tuple, index: str) -> list[str]:
        """The lines that return an entry of a table."""
        if self.truth:
            rows = _truths(rows)
        if len(text := f"return {rows}{index}") <= WIDTH:
            return [text]
        if not isinstance(rows[0], tuple):
            wrapped = wrap(f"{', '.join(map(str, rows))},", WIDTH)
            return ["return (", *(INDENT + line for line in wrapped), f"){index}"]
        return ["return (", *(f"{INDENT}{row}," for row in rows), f"){index}"]

    def table_name(self, row: isa.Instruction) -> str:
        name = f"_{row.name}"
        while name in self.taken:
            name += "_"
        return name

    def table_lines(self) -> list[str]:
        """The tables of instructions' outputs."""
        return [
            f"{self.table_name(row)} = {tuple(map(_tuple, self.outputs(row)))}"
            for row in self.tables.values()
        ]


def _falling(body: Statements, after: int) -> Statements:
    """The statements of a line without the jump to the next line."""
    *others, last = body
    match last:
        case Go(Number(number)) if number == after:
            return tuple(others)
        case If(condition, then, (Go(Number(number)),)) if number == after:
            return (*others, If(condition, then))
        case If(condition, (Go(Number(number)),), otherwise) if number == after:
            return (*others, If(negated(condition), otherwise))
    return body


def _truths(rows: tuple) -> tuple:
    return tuple(_truths(row) if isinstance(row, tuple) else row != 0 for row in rows)


def _tuple(row: list[int] | int) -> tuple[int, ...] | int:
    return tuple(row) if isinstance(row, list) else row

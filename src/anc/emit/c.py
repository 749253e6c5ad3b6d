"""Statements as C11."""

from __future__ import annotations

from typing import ClassVar

from anc import isa
from anc.emit.expressions import Both, Expression, Number, Test, Total
from anc.emit.printer import INDENT, Printer, augmented, multiples, signed
from anc.emit.scopes import Declared
from anc.emit.statements import (
    Assign,
    Break,
    Continue,
    Dispatch,
    Go,
    If,
    Loop,
    PastEnd,
    Return,
    Statement,
    Statements,
    Store,
)

PAST_END = 'assert(!"it ran past its last line");'
UNKNOWN = -1  # the result of a function of arguments that does not know
LARGEST = 2**31 - 1  # the largest of its numbers
NATURAL = {1 << 8: "uint8_t", 1 << 16: "uint16_t"}  # memories whose numbers go round by themselves


def cell_type(M: int) -> str:
    return "uint8_t" if M <= 1 << 8 else "uint16_t"


class CPrinter(Printer):
    words: ClassVar = {"and": "&&", "or": "||"}

    def __init__(self, M: int, prefix: str) -> None:
        super().__init__(M)
        self.prefix = prefix  # of everything beside the function itself
        self.result = ""  # what is returned
        self.before_return: list[str] = []
        self.past_end: list[str] = []  # what a run does that leaves its last line, if not as usual
        self.orders: set[isa.Meaning] = set()  # smaller, larger: the functions that are needed

    def statement(self, statement: Statement) -> list[str]:
        match statement:
            case Declared(name, value):
                return [f"{cell_type(self.M)} {name} = {self.stored(value)};"]
            case Assign(name, value):
                return [self.assigned(name, value)]
            case Store(address, value):
                return [f"tape[{self.expression(address)}] = {self.stored(value)};"]
            case If(condition, then, otherwise):
                found = [f"if ({self.condition(condition)}) {{", *self.block(then), "}"]
                return found[:-1] + self.otherwise(otherwise) if otherwise else found
            case Loop(None, body):
                return ["for (;;) {", *self.block(body), "}"]
            case Loop(Test() | Both() as condition, body):
                return [f"while ({self.condition(condition)}) {{", *self.block(body), "}"]
            case Break():
                return ["break;"]
            case Continue():
                return ["continue;"]
            case Return(value):
                result = self.result if value is None else self.expression(value)
                return [*self.before_return, f"return {result}".rstrip() + ";"]
            case PastEnd():
                return self.past_end or [PAST_END, *self.statement(Return())]
            case Go(to):
                return [f"line = {self.expression(to)};", "continue;"]
            case Dispatch():
                return self.dispatch(statement)
        raise TypeError(f"not a statement: {statement!r}")

    def otherwise(self, statements: Statements) -> list[str]:
        if len(statements) == 1 and isinstance(statements[0], If):
            first, *others = self.statement(statements[0])
            return [f"}} else {first}", *others]
        return ["} else {", *self.block(statements), "}"]

    def dispatch(self, loop: Dispatch) -> list[str]:
        """A switch; a line that falls into the next one falls through."""
        found = [f"unsigned line = {loop.start};", "for (;;) {", f"{INDENT}switch (line) {{"]
        following = [number for number, _ in loop.cases[1:]]
        for (number, body), after in zip(loop.cases, [*following, None], strict=True):
            found.append(f"{INDENT}case {number}:")
            if after is not None and body and body[-1] == Go(Number(after)):
                found += [*self.lines(body[:-1], 2), f"{INDENT * 2}/* fall through */"]
            else:
                found += self.lines(body, 2)
        found += [f"{INDENT}default:", *self.lines((PastEnd(),), 2), f"{INDENT}}}", "}"]
        return found

    # -- numbers -------------------------------------------------------------

    def assigned(self, name: str, value: Expression) -> str:
        if isinstance(value, Total) and (not value.wraps or self.M in NATURAL):
            shorter = augmented(name, value)
            if shorter is not None:
                return f"{name} {shorter[0]}= {self.expression(shorter[1])};"
        return f"{name} = {self.stored(value)};"

    def stored(self, value: Expression) -> str:
        """A value that is converted to the type of a cell where it goes."""
        if isinstance(value, Total) and self.M in NATURAL:
            return self.sum(value)
        return self.expression(value)

    def total(self, total: Total) -> str:
        if not total.wraps:
            return self.sum(total)
        if self.M in NATURAL:
            return f"({NATURAL[self.M]})({self.sum(total)})"
        # C's remainder of a number below 0 is below 0: so many times M that it cannot be.
        negative = sum(sign < 0 for sign, _ in total.terms)
        number = total.number + negative * self.M
        if total.number + negative < 0:
            number += self.M
        return f"({self.sum(Total(total.terms, number))}) % {self.M}"

    def sum(self, total: Total) -> str:
        terms = multiples((sign, self.expression(term)) for sign, term in total.terms)
        positive = [part for part in terms if part[0] > 0]
        negative = [part for part in terms if part[0] < 0]
        number = [(1 if total.number > 0 else -1, str(abs(total.number)))] if total.number else []
        return signed([*positive, *number, *negative])

    def applied(self, row: isa.Instruction, operands: list[str]) -> str:
        if row.output is isa.smaller or row.output is isa.larger:
            self.orders.add(row.output)
            name = "min" if row.output is isa.smaller else "max"
            return f"{self.prefix}_{name}({', '.join(operands)})"
        return self.looked_up(row, operands)

    def table_name(self, row: isa.Instruction) -> str:
        return f"{self.prefix}_{row.name}"

    @property
    def own_names(self) -> list[str]:
        """All that may stand beside the function for it alone."""
        functions = [f"{self.prefix}_{name}" for name in ("min", "max", "different")]
        return [*functions, *map(self.table_name, isa.INSTRUCTIONS)]

    def needed(self) -> list[str]:
        """The functions and tables that expressions need."""
        cell = cell_type(self.M)
        found: list[str] = []
        for meaning, name, op in ((isa.smaller, "min", "<"), (isa.larger, "max", ">")):
            if meaning in self.orders:
                head = f"static inline {cell} {self.prefix}_{name}({cell} a, {cell} b) {{"
                found += [head, f"{INDENT}return a {op} b ? a : b;", "}", ""]
        for row in self.tables.values():
            found += self._table(row, cell)
        return found

    def _table(self, row: isa.Instruction, cell: str) -> list[str]:
        size = f"[{self.M}]" * row.operands
        rows = [
            "{" + ", ".join(map(str, each)) + "}" if isinstance(each, list) else str(each)
            for each in self.outputs(row)
        ]
        head = f"static const {cell} {self.table_name(row)}{size} = {{"
        return [head, *(f"{INDENT}{each}," for each in rows), "};", ""]

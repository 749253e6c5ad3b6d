"""The printer of statements as C11."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from anc import isa
from anc.codegen.expressions import Expression, Number, Total
from anc.codegen.printer import INDENT, Printer, multiples, signed
from anc.codegen.statements import (
    Assign,
    Body,
    Continue,
    Dispatch,
    Go,
    PastEnd,
    Return,
    Statement,
    Statements,
    mentioned,
    with_blocks,
)

PAST_END = 'assert(!"it ran past its last line");'
UNKNOWN = -1  # the result if the guard fails and there is no fallback
LARGEST = 2**31 - 1  # the largest of its numbers
NATURAL = {
    1 << 8: "uint8_t",
    1 << 16: "uint16_t",
}  # memory sizes at which a type wraps around by itself


def cell_type(M: int) -> str:
    return "uint8_t" if M <= 1 << 8 else "uint16_t"


class CPrinter(Printer):
    words: ClassVar = {"and": "&&", "or": "||"}
    end, opens, closes, otherwise_if, test = ";", " {", "}", "} else ", "({})"
    endless = "for (;;) {"

    def __init__(self, M: int, prefix: str) -> None:
        super().__init__(M)
        self.prefix = prefix  # of the names of all helpers
        self.past_end: list[str] = []  # instead of the usual lines
        self.order = f"{prefix}_"

    def statement(self, statement: Statement) -> list[str]:
        match statement:
            case Declared(name, value):
                return [f"{cell_type(self.M)} {name} = {self.stored(value)};"]
            case PastEnd() if not self.past_end:
                return [PAST_END, *self.statement(Return())]
            case Go():
                return [*super().statement(statement), *self.statement(Continue())]
        return super().statement(statement)

    def dispatch(self, loop: Dispatch) -> list[str]:
        """A switch in a loop; a line that continues with the next one falls through."""
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

    def is_plain(self, total: Total) -> bool:
        return super().is_plain(total) or self.M in NATURAL

    def stored(self, value: Expression) -> str:
        """A value that the assignment converts to the type of a cell."""
        if isinstance(value, Total) and self.M in NATURAL:
            return self.sum(value)
        return self.expression(value)

    def total(self, total: Total) -> str:
        if not total.wraps:
            return self.sum(total)
        if self.M in NATURAL:
            return f"({NATURAL[self.M]})({self.sum(total)})"
        # C's remainder of a negative number is negative, so multiples of M are added.
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

    def table_name(self, row: isa.Instruction) -> str:
        return f"{self.prefix}_{row.name}"

    def own_names(self, instructions: Iterable[isa.Instruction]) -> list[str]:
        """The names of the helpers that the function may need."""
        functions = [f"{self.prefix}_{name}" for name in ("min", "max", "different")]
        return [*functions, *map(self.table_name, instructions)]

    def needed(self) -> list[str]:
        """The helper functions and tables that expressions use."""
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


# -- declarations, in the smallest scope that contains all uses ------------------------------


@dataclass(frozen=True)
class Declared(Assign):
    """An assignment that declares its variable."""


def with_declarations(body: Body) -> tuple[Statements, dict[str, int]]:
    """The statements with declarations, and the initial values of variables declared before them."""
    total = mentioned(body.statements)
    placed = set(body.first_values)
    found = _declared(body.statements, total, placed)
    return found, body.first_values | dict.fromkeys(sorted(total.keys() - placed), 0)


def _declared(statements: Statements, total: Counter[str], placed: set[str]) -> Statements:
    here = mentioned(statements)
    own = {name for name in here if here[name] == total[name]} - placed
    found: list[Statement] = []
    for statement in statements:
        names = mentioned((statement,))
        if isinstance(statement, Assign) and statement.name in own and names[statement.name] == 1:
            placed.add(statement.name)
            found.append(Declared(statement.name, statement.value))
        else:
            is_flat = isinstance(statement, Dispatch)  # no declarations inside of a switch
            inner = partial(_declared, total=total, placed=placed)
            found.append(statement if is_flat else with_blocks(statement, inner))
        own -= names.keys()
    return tuple(found)

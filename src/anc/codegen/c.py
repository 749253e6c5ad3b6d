"""The printer of statements as C11."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from anc import isa
from anc.codegen.expressions import TOGETHER, Apply, Condition, Expression, Number, Total
from anc.codegen.printer import ATOM, BITS, INDENT, OPERATORS, PRODUCT, TEST, Printer, signed
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


# helpers for operators that are not defined for all operands
_PARTIAL = {
    isa.divide: "div",
    isa.remain: "mod",
    isa.shift_left: "shl",
    isa.shift_right: "shr",
}
_BODIES = {
    isa.divide: ["return b ? a / b : 0;"],
    isa.remain: ["return b ? a % b : a;"],
    isa.shift_left: [
        "uint32_t result = a, power = 2 % {M};",
        "for (; b; b >>= 1, power = power * power % {M}) {{",
        "    if (b & 1) result = result * power % {M};",
        "}}",
        "return ({cell})result;",
    ],
    isa.shift_right: ["return b < 16 ? a >> b : 0;"],
}
_WRAPPING = (isa.multiply, isa.bits_or, isa.bits_xor, isa.shift_left)


def cell_type(M: int) -> str:
    return "uint8_t" if M <= 1 << 8 else "uint16_t"


class CPrinter(Printer):
    words: ClassVar = {"and": "&&", "or": "||"}
    operators: ClassVar = {**OPERATORS, isa.divide: "/"}
    end, opens, closes, otherwise_if, test = ";", " {", "}", "} else ", "({})"
    endless = "for (;;) {"

    def __init__(self, M: int, prefix: str) -> None:
        super().__init__(M)
        self.prefix = prefix  # of the names of all helpers
        self.past_end: list[str] = []  # instead of the usual lines
        self.order = f"{prefix}_"
        self.partials: set[isa.Meaning] = set()  # the helpers that are used

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
        negative = sum(-factor for factor, _ in total.terms if factor < 0)
        number = total.number + negative * self.M
        if total.number + negative < 0:
            number += self.M
        text = self.sum(Total(total.terms, number))
        return f"{text} % {self.M}" if self.is_product(total, number) else f"({text}) % {self.M}"

    @staticmethod
    def is_product(total: Total, number: int) -> bool:
        return len(total.terms) == 1 and total.terms[0][0] > 0 and number == 0

    @property
    def modulo_strength(self) -> int:  # type: ignore[override]
        return ATOM if self.M in NATURAL else PRODUCT

    def truth(self, value: Apply, condition: Condition) -> str:
        return self.plain(value) if value.row.output in TOGETHER else self.condition(condition)

    def truth_strength(self, value: Apply) -> int:
        return BITS if value.row.output in TOGETHER else TEST

    def operated(self, value: Apply) -> str:
        meaning = value.row.output
        if value.partial and meaning in _PARTIAL:
            self.partials.add(meaning)
            operands = ", ".join(map(self.expression, value.operands))
            return f"{self.prefix}_{_PARTIAL[meaning]}({operands})"
        text = self.plain(value)
        is_large = value.wraps and meaning is isa.multiply and (self.M - 1) ** 2 > LARGEST
        if is_large:  # an int has no room for it
            text = f"(uint32_t){text}"
        if not value.wraps or meaning not in _WRAPPING:
            return text
        if self.M in NATURAL:
            return f"({NATURAL[self.M]})({text})"
        text = f"{text} % {self.M}" if meaning is isa.multiply else f"({text}) % {self.M}"
        return f"(int)({text})" if is_large else text

    def applied_strength(self, value: Apply) -> int:
        meaning = value.row.output
        if value.partial and meaning in _PARTIAL:
            return ATOM
        if not value.wraps or meaning not in _WRAPPING:
            return self.plain_strength(value)
        is_cast = meaning is isa.multiply and (self.M - 1) ** 2 > LARGEST
        return ATOM if is_cast or self.M in NATURAL else PRODUCT

    def sum(self, total: Total) -> str:
        terms = self.terms(total)
        positive = [part for part in terms if part[0] > 0]
        negative = [part for part in terms if part[0] < 0]
        number = [(1 if total.number > 0 else -1, str(abs(total.number)))] if total.number else []
        return signed([*positive, *number, *negative])

    def table_name(self, row: isa.Instruction) -> str:
        return f"{self.prefix}_{row.name}"

    def own_names(self, instructions: Iterable[isa.Instruction]) -> list[str]:
        """The names of the helpers that the function may need."""
        names = ("min", "max", "different", *_PARTIAL.values())
        functions = [f"{self.prefix}_{name}" for name in names]
        return [*functions, *map(self.table_name, instructions)]

    def needed(self) -> list[str]:
        """The helper functions and tables that expressions use."""
        cell = cell_type(self.M)
        found: list[str] = []
        for meaning, name, op in ((isa.smaller, "min", "<"), (isa.larger, "max", ">")):
            if meaning in self.orders:
                head = f"static inline {cell} {self.prefix}_{name}({cell} a, {cell} b) {{"
                found += [head, f"{INDENT}return a {op} b ? a : b;", "}", ""]
        for meaning, name in _PARTIAL.items():
            if meaning in self.partials:
                head = f"static inline {cell} {self.prefix}_{name}({cell} a, {cell} b) {{"
                body = [line.format(M=self.M, cell=cell) for line in _BODIES[meaning]]
                found += [head, *(INDENT + line for line in body), "}", ""]
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

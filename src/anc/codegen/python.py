"""The printer of statements as Python."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from textwrap import wrap
from typing import ClassVar

from anc import isa
from anc.codegen.expressions import (
    Apply,
    Argument,
    Both,
    Condition,
    Expression,
    Name,
    Number,
    Test,
    Total,
    negated,
    truth_of,
)
from anc.codegen.printer import (
    ATOM,
    BITS,
    CONDITIONAL,
    INDENT,
    OPERATORS,
    PRODUCT,
    SUM,
    TEST,
    WIDTH,
    Printer,
    indented,
    signed,
)
from anc.codegen.statements import Dispatch, Go, If, Statement, Statements
from anc.codegen.tables import Table, is_range

_PADDED = 4096  # unused entries of a table
_SPELT = 64  # of these that are spelt out
_NEVER_LARGER = (isa.divide, isa.remain, isa.bits_and, isa.shift_right)  # than the first operand


_ORDERS = {isa.smaller: "<", isa.larger: ">"}
_READY = (Number, Name, Argument)


class PythonPrinter(Printer):
    operators: ClassVar = {**OPERATORS, isa.divide: "//"}
    words: ClassVar = {"and": "and", "or": "or"}

    nothing: ClassVar = [INDENT + "pass"]
    endless = "while True:"
    past_end = ('raise RuntimeError("it ran past its last line")',)

    def __init__(self, M: int, taken: Collection[str] = (), trusts_types: bool = False) -> None:
        super().__init__(M)
        self.trusts_types = trusts_types  # whether arguments have the types that they should
        self.constants: dict[str, str] = {}  # of the module: names and values
        self.long_table: list[str] = []  # a constant, too
        self.elements: dict[tuple[str, int], str] = {}  # of lists, by names of their own
        self.taken = taken  # names that tables must avoid
        self.truths = False  # whether the result is a bool
        self.has_truths = False  # whether an argument is a bool

    def expression(self, value: Expression) -> str:
        if isinstance(value, Argument) and value.place is not None:
            name = self.elements.get((value.name, value.place))
            if name is not None:
                return name
        return super().expression(value)

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
        condition = truth_of(result)
        if self.truths and condition is not None:
            return self.value_of(condition)
        text = super().returned(result)
        if isinstance(result, Number):
            return str(result.value != 0) if self.truths else text
        if self.truths:
            return f"{self.operand(result, SUM)} != 0"
        return f"int({text})" if self.has_truths else text

    def condition(self, condition: Condition, inside: bool = False) -> str:
        """In a condition, a number that is not 0 is true."""
        match condition:
            case Test(value, "!=", Number(0)) if truth_of(value) is None:
                return self.operand(value, BITS)
            case Test(value, "==", Number(0)) if truth_of(value) is None:
                return f"not {self.operand(value, BITS)}"
        return super().condition(condition, inside)

    def value_of(self, condition: Condition) -> str:
        """A condition as a value that is True or False."""
        if isinstance(condition, Test):
            return super().condition(condition)
        parts = (
            f"({self.value_of(part)})" if isinstance(part, Both) else self.value_of(part)
            for part in condition.parts
        )
        return f" {condition.word} ".join(parts)

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
        parts = self.terms(total)
        if total.number:
            number = (1 if total.number > 0 else -1, str(abs(total.number)))
            parts.insert(len(parts) if parts[0][0] > 0 else 0, number)
        text = signed(parts)
        if not total.wraps:
            return text
        is_product = len(parts) == 1 and parts[0][0] > 0
        return f"{text} % {self.M}" if is_product else f"({text}) % {self.M}"

    def applied(self, value: Apply) -> str:
        """A call of min or max takes longer than a comparison, where operands need no computing."""
        meaning = value.row.output
        if meaning in _ORDERS and all(isinstance(each, _READY) for each in value.operands):
            one, other = map(self.expression, value.operands)
            return f"{one} if {one} {_ORDERS[meaning]} {other} else {other}"
        return super().applied(value)

    def strength(self, value: Expression) -> int:
        match value:
            case Apply(row, operands) if row.output in _ORDERS:
                return CONDITIONAL if all(isinstance(e, _READY) for e in operands) else ATOM
        return super().strength(value)

    def truth(self, value: Apply, condition: Condition) -> str:
        return f"1 if {self.condition(condition)} else 0"

    def truth_strength(self, value: Apply) -> int:
        return CONDITIONAL

    def operand(self, value: Expression, least: int) -> str:
        """An operand of arithmetic, in which True counts as 1."""
        condition = truth_of(value)
        if condition is None:
            return super().operand(value, least)
        return f"({self.value_of(condition)})"

    def operated(self, value: Apply) -> str:
        first, second = value.operands
        match value.row.output:
            case isa.divide if value.partial:
                return f"{self.plain(value)} if {self.operand(second, TEST)} else 0"
            case isa.remain if value.partial:
                tested = self.operand(second, TEST)
                return f"{self.plain(value)} if {tested} else {self.expression(first)}"
            case isa.shift_left if value.partial:
                power = f"pow(2, {self.expression(second)}, {self.M})"
                return f"{self.operand(first, PRODUCT)} * {power} % {self.M}"
        text = self.plain(value)
        if not value.wraps or value.row.output in _NEVER_LARGER:
            return text
        is_product = self.plain_strength(value) == PRODUCT
        return f"{text} % {self.M}" if is_product else f"({text}) % {self.M}"

    def applied_strength(self, value: Apply) -> int:
        meaning = value.row.output
        if value.partial and meaning in (isa.divide, isa.remain):
            return CONDITIONAL
        is_reduced = value.wraps and meaning not in _NEVER_LARGER
        return PRODUCT if is_reduced else self.plain_strength(value)

    def entries(self, rows: tuple) -> tuple:
        """Nested rows of results, as the function returns them."""
        return _truths(rows) if self.truths else rows

    def table(self, table: Table, index: str) -> list[str]:
        """The lines that return an entry of a table; a long one is a constant."""
        lines = literal(self.entries(table.rows), [values for _, values in table.cells])
        if len(lines) == 1 and len(text := f"return {lines[0]}{index}") <= WIDTH:
            return [text]
        name = "_results"
        while name in self.taken:
            name += "_"
        first, *others = lines
        self.long_table = [f"{name} = {first}", *others]
        return [f"return {name}{index}"]

    def table_name(self, row: isa.Instruction) -> str:
        name = f"_{row.name}"
        while name in self.taken:
            name += "_"
        return name

    def constant_lines(self) -> list[str]:
        return [*(f"{name} = {text}" for name, text in self.constants.items()), *self.long_table]

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


def first_index(values: Sequence[int]) -> int:
    """The number that is at the first place of a row; to index is faster than to subtract."""
    return values[0] if is_range(values) and values[0] > _PADDED else 0


def literal(rows: tuple, levels: Sequence[Sequence[int]]) -> list[str]:
    """Nested rows as tuples, with unused entries in front, or as dictionaries where values have gaps."""
    values, *deeper = levels
    marks = [""] * len(rows) if is_range(values) else [f"{value}: " for value in values]
    opens, closes = "()" if is_range(values) else "{}"
    unused = values[0] - first_index(values) if is_range(values) else 0
    filler = "()" if deeper else "0"
    items = [[filler]] * unused if unused <= _SPELT else [[f"*({filler},) * {unused}"]]
    for mark, row in zip(marks, rows, strict=False):
        first, *others = literal(row, deeper) if deeper else [str(row)]
        items.append([mark + first, *others])
    text = ", ".join(item[0] for item in items)
    if all(len(item) == 1 for item in items):
        end = "," if len(items) == 1 and opens == "(" else ""
        if len(text) < WIDTH and "*" not in text:
            return [f"{opens}{text}{end}{closes}"]
        if not deeper:
            return [opens, *indented(wrap(f"{text},", WIDTH)), closes]
    lines = [line for item in items for line in (*item[:-1], f"{item[-1]},")]
    return [opens, *indented(lines), closes]


def _truths(rows: tuple) -> tuple:
    return tuple(_truths(row) if isinstance(row, tuple) else row != 0 for row in rows)


def _tuple(row: list[int] | int) -> tuple[int, ...] | int:
    return tuple(row) if isinstance(row, list) else row

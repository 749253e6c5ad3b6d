"""The printer of statements and expressions: the part that Python and C share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from anc import isa
from anc.codegen.expressions import (
    Apply,
    Argument,
    Both,
    Cell,
    Condition,
    Expression,
    Name,
    Number,
    Test,
    Total,
    truth_of,
)
from anc.codegen.statements import (
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
from anc.support.diagnostics import AncError

INDENT = "    "
WIDTH = 88  # a longer condition is written on several lines
_ORDERS = {isa.smaller: "min", isa.larger: "max"}
# how strongly a text holds together, as an operand of others; bit operators always get parentheses
CONDITIONAL, TEST, BITS, SUM, PRODUCT, ATOM = range(6)
_BITS: dict[isa.Meaning, str] = {
    isa.bits_and: "&",
    isa.bits_or: "|",
    isa.bits_xor: "^",
    isa.shift_left: "<<",
}
OPERATORS: dict[isa.Meaning, str] = {
    isa.multiply: "*",
    isa.remain: "%",
    **_BITS,
    isa.shift_right: ">>",
}
LARGEST_TABLE = 4096  # outputs of an instruction that has no operator


class Printer(ABC):
    """Writes statements as lines of one language, for a memory of M cells."""

    end = ""  # of a simple statement
    opens, closes = ":", ""  # around a block
    otherwise_if = "el"  # in front of an `if` in an else branch
    nothing: ClassVar[list[str]] = []  # an empty block
    test = "{}"  # the condition of an `if` or `while`
    endless: str  # the first line of an endless loop
    words: ClassVar[dict[str, str]]
    operators: ClassVar[dict[isa.Meaning, str]]
    modulo_strength = PRODUCT  # of a sum modulo M
    past_end: Sequence[str]  # the lines for a run that leaves the last line

    def __init__(self, M: int) -> None:
        self.M = M
        self.tables: dict[str, isa.Instruction] = {}  # instructions printed as tables
        self.orders: set[isa.Meaning] = set()  # smaller, larger: those that are used
        self.order = ""  # the prefix of min and max
        self.given: set[Argument] = set()  # the parts of arguments that are used
        self.uses_tape = False  # whether a cell is used
        self.result: Expression | None = None  # the returned value
        self.before_return: list[str] = []
        self.returns_cells = False  # whether before_return reads the tape
        self.made: str | None = None  # the returned value, if it is made of several cells

    def lines(self, statements: Statements, indent: int = 0) -> list[str]:
        found: list[str] = []
        for statement in statements:
            found += [INDENT * indent + line for line in self.statement(statement)]
        return found

    def statement(self, statement: Statement) -> list[str]:
        """The lines of one statement, without indentation."""
        match statement:
            case Assign(name, value):
                return [self.assigned(name, value) + self.end]
            case Store(address, value):
                return [f"{self.expression(Cell(address))} = {self.stored(value)}{self.end}"]
            case If(condition, then, otherwise):
                found = [*self.head("if", condition), *self.block(then)]
                return [*found, *self.otherwise(otherwise)] if otherwise else self.closed(found)
            case Loop(condition, body):
                first = [self.endless] if condition is None else self.head("while", condition)
                return self.closed([*first, *self.block(body)])
            case Break():
                return [f"break{self.end}"]
            case Continue():
                return [f"continue{self.end}"]
            case Return(value):
                self.uses_tape |= self.returns_cells
                result = self.result if value is None else value
                text = "" if result is None else f" {self.returned(result)}"
                text = text if self.made is None else f" {self.made}"
                return [*self.before_return, f"return{text}{self.end}"]
            case PastEnd():
                return list(self.past_end)
            case Go(to):
                return [f"line = {self.expression(to)}{self.end}"]
            case Dispatch():
                return self.dispatch(statement)
        raise TypeError(f"not a statement: {statement!r}")

    def block(self, statements: Statements) -> list[str]:
        return self.lines(statements, 1) or self.nothing

    def head(self, word: str, condition: Condition) -> list[str]:
        return [f"{word} {self.test.format(self.condition(condition))}{self.opens}"]

    def closed(self, lines: list[str]) -> list[str]:
        return [*lines, self.closes] if self.closes else lines

    def otherwise(self, statements: Statements) -> list[str]:
        """The else branch; a single `if` in it becomes an else-if."""
        match statements:
            case (If() as inner,) if not self.is_one_line(inner):
                first, *others = self.statement(inner)
                return [f"{self.otherwise_if}{first}", *others]
        before = f"{self.closes} " if self.closes else ""
        return self.closed([f"{before}else{self.opens}", *self.block(statements)])

    def is_one_line(self, statement: If) -> bool:
        """Whether an `if` is printed as one line."""
        return False

    def returned(self, result: Expression) -> str:
        return self.expression(result)

    def assigned(self, name: str, value: Expression) -> str:
        if isinstance(value, Total) and self.is_plain(value):
            shorter = augmented(name, value)
            if shorter is not None:
                return f"{name} {shorter[0]}= {self.expression(shorter[1])}"
        return f"{name} = {self.stored(value)}"

    def is_plain(self, total: Total) -> bool:
        """Whether a sum can be assigned without a modulo."""
        return not total.wraps

    def stored(self, value: Expression) -> str:
        """A value that is assigned to a cell or a variable."""
        return self.expression(value)

    @abstractmethod
    def dispatch(self, loop: Dispatch) -> list[str]: ...

    # -- expressions ---------------------------------------------------------

    def expression(self, value: Expression) -> str:
        match value:
            case Number(number):
                return str(number)
            case Name(text):
                return text
            case Argument():
                self.given.add(value)
                return str(value)
            case Cell(address):
                return self.cell(self.expression(address))
            case Total():
                return self.total(value)
            case Apply():
                return self.applied(value)

    def operand(self, value: Expression, least: int) -> str:
        """An expression inside of another one, in parentheses unless it holds together as strongly."""
        text = self.expression(value)
        return text if self.strength(value) >= least else f"({text})"

    def strength(self, value: Expression) -> int:
        """How strongly the text of an expression holds together."""
        match value:
            case Apply() if truth_of(value) is not None:
                return self.truth_strength(value)
            case Total(wraps=True):
                return self.modulo_strength
            case Total(((factor, _),), 0):
                return PRODUCT if factor > 0 else SUM
            case Total():
                return SUM
            case Apply(row) if row.output in self.operators:
                return self.applied_strength(value)
        return ATOM

    @abstractmethod
    def applied_strength(self, value: Apply) -> int:
        """How strongly the text of an operator and its operands holds together."""

    @abstractmethod
    def truth_strength(self, value: Apply) -> int:
        """How strongly the text of a comparison as a value holds together."""

    def cell(self, address: str) -> str:
        self.uses_tape = True
        return f"tape[{address}]"

    @abstractmethod
    def total(self, total: Total) -> str:
        """A sum, modulo M if it wraps."""

    def terms(self, total: Total) -> list[tuple[int, str]]:
        """The terms of a sum, with their signs."""
        found = []
        for factor, term in total.terms:
            text = self.operand(term, PRODUCT if factor in (-1, 1) else ATOM)
            times = "" if factor in (-1, 1) else f"{abs(factor)} * "
            found.append((factor, times + text))
        return found

    def applied(self, value: Apply) -> str:
        """The output of an instruction other than a sum."""
        meaning = value.row.output
        condition = truth_of(value)
        if condition is not None:
            return self.truth(value, condition)
        if meaning in self.operators:
            return self.operated(value)
        operands = [self.expression(operand) for operand in value.operands]
        if meaning not in _ORDERS:
            return self.looked_up(value.row, operands)
        self.orders.add(meaning)
        return f"{self.order}{_ORDERS[meaning]}({', '.join(operands)})"

    @abstractmethod
    def truth(self, value: Apply, condition: Condition) -> str:
        """A comparison as a value."""

    @abstractmethod
    def operated(self, value: Apply) -> str:
        """An operator and its operands, modulo M if it wraps."""

    def plain(self, value: Apply) -> str:
        """An operator and its operands."""
        is_product = self.plain_strength(value) == PRODUCT
        first, second = value.operands
        left = self.operand(first, PRODUCT if is_product else ATOM)
        return f"{left} {self.operators[value.row.output]} {self.operand(second, ATOM)}"

    def plain_strength(self, value: Apply) -> int:
        return PRODUCT if value.row.output in (isa.multiply, isa.divide, isa.remain) else BITS

    def looked_up(self, row: isa.Instruction, operands: list[str]) -> str:
        """An output, looked up in a table of all outputs."""
        if self.M**row.operands > LARGEST_TABLE:
            raise AncError(
                f"{row.name} has no operator in Python or C, and with {self.M} cells too many"
                " outputs for a table",
                help=f"a table of at most {LARGEST_TABLE} outputs can be written",
            )
        self.tables[row.name] = row
        return f"{self.table_name(row)}" + "".join(f"[{operand}]" for operand in operands)

    @abstractmethod
    def table_name(self, row: isa.Instruction) -> str: ...

    def outputs(self, row: isa.Instruction) -> list[list[int]] | list[int]:
        """The table of an instruction's outputs, indexed by its operands."""
        if row.operands == 1:
            return [row.output(a, 0, self.M) for a in range(self.M)]
        return [[row.output(a, b, self.M) for b in range(self.M)] for a in range(self.M)]

    # -- conditions ----------------------------------------------------------

    def condition(self, condition: Condition, inside: bool = False) -> str:
        match condition:
            case Test(left, op, right):
                return f"{self.operand(left, SUM)} {op} {self.operand(right, SUM)}"
            case Both(word, parts):
                text = f" {self.words[word]} ".join(self.condition(part, True) for part in parts)
                return f"({text})" if inside else text


def signed(parts: Iterable[tuple[int, str]]) -> str:
    """Signed terms as a sum.

    >>> signed([(1, "x"), (-1, "y"), (1, "2")])
    'x - y + 2'
    """
    text = "".join(f" {'-' if sign < 0 else '+'} {term}" for sign, term in parts)
    return text[3:] if text.startswith(" +") else "-" + text[3:]


def augmented(name: str, total: Total) -> tuple[str, Expression] | None:
    """For ``x = x + y``, the sign and the operand of ``x += y``; None for other sums."""
    rest = {term: factor for factor, term in total.terms}
    if rest.get(Name(name), 0) < 1:
        return None
    rest[Name(name)] -= 1
    left = [(factor, term) for term, factor in rest.items() if factor]
    if not left and total.number:
        return "-" if total.number < 0 else "+", Number(abs(total.number))
    if len(left) == 1 and not total.number:
        ((factor, term),) = left
        more = Total(((abs(factor), term),), wraps=False) if abs(factor) > 1 else term
        return "-" if factor < 0 else "+", more
    return None


def indented(lines: Iterable[str]) -> list[str]:
    return [INDENT + line if line else "" for line in lines]

"""What the printers of Python and C share: lines, indentation, sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from typing import ClassVar

from anc import isa
from anc.diagnostics import AncError
from anc.emit.expressions import (
    Apply,
    Both,
    Cell,
    Condition,
    Expression,
    Given,
    Name,
    Number,
    Test,
    Total,
)
from anc.emit.statements import Statement, Statements

INDENT = "    "
WIDTH = 88  # a longer condition is written on several lines
LARGEST_TABLE = 4096  # outputs of an instruction that has no words of its own


class Printer(ABC):
    """Writes statements as lines of one language, for a memory of M cells."""

    def __init__(self, M: int) -> None:
        self.M = M
        self.tables: dict[str, isa.Instruction] = {}  # instructions that are looked up

    def lines(self, statements: Statements, indent: int = 0) -> list[str]:
        found: list[str] = []
        for statement in statements:
            found += [INDENT * indent + line for line in self.statement(statement)]
        return found

    @abstractmethod
    def statement(self, statement: Statement) -> list[str]:
        """The lines of one statement, without the indentation around it."""

    def block(self, statements: Statements) -> list[str]:
        return self.lines(statements, 1)

    # -- expressions ---------------------------------------------------------

    def expression(self, value: Expression) -> str:
        match value:
            case Number(number):
                return str(number)
            case Name(text) | Given(text):
                return text
            case Cell(address):
                return f"tape[{self.expression(address)}]"
            case Total():
                return self.total(value)
            case Apply(op, operands):
                return self.applied(isa.instruction(op), [self.expression(o) for o in operands])

    @abstractmethod
    def total(self, total: Total) -> str:
        """A sum, modulo M if it wraps."""

    @abstractmethod
    def applied(self, row: isa.Instruction, operands: list[str]) -> str:
        """The output of an instruction that is no sum."""

    def looked_up(self, row: isa.Instruction, operands: list[str]) -> str:
        """An output from a table of all outputs."""
        if self.M**row.operands > LARGEST_TABLE:
            raise AncError(
                f"{row.name} has no words in Python or C, and with {self.M} cells too many outputs"
                " to list them",
                help=f"a table of at most {LARGEST_TABLE} outputs can be written",
            )
        self.tables[row.name] = row
        return f"{self.table_name(row)}" + "".join(f"[{operand}]" for operand in operands)

    @abstractmethod
    def table_name(self, row: isa.Instruction) -> str: ...

    def outputs(self, row: isa.Instruction) -> list[list[int]] | list[int]:
        """All outputs of an instruction, by its operands."""
        if row.operands == 1:
            return [row.output(a, 0, self.M) for a in range(self.M)]
        return [[row.output(a, b, self.M) for b in range(self.M)] for a in range(self.M)]

    # -- conditions ----------------------------------------------------------

    words: ClassVar[dict[str, str]]

    def condition(self, condition: Condition, inside: bool = False) -> str:
        match condition:
            case Test(left, op, right):
                return f"{self.expression(left)} {op} {self.expression(right)}"
            case Both(word, parts):
                text = f" {self.words[word]} ".join(self.condition(part, True) for part in parts)
                return f"({text})" if inside else text


def signed(parts: Iterable[tuple[int, str]]) -> str:
    """Terms with their signs as a sum.

    >>> signed([(1, "x"), (-1, "y"), (1, "2")])
    'x - y + 2'
    """
    text = "".join(f" {'-' if sign < 0 else '+'} {term}" for sign, term in parts)
    return text[3:] if text.startswith(" +") else "-" + text[3:]


def multiples(parts: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Equal terms as one.

    >>> multiples([(1, "x"), (1, "x"), (-1, "y")])
    [(1, '2 * x'), (-1, 'y')]
    """
    counted = Counter(parts)
    return [(sign, text if n == 1 else f"{n} * {text}") for (sign, text), n in counted.items()]


def augmented(name: str, total: Total) -> tuple[str, Expression] | None:
    """``x += y`` for ``x = x + y``: its sign and the other part, if a sum is of that kind."""
    if (1, Name(name)) not in total.terms:
        return None
    rest = list(total.terms)
    rest.remove((1, Name(name)))
    if not rest and total.number:
        return "-" if total.number < 0 else "+", Number(abs(total.number))
    if len(rest) == 1 and not total.number:
        return "-" if rest[0][0] < 0 else "+", rest[0][1]
    return None


def indented(lines: Iterable[str]) -> list[str]:
    return [INDENT + line if line else "" for line in lines]

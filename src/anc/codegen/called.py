"""Bodies of emitted functions, in any language: on a tape that is made of the arguments, or on variables.

A program without computed addresses needs no tape: each of its cells becomes a variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from anc.codegen.blocks import blocks_of, join_conditions
from anc.codegen.expressions import Argument, Cell, Expression, Number, Total, with_parts
from anc.codegen.expressions import Name as Variable
from anc.codegen.printer import Printer
from anc.codegen.ranges import settle_wraps
from anc.codegen.signature import Signature, cell_name
from anc.codegen.statements import (
    Assign,
    Body,
    Return,
    Statement,
    Statements,
    Store,
    every,
    has_computed_address,
    mentioned,
    returning,
    with_blocks,
    with_values,
)
from anc.codegen.structure import structured
from anc.program import Program
from anc.proof.facts import Fact
from anc.proof.sampler import Tapes


def body_of(
    program: Program, M: int, taken: Iterable[str] = (), facts: Sequence[Fact] = ()
) -> Body:
    """The statements of a program on M cells, for tapes on which the facts hold.

    Its variables avoid the taken names.
    """
    domains = [values.tolist() for values in Tapes(facts, M).domains] if facts else []
    cells = {cell: values for cell, values in enumerate(domains) if values}
    blocks = blocks_of(program, M, taken, cells)
    settle_wraps(blocks, {cell: (min(values), max(values)) for cell, values in cells.items()})
    join_conditions(blocks)
    statements = structured(blocks)
    used = mentioned(statements)  # ranges may have settled all that a variable was used for
    return Body(statements, {name: v for name, v in blocks.first_values.items() if name in used})


class Called:
    """The body of a function of arguments, its result, and the lists that it writes back."""

    def __init__(self, printer: Printer, body: Body, signature: Signature) -> None:
        self.printer, self.body, self.signature = printer, body, signature

    @cached_property
    def scalars(self) -> tuple[Body, dict[int, Expression]] | None:
        """The body without a tape and the variables of written cells; None if it needs a tape."""
        return without_tape(self.body, self.given, self.variable)

    def ended(self, on_tape: bool, written_back: list[str]) -> tuple[Body, Expression | None]:
        """The body with its result; the printer writes changed lists back before each return."""
        body, cell = self.body, self.signature.result
        result: Expression | None = None if cell is None else Cell(Number(cell))
        if not on_tape and self.scalars is not None:
            body, written = self.scalars
            elements = self.signature.elements(written)
            end = self.printer.end
            written_back = [f"{e} = {self.printer.expression(new)}{end}" for e, new in elements]
            result = None if cell is None else written.get(cell) or self.given(cell)
        else:
            self.printer.returns_cells = bool(written_back)
        if self.signature.same is not None:
            self.printer.made = self.signature.same
        if self.signature.several is not None:
            result = None
            self.printer.made = self.made(on_tape)
            self.printer.returns_cells = on_tape or self.scalars is None
        if result is not None:
            self.printer.result = result
        self.printer.before_return = written_back
        moved = None if written_back or self.signature.several is not None else result
        statements = returning(body.statements, moved)
        return replace(body, statements=statements), result

    def made(self, on_tape: bool) -> str:
        """The text of a result of several cells."""
        raise NotImplementedError

    def given(self, cell: int) -> Expression:
        """The initial value of a cell."""
        found = replace(self.signature, filled=True).given(cell)
        assert found is not None
        return found

    def variable(self, cell: int) -> str:
        return "result" if cell == self.signature.result else cell_name(cell)

    def cell(self, address: str) -> str:
        return self.printer.expression(self.given(int(address)))


def without_tape(
    body: Body, given: Callable[[int], Expression], name: Callable[[int], str]
) -> tuple[Body, dict[int, Expression]] | None:
    """Scalar replacement of the tape: the statements on variables, and those of the written cells.

    None if an address is computed. `given` is the initial value of a cell, `name` its variable's name.
    """
    if has_computed_address(body.statements):
        return None
    stores = [each.address for each in every(body.statements) if isinstance(each, Store)]
    written = {a.value: Variable(name(a.value)) for a in stores if isinstance(a, Number)}

    def cell(number: int) -> Expression:
        return written.get(number) or given(number)

    statements = _rewritten(body.statements, cell, {})
    copies = _copies(statements, {*body.first_values, *(each.text for each in written.values())})
    statements = _rewritten(statements, cell, copies)
    begin = tuple(
        Assign(variable.text, given(number))
        for number, variable in sorted(written.items())
        if _is_read_first(statements, variable.text)
    )
    return replace(body, statements=begin + statements), dict(written)


def _is_read_first(statements: Statements, name: str) -> bool:
    """Whether the initial value of a variable may be read, or be its final value."""
    for statement in statements:
        if isinstance(statement, Assign) and statement.name == name:
            return mentioned((statement,))[name] > 1
        inside = every((statement,))
        if mentioned((statement,))[name] or any(isinstance(each, Return) for each in inside):
            return True
    return True


def _copies(statements: Statements, kept: Collection[str]) -> dict[str, Expression]:
    """Copy propagation: the variables that only hold a part of an argument."""
    assigned = [each for each in every(statements) if isinstance(each, Assign)]
    times = Counter(each.name for each in assigned)
    return {
        each.name: each.value
        for each in assigned
        if isinstance(each.value, Argument) and times[each.name] == 1 and each.name not in kept
    }


def _simpler(total: Total) -> Expression:
    """The sum with numbers among its terms added up."""
    number = total.number + sum(sign * t.value for sign, t in total.terms if isinstance(t, Number))
    terms = tuple((sign, t) for sign, t in total.terms if not isinstance(t, Number))
    match terms:
        case ():
            return total
        case ((1, term),) if number == 0:
            return term
    return replace(total, terms=terms, number=number)


def _rewritten(
    statements: Statements, cell: Callable[[int], Expression], copies: Mapping[str, Expression]
) -> Statements:
    """The statements with cells and copies replaced; assignments of copies are dropped."""

    def value(of: Any) -> Any:
        match of:
            case Cell(Number(number)):
                return cell(number)
            case Variable(name):
                return copies.get(name, of)
        new = with_parts(of, value)
        return _simpler(new) if isinstance(new, Total) else new

    def statement(of: Statement) -> Statement:
        match of:
            case Store(Number(number), new):
                variable = cell(number)
                assert isinstance(variable, Variable)
                return Assign(variable.text, value(new))
        return with_values(with_blocks(of, rewritten), value)

    def rewritten(statements: Statements) -> Statements:
        kept = (s for s in statements if not (isinstance(s, Assign) and s.name in copies))
        return tuple(map(statement, kept))

    return rewritten(statements)

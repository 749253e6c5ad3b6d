"""Signatures of emitted functions: the names, types and cells of arguments and result.

Without a signature, a function reads and writes the tape itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from anc.codegen.expressions import Argument, Expression, Number
from anc.codegen.facts import needs_tape
from anc.proof.facts import Fact, cell, compare
from anc.python.layout import Parameter, Several


@dataclass(frozen=True)
class Signature:
    """The arguments in order, and the cell of the result (None: no result).

    Cells of no argument hold 0 initially, except for those that are `known`. `truth`: the result is a
    bool. `apart`: one list must not be passed as two arguments. `filled`: shorter lists are padded with
    zeros, so that each of their cells is an element.
    """

    parameters: tuple[Parameter, ...]
    result: int | None = None
    truth: bool = False
    apart: bool = False
    known: tuple[tuple[int, int], ...] = ()  # (cell, number)
    filled: bool = False
    several: Several | None = None  # the type of a result of several cells
    same: str | None = None  # the list that is returned itself

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def defaults(self) -> dict[str, str]:
        """The text of the default values, by argument."""
        found = ((p.name, p.default) for p in self.parameters)
        return {name: f" = {default!r}" for name, default in found if default is not None}

    def named(self, names: Iterable[str]) -> Signature:
        """The signature with other names of the arguments."""
        pairs = list(zip(self.parameters, names, strict=True))
        same = next((name for p, name in pairs if p.name == self.same), None)
        return replace(self, parameters=tuple(p.named(name) for p, name in pairs), same=same)

    def to_check(self, facts: Sequence[Fact], M: int) -> list[Fact]:
        """The facts that do not follow from the initial values of unused cells."""
        known = self.fixed(M)
        return [fact for fact in facts if fact.judge(known, M) is not True]

    def fixed(self, M: int) -> dict[int, int]:
        """The cells of no argument, with their initial values."""
        used = {cell for p in self.parameters for cell in p.all_cells}
        return {cell: 0 for cell in range(M) if cell not in used} | dict(self.known)

    def facts(self, M: int) -> list[Fact]:
        """The initial values of unused cells, as facts."""
        return [compare(cell(place), "==", number) for place, number in self.fixed(M).items()]

    def settled(self, facts: Sequence[Fact], M: int) -> Signature:
        """The signature with lists of fixed size where the facts determine their length."""
        parameters, known = [], dict(self.known)
        for p in self.parameters:
            lengths = [] if p.length is None else values_of(p.length, facts, M)
            if len(lengths) == 1 and lengths[0] <= (p.size or 0):
                known[p.length or 0] = lengths[0]
                p = replace(p, size=lengths[0], length=None)
            parameters.append(p)
        return replace(self, parameters=tuple(parameters), known=tuple(known.items()))

    def taken(self, M: int) -> tuple[str, ...]:
        """The names that variables of the program must avoid."""
        arguments = (name for p in self.parameters for name in p.all_names)
        return (*arguments, "result", "i", *map(cell_name, range(M)))

    def given(self, cell: int) -> Expression | None:
        """The initial value of a cell; None if it depends on a list's length."""
        for parameter in self.parameters:
            if cell in parameter.cells and parameter.size is None:
                return Argument(parameter.name)
            if cell in parameter.cells and parameter.length is None:
                return Argument(parameter.name, cell - parameter.cell)
            if cell == parameter.length:
                return Argument(f"len({parameter.name})")
            if cell in parameter.cells:
                element = Argument(parameter.filled_name, cell - parameter.cell)
                return element if self.filled else None
        return Number(dict(self.known).get(cell, 0))

    @property
    def is_plain(self) -> bool:
        """Whether the initial value of every cell is an argument or an element."""
        return all(p.length is None for p in self.parameters)

    def elements(self, written: Mapping[int, Expression]) -> list[tuple[str, Expression]]:
        """The changed elements of lists with their new values."""
        return [
            (f"{p.name}[{cell - p.cell}]", written[cell])
            for p in self.parameters
            if p.written
            for cell in p.cells
            if cell in written
        ]


def values_of(cell: int, facts: Sequence[Fact], M: int) -> list[int]:
    """The values of a cell that satisfy the facts about it alone."""
    about = facts_about(cell, facts)
    if not about:
        return list(range(M))
    return [n for n in range(M) if all(fact.holds({cell: n}) for fact in about)]


def facts_about(cell: int, facts: Sequence[Fact]) -> list[Fact]:
    """The facts about one cell alone."""
    return [fact for fact in facts if fact.cells == {cell} and not needs_tape(fact)]


def cell_name(cell: int) -> str:
    """The variable of a cell in a function without a tape."""
    return f"cell_{cell}"


@dataclass(frozen=True)
class Fallback:
    """The function that is called if the precondition does not hold: its name and its source.

    An original function also accepts arguments that do not fit on the tape.
    """

    name: str
    text: str = ""
    is_original: bool = False

"""How a function is called: what its arguments and its result have to do with the tape.

A program's own view is the tape itself, read and written. A signature gives cells names and types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from anc.codegen.expressions import Expression, Given, Number
from anc.codegen.facts import needs_tape
from anc.proof.facts import Fact, cell, compare


@dataclass(frozen=True)
class Parameter:
    """An argument: a number in one cell, or (`size` given) a list in that many cells from there on.

    A list that may be shorter than its size has its length in a cell of its own, `length`; the cells
    behind its last element hold 0. A list that is `written` is changed in place. Numbers may be
    `truths`, True and False.
    """

    name: str
    cell: int
    size: int | None = None
    length: int | None = None
    written: bool = False
    truths: bool = False

    @property
    def filled_name(self) -> str:
        """The name of the list with zeros behind its last element."""
        return f"{self.name}_filled"

    @property
    def length_name(self) -> str:
        """The name that the length of the list has in C."""
        return f"{self.name}_length"

    @property
    def all_names(self) -> tuple[str, ...]:
        """Its name, and those that are made of it."""
        made = () if self.size is None else (self.filled_name, self.length_name)
        return (self.name, *made)

    def named(self, name: str) -> Parameter:
        return replace(self, name=name)

    @property
    def cells(self) -> range:
        return range(self.cell, self.cell + (1 if self.size is None else self.size))


@dataclass(frozen=True)
class Signature:
    """Arguments in order, and the cell that holds the result when the program stops (None: no result).

    All cells that are no argument's hold 0 first, but those whose numbers are `known`. The result may
    be a truth, True or False. Where lists must be `apart`, one list as two arguments does not fit. With
    lists that may be shorter `filled` up with zeros, each cell is an element of one.
    """

    parameters: tuple[Parameter, ...]
    result: int | None = None
    truth: bool = False
    apart: bool = False
    known: tuple[tuple[int, int], ...] = ()  # (cell, number)
    filled: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    def named(self, names: Iterable[str]) -> Signature:
        """The same with other names for the arguments."""
        pairs = zip(self.parameters, names, strict=True)
        return replace(self, parameters=tuple(p.named(name) for p, name in pairs))

    def to_check(self, facts: Sequence[Fact], M: int) -> list[Fact]:
        """The facts that do not hold already because of what cells of no argument are."""
        known = self.fixed(M)
        return [fact for fact in facts if fact.judge(known, M) is not True]

    def fixed(self, M: int) -> dict[int, int]:
        """The cells of no argument, and what they hold."""
        used = {cell for p in self.parameters for cell in (*p.cells, p.length)}
        return {cell: 0 for cell in range(M) if cell not in used} | dict(self.known)

    def facts(self, M: int) -> list[Fact]:
        """The same as facts."""
        return [compare(cell(place), "==", number) for place, number in self.fixed(M).items()]

    def settled(self, facts: Sequence[Fact], M: int) -> Signature:
        """The same for lists of which facts say how long they are."""
        parameters, known = [], dict(self.known)
        for p in self.parameters:
            lengths = [] if p.length is None else values_of(p.length, facts, M)
            if len(lengths) == 1 and lengths[0] <= (p.size or 0):
                known[p.length or 0] = lengths[0]
                p = replace(p, size=lengths[0], length=None)
            parameters.append(p)
        return replace(self, parameters=tuple(parameters), known=tuple(known.items()))

    def taken(self, M: int) -> tuple[str, ...]:
        """The names that no variable of a program may have."""
        arguments = (name for p in self.parameters for name in p.all_names)
        return (*arguments, "result", "i", *map(cell_name, range(M)))

    def given(self, cell: int) -> Expression | None:
        """What a cell holds first; None where that depends on a list's length."""
        for parameter in self.parameters:
            if cell in parameter.cells and parameter.size is None:
                return Given(parameter.name)
            if cell in parameter.cells and parameter.length is None:
                return Given(parameter.name, cell - parameter.cell)
            if cell == parameter.length:
                return Given(f"len({parameter.name})")
            if cell in parameter.cells:
                element = Given(parameter.filled_name, cell - parameter.cell)
                return element if self.filled else None
        return Number(dict(self.known).get(cell, 0))

    @property
    def is_plain(self) -> bool:
        """Whether what every cell holds first can be said in a word."""
        return all(p.length is None for p in self.parameters)

    def elements(self, written: Mapping[int, Expression]) -> list[tuple[str, Expression]]:
        """The elements of lists that are changed, and what they become, from all cells written."""
        return [
            (f"{p.name}[{cell - p.cell}]", written[cell])
            for p in self.parameters
            if p.written
            for cell in p.cells
            if cell in written
        ]


def values_of(cell: int, facts: Sequence[Fact], M: int) -> list[int]:
    """The numbers that a cell can have, by what facts say of it alone."""
    about = facts_about(cell, facts)
    return [n for n in range(M) if all(fact.holds({cell: n}) for fact in about)]


def facts_about(cell: int, facts: Sequence[Fact]) -> list[Fact]:
    """The facts that speak of one cell alone."""
    return [fact for fact in facts if fact.cells == {cell} and not needs_tape(fact)]


def cell_name(cell: int) -> str:
    """The variable of a cell, in a function that needs no tape."""
    return f"cell_{cell}"


@dataclass(frozen=True)
class Fallback:
    """What is called where a precondition does not hold: its name, and the text that defines it.

    An original function takes more than a tape of M cells with numbers below M.
    """

    name: str
    text: str = ""
    is_original: bool = False

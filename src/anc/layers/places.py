"""Names of inputs and outputs: cells, ranges of cells, or arguments of a Python function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from anc.data.loading import Loaded
from anc.python.layout import Layout
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.limits import as_whole, has_length

Named: TypeAlias = (
    "int | range | slice | str"  # a cell, some cells, "2:5" or the name of an argument
)


@dataclass(frozen=True)
class Place:
    """Named cells; a list of cells has an axis of its own, and a joint distribution one for each cell."""

    name: str
    cells: tuple[int, ...]
    is_list: bool = False
    is_joint: bool = False


class Places:
    """Resolves names to cells, on a tape of M cells."""

    def __init__(self, loaded: Loaded, M: int) -> None:
        self.M = M
        self.layout = loaded.function.layout if loaded.function else Layout()

    def inputs(self, named: Sequence[Named] | Named | None) -> tuple[Place, ...]:
        """The inputs, each cell at most once; by default all arguments of a function."""
        if named is None:
            named = [parameter.name for parameter in self.layout.parameters]
            if not named:
                raise AncError(
                    "which cells are the inputs?", help="name them: inputs=[0, 1], or inputs='2:5'"
                )
        found = tuple(
            self._joint(one) if isinstance(one, tuple) else self.place(one, "inputs")
            for one in _listed(named)
        )
        if not found:
            raise AncError("'inputs' is empty", help="name cells: inputs=[0, 1]")
        cells = [cell for place in found for cell in place.cells]
        twice = next((cell for cell in cells if cells.count(cell) > 1), None)
        if twice is not None:
            raise AncError(f"cell {twice} is named twice among the inputs")
        return found

    def _joint(self, named: Sequence[Any]) -> Place:
        """Inputs with one distribution of all of their values."""
        places = [self.place(one, "inputs") for one in named]
        cells = tuple(cell for place in places for cell in place.cells)
        if len(cells) < 2:
            raise AncError(
                f"'inputs' has a group of {len(cells)} cells, and a joint distribution is of several",
                help="inputs=[('a', 'b'), 'c'] takes one array for a and b, and one for c",
            )
        return Place(" with ".join(place.name for place in places), cells, is_joint=True)

    def output(self, named: Sequence[int] | Named | None) -> Place:
        """The output: one cell, or several with an axis of their own."""
        if named is None:
            if self.layout.result is None:
                raise AncError("which cell is the output?", help="name it: output=2")
            cells = self.layout.result_cells
            return Place("the result", cells, len(cells) > 1)
        if isinstance(named, Sequence) and not isinstance(named, str | range):
            places = [self.place(one, "output") for one in named]
            if not places:
                raise AncError("'output' is empty", help="name a cell: output=2")
            cells = tuple(cell for place in places for cell in place.cells)
            return Place(f"cells {', '.join(map(str, cells))}", cells, True)
        return self.place(named, "output")

    def fixed(self, numbers: Sequence[int] | Mapping[Any, Any] | None) -> dict[int, int]:
        """The values of the other cells; by default 0, or the full length of a list."""
        found = {
            p.length: p.size
            for p in self.layout.parameters
            if p.size is not None and p.length is not None
        }
        pairs: Iterable[tuple[Any, Any]]
        if numbers is None:
            pairs = []
        elif isinstance(numbers, Mapping):
            pairs = numbers.items()
        elif not has_length(numbers):
            raise AncError(f"'fixed' is {quoted(numbers)}, expected numbers by cell, or a tape")
        else:
            if len(numbers) > self.M:
                raise AncError(f"'fixed' has {len(numbers)} cells, the memory only {self.M}")
            pairs = enumerate(numbers)
        for named, value in pairs:
            place = self.place(named, "fixed")
            if place.is_list and not isinstance(value, Iterable):
                raise AncError(f"'fixed' has {quoted(value)} for {place.name}, expected a list")
            values = list(value) if place.is_list else [value]
            if len(values) != len(place.cells):
                raise AncError(
                    f"'fixed' has {len(values)} numbers for {place.name},"
                    f" which is {len(place.cells)} cells"
                )
            for cell, number in zip(place.cells, values, strict=True):
                whole = as_whole(number)
                if whole is None or not 0 <= whole < self.M:
                    raise AncError(
                        f"'fixed' puts {quoted(number)} into cell {cell},"
                        f" expected a whole number from 0 to {self.M - 1}"
                    )
                found[cell] = whole
        return found

    def place(self, named: Named, argument: str) -> Place:
        """The cells of one name."""
        if isinstance(named, str):
            return self._by_name(named, argument)
        if isinstance(named, slice):
            named = range(*named.indices(self.M))
        if isinstance(named, range):
            name = f"cells {named.start} to {named.stop - 1}"
            return self._checked(Place(name, tuple(named[: self.M + 1]), True), argument)
        cell = as_whole(named)
        if cell is None:
            raise AncError(
                f"'{argument}' names {quoted(named)}, which is not a cell",
                help="name a cell by its number, cells by a range or '2:5', or an argument",
            )
        return self._checked(Place(f"cell {cell}", (cell,)), argument)

    def _by_name(self, name: str, argument: str) -> Place:
        if found := re.fullmatch(r"\s*(\d{1,9})\s*:\s*(\d{1,9})\s*", name):
            return self.place(range(int(found[1]), int(found[2])), argument)
        known = {parameter.name: parameter for parameter in self.layout.parameters}
        if name in known:
            cells = tuple(known[name].cells)
            return Place(f"'{name}'", cells, known[name].size is not None)
        match = close_match(name, known)
        there = f"its arguments are {', '.join(known)}" if known else "write cells as '2:5'"
        raise AncError(
            f"'{argument}' names {quoted(name)}, which is neither cells nor an argument",
            help=f"did you mean '{match}'?" if match else there,
        )

    def _checked(self, place: Place, argument: str) -> Place:
        if not place.cells:
            raise AncError(f"'{argument}' names {place.name}, which is empty")
        wrong = [cell for cell in place.cells if not 0 <= cell < self.M]
        if wrong:
            raise AncError(
                f"'{argument}' names cell {wrong[0]}, but the cells go from 0 to {self.M - 1}"
            )
        return place


def _listed(named: Sequence[Named] | Named) -> list[Named]:
    """The names as a list; a single range is one name."""
    if isinstance(named, str | range) or not isinstance(named, Sequence):
        return [named]
    return list(named)

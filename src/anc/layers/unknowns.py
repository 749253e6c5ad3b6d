"""The unknowns of a program: each is an input cell, or several cells with one joint distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np

Size: TypeAlias = "int | tuple[int, ...]"  # the number of values of a cell, or of each of several
Sizes: TypeAlias = "tuple[Size, ...]"


def shape_of(size: Size) -> tuple[int, ...]:
    return size if isinstance(size, tuple) else (size,)


@dataclass(frozen=True)
class Unknowns:
    """Unknowns of these sizes; the value of one stands for values of all of its cells."""

    sizes: Sizes

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of values of each."""
        return tuple(prod(shape_of(size)) for size in self.sizes)

    @cached_property
    def of_cell(self) -> np.ndarray:
        """(cells,): to which unknown each cell belongs."""
        widths = [len(shape_of(size)) for size in self.sizes]
        return np.repeat(np.arange(len(self.sizes), dtype=np.int32), widths)

    @property
    def cell_sizes(self) -> tuple[int, ...]:
        """The number of values of each cell."""
        return tuple(K for size in self.sizes for K in shape_of(size))

    def values(self, unknown: int, value: Any) -> dict[int, Any]:
        """The value of each cell, by its number, for a value of an unknown."""
        first = int(np.searchsorted(self.of_cell, unknown))
        each = np.unravel_index(value, shape_of(self.sizes[unknown]))
        return dict(enumerate(each, first))

    def of_cells(self, values: Mapping[int, int]) -> dict[int, int]:
        """The values of cells, by number, for values of unknowns."""
        return {
            cell: int(each)
            for unknown, value in values.items()
            for cell, each in self.values(unknown, value).items()
        }

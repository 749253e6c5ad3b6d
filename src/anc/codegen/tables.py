"""Look-up tables: the results of a program with few possible inputs, precomputed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from anc.isa import Effect
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.program import Program
from anc.proof.facts import Fact
from anc.proof.sampler import Tapes

MOST_ANSWERS = 64
_MAX_STEPS = 2_000
_SHOWN = 6  # lines of a long constant


@dataclass(frozen=True)
class Table:
    """Results by input cell: nested rows, one level per cell, with a row for each of its values.

    Without cells, the only row is the only result.
    """

    cells: tuple[tuple[int, tuple[int, ...]], ...]  # (cell, its values in order)
    rows: tuple

    @property
    def numbers(self) -> list[int]:
        """All results, row by row."""
        return list(_flat(self.rows))

    @property
    def ranges(self) -> tuple[tuple[int, ...], ...]:
        """The cells with their least and greatest values."""
        return tuple((cell, values[0], values[-1]) for cell, values in self.cells)

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The cells whose values are no range, each with its values."""
        return tuple((cell, *values) for cell, values in self.cells if not is_range(values))


def is_range(values: Sequence[int]) -> bool:
    """Whether values in order are all whole numbers between the first and the last."""
    return values[-1] - values[0] < len(values)


def table_of(program: Program, M: int, facts: Sequence[Fact], result: int) -> Table | None:
    """The table of a program's result, if it depends on few cells with few values.

    Only tapes on which the facts hold are entries. None if there are too many entries, if a run does
    not stop, or if the result is constant.
    """
    domains = [values.tolist() for values in Tapes(facts, M).domains]
    fixed = {cell: numbers[0] for cell, numbers in enumerate(domains) if len(numbers) == 1}
    asked: dict[int, range] = {}
    while True:
        found: dict[tuple[int, ...], int] = {}
        new: set[int] = set()
        for numbers in product(*asked.values()):
            known = fixed | dict(zip(asked, numbers, strict=True))
            if any(fact.judge(known, M) is False for fact in facts):
                found[numbers] = 0
                continue
            run = exact.run(program, [known.get(cell, 0) for cell in range(M)], _MAX_STEPS, True)
            if run.stop is not Stop.STOPPED:
                return None
            found[numbers] = run.tape[result]
            new |= _read(program, run, known) | ({result} - known.keys() - _written(run))
        if not new:
            if not asked:
                return None
            return Table(
                tuple((cell, tuple(numbers)) for cell, numbers in asked.items()),
                _nested(found, list(asked.values()), ()),
            )
        if not all(domains[cell] for cell in new):
            return None
        asked |= {cell: range(min(domains[cell]), max(domains[cell]) + 1) for cell in sorted(new)}
        asked = dict(sorted(asked.items(), key=lambda each: len(each[1])))  # few long rows
        if prod(map(len, asked.values())) > MOST_ANSWERS:
            return None


def shortened(text: str) -> str:
    """A Python file with some lines of each long constant; what is left out makes it no Python."""

    def few(found: re.Match[str]) -> str:
        head, *lines, end = found[0].splitlines()
        if len(lines) <= _SHOWN:
            return found[0]
        left_out = f"    ... and {len(lines) - _SHOWN + 1} more lines: adapted.py has them all"
        return "\n".join([head, *lines[: _SHOWN - 1], left_out, end])

    return re.sub(r"^_\w+ = [({]\n(?:    .*\n)*[)}]$", few, text, flags=re.MULTILINE)


def _read(program: Program, run: Run, known: Mapping[int, int]) -> set[int]:
    """The unknown cells that a run reads before it writes them."""
    found: set[int] = set()
    written: set[int] = set()
    for step in run.trace:
        if program.instructions[step.op].effect is Effect.READ:
            assert step.first is not None
            found |= {step.first} - written
        if step.cell is not None:
            written.add(step.cell)
    return found - known.keys()


def _written(run: Run) -> set[int]:
    return {step.cell for step in run.trace if step.cell is not None}


def _flat(rows: tuple) -> Iterator[int]:
    for row in rows:
        yield from _flat(row) if isinstance(row, tuple) else (row,)


def _nested(
    found: Mapping[tuple[int, ...], int], left: Sequence[range], numbers: tuple[int, ...]
) -> tuple:
    """Results as nested rows, one level for each range of numbers that is left."""
    first, *others = left
    if not others:
        return tuple(found[(*numbers, number)] for number in first)
    return tuple(_nested(found, others, (*numbers, number)) for number in first)

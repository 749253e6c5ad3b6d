"""Hacker's Delight, p01 to p24 at 8 bits: filled from their specifications, proved, shortest; and z3 beside it.

p01 to p18 are sketches in which every line between reading the inputs and writing the result is unknown. For p19 to
p24 the shape is known, and instructions, operands and numbers are not: shorter programs are not excluded.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from board_rows import Board, BoardRow

import anc
from anc.adaptation.holes.result import Filled

from . import specifications, with_z3

FOLDER = Path(__file__).parent
SHORTEST = [f"p{number:02}" for number in range(1, 19)]
SHAPED = [f"p{number}" for number in range(19, 25)]
HEADINGS = ("lines", "proved for", "shortest: excluded, programs visited", "seconds", "z3: seconds")
BOARD = Board("hackers", HEADINGS, "benchmarks/hackers_delight")
CONSTANTS = (0, 1, 7)  # in the sketches of unknown lines
BUDGET = 60.0


def rows(z3_seconds: float = 30.0, names: list[str] | None = None) -> Iterator[BoardRow]:
    """A row for each problem, as soon as it is solved; z3 gets so many seconds for each (0: not run)."""
    anc.fill(str(FOLDER / "one.anc"), specification=specifications.p01)  # machine code, once
    anc.fill(str(FOLDER / "p22.anc"), specification=specifications.p22, budget=1)
    for name in names or [*SHORTEST, *SHAPED]:
        yield _row(name, z3_seconds)


def _row(name: str, z3_seconds: float) -> BoardRow:
    function = getattr(specifications, name)
    is_shortest = name in SHORTEST
    arguments = len(inspect.signature(function).parameters)
    sketch = ("one.anc", "two.anc")[arguments - 1] if is_shortest else f"{name}.anc"
    begin = time.monotonic()
    found = anc.fill(
        str(FOLDER / sketch), specification=function, shortest=is_shortest, budget=BUDGET
    )
    seconds = time.monotonic() - begin
    assert isinstance(found, Filled)
    proof, shortest = found.proof, found.shortest
    assert proof is not None
    proved = f"{proof.inputs:,} inputs" if proof.is_proved else proof.outcome
    excluded, lines = "-", str(found.text.count("\n") if shortest is None else shortest.lines)
    if shortest is None:
        lines = str(sum(" = " in line and "var" not in line for line in found.text.split("\n")))
    else:
        word = f"fewer than {shortest.lines}" if shortest.is_proved else "not proved"
        excluded = f"{word}, {sum(shortest.visited[: shortest.excluded + 1]):,}"
    beside = _by_z3(name, arguments, z3_seconds) if is_shortest and z3_seconds else "-"
    options = " --shortest" if is_shortest else ""
    command = f"anc fill {sketch} --specification specifications.py:{name}{options}"
    what = (inspect.getdoc(function) or "").split("\n")[0].rstrip(".")
    cells = (lines, proved, excluded, f"{seconds:.2f}", beside)
    return BoardRow(name, what, cells, command, str(found), seconds)


def _by_z3(name: str, arguments: int, seconds: float) -> str:
    """How long z3 takes for the same, or how far it came."""
    function = getattr(specifications, name)
    grid = np.meshgrid(*[np.arange(256)] * arguments, indexing="ij")
    inputs = np.stack([column.ravel() for column in grid], axis=1)
    answers = np.array([int(function(*map(int, row))) for row in inputs])
    found = with_z3.synthesise(inputs, answers, CONSTANTS, 6, seconds)
    if found.code is None:
        return f"none in {seconds:.0f}, fewer than {found.excluded + 1} excluded"
    return f"{found.seconds:.1f}"


def totals(done: list[BoardRow]) -> str:
    """The time for p01 to p18, and what z3 does."""
    first = [row for row in done if row.name in SHORTEST]
    seconds = [row.seconds for row in first]
    told = f"{len(first)} of p01 to p18 in {sum(seconds):.1f} s, the longest {max(seconds):.2f} s"
    by_z3 = [float(row.cells[-1]) for row in first if row.cells[-1].replace(".", "").isdigit()]
    return f"{told}; z3 finds {len(by_z3)} of them, in {sum(by_z3):.1f} s"

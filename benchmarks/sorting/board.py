"""Sorting n numbers in place with MIN and MAX: from nothing, and from a bubble sort.

From nothing: for three and four numbers every line is unknown, and the search for the fewest is exhaustive. For
five and six a network of comparators is a sketch whose comparators are unknown, on cells of the tape; what is found
is adapted, which takes it into registers.

From a generic sort: a bubble sort of any length is adapted to lists of one length.

Every answer is checked once more, by a way that no search or proof shares: it is run on all n^n lists of the numbers
0 to n-1, which have every order that n numbers may have, equal ones included.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from board_rows import Board, BoardRow

import anc
from anc.machine.batch import run_all

from .lists import lists
from .two_address import kernel_of

FOLDER = Path(__file__).parent
WORDS = {3: "three", 4: "four", 5: "five", 6: "six"}
HEADINGS = (
    "instructions",
    "MIN and MAX",
    "two-address code",
    "proof",
    "checked lists",
    "fewest?",
    "seconds",
)
BOARD = Board("sorting", HEADINGS, "benchmarks/sorting")
MEMORY, MAX_STEPS = 128, 1_000
FILLING, ADAPTING = 45.0, 45.0  # seconds


def rows() -> Iterator[BoardRow]:
    """All rows, as soon as they are found."""
    from . import specifications

    # machine code is compiled once for an installation, and not measured
    anc.fill(str(FOLDER / "three.anc"), specification=specifications.three)
    anc.fill(str(FOLDER / "five.anc"), specification=specifications.five, budget=1)
    anc.adapt(str(FOLDER / "bubble.anc"), lists(3), 1, method="search")
    for n in (3, 4):
        yield _exhaustive(n, getattr(specifications, WORDS[n]))
    for n in (5, 6):
        yield _network(n, getattr(specifications, WORDS[n]))
    for n in WORDS:
        yield _generic(n)


def _exhaustive(n: int, specification: Any) -> BoardRow:
    begin = time.monotonic()
    found = anc.fill(
        str(FOLDER / f"{WORDS[n]}.anc"), specification=specification, shortest=True, budget=FILLING
    )
    seconds = time.monotonic() - begin
    shortest, proof = found.shortest, found.proof
    visited = sum(shortest.visited[: shortest.excluded + 1])
    fewest = f"fewest MIN and MAX: {visited:,} visited" if shortest.is_proved else "not proved"
    proved = f"{proof.inputs} zeros and ones" if proof.is_proved else proof.outcome
    command = f"anc fill {WORDS[n]}.anc --specification specifications.py:{WORDS[n]} --shortest"
    cells = _cells(found.program, n, 0), proved, fewest
    return _row(n, "from nothing", *cells, command, str(found), seconds)


def _network(n: int, specification: Any) -> BoardRow:
    begin = time.monotonic()
    name = WORDS[n]
    filled = anc.fill(str(FOLDER / f"{name}.anc"), specification=specification, budget=FILLING)
    found = anc.adapt(filled.program, lists(n, bare=True), ADAPTING, method="search")
    seconds = time.monotonic() - begin
    command = (
        f"anc fill {name}.anc --specification specifications.py:{name} -o {name} &&"
        f" python lists.py {n} --bare > lists.jsonl &&"
        f" anc adapt {name}/filled.anc --data lists.jsonl --method search --budget {ADAPTING:.0f}s"
    )
    proved = f"{filled.proof.outcome}, {found.proved.verdict.statement}"
    cells = _cells(found.proved.program, n, 0), proved, "not known"
    listing = f"{filled.text}\n# adapted:\n{found}"
    return _row(n, "a network from nothing", *cells, command, listing, seconds)


def _generic(n: int) -> BoardRow:
    begin = time.monotonic()
    found = anc.adapt(str(FOLDER / "bubble.anc"), lists(n), ADAPTING, method="search")
    seconds = time.monotonic() - begin
    command = (
        f"python lists.py {n} > lists.jsonl &&"
        f" anc adapt bubble.anc --data lists.jsonl --method search --budget {ADAPTING:.0f}s"
    )
    facts = ", ".join(map(str, found.proved.facts))
    proved = f"{found.proved.verdict.statement} ({facts})"
    cells = _cells(found.proved.program, n, 1), proved, "not known"
    return _row(n, "from a bubble sort", *cells, command, str(found), seconds)


def _row(
    n: int,
    what: str,
    measured: tuple[str, str, str, str, str],
    proved: str,
    fewest: str,
    command: str,
    listing: str,
    seconds: float,
) -> BoardRow:
    instructions, plain, moves, checked, code = measured
    cells = (instructions, plain, moves, proved, checked, fewest, f"{seconds:.1f}")
    return BoardRow(f"n = {n}", what, cells, command, listing + code, seconds)


def _cells(program: anc.Program, n: int, first: int) -> tuple[str, str, str, str, str]:
    """The instructions of a program, those that compute, two-address code, the check, and that code."""
    if any(line.op == "JEZ" for line in program.lines):
        return f"{program.L}, with jumps", "-", "-", _checked(program, n, first), ""
    plain = [line for line in program.lines if line.op in ("MIN", "MAX")]
    others = [
        each for each in program.lines if each.op not in ("MIN", "MAX", "READ", "WRITE", "STOP")
    ]
    more = f" and {len(others)} others" if others else ""
    moves, text = "-", ""
    if not others:
        kernel = kernel_of(program)
        assert kernel.sorts() == n**n
        moves = f"{len(kernel.code)}, {kernel.registers} registers"
        results = ", ".join(f"r{register}" for register in kernel.results)
        text = f"\n\ntwo-address code, numbers in r0 to r{n - 1}, results in {results}:\n\n{kernel}"
    return str(program.L), f"{len(plain)}{more}", moves, _checked(program, n, first), text


def _checked(program: anc.Program, n: int, first: int) -> str:
    """How many lists of the numbers below n the program sorts."""
    M = program.memory or MEMORY
    tapes = np.zeros((n**n, M), np.uint16)
    tapes[:, first : first + n] = list(itertools.product(range(n), repeat=n))
    if first:
        tapes[:, 0] = n
    runs = run_all(program, tapes, MAX_STEPS)
    wanted = np.sort(tapes[:, first : first + n], axis=1)
    right = (runs.tapes[:, first : first + n] == wanted).all(axis=1) & runs.stopped
    return f"{int(right.sum()):,} of {len(tapes):,} right"

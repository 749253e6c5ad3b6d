"""JIT warm-up: compiles the kernels of the search before the clock starts."""

from __future__ import annotations

import time
from functools import cache
from itertools import product

import numpy as np

from anc.compiler.graph import JUMP, READ, STOP, WRITE
from anc.data.tasks.cases import Case
from anc.machine.batch import TABLE_LIMIT, run_all
from anc.program import Line, Program
from anc.search.meet_in_the_middle import bridges
from anc.search.portfolio import EVERY_METHOD
from anc.search.result import SearchSettings
from anc.search.search import Search
from anc.search.straight_line_synthesis import Derivations

SMALL = 6
LARGE = TABLE_LIMIT + 1  # separate machine code, without lookup tables


def prepare(memory: int = SMALL) -> float:
    """Compile all kernels, or load them from the disk cache; returns the seconds that this took.

    The first call on a machine takes half a minute, and the first call with a large memory another half. This
    would otherwise count against the budget of the first search.
    """
    begin = time.perf_counter()
    _use_everything(SMALL if memory < LARGE else LARGE)
    return time.perf_counter() - begin


@cache
def _use_everything(M: int) -> None:
    lines = (
        Line(READ, 0, None, 2),
        Line(JUMP, 2, 3, 5),
        Line(WRITE, 1, 2, 5),
        Line(WRITE, 4, 2, 5),
        Line(STOP, None, None, 5),
    )
    # A straight line is usually shorter; a decision is faster where few cells change.
    program = Program(lines, (0, 1, 0, 4, 2, 0), memory=M)
    pairs, rest = product(range(4), repeat=2), (0,) * (M - 4)
    tapes = [(a, a if b else 0, a if b > 1 else 0, b, *rest) for a, b in pairs]
    cases = [Case(tape, (tape[0], tape[0], tape[0], *tape[3:]), (True,) * M) for tape in tapes]
    for method in EVERY_METHOD:
        Search(program, cases, M, SearchSettings(evaluations=64, methods=(method,))).run()
    bridges(np.array([[1, 2, 3]]), np.array([[5, 3, 5]]), program.instructions, M)
    columns = np.array([[0, 1, 2], [1, 3, 5], [5, 1, 4]])  # the last one cannot be derived
    Derivations(columns, np.zeros((3, M), np.int64), 2, program.instructions)
    run_all(program, np.array(tapes), 10)

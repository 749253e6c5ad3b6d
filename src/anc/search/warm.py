"""Compiling what the search needs before the clock starts."""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from anc import isa
from anc.machine.batch import run_all
from anc.program import Line, Program
from anc.search.bridges import bridges
from anc.search.derive import Derivations
from anc.search.search import EVERY_METHOD, SearchSettings, improve
from anc.tasks.cases import Case


def prepare() -> float:
    """Have all compiled code ready, from the disk cache where there is one; returns the seconds.

    The first time on a machine takes half a minute, which would otherwise come out of the budget of
    the first search.
    """
    begin = time.perf_counter()
    read, jump, write, stop = (isa.NAMES[op] for op in (isa.READ, isa.JUMP, isa.WRITE, isa.STOP))
    lines = (
        Line(read, 0, None, 2),
        Line(jump, 2, 3, 5),
        Line(write, 1, 2, 5),
        Line(write, 4, 2, 5),
        Line(stop, None, None, 5),
    )
    # A straight line is shorter as a rule, and a decision still better where little changes.
    program = Program(lines, (0, 1, 0, 4, 2, 0), memory=6)
    pairs = product(range(4), repeat=2)
    tapes = [(a, a if b else 0, a if b > 1 else 0, b, 0, 0) for a, b in pairs]
    cases = [Case(tape, (tape[0], tape[0], tape[0], *tape[3:]), (True,) * 6) for tape in tapes]
    for method in EVERY_METHOD:
        improve(program, cases, 6, SearchSettings(evaluations=64, methods=(method,)))
    bridges(np.array([[1, 2, 3]]), np.array([[5, 3, 5]]), 6)
    columns = np.array([[0, 1, 2], [1, 3, 5], [5, 1, 4]])  # the last one does not follow
    Derivations(columns, np.zeros((3, 6), np.int64), 2)
    run_all(program, np.array(tapes), 10)
    return time.perf_counter() - begin

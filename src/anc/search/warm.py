"""Compiling what the search needs before the clock starts."""

from __future__ import annotations

import time
from itertools import product

from anc import isa
from anc.program import Line, Program
from anc.search.search import SearchSettings, improve
from anc.tasks.cases import Case


def prepare() -> float:
    """Have all compiled code ready, from the disk cache where there is one; returns the seconds.

    The first time on a machine takes half a minute, which would otherwise come out of the budget of
    the first search.
    """
    begin = time.perf_counter()
    read, write, stop = (isa.NAMES[op] for op in (isa.READ, isa.WRITE, isa.STOP))
    lines = (
        Line(read, 0, None, 2),
        Line(read, 0, None, 3),
        Line(write, 1, 2, 6),
        Line(write, 4, 3, 6),
        Line(stop, None, None, 6),
    )
    # A straight line might be shorter, and a decision still better where little changes.
    program = Program(lines, (0, 1, 0, 0, 2, 3, 0), memory=6)
    pairs = product(range(4), repeat=2)
    tapes = [(a, a if b else 0, a if b > 1 else 0, b, 0, 0) for a, b in pairs]
    cases = [Case(tape, (tape[0], tape[0], tape[0], *tape[3:]), (True,) * 6) for tape in tapes]
    improve(program, cases, 6, SearchSettings(evaluations=64))
    return time.perf_counter() - begin

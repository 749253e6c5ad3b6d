"""Every move keeps programs well formed."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from search.random_programs import random_program

from anc import isa
from anc.machine.batch import Encoded, decode, encode
from anc.search import moves
from anc.search.guides import NO_GUIDES, Guides, Proposals

FUNCTIONS = {
    "operation": moves.change_operation,
    "operand": moves.change_operand,
    "output": moves.change_output,
    "initial register": moves.change_initial_register,
    "first line": moves.change_first_line,
    "insert": moves.insert_line,
    "delete": moves.delete_line,
    "move": moves.move_line,
    "swap": moves.swap_lines,
    "retarget": moves.retarget_jump,
    "line": moves.change_line,
}


def some_guides(M: int, R: int) -> Guides:
    random = np.random.default_rng(0)
    registers = [random.random((M, R)) for _ in range(3)]
    return Guides((), Proposals(random.random((M, isa.N)), *registers, random.random((R, M))))


def test_every_move_has_a_name_and_a_weight() -> None:
    assert tuple(FUNCTIONS) == moves.MOVES
    assert len(moves.WEIGHTS) == len(moves.MOVES)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("guided", [False, True])
def test_a_move_keeps_programs_well_formed(name: str, guided: bool) -> None:
    random = Random(9)
    rng = np.array([7], np.uint64)
    changed = 0
    for _ in range(200):
        M = random.randint(2, 9)
        encoded = encode(random_program(random, M), spare=2)
        size = np.array([M, encoded.R, M], np.int64)
        guide = (some_guides(M, encoded.R) if guided else NO_GUIDES).cumulative()
        lines = np.zeros((M, 4), np.uint16)
        lines[: encoded.L] = encoded.lines
        values = encoded.values.copy()
        head = np.array([encoded.L, encoded.start], np.int64)
        changed += FUNCTIONS[name](lines, values, head, size, guide, rng)
        L, start = head.tolist()
        assert 1 <= L <= M
        assert values[-1] == 0
        for op, first, second, _ in lines[:L].tolist():  # unused operands point behind the last
            taken = isa.INSTRUCTIONS[op].operands
            assert [r == encoded.R for r in (first, second)] == [taken < 1, taken < 2]
        program = decode(Encoded(lines[:L], values, start), M)  # refuses what is not well formed
        program.check_fits(M)
    assert changed > 20

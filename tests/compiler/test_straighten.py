"""Copies save the steps of jumps, as far as lines go, and change nothing else."""

from __future__ import annotations

import pytest

from anc.compiler import assemble
from anc.compiler.chain_layout import straighten
from anc.compiler.graph import Constant, Graph, Node, Target, Variable
from anc.machine.exact import Run, run


def two_ways() -> tuple[Graph, dict[int, float]]:
    """x = tape[0]; if it is not 0, one is added; both ways end in WRITE, STOP."""
    x = Variable("x")
    nodes = {
        0: Node("READ", (Constant(0),), x, 1),
        1: Node("JEZ", (x, Target(3)), None, 2),
        2: Node("INC", (x,), x, 4, free=False),
        3: Node("DEC", (x,), x, 4, free=False),
        4: Node("WRITE", (Constant(1), x), None, 5),
        5: Node("STOP"),
    }
    return Graph(nodes, 0, 20, [x]), {0: 10.0, 1: 7.0, 2: 7.0, 3: 3.0, 4: 10.0}


@pytest.mark.parametrize(("room", "jumps"), [(7, (0, 1)), (8, (0, 0))])
def test_an_ending_is_copied_for_the_way_that_would_jump_there(
    room: int, jumps: tuple[int, int]
) -> None:
    graph, passes = two_ways()
    assert straighten(graph, passes, room) == room
    program = assemble(graph)
    assert room == program.L
    busy, rare = (run(program, (value, *[0] * 19), 100) for value in (4, 0))
    assert busy.tape[1] == 5 and rare.tape[1] == 19
    assert (busy.steps, rare.steps) == (5 + jumps[0], 5 + jumps[1])


def countdown(room: int, M: int = 40) -> list[Run]:
    """A loop that takes two steps a round beside its jump, for cell 0 from 0 to 12."""
    x = Variable("x")
    nodes = {
        0: Node("READ", (Constant(0),), x, 1),
        1: Node("JEZ", (x, Target(3)), None, 2),
        2: Node("DEC", (x,), x, 1, free=False),
        3: Node("STOP"),
    }
    graph = Graph(nodes, 0, M, [x])
    assert straighten(graph, {0: 1.0, 1: 12.0, 2: 12.0}, room) <= room
    program = assemble(graph)
    assert room >= program.L
    return [run(program, (n, *[0] * (M - 1)), 100) for n in range(13)]


@pytest.mark.parametrize(("room", "rounds"), [(5, 1), (6, 1), (7, 2), (9, 3), (11, 4)])
def test_rounds_of_a_loop_are_copied_as_far_as_lines_go(room: int, rounds: int) -> None:
    for n, done in enumerate(countdown(room)):
        assert done.steps == 2 * n + 3 + n // rounds

"""The graph between programs: there and back, what is known, and where lines go."""

from __future__ import annotations

from itertools import product

import pytest
from generated import programs, tapes
from hypothesis import given, settings
from hypothesis import strategies as st

from anc import isa
from anc.compiler import NoRoom, assemble
from anc.compiler.abstract_state import certain_output
from anc.compiler.assemble import graph_of, lines_of
from anc.compiler.chain_layout import layout, unshare
from anc.compiler.dataflow import fixpoint
from anc.compiler.graph import JUMP, READ, STOP, WRITE, Constant, Graph, Node, Target, Variable
from anc.compiler.passes import tidy
from anc.machine.exact import Stop, run


@settings(deadline=None)
@given(st.data())
def test_a_program_does_the_same_after_the_way_to_a_graph_and_back(data):
    program = data.draw(programs())
    M = program.memory
    graphs = [lines_of(program, M)]
    movable = graph_of(program, M)
    if isinstance(movable, str):
        assert "computes where the jump in its line" in movable
    else:
        graphs.append(movable)
    tape = data.draw(tapes(M))
    wanted = run(program, tape, 60)
    for graph in graphs:
        found = run(assemble(graph), tape, 60)
        assert (found.tape, found.stop, found.steps) == (wanted.tape, wanted.stop, wanted.steps)


def test_outputs_are_known_exactly_where_the_table_leaves_no_choice():
    M = 5
    values = [None, *range(M)]
    for row, first, second in product(isa.PAPER, values, values):
        if row.effect is isa.Effect.READ or (first is None and second is None):
            continue
        choices = {
            row.output(a, b if row.operands > 1 else 0, M)
            for a in ([first] if first is not None else range(M))
            for b in ([second] if second is not None else range(M))
        }
        known = certain_output(row, first, second, M, False)
        assert known == (choices.pop() if len(choices) == 1 else None)


def test_one_variable_twice_is_the_same_twice():
    assert certain_output(isa.PAPER["SUB"], None, None, 7, True) == 0
    assert certain_output(isa.PAPER["ADD"], None, None, 7, True) is None
    assert certain_output(isa.PAPER["SUB"], None, None, 7, False) is None


def test_what_a_write_leaves_is_known_to_a_read():
    graph, x = Graph(M=10), Variable("x")
    graph.append(WRITE, Constant(3), Constant(4))
    graph.append(READ, Constant(3), out=x)
    graph.append(WRITE, Constant(3), Constant(4))  # it is there already
    graph.append(WRITE, x, x)
    graph.append(STOP)
    tidy(graph)
    program = assemble(graph)
    assert [line.op for line in program.lines] == ["WRITE", "WRITE", "STOP"]
    assert run(program, [0] * 10, 9).tape == (0, 0, 0, 4, 4, 0, 0, 0, 0, 0)


def shared(M: int) -> Graph:
    """x == 0 leads to node 2, anything else to node 1; both fall into node 3."""
    x, one, two = Variable("x"), Constant(1), Constant(2)
    nodes = {
        4: Node(READ, (Constant(0),), x, 0),
        0: Node(JUMP, (x, Target(2)), after=1),
        1: Node(WRITE, (one, one), after=3),
        2: Node(WRITE, (one, two), after=3),
        3: Node(STOP),
    }
    return Graph(nodes, 4, M)


def test_what_two_free_edges_lead_to_is_copied():
    plain, copied = shared(10), shared(10)
    unshare(copied)
    programs = assemble(plain), assemble(copied)
    assert [sum(line.op == JUMP for line in program.lines) for program in programs] == [2, 1]
    for tape, steps in (([0] * 10, 4), ([1] * 10, 4)):
        with_jump, without = (run(program, tape, 20) for program in programs)
        assert with_jump.tape == without.tape
        assert without.steps == steps <= with_jump.steps
    with pytest.raises(NoRoom, match="more than M = 5 lines"):
        unshare(shared(5))


def test_a_jump_behind_the_last_line_needs_a_number_that_is_no_line():
    def leaving(M: int) -> Graph:
        graph, x = Graph(M=M), Variable("x", 0)
        graph.append(JUMP, x, Target(-1))
        graph.append(STOP)
        return graph

    assert run(assemble(leaving(3)), [0] * 3, 5).stop is not Stop.STOPPED
    with pytest.raises(NoRoom, match="after the last line"):
        assemble(leaving(2))


def test_a_run_that_leaves_a_full_program_would_begin_again():
    y, zero = Variable("y"), Constant(0)
    nodes = {
        0: Node(READ, (zero,), y, 1),
        1: Node(JUMP, (y, Target(3)), after=2),
        2: Node(WRITE, (zero, zero), after=4, free=False),
        3: Node(WRITE, (zero, Constant(1)), after=4, free=False),
        4: Node(WRITE, (Constant(1), y)),
    }
    program = assemble(Graph(nodes, 0, 7))
    assert program.L == 6
    assert run(program, [0, 5, 0, 0, 0, 0, 0], 9).tape[:2] == (1, 0)
    with pytest.raises(NoRoom, match="would wrap around"):
        layout(Graph(nodes, 0, 6))


def test_the_fixpoint_of_distances():
    edges = {"a": {"b": 1, "c": 5}, "b": {"c": 1}, "c": {"a": 1}, "d": {"a": 1}}
    found = fixpoint({"a": 0}, lambda p, far: [(q, far + d) for q, d in edges[p].items()], min)
    assert found == {"a": 0, "b": 1, "c": 2}

"""Jumps that are passed by, commands that leave loops, commands that are shared: the same runs, less work.

Random functions in `tests/python/test_meaning.py` go through all of these.
"""

from anc.compiler import compile_source
from anc.compiler.assemble import assemble, graph_of
from anc.compiler.constant_propagation import thread_known_jumps
from anc.compiler.copy_coalescing import split_variables
from anc.compiler.graph import Graph
from anc.compiler.licm import hoist, share_tails
from anc.compiler.passes import drop_dead_results, thread_jumps
from anc.language import Source
from anc.machine.exact import run
from anc.program import Program

M = 12
PASSES = {"threads": thread_known_jumps, "hoist": hoist, "share": share_tails}


def loose_graph(program: Program) -> Graph | None:
    """The program's graph, in which every edge may cost a step."""
    graph = graph_of(program, M)
    if isinstance(graph, str):
        return None
    thread_jumps(graph)
    alive = drop_dead_results(graph)
    thread_jumps(graph)
    split_variables(graph, alive)
    for node in graph.nodes.values():
        node.free = False
    return graph


def after(text: str, name: str) -> Program:
    graph = loose_graph(compile_source(Source(text), memory=M).program)
    assert graph is not None and PASSES[name](graph)
    thread_jumps(graph)
    return assemble(graph)


def test_a_jump_that_is_decided_on_the_way_is_passed_by():
    text = (
        "var a; var b; a = READ(0); b = READ(1)\n"
        "l_loop: JEZ(a, l_out); JEZ(b, l_out); a = DEC(a); b = DEC(b); JEZ(0, l_loop)\n"
        "l_out: JEZ(a, l_end); WRITE(2, 7); STOP()\nl_end: WRITE(2, 5); STOP()\n"
    )
    old, new = compile_source(Source(text), memory=M).program, after(text, "threads")
    for a, b in ((0, 3), (3, 0), (2, 2), (1, 4)):
        tape = (a, b, *[0] * (M - 2))
        one, two = run(old, tape, 99), run(new, tape, 99)
        assert one.tape == two.tape and two.steps < one.steps


def test_what_never_changes_leaves_the_loop():
    text = (
        "var i; var t; i = READ(1)\nl_loop: t = READ(0); t = SUB(i, t); JEZ(t, l_end)\n"
        "i = INC(i); JEZ(0, l_loop)\nl_end: WRITE(2, i); STOP()\n"
    )
    old, new = compile_source(Source(text), memory=M).program, after(text, "hoist")
    tape = (9, 2, *[0] * (M - 2))
    assert run(old, tape, 99).tape == run(new, tape, 99).tape
    assert run(new, tape, 99).steps == run(old, tape, 99).steps - 7


def test_a_command_before_a_loop_and_in_it_is_one_line():
    text = (
        "var x; x = READ(0)\nl_loop: WRITE(1, x); JEZ(x, l_end)\nx = READ(x); JEZ(0, l_loop)\n"
        "l_end: STOP()\n"
    )
    old, new = compile_source(Source(text), memory=M).program, after(text, "share")
    tape = (4, 9, 0, 0, 6, 0, 2, *[0] * (M - 7))
    assert run(old, tape, 99).tape == run(new, tape, 99).tape
    assert (new.L, run(new, tape, 99).steps) == (old.L - 1, run(old, tape, 99).steps)

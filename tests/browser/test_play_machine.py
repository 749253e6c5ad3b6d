"""The page's exact and soft machines are Python's, step for step."""

import pytest
from generated import programs, tapes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anc
from anc.compiler import compile_source, to_text
from anc.data import programs as shipped
from anc.machine import exact
from anc.machine.tapes import fill
from anc.support.diagnostics import AncError

FIXTURES = [HealthCheck.function_scoped_fixture]
RUN = (
    "const { program } = engine.compile(row.text, row.memory ? { memory: row.memory } : {});"
    "return engine.runExact(program, row.tape, { maxSteps: row.steps })"
)


def examples(name):
    """A shipped program, and the tapes of its examples."""
    found = compile_source(shipped.source(name))
    return found.program, [fill(each.input, found.program.memory) for each in found.examples]


def same_run(program, tape, steps, found):
    run = exact.run(program, tape, steps, trace=True)
    assert (found["tape"], found["steps"], found["stop"]) == (
        list(run.tape),
        run.steps,
        run.stop.value,
    )
    lines = [step.line for step in run.trace[1:]] + [
        None if run.stop is not exact.Stop.STEP_LIMIT else ...
    ]
    for step, here, after in zip(run.trace, found["trace"], lines, strict=True):
        for name in ("line", "op", "first", "second", "out", "value", "cell", "jumped"):
            assert here[name] == getattr(step, name)
        assert here["registers"] == list(step.registers)
        assert here["tape"] == list(step.tape)
        assert here["read"] == (step.first if step.op == "READ" else None)
        assert after is ... or here["after"] == after


def test_shipped_programs_take_the_same_exact_steps(engine):
    for name in shipped.names():
        program, inputs = examples(name)
        rows = [{"text": shipped.source(name).text, "tape": tape, "steps": 1000} for tape in inputs]
        for tape, found in zip(inputs, engine.each(RUN, rows), strict=True):
            same_run(program, tape, 1000, found)


@given(
    st.lists(
        programs().flatmap(lambda p: st.tuples(st.just(p), tapes(p.memory))),
        min_size=1,
        max_size=20,
    )
)
@settings(max_examples=10, deadline=None, suppress_health_check=FIXTURES)
def test_generated_programs_take_the_same_exact_steps(engine, made):
    rows = [{"text": to_text(program), "tape": tape, "steps": 40} for program, tape in made]
    for (program, tape), found in zip(made, engine.each(RUN, rows), strict=True):
        same_run(program, tape, 40, found)


def test_wide_instructions_run(engine):
    text = "instructions wide\nmemory 30\nvar x = 3\nvar y = 4\nx = MUL(x, y)\ny = SHL(x, 2)\nWRITE(y, x)\nSTOP()"
    (found,) = engine.each(RUN, [{"text": text, "tape": [0] * 30, "steps": 9}])
    same_run(anc.compile(text), (0,) * 30, 9, found)


def test_what_does_not_fit_is_refused_with_the_same_words(engine):
    script = "try { engine.runExact(engine.compile('var x = 9; x = INC(x); STOP()').program, row) }"
    script += " catch (problem) { return problem.message }"
    with pytest.raises(AncError) as wanted:
        exact.run(anc.compile("var x = 9; x = INC(x); STOP()"), [0] * 5, 9)
    assert engine.each(script, [[0] * 5]) == [wanted.value.message]


@pytest.mark.parametrize("text", ["3 2, 2", "", "1 x", "1 -2", "9999999999"])
def test_tapes_are_read_alike(engine, text):
    from anc.machine.tapes import parse_tape

    try:
        wanted = {"cells": list(parse_tape(text))}
    except AncError as problem:
        wanted = {"problem": problem.message, "help": problem.help}
    assert engine.each("return engine.parseTape(row)", [text]) == [wanted]


@pytest.mark.parametrize("cells", [[1, 2], [0] * 6, [1, 5]])
def test_tapes_are_filled_alike(engine, cells):
    try:
        wanted = {"cells": list(fill(cells, 5))}
    except AncError as problem:
        wanted = {"problem": problem.message, "help": problem.help}
    assert engine.each("return engine.fillTape(row, 5)", [cells]) == [wanted]

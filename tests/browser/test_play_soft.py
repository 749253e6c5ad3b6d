"""The page's soft machine is Python's, step for step, and its fast paths are the derived ones."""

import numpy as np
import pytest
from generated import programs, tapes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anc
from anc.compiler import compile_source, to_text
from anc.data import programs as shipped
from anc.machine.exact import run
from anc.machine.softrun import trace_soft
from anc.machine.tapes import fill
from anc.machine.weights import harden, soften

FIXTURES = [HealthCheck.function_scoped_fixture]
NEAR = 1e-5
PARTS = (
    "line",
    "op",
    "first",
    "second",
    "out",
    "first_value",
    "second_value",
    "registers",
    "memory",
    "stop",
)
RUN = """
const { program } = engine.compile(row.text);
const weights = engine.soften(program, { sharpness: row.sharpness, rest: row.rest });
const m = engine.softMachine(program.set, weights.M, weights.R, row.steps).run(weights, row.tape);
const found = { steps: m.steps, stop: m.stop, confidence: m.confidence, tape: m.tape, flat: weights.flat };
const at = {
  line: (t) => m.line(t), op: (t) => m.op(t), first: (t) => m.first(t), second: (t) => m.second(t),
  out: (t) => m.out(t),
  first_value: (t) => m.firstValue(t), second_value: (t) => m.secondValue(t),
  registers: (t) => m.registers(t + 1), memory: (t) => m.memory(t + 1), stop: (t) => m.stopped(t + 1),
};
const far = {};
for (const [name, of] of Object.entries(at)) {
  far[name] = 0;
  let i = 0;
  for (let t = 0; t < m.steps; t++) {
    const here = of(t);
    for (const value of typeof here === "number" ? [here] : here) {
      far[name] = Math.max(far[name], Math.abs(value - row.trace[name][i++]));
    }
  }
  found.complete = found.complete !== false && i === row.trace[name].length;
}
return { ...found, far };
"""


def compare(engine, text, tape, sharpness, steps):
    """Run a program softly in Python and on the page, and compare all that the page can show."""
    program = anc.compile(text)
    weights = soften(program, sharpness=sharpness, seed=3)
    trace = trace_soft(weights, tape, steps)
    parts = {
        name: np.concatenate([np.ravel(getattr(step, name)) for step in trace.steps]).tolist()
        for name in PARTS
    }
    row = {"text": text, "sharpness": sharpness, "rest": weights.flat().tolist(), "steps": steps}
    (found,) = engine.each(RUN, [row | {"tape": list(tape), "trace": parts}])
    assert (found["steps"], found["stop"]) == (len(trace.steps), trace.stop.value)
    assert found["complete"] and max(found["far"].values()) < NEAR, found["far"]
    assert np.abs(np.array(found["flat"]) - weights.flat()).max() < 1e-6
    assert abs(found["confidence"] - trace.memory.max(-1).min()) < NEAR
    assert np.array_equal(np.array(found["tape"]), trace.memory.argmax(-1))


@pytest.mark.parametrize("name", shipped.names())
@pytest.mark.parametrize("sharpness", [20, 5])
def test_shipped_programs_take_the_same_soft_steps(engine, name, sharpness):
    found = compile_source(shipped.source(name))
    tape = fill(found.examples[0].input, found.program.memory)
    steps = run(found.program, tape, 1000).steps + 5
    compare(
        engine,
        shipped.source(name).text,
        tape,
        sharpness,
        min(steps, 60 if name == "dijkstra" else 250),
    )


@given(programs(M=6).flatmap(lambda p: st.tuples(st.just(p), tapes(6))), st.sampled_from([1, 4, 9]))
@settings(max_examples=20, deadline=None, suppress_health_check=FIXTURES)
def test_generated_programs_take_the_same_soft_steps(engine, made, sharpness):
    program, tape = made
    compare(engine, to_text(program), tape, sharpness, 12)


def test_wide_instructions_run_softly(engine):
    lines = [f"x = {op}(x, y)" for op in ("MUL", "DIV", "MOD", "SHL", "SHR", "XOR", "LT", "NE")]
    text = (
        "instructions wide\nmemory 17\nvar x = 5\nvar y = 3\n"
        + "\n".join(lines)
        + "\nWRITE(y, x)\nSTOP()"
    )
    for sharpness in (1, 6):
        compare(engine, text, (3, 1, 2) + (0,) * 14, sharpness, 12)


@pytest.mark.parametrize("M", [1, 2, 9])
def test_fast_paths_are_the_derived_outputs(engine, M):
    script = """
    const [{ pushForward, kindOf }, set] = [engine.internals, engine.sets.paper];
    const [first, second] = row;
    return set.rows.filter((each) => each.fast).map((each) => ["", each.fast].map((fast) => {
      const [out, { kind, table }] = [new Float32Array(given[1]), kindOf({ ...each, fast }, given[1])];
      pushForward(kind, table, given[1], Float32Array.from(first), Float32Array.from(second), 0, null, 0, out, 0);
      return out;
    }));
    """
    random = np.random.default_rng(M)
    pair = random.dirichlet(np.ones(M), 2).tolist()
    (found,) = engine.js(f"return given[0].map((row) => {{ {script} }})", [pair], M)
    assert len(found) == 4
    for derived, fast in found:
        assert np.abs(np.array(derived) - np.array(fast)).max() < 1e-6


def test_hardening_gives_the_program_back(engine):
    texts = [shipped.source(name).text for name in shipped.names()]
    script = "const { program } = engine.compile(row);"
    script += "const { program: found } = engine.harden(engine.soften(program));"
    found = engine.each(script + "return [engine.listing(program), engine.listing(found)]", texts)
    assert all(before == after for before, after in found)
    learnt = soften(anc.load("listk"), sharpness=0.01, seed=5)
    script = "const { program } = engine.compile(row.text); const w = engine.soften(program); w.flat.set(row.flat);"
    script += "return engine.listing(engine.harden(engine.weightsOf(w.flat, w.M, w.R, program.set, 20)).program)"
    moved = learnt.flat() + np.random.default_rng(1).normal(size=learnt.flat().shape).astype(
        np.float32
    )
    row = {"text": shipped.source("listk").text, "flat": moved.tolist()}
    wanted = type(learnt).of_flat(moved, learnt.M, learnt.R)
    assert engine.each(script, [row]) == [to_text(harden(wanted))]


def test_the_slider_rewrites_weights_in_place(engine):
    script = """
    const { program } = engine.compile(row);
    const weights = engine.soften(program, { sharpness: 9, seed: 4 });
    const again = engine.withSharpness(engine.soften(program, { sharpness: 2, seed: 4 }), program, 9);
    return weights.flat.every((value, i) => value === again.flat[i]);
    """
    assert engine.each(script, [shipped.source("sort").text]) == [True]

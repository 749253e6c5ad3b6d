"""A new row of the instruction table is all that a new instruction takes.

A process of its own has the table of `mul.py`, and does with MUL what the project does with ADD;
`learning/test_tables.py` trains with it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json
from random import Random

import anc
from anc.compiler import to_text
from anc.machine import batch, exact
from anc.machine.cases import Cases
from anc.machine.softrun import run_soft
from anc.machine.weights import harden, soften
from anc.search.enumerate import enumerate_programs
from anc.tasks.cases import Case
from anc.verify import Claim, prove

found = {}
PRODUCT = "var x; var y; x = READ(0); y = READ(1); x = MUL(x, y); WRITE(2, x); STOP()"
SUMS = '''var x; var y; var sum = 0
x = READ(0); y = READ(1)
l_next: JEZ(x, l_end)
sum = ADD(sum, y); x = DEC(x); JEZ(0, l_next)
l_end: WRITE(2, sum); STOP()'''

program = anc.compile(PRODUCT, memory=8)
tape = (5, 7, 1, 0, 0, 0, 0, 0)
found["exact"] = exact.run(program, tape, 10).tape[2]
(run,) = run_soft(soften(program, sharpness=30.0), [tape], 10)
found["soft"], found["certain"] = run.tape[2], bool(run.confidence > 0.99)
for M in (8, 300):
    pairs = [(a, b) for a in range(M) for b in (0, 1, 2, M // 2, M - 1)]
    runs = [batch.run(program, (a, b, *[0] * (M - 2)), 10).tape[2] for a, b in pairs]
    found[f"batched {M}"] = runs == [a * b % M for a, b in pairs]

draw = Random(0)
tapes = [tuple(draw.randrange(8) for _ in range(8)) for _ in range(100)]
examples = [Case(t, (*t[:2], t[0] * t[1] % 8, *t[3:]), (True,) * 8) for t in tapes]
best = [p for p in enumerate_programs(Cases.distinct(examples), program.instructions, below=30.0) if p is not None][-1]
found["enumerated"] = [line.op for line in best.lines]
generic = anc.compile(SUMS, memory=8)
for method in ("exhaustive", "paths"):
    found[method] = prove(Claim(generic, best, 8, (True,) * 8), 60.0, method).outcome.value
wrong = anc.compile(PRODUCT.replace("MUL", "ADD"), memory=8)
found["wrong"] = prove(Claim(generic, wrong, 8, (True,) * 8), 60.0).outcome.value

found["printed"] = to_text(program)
found["compiles again"] = anc.compile(to_text(program)) == program
found["hardened"] = harden(soften(program, 9)).lines == program.lines
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> dict:
    table = Path(__file__).parent / "mul.py"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"ANC_INSTRUCTIONS": str(table)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_compiles_prints_and_hardens(found: dict) -> None:
    assert "x = MUL(x, y)" in found["printed"]
    assert found["compiles again"]
    assert found["hardened"]


def test_it_runs_on_every_machine(found: dict) -> None:
    assert found["exact"] == found["soft"] == 5 * 7 % 8
    assert found["certain"]
    assert found["batched 8"]
    assert found["batched 300"]


def test_enumeration_finds_a_program_that_needs_it(found: dict) -> None:
    assert found["enumerated"] == ["READ", "READ", "MUL", "WRITE", "STOP"]


def test_programs_with_it_are_proved_and_refuted(found: dict) -> None:
    assert found["exhaustive"] == found["paths"] == "proved"
    assert found["wrong"] == "refuted"


POWER = """
from anc.isa import PAPER, Instruction
INSTRUCTIONS = (*PAPER, Instruction("POW", 2, lambda a, b, M: pow(a, b, M)))
"""
LOOKED_UP = """
import anc
from anc.machine import batch
text = "var x = 3; var y = 4; x = POW(x, y); WRITE(0, x); STOP()"
for M in (30, 300):
    program = anc.compile(text, memory=M)
    assert anc.run(program, [0]).tape[0] == anc.run(program, [0], machine="soft").tape[0] == 81 % M
    try:
        print(batch.run(program, (0,) * M, 9).tape[0])
    except anc.AncError as problem:
        print(problem.message)
"""


def test_an_output_that_cannot_be_compiled_is_looked_up(tmp_path):
    (tmp_path / "power.py").write_text(POWER)
    env = os.environ | {"ANC_INSTRUCTIONS": str(tmp_path / "power.py")}
    command = [sys.executable, "-W", "ignore", "-c", LOOKED_UP]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    small, large = done.stdout.splitlines()
    assert small == "21"
    assert "the output of POW cannot be compiled" in large

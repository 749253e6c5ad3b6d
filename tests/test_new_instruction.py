"""A new row is all that a new instruction takes: everything does with MUL what it does with ADD.

Two sets work side by side in this process; `training/test_tables.py` trains with other rows.
"""

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from batched import run
from command_line import anc as command

import anc
from anc import isa
from anc.compiler import to_text
from anc.data.loading import compiled
from anc.data.tasks.cases import Case
from anc.isa import PAPER, Instruction, InstructionSet
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.machine.softrun import run_soft
from anc.machine.weights import harden, soften
from anc.proof import Claim, prove
from anc.search.enumerate import enumerate_programs
from anc.support.diagnostics import AncError

MUL = InstructionSet((*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M)))
POW = InstructionSet((*PAPER, Instruction("POW", 2, lambda a, b, M: pow(a, b, M))))
PRODUCT = "var x; var y; x = READ(0); y = READ(1); x = MUL(x, y); WRITE(2, x); STOP()"
SUMS = """var x; var y; var sum = 0
x = READ(0); y = READ(1)
l_next: JEZ(x, l_end)
sum = ADD(sum, y); x = DEC(x); JEZ(0, l_next)
l_end: WRITE(2, sum); STOP()"""


def program_of(text: str, memory: int = 8, instructions: InstructionSet = MUL):
    return compiled(Source(text), memory, instructions).program


def test_it_compiles_prints_and_hardens() -> None:
    program = program_of(PRODUCT)
    assert "x = MUL(x, y)" in to_text(program)
    assert program_of(to_text(program)) == program
    assert harden(soften(program, 9)).lines == program.lines
    with pytest.raises(AncError, match="unknown instruction 'MUL'"):
        program_of(PRODUCT, instructions=PAPER)


@pytest.mark.parametrize("M", [8, 300])
def test_it_runs_on_every_machine(M: int) -> None:
    program, plain = program_of(PRODUCT, M), program_of(SUMS, M, PAPER)
    pairs = [(a, b) for a in range(0, M, 1 + M // 40) for b in (0, 1, 2, M // 2, M - 1)]
    for a, b in pairs:
        tape = (a, b, *[0] * (M - 2))
        assert exact.run(program, tape, 10).tape[2] == a * b % M
        assert run(program, tape, 10).tape[2] == a * b % M
        assert run(plain, tape, 5 * M).tape[2] == a * b % M


def test_it_runs_softly() -> None:
    (run,) = run_soft(soften(program_of(PRODUCT), sharpness=30.0), [(5, 7, 1, 0, 0, 0, 0, 0)], 10)
    assert run.tape[2] == 5 * 7 % 8 and run.confidence > 0.99


def examples(n: int = 100) -> list[Case]:
    draw = Random(0)
    tapes = [tuple(draw.randrange(8) for _ in range(8)) for _ in range(n)]
    return [Case(t, (*t[:2], t[0] * t[1] % 8, *t[3:]), (True,) * 8) for t in tapes]


def test_enumeration_finds_a_program_that_needs_it() -> None:
    cases = Cases.distinct(examples())
    found = enumerate_programs(cases, below=30.0, instructions=MUL)
    best = [program for program in found if program is not None][-1]
    assert [line.op for line in best.lines] == ["READ", "READ", "MUL", "WRITE", "STOP"]


def test_programs_with_it_are_proved_and_refuted() -> None:
    generic, best = program_of(SUMS), program_of(PRODUCT)
    assert prove(Claim(generic, best, 8, (True,) * 8), 60.0).outcome.value == "proved"
    wrong = program_of(PRODUCT.replace("MUL", "ADD"))
    assert prove(Claim(generic, wrong, 8, (True,) * 8), 60.0).outcome.value == "refuted"


def test_programs_of_two_sets_are_not_compared() -> None:
    with pytest.raises(AncError, match="instruction"):
        prove(Claim(program_of(SUMS, 8, PAPER), program_of(PRODUCT), 8, (True,) * 8), 60.0)


def test_a_program_with_it_is_adapted() -> None:
    samples = [{"input": list(case.input), "output": list(case.output)} for case in examples()]
    result = anc.adapt(program_of(SUMS), samples, evaluations=100_000)
    assert result.verdict.proved
    assert "MUL" in [line.op for line in result.program.lines]


def test_an_output_that_cannot_be_compiled_is_looked_up() -> None:
    text = "var x = 3; var y = 4; x = POW(x, y); WRITE(0, x); STOP()"
    for M in (30, 300):
        program = program_of(text, M, POW)
        assert anc.run(program, [0]).tape[0] == 81 % M
        assert anc.run(program, [0], machine="soft").tape[0] == 81 % M
    assert run(program_of(text, 30, POW), (0,) * 30, 9).tape[0] == 21
    with pytest.raises(AncError, match="the output of POW cannot be compiled"):
        run(program_of(text, 300, POW), (0,) * 300, 9)


def test_a_listing_names_its_own_set(tmp_path) -> None:
    rows = "from anc.isa import PAPER, Instruction\n"
    rows += 'INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))\n'
    (tmp_path / "mul.py").write_text(rows)
    (tmp_path / "product.anc").write_text("instructions mul.py\n" + PRODUCT)
    program = anc.load(tmp_path / "product.anc")
    assert program.instructions == isa.load(str(tmp_path / "mul.py"))
    assert program.instructions != PAPER
    assert anc.compile(to_text(program)) == program
    (tmp_path / "product.anc").write_text("instructions none.py\n" + PRODUCT)
    with pytest.raises(AncError, match=r"none\.py"):
        anc.load(tmp_path / "product.anc")


def test_result_folders_remember_the_set(tmp_path) -> None:
    """No command that reads them needs the option, wherever it runs."""
    (tmp_path / "square.anc").write_text(
        "memory 10; var x = READ(0); x = MUL(x, x); WRITE(1, x); STOP()"
    )
    (tmp_path / "sketch.anc").write_text(
        "memory 10; var x = READ(0); x = ?(x, x); WRITE(1, x); STOP()"
    )
    cases = [json.dumps({"input": [n, 0], "output": [n, n * n % 10]}) for n in range(10)]
    (tmp_path / "cases.jsonl").write_text("\n".join(cases))
    shutil.copy(Path(__file__).parent / "mul.py", tmp_path)
    for work in (
        "adapt square.anc --evaluations 5000 -o adapted",
        "fill sketch.anc --evaluations 5000 -o filled",
        "train square.anc --seeds 2 --iterations 20 -o trained",
    ):
        words = "--instructions", "mul.py", *work.split(), "--data", "cases.jsonl"
        assert command(*words, cwd=tmp_path).returncode in (0, 1)
    for line in (
        "verify adapted",
        "adapt adapted/generic.anc --data cases.jsonl --evaluations 5000 --from adapted -q",
        "report adapted",
        "run adapted/adapted.anc --tape 7",
        "run filled/filled.anc --tape 7",
        "report filled",
        "report trained",
        "train --resume -o trained",
    ):
        (tmp_path / "mul.py").unlink(missing_ok=True)
        done = command(*line.split(), cwd=tmp_path)
        assert done.returncode in (0, 1), (line, done.stderr)
    assert (tmp_path / "adapted" / "adapted.anc").read_text().startswith("instructions ")

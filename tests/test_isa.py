"""The table against the paper's Figure 1b, written out by hand."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from anc import isa
from anc.machine.batch import outputs
from anc.machine.exact import run
from anc.program import Line, Program
from anc.support.diagnostics import AncError

M = 6
MEANING = {
    "STOP": lambda a, b, tape: 0,
    "ZERO": lambda a, b, tape: 0,
    "INC": lambda a, b, tape: (a + 1) % M,
    "DEC": lambda a, b, tape: (a - 1) % M,
    "ADD": lambda a, b, tape: (a + b) % M,
    "SUB": lambda a, b, tape: (a - b) % M,
    "MIN": lambda a, b, tape: min(a, b),
    "MAX": lambda a, b, tape: max(a, b),
    "READ": lambda a, b, tape: tape[a],
    "WRITE": lambda a, b, tape: 0,
    "JEZ": lambda a, b, tape: 0,
}


def test_the_table_has_the_paper_s_eleven():
    assert tuple(MEANING) == isa.PAPER.names


@pytest.mark.parametrize("op", isa.PAPER.names)
def test_output_and_effect_of_every_instruction_on_every_operand(op):
    row = isa.PAPER[op]
    tape = (5, 3, 0, 1, 4, 2)
    operands = [(0, 1)[i] if i < row.operands else None for i in range(2)]
    for a in range(M):
        for b in range(M):
            lines = (Line(op, *operands, 2), *[Line("STOP", None, None, 3)] * (M - 1))
            result = run(Program(lines, (a, b, 5, 0)), tape, 1, trace=True)
            (step,) = result.trace
            first, second = (v if i < row.operands else 0 for i, v in enumerate((a, b)))
            assert step.registers[2] == MEANING[op](first, second, tape)
            changed = tuple(b if op == "WRITE" and i == a else v for i, v in enumerate(tape))
            assert result.tape == changed
            assert step.jumped == (op == "JEZ" and a == 0)
            assert (result.stop.value == "stopped") == (op == "STOP")


WIDE = {  # what Python itself says, where it says something
    "MUL": lambda a, b, M: a * b % M,
    "DIV": lambda a, b, M: a // b if b else 0,
    "MOD": lambda a, b, M: a % b if b else a,
    "LT": lambda a, b, M: int(a < b) % M,
    "LE": lambda a, b, M: int(a <= b) % M,
    "EQ": lambda a, b, M: int(a == b) % M,
    "NE": lambda a, b, M: int(a != b) % M,
    "AND": lambda a, b, M: (a & b) % M,
    "OR": lambda a, b, M: (a | b) % M,
    "XOR": lambda a, b, M: (a ^ b) % M,
    "SHL": lambda a, b, M: (a << b) % M,
    "SHR": lambda a, b, M: a >> b,
}


def test_the_wide_set_adds_python_s_operations_to_the_paper_s():
    assert isa.WIDE.names == (*isa.PAPER.names, *WIDE)
    assert isa.WIDE[: isa.PAPER.N] == isa.PAPER.rows
    assert pickle.loads(pickle.dumps(isa.WIDE)) is isa.WIDE and isa.load("wide") is isa.WIDE


@pytest.mark.parametrize("op", WIDE)
@pytest.mark.parametrize("M", [1, 2, 7, 64, 300])  # tabulated and computed, a power of two or not
def test_the_batched_machine_computes_the_wide_set(op, M):
    values = np.arange(M)
    found = outputs(isa.WIDE, isa.WIDE.code[op], values.repeat(M), np.tile(values, M), M)
    assert found.tolist() == [WIDE[op](a, b, M) for a in range(M) for b in range(M)]


def signed(a, M):
    return a - M if a >= M / 2 else a


BITS = {
    "NOT": lambda a, b, M: ~a % M,
    "NEG": lambda a, b, M: -a % M,
    "SAR": lambda a, b, M: (signed(a, M) >> b) % M,
    "SLT": lambda a, b, M: int(signed(a, M) < signed(b, M)) % M,
    "SLE": lambda a, b, M: int(signed(a, M) <= signed(b, M)) % M,
}


def test_the_set_of_bits_numbers_what_is_required_as_the_paper_s_does():
    assert {*isa.BITS.names} <= {*isa.WIDE.names, *BITS}
    assert all(isa.BITS.code[op] == isa.PAPER.code[op] for op in isa.Op)
    assert pickle.loads(pickle.dumps(isa.BITS)) is isa.BITS and isa.load("bits") is isa.BITS
    assert repr(isa.BITS) == "BITS"


@pytest.mark.parametrize("op", BITS)
@pytest.mark.parametrize("M", [1, 2, 7, 64, 300])
def test_the_batched_machine_computes_the_set_of_bits(op, M):
    values, taken = np.arange(M), isa.BITS[op].operands
    found = outputs(isa.BITS, isa.BITS.code[op], values.repeat(M), np.tile(values, M), M)
    wanted = [BITS[op](a, b if taken == 2 else 0, M) for a in range(M) for b in range(M)]
    assert found.tolist() == wanted


READ = 'Instruction("READ", 1, effect=Effect.READ)'
WRONG = {
    "table = PAPER": "no INSTRUCTIONS, expected a sequence such as (*PAPER, MUL)",
    "INSTRUCTIONS = (*PAPER, 3)": "3 is no row of the table, expected an Instruction",
    "INSTRUCTIONS = (*PAPER, *PAPER[2:3])": "2 instructions are called INC, expected one",
    "INSTRUCTIONS = PAPER[1:]": "0 instructions with the effect STOP, expected one",
    f"INSTRUCTIONS = (*PAPER[:8], {READ.replace('1', '2')}, *PAPER[9:])": "READ takes 2 operands, expected 1",
    'INSTRUCTIONS = (*PAPER, Instruction("mul", 2))': "'mul' is not a name for an instruction",
    'INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b))': "MUL outputs 4 for 2 and 2"
    " with M = 3, expected a number from 0 to 2",
    'INSTRUCTIONS = (*PAPER, Instruction("HALF", 1, lambda a, b, M: a / 2))': "HALF outputs 0.0 for 0 and"
    " 0 with M = 2, expected a number from 0 to 1",
    'INSTRUCTIONS = (*PAPER, Instruction("DIV", 2, lambda a, b, M: a // b))': "DIV outputs an error"
    " (integer division or modulo by zero) for 0 and 0 with M = 2, expected a number from 0 to 1",
    "INSTRUCTIONS = (*PAPER[:4], *PAPER[5:])": "the instruction ADD of the paper is missing, and every set needs it",
    "INSTRUCTIONS = (*PAPER[:5], *PAPER[6:])": "the instruction SUB of the paper is missing, and every set needs it",
    "1 / 0": "division by zero, expected a Python file with INSTRUCTIONS",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_what_is_wrong_with_a_file_of_instructions(text, message, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"from anc.isa import PAPER, Effect, Instruction\n{text}\n")
    with pytest.raises(AncError) as problem:
        isa.load(str(path))
    assert problem.value.message == f"{path}: {message}"


def test_a_file_of_instructions_that_is_not_there():
    with pytest.raises(AncError, match=r"^nowhere.py: .*No such file.*, expected a Python file"):
        isa.load("nowhere.py")


def test_a_file_of_instructions():
    rows = isa.load(str(Path(__file__).parent / "mul.py"))
    assert rows[:-1] == isa.PAPER.rows
    assert (rows[-1].name, rows[-1].output(5, 7, 10)) == ("MUL", 5)


def test_instructions_by_meaning_and_effect():
    assert isa.PAPER.with_meaning(isa.add) == isa.PAPER.code["ADD"]
    assert (
        isa.PAPER.with_meaning(isa.zero) == isa.PAPER.code["ZERO"]
    )  # not STOP, which outputs 0 too
    assert isa.PAPER.with_meaning(lambda a, b, M: 1) is None
    assert isa.PAPER.JUMP == isa.PAPER.code["JEZ"] == isa.PAPER.JUMP


def test_two_sets_are_equal_if_their_rows_do_the_same():
    def with_product() -> isa.InstructionSet:
        product = isa.Instruction("MUL", 2, lambda a, b, M: a * b % M)
        return isa.InstructionSet((*isa.PAPER, product))

    one, other = with_product(), with_product()
    assert one == other and hash(one) == hash(other) and one != isa.PAPER
    square = isa.Instruction("MUL", 2, lambda a, b, M: a * a % M)
    assert one != isa.InstructionSet((*isa.PAPER, square))


def test_sets_are_pickled_with_their_functions():
    product = isa.Instruction("MUL", 2, lambda a, b, M: a * b % M)
    here = isa.InstructionSet((*isa.PAPER, product))
    of_file = isa.load(str(Path(__file__).parent / "mul.py"))
    for one in (isa.PAPER, here, of_file):
        back = pickle.loads(pickle.dumps(one))
        assert back == one and hash(back) == hash(one)
        assert back.rows[-1].output(3, 4, 7) == one.rows[-1].output(3, 4, 7)
    assert pickle.loads(pickle.dumps(isa.PAPER)) is isa.PAPER


def test_a_program_knows_its_instructions():
    of_file = isa.load(str(Path(__file__).parent / "mul.py"))
    lines = (Line("MUL", 0, 0, 0), Line("STOP", None, None, 0))
    program = Program(lines, (3,), instructions=of_file)
    assert program.row(program.lines[0]).output(3, 3, 7) == 2
    with pytest.raises(AncError, match="unknown instruction 'MUL'"):
        Program(lines, (3,))

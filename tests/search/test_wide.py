"""The search with more instructions than the paper's: loops that one instruction replaces."""

from __future__ import annotations

from random import Random

import pytest

from anc.compiler import compile_source
from anc.data.tasks.cases import Case
from anc.isa import PAPER, WIDE, Instruction, InstructionSet
from anc.language import Source
from anc.machine import exact
from anc.program import Program
from anc.search import Search, SearchSettings

LOOP = """
memory {M}
var a = READ(0)
var b = READ(1)
var n = 0
var s = 0
var t = 0
l: t = SUB(n, b)
JEZ(t, e)
s = ADD(s, a)
n = INC(n)
JEZ(0, l)
e: s = ADD(s, 5)
WRITE(2, s)
STOP()
"""
STEPS_OF_20 = """
memory 256
var x = READ(0)
var q = 0
var t = 0
l: t = MAX(x, 19)
t = SUB(t, 19)
JEZ(t, e)
x = SUB(x, 20)
q = INC(q)
JEZ(0, l)
e: WRITE(1, q)
WRITE(2, x)
STOP()
"""
MINE = InstructionSet((*PAPER, Instruction("TIMES", 2, lambda a, b, M: a * b % M)))


def searched(text: str, instructions: InstructionSet, tapes: list[list[int]]) -> Program:
    program = compile_source(Source(text.strip()), instructions=instructions).program
    M = program.memory
    assert M is not None
    inputs = [tuple(tape + [0] * (M - len(tape))) for tape in tapes]
    outputs = [tuple(exact.run(program, tape, 9_999).tape) for tape in inputs]
    cases = [Case(tape, out, (True,) * M) for tape, out in zip(inputs, outputs, strict=True)]
    search = Search(program, cases, M, SearchSettings(methods=("plans",)))
    search.run()
    return search.best.program


def operations(program: Program) -> list[str]:
    return sorted(line.op for line in program.lines)


@pytest.mark.parametrize(("instructions", "product"), [(WIDE, "MUL"), (MINE, "TIMES")])
def test_a_loop_of_additions_becomes_a_product(instructions, product) -> None:
    """Also by an instruction of the user's own, whatever its name is."""
    random = Random(1)
    tapes = [[random.randrange(60), random.randrange(9)] for _ in range(60)]
    found = searched(LOOP.format(M=64), instructions, tapes)
    assert operations(found) == sorted(["READ", "READ", product, "ADD", "WRITE", "STOP"])


def test_a_loop_of_subtractions_becomes_a_quotient_and_a_remainder() -> None:
    found = searched(STEPS_OF_20, WIDE, [[n] for n in range(0, 256, 3)])
    assert operations(found) == ["DIV", "MOD", "READ", "STOP", "WRITE", "WRITE"]


def test_the_largest_memory_is_searched() -> None:
    random = Random(2)
    tapes = [[random.randrange(6000), random.randrange(9)] for _ in range(40)]
    found = searched(LOOP.format(M=65_536), WIDE, tapes)
    assert operations(found) == sorted(["READ", "READ", "MUL", "ADD", "WRITE", "STOP"])


def test_one_instruction_tells_cases_apart() -> None:
    """A remainder, a mask, or 32 * x modulo 64: the program itself counts down."""
    text = """
memory 64
var x = READ(0)
var k = x
l: JEZ(k, even)
k = DEC(k)
JEZ(k, odd)
k = DEC(k)
JEZ(0, l)
even: WRITE(1, 9)
STOP()
odd: WRITE(2, x)
WRITE(1, x)
STOP()
""".replace("var k = x", "var k\nk = READ(0)")
    found = searched(text, WIDE, [[n] for n in range(64)])
    assert found.L == 8 and "DEC" not in operations(found)

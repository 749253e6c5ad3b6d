"""Emitted functions run and compared: in this process, or compiled with all warnings and sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

from proof.random_programs import branching_program
from search.random_programs import random_program, random_tape

from anc.codegen.c import cell_type
from anc.isa import PAPER, InstructionSet
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.program import Line, Program

COMPILER = shutil.which("cc")
FLAGS = [
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=undefined,address",
    "-fno-sanitize-recover",
]
MAX_STEPS = 500


def any_program(random: Random, M: int, instructions: InstructionSet = PAPER) -> Program:
    """A program of one of several kinds: wild, branching, or with a jump that is computed."""
    kind = random.random()
    if kind < 0.4:
        return random_program(random, M, instructions=instructions)
    program = branching_program(random, max(M, 6), instructions)
    if kind < 0.8:
        return program
    lines, target = list(program.lines), program.R  # some jumps go where the tape says
    lines[0] = Line("READ", lines[0].first, None, target)
    for number, line in enumerate(lines):
        if line.op == "JEZ" and random.random() < 0.5:
            lines[number] = Line("JEZ", line.first, target, line.out)
    registers = (*program.registers, 0)
    return Program(tuple(lines), registers, memory=max(M, 6), instructions=instructions)


def finished_runs(program: Program, M: int, random: Random, count: int) -> list[tuple]:
    """Random tapes on which a program ends, by STOP or past its last line, and how it ends."""
    found = []
    for _ in range(count):
        tape = random_tape(random, M)
        run = exact.run(program, tape, MAX_STEPS)
        if run.stop is not Stop.STEP_LIMIT:
            found.append((tape, run))
    return found


def python_run(text: str, name: str, tape: Sequence[int]) -> tuple[tuple[int, ...], Stop]:
    """The tape that a function of Python leaves, and how it ended."""
    space: dict = {}
    exec(text, space)
    cells = list(tape)
    try:
        space[name](cells)
    except RuntimeError:
        return tuple(cells), Stop.PAST_END
    return tuple(cells), Stop.STOPPED


def c_unit(functions: Sequence[tuple[str, int, list[str], Sequence[tuple[Sequence[int], Run]]]]):
    """One file with many functions (name, M, lines, runs) and a main that prints those that differ."""
    lines = [f"#include <{name}.h>" for name in ("assert", "stdint", "stdio", "string")]
    calls = []
    for name, M, text, runs in functions:
        lines += text
        if not runs:
            continue
        cell = cell_type(M)
        rows = ",".join(f"{{{_row(tape)},{_row(run.tape)}}}" for tape, run in runs)
        lines.append(f"static {cell} {name}_runs[{len(runs)}][2][{M}] = {{{rows}}};")
        calls += [
            f"for (int i = 0; i < {len(runs)}; i++) {{",
            f"    {name}({name}_runs[i][0]);",
            f"    if (memcmp({name}_runs[i][0], {name}_runs[i][1], sizeof {name}_runs[i][0]) != 0)",
            f'        puts("{name}");',
            "}",
        ]
    return "\n".join([*lines, "int main(void) {", *calls, "return 0; }"])


def _row(tape: Sequence[int]) -> str:
    return "{" + ",".join(map(str, tape)) + "}"


def c_output(text: str, folder: Path, *flags: str) -> str:
    """What a program of C prints; fails with the compiler's or the sanitizers' words."""
    binary = compiled_c(text, folder, *flags)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[:4000] + done.stderr[:4000]
    return done.stdout


def compiled_c(text: str, folder: Path, *flags: str) -> Path:
    """The program of C itself."""
    assert COMPILER is not None
    source, binary = folder / "unit.c", folder / "unit"
    source.write_text(text)
    done = subprocess.run(
        [COMPILER, *FLAGS, *flags, str(source), "-o", str(binary)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[:4000]
    return binary

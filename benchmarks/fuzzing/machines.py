"""Programs on tapes: every machine, pass and printer against the exact machine."""

from __future__ import annotations

from random import Random

import numpy as np
from codegen.emitted import c_unit, python_run
from proof.random_programs import branching_program
from proof.random_programs import random_program as wild_program

from anc.isa import WIDE
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.program import Program
from fuzzing.entry import Entry, Parts, Wrong, must, same
from fuzzing.in_c import HAS_COMPILER, prints_nothing
from fuzzing.machines_made import (
    any_program,
    program_of,
    program_text,
    random_program,
    tapes_of,
    tapes_text,
)

STEPS = 120
SOFT_SIZES = ((4, 3), (7, 4))  # few: the soft machine is compiled for each
SOFT_STEPS = 20


def make(random: Random) -> Parts:
    M = random.choice((1, 2, 3, 5, 6, 8, 12, 20))
    program = any_program(random, M)
    M = max(M, program.smallest_memory)
    return {"program": program_text(program, M), "tapes": tapes_text(random, M, 4)}


def make_wide(random: Random) -> Parts:
    """With operations, and ways that part and meet again."""
    M = random.choice((1, 2, 3, 5, 6, 8, 12, 20))
    wild = M < 6 or random.random() < 0.3
    program = (
        wild_program(random, M, instructions=WIDE) if wild else branching_program(random, M, WIDE)
    )
    return {"program": program_text(program, M), "tapes": tapes_text(random, M, 4)}


def runs_of(parts: Parts) -> tuple[Program, int, list[tuple[tuple[int, ...], Run]]]:
    """The program, its memory, and its runs on the exact machine."""
    program = program_of(parts["program"])
    assert program.memory is not None
    tapes = tapes_of(parts["tapes"], program.memory)
    return program, program.memory, [(tape, exact.run(program, tape, STEPS)) for tape in tapes]


def seen(run: Run) -> tuple[object, ...]:
    return run.tape, run.steps, run.stop


def check_batch(parts: Parts) -> bool:
    from batched import run

    from anc.machine import batch

    program, _, runs = runs_of(parts)
    for tape, wanted in runs:
        same("batched machine", seen(run(program, tape, STEPS)), seen(wanted))
    if runs:
        found = batch.run_all(program, np.array([tape for tape, _ in runs], np.uint16), STEPS)
        same("batched tapes", found.tapes.tolist(), [list(run.tape) for _, run in runs])
        same("batched steps", found.steps.tolist(), [run.steps for _, run in runs])
    return True


def check_clean(parts: Parts) -> bool:
    """Cleaning changes no tape and adds no step; a specialised program is right where it should be."""
    from anc.search.clean import clean, specialise

    program, M, runs = runs_of(parts)
    cleaned = clean(program, M)
    for tape, wanted in runs:
        if wanted.stop is Stop.STOPPED:
            found = exact.run(cleaned, tape, STEPS)
            same("cleaned", (found.tape, found.stop), (wanted.tape, wanted.stop))
            if found.steps > wanted.steps:
                raise Wrong(f"cleaned: {found.steps} steps instead of {wanted.steps}")
    for tape, _ in runs[:2]:
        known = {cell: tape[cell] for cell in range(0, M, 2)}
        special = specialise(program, known, M)
        for other, _ in runs:
            mixed = tuple(known.get(cell, value) for cell, value in enumerate(other))
            meant = exact.run(program, mixed, STEPS)
            if meant.stop is Stop.STOPPED:
                found = exact.run(special, mixed, STEPS)
                same("specialised", (found.tape, found.stop), (meant.tape, meant.stop))
    return True


def check_python(parts: Parts) -> bool:
    from anc.codegen import to_python

    program, M, runs = runs_of(parts)
    text = to_python(program, M, "f")
    for tape, wanted in runs:
        if wanted.stop is not Stop.STEP_LIMIT:
            same("emitted Python", python_run(text, "f", tape), (wanted.tape, wanted.stop))
    return True


def make_c(random: Random) -> Parts:
    """Many programs for one call of the compiler."""
    many = [make(random) for _ in range(30)]
    return {f"{name}{i}": text for i, parts in enumerate(many) for name, text in parts.items()}


def check_c(parts: Parts) -> bool:
    from anc.codegen.c_text import c_function

    if not HAS_COMPILER:
        return False
    functions = []
    for name in parts:
        if name.startswith("program") and parts[name].strip():
            number = name.removeprefix("program")
            program, M, runs = runs_of({"program": parts[name], "tapes": parts[f"tapes{number}"]})
            ended = [each for each in runs if each[1].stop is Stop.STOPPED]
            functions.append((f"f{number}", M, c_function(program, M, f"f{number}", ["-"]), ended))
    prints_nothing("emitted C", c_unit(functions))
    return True


def make_soft(random: Random) -> Parts:
    M, R = random.choice(SOFT_SIZES)
    program = random_program(random, M, R)
    registers = tuple(value or 0 for value in program.registers) + (0,) * (R - program.R)
    full = Program(program.lines, registers, program.start, memory=M)
    return {"program": full.to_json(), "tapes": tapes_text(random, M, 2)}


def check_soft(parts: Parts) -> bool:
    """At high sharpness the soft machine does what the exact one does; the weights read back, too."""
    from anc.machine.interpretability import read_back
    from anc.machine.softrun import run_soft
    from anc.machine.weights import soften

    program = Program.from_json(parts["program"])
    M = program.memory
    if (M, program.R) not in SOFT_SIZES or M is None:
        return False
    weights = soften(program, M, sharpness=80)
    tapes = tapes_of(parts["tapes"], M)[:2]
    if len(tapes) != 2:
        return False
    runs = [exact.run(program, tape, SOFT_STEPS) for tape in tapes]
    if any(run.stop is Stop.PAST_END for run in runs):
        return True  # the rows behind the program are random
    found = run_soft(weights, tapes, SOFT_STEPS)
    for run, wanted in zip(found, runs, strict=True):
        same("soft machine", seen(run), seen(wanted))
    if all(run.stop is Stop.STOPPED for run in runs):
        with must("reading back"):
            reading = read_back(weights, tapes, SOFT_STEPS)
        same("type of exact weights", reading.kind, 1)
        same("read back", reading.program, program)
    return True


def make_trace(random: Random) -> Parts:
    return make(random)


def check_trace(parts: Parts) -> bool:
    from anc.machine.text import trace_exact

    program, _, runs = runs_of(parts)
    for tape, wanted in runs[:2]:
        found = trace_exact(program, tape, STEPS)
        same("trace", seen(found.run), seen(wanted))
        same("rows of a trace", len(found.run.trace), wanted.steps)
        str(found)
    return True


def warm_batch() -> None:
    check_batch(make(Random(0)))


def warm_soft() -> None:
    for seed in range(40):
        check_soft(make_soft(Random(seed)))


ENTRIES = (
    Entry("machine-batched", make, check_batch, share=120, warm=warm_batch),
    Entry("machine-clean", make, check_clean, share=100, seconds=10, warm=warm_batch),
    Entry("machine-clean-wide", make_wide, check_clean, share=100, seconds=10, warm=warm_batch),
    Entry("machine-python", make, check_python, share=100),
    Entry("machine-trace", make_trace, check_trace, share=40),
    Entry("machine-soft", make_soft, check_soft, share=80, seconds=10, warm=warm_soft, tested=0),
    Entry("machine-c", make_c, check_c, share=4, seconds=60, tested=0),
)

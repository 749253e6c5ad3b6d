"""Programs and tapes, fast and from a seed: wild ones, and ones whose ways part and meet again."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from codegen.emitted import any_program as emitted_program
from proof.random_programs import mutated
from search.random_programs import random_program, random_tape

from anc.compiler import to_text
from anc.compiler.pipeline import compile_source
from anc.language.source import Source
from anc.machine.tapes import fill, parse_tape
from anc.program import Program
from anc.support.diagnostics import AncError

__all__ = ["any_program", "edge_tape", "mutated", "program_of", "random_program", "tapes_of"]


def any_program(random: Random, M: int) -> Program:
    """A program of one of several kinds that fits in M cells, or in a few more."""
    return random_program(random, M) if random.random() < 0.3 else emitted_program(random, M)


def edge_tape(random: Random, M: int) -> tuple[int, ...]:
    """A tape of any numbers, of small ones, or of the first and the last ones."""
    kind = random.random()
    if kind < 0.5:
        return random_tape(random, M)
    pool = [0, 1, 2] if kind < 0.8 else [0, 1, M // 2, M - 2, M - 1]
    return tuple(random.choice(pool) % M for _ in range(M))


def program_text(program: Program, M: int) -> str:
    """A listing for M cells, whatever the program was made for."""
    return to_text(replace(program, memory=M))


def tapes_text(random: Random, M: int, count: int) -> str:
    return "\n".join(" ".join(map(str, edge_tape(random, M))) for _ in range(count))


def program_of(text: str) -> Program:
    """The program of a part; one that says no memory has none that can be tried."""
    program = compile_source(Source(text)).program
    if program.memory is None:
        raise AncError("the program says no memory")
    return program


def tapes_of(text: str, M: int) -> list[tuple[int, ...]]:
    """The tapes of a part."""
    return [fill(parse_tape(line), M) for line in text.split("\n") if line.strip()]

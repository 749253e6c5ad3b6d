"""What a user of anc writes; it is checked as strictly as mypy can, and never run."""

from pathlib import Path
from typing import Annotated

import anc
from anc.codegen import guarded_python
from anc.isa import PAPER, Instruction
from anc.proof import parse_fact
from anc.python.recording import read_calls


@anc.function(memory=64)
def count_above(values: Annotated[list[int], anc.Size(8)], limit: int) -> int:
    return sum(v > limit for v in values)


def shorter(name: str, folder: Path) -> float:
    """How much faster a program gets; everything that it touches has a type."""
    program: anc.Program = anc.compile("var x = READ(0); WRITE(1, x); STOP()", memory=10)
    tape: tuple[int, ...] = anc.run(program, [3]).tape
    weights = anc.soften(program, sharpness=5.0, seed=1)
    shape: tuple[int, ...] = weights.op.shape
    anc.save(weights, folder / "program.safetensors")
    again: anc.Program = anc.harden(weights)
    listing: str = str(again) + str(anc.trace(again, tape))
    try:
        found = anc.adapt(name, budget=10.0, method="search", assume=["tape[0] == 3"])
    except anc.AncError as problem:
        print(problem.message, problem.help, listing, shape)
        return 0.0
    proved: bool = found.verdict.proved
    facts: tuple[str, ...] = found.precondition
    print(proved, facts, anc.train(name, seeds=8).generic_steps, anc.__version__)
    filled = anc.fill("memory 8; WRITE(0, ?); STOP()", [{"input": [3], "output": [5]}])
    text: str = filled.text
    recorded = anc.record(count_above, folder / "calls.jsonl")
    call: int = recorded([3, 9, 1], 2) + len(text)
    deployed = anc.adapt(recorded, folder / "calls.jsonl")
    deployed.save(folder)
    again_called = count_above.result(anc.run(count_above, count_above.tape([3], 2)).tape)
    return found.steps_generic - found.steps_adapted + call + int(again_called or 0)


@anc.function(memory=20)
def scaled(x: int) -> int:
    return x + int(anc.hole((0, 1, 2)))


def opened() -> str:
    """A function with holes."""
    return anc.fill(scaled, [([3], 5)]).text


def scored(inputs: list[list[int]]) -> float:
    """An objective in place of answers."""
    better = anc.adapt("access", objective=lambda given, final: final[0], inputs=inputs)
    return better.comparison.adapted


INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))


def pasted(path: Path) -> str:
    """What is imported from inside anc."""
    fact = parse_fact("tape[0] == 3", 10)
    program = anc.compile("STOP()", memory=10)
    calls = len(read_calls(path).calls)
    return guarded_python(program, program, [fact], 10, f"function_{calls}")

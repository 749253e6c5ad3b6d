"""Tapes, calls and cases that people write: as texts, as JSON lines, as Python objects, as recordings."""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from python.interpreter import TooLong, meaning

from anc.data.loading import Loaded, load, of_function
from anc.data.tasks.cases import Case
from anc.data.tasks.data import Given, cases_text
from anc.language.source import Source
from anc.machine.exact import Stop, run
from anc.machine.tapes import fill, parse_tape
from anc.program import Program
from anc.python.function import read
from anc.python.source import parse
from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong, must, same
from fuzzing.examine import fault_of_message
from fuzzing.machines_made import edge_tape
from fuzzing.mutate import NUMBERS, VALUES, mutated_json, mutated_text

FUNCTION = """
import anc
from typing import Annotated

@anc.function(memory=40)
def chosen(x: int, values: Annotated[list[int], anc.Size(up_to=3)], y: int) -> int:
    assert x < 30
    values[0] += y
    return values[x % 3] if x > y else x + y
"""
PROGRAMS = ("access", "swap", "increment")


@cache
def function() -> Loaded:
    module = parse(Source(FUNCTION, "chosen.py"))
    return of_function(read(module, module.functions["chosen"]))


# -- texts ----------------------------------------------------------------------------------


def make_tape(random: Random) -> Parts:
    M = random.choice((1, 3, 10, 300))
    text = random.choice((" ", ", ", ",")).join(
        map(str, edge_tape(random, M)[: random.randint(0, 12)])
    )
    if random.random() < 0.7:
        text = mutated_text(random, text, NUMBERS)
    return {"tape": text, "memory": random.choice((str(M), str(M), random.choice(NUMBERS)))}


def check_tape(parts: Parts) -> bool:
    cells = parse_tape(parts["tape"])
    if not parts["memory"].isdecimal():
        raise AncError("no memory")
    M = int(parts["memory"])
    tape = fill(cells, M)
    same("cells", (len(tape), tape[: len(cells)], any(tape[len(cells) :])), (M, cells, False))
    same("values", all(type(value) is int and 0 <= value < M for value in tape), True)
    return True


def make_call(random: Random) -> Parts:
    some = [random.randrange(40) for _ in range(random.randint(0, 4))]
    text = f"{random.randrange(40)}, {some}, {random.randrange(40)}"
    if random.random() < 0.2:
        text = f"{random.randrange(40)}, y={random.randrange(40)}, values={some}"
    if random.random() < 0.7:
        text = mutated_text(
            random, text, (*NUMBERS, "x=", "values=", "y=", "None", "True", "*[1]", "**{}")
        )
    return {"call": text}


def check_call(parts: Parts) -> bool:
    """The machine leaves what the function means on the tape of a call."""
    found = function().function
    assert found is not None
    arguments = found.arguments(parts["call"])
    tape = found.tape(*arguments)
    try:
        meant = meaning(found, tape)
    except TooLong:
        return False
    done = run(found.program, tape, 10_000)
    same(
        "call",
        (done.stop, done.tape, found.layout.result_of(done.tape)),
        (Stop.STOPPED, meant.tape, meant.result),
    )
    with must("the call in words"):
        found.call_text(tape)
        found.in_python(*arguments)
    return True


# -- cases ----------------------------------------------------------------------------------


def line_of(random: Random, M: int, program: Program) -> Any:
    """A case as it may stand in a file."""
    tape = edge_tape(random, M)
    n = random.randint(1, M)
    line: dict[str, Any] = {"input": list(tape[:n])}
    done = run(program, fill(tape[:n], M), 1_000)
    if random.random() < 0.5:
        line["output"] = list(done.tape)
    if random.random() < 0.3:
        line["mask"] = [random.choice((0, 1)) for _ in range(random.choice((n, M)))]
    return line


def make_lines(random: Random) -> Parts:
    name = random.choice(PROGRAMS)
    program = load(name).program
    lines = [line_of(random, program.memory or 10, program) for _ in range(random.randint(1, 5))]
    lines = [mutated_json(random, x, 1) if random.random() < 0.2 else x for x in lines]
    text = "\n".join(map(json.dumps, lines))
    if random.random() < 0.4:
        text = mutated_text(random, text, ('"input"', "[", "]", "{", "}", "null", "true", *NUMBERS))
    return {"program": name, "lines": text, "memory": random.choice(("", "", "", "20", "5", "0"))}


def written(name: str, text: str) -> Path:
    """A file with this text, whatever it is."""
    path = Path(name)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def check_lines(parts: Parts) -> bool:
    """Cases that are accepted are what the program does; written and read again they are the same."""
    if parts["program"] not in PROGRAMS:
        raise AncError("no such program")
    program = load(parts["program"]).program
    M = int(parts["memory"]) if parts["memory"].isdecimal() else program.memory
    path = written("cases.jsonl", parts["lines"])
    cases = Given.in_file(path).cases(program, M, 1_000)
    assert M is not None
    right(cases, program, M)
    with must("the cases as text"):
        same(
            "cases again",
            Given.in_file(written("again.jsonl", cases_text(cases))).cases(program, M, 1_000),
            cases,
        )
        same("inputs", Given.in_file(path).inputs(M), [case.input for case in cases])
    if all('"output"' in line for line in parts["lines"].split("\n") if line.strip()):
        try:
            given = Given.in_file(path).answered(M)
        except AncError as problem:  # an output may be null, which is none
            if "'output' is missing" not in problem.message:
                raise Wrong(f"given cases are refused: {problem}") from None
        else:
            same("given cases", [case.input for case in given], [case.input for case in cases])
    return True


def right(cases: list[Case], program: Program, M: int) -> None:
    for case in cases:
        done = run(program, case.input, 1_000)
        same("lengths", {len(case.input), len(case.output), len(case.mask)}, {M})
        same("stop", done.stop, Stop.STOPPED)
        if not case.is_right(done.tape):
            raise Wrong(f"a case that is accepted is wrong: {case}")


def make_objects(random: Random) -> Parts:
    return {"seed": str(random.getrandbits(32))}


def check_objects(parts: Parts) -> bool:
    """Cases as objects of Python: numpy's, floats, generators, anything."""
    random = Random(parts["seed"])
    program = load("access").program
    made = [_object(random, line_of(random, 10, program)) for _ in range(random.randint(0, 3))]
    accepted = False
    for read_objects in (Given.answered, partial(Given.inputs, unanswered=True)):
        try:
            found: Any = read_objects(Given.listed(made), 10)
        except AncError as problem:
            same("message", fault_of_message(str(problem)), "")
            continue
        accepted = True
        for each in found:
            tape = each.input if isinstance(each, Case) else each
            same(
                "cells", all(type(v) is int and 0 <= v < 10 for v in tape) and len(tape) == 10, True
            )
    return accepted


def _object(random: Random, line: Any) -> Any:
    kind = random.random()
    if kind < 0.3:
        return mutated_json(random, line, 1)
    if kind < 0.5:
        dtype = random.choice((np.int64, np.uint8, np.float32, np.bool_, object))
        return {key: np.array(value, dtype) for key, value in line.items()}
    if kind < 0.6:
        return {key: iter(value) for key, value in line.items()}
    if kind < 0.8:
        return random.choice(
            (line["input"], tuple(line["input"]), range(4), b"12", bytearray(b"12"), object())
        )
    return random.choice((line, random.choice(VALUES)))


ENTRIES = (
    Entry("tape-text", make_tape, check_tape, share=250),
    Entry("call-text", make_call, check_call, share=120),
    Entry("data-lines", make_lines, check_lines, share=200),
    Entry("data-objects", make_objects, check_objects, share=150),
)

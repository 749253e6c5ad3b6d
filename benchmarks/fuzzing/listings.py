"""Texts of programs: listings and JSON, there and back again."""

from __future__ import annotations

import json
from random import Random

from anc.adaptation.holes.reading import sketch_of
from anc.compiler import compile_source, to_text
from anc.data.loading import compiled
from anc.language.source import Source, decode
from anc.machine.exact import run
from anc.machine.weights import harden, soften
from anc.program import Program, intermediate
from fuzzing.entry import Entry, Parts, must, same
from fuzzing.examine import fault_of_message
from fuzzing.listings_made import WORDS, any_listing, listing
from fuzzing.machines_made import any_program, edge_tape
from fuzzing.mutate import mutated_bytes, mutated_json, mutated_text


def make_listing(random: Random) -> Parts:
    return {
        "text": any_listing(random),
        "memory": random.choice(["", "", "", "5", "20", "0", "-3"]),
    }


def check_listing(parts: Parts) -> bool:
    """A text that compiles is printed, read again, written as JSON and softened without a change."""
    memory = int(parts["memory"] or "0") if parts["memory"].lstrip("-").isdigit() else 0
    found = compile_source(Source(parts["text"]), memory if parts["memory"] else None)
    message = found.rendered_warnings()
    same("warnings", fault_of_message(message or "none"), "")
    comes_back(found.program)
    return True


def comes_back(program: Program) -> None:
    """What is written of a program and read again is the program."""
    text = to_text(program)
    with must("the printed program"):
        again = compile_source(Source(text)).program
    same("printed and parsed", again, program)
    same("frozen lines", again.frozen, program.frozen)
    same("memory", again.memory, program.memory)
    with must("the program's JSON"):
        stored = Program.from_json(program.to_json())
    same("JSON", (stored, stored.names, stored.memory), (program, program.names, program.memory))
    intermediate(program)
    if program.memory is not None and program.memory <= 64:
        with must("the softened program"):
            same("softened and hardened", harden(soften(program, sharpness=5.0)), program)


def make_bytes(random: Random) -> Parts:
    text = (
        (listing if random.random() < 0.7 else any_listing)(random)
        .encode("utf-8", "replace")
        .decode("latin-1")
    )
    return {"bytes": mutated_bytes(random, text)}


def check_bytes(parts: Parts) -> bool:
    source = decode(parts["bytes"].encode("latin-1", "replace"), "bytes.anc")
    comes_back(compiled(source).program)
    return True


def make_program_json(random: Random) -> Parts:
    data = json.loads(any_program(random, random.choice((2, 5, 9))).to_json())
    if random.random() < 0.2:
        return {"json": mutated_text(random, json.dumps(data))}
    return {"json": json.dumps(mutated_json(random, data))}


def check_program_json(parts: Parts) -> bool:
    comes_back(compiled(Source(parts["json"], "program.json")).program)
    return True


def make_sketch(random: Random) -> Parts:
    text = listing(random, random.choice((4, 10)), holes=0.15)
    return {"text": mutated_text(random, text, WORDS) if random.random() < 0.4 else text}


def check_sketch(parts: Parts) -> bool:
    """A sketch filled in any way is the program that its text says it is."""
    sketch = sketch_of(Source(parts["text"]))
    random = Random(parts["text"].encode("utf-8", "replace"))
    for _ in range(3):
        filling = [random.randrange(len(hole.choices)) for hole in sketch.holes]
        program = sketch.filled(filling)
        with must("the filled text"):
            wanted = sketch.finished(filling)
        for _ in range(3):
            tape = edge_tape(random, sketch.M)
            found, meant = run(program, tape, 100), run(wanted, tape, 100)
            same("filled", (found.tape, found.steps), (meant.tape, meant.steps))
    return True


ENTRIES = (
    Entry("listing", make_listing, check_listing, share=400),
    Entry("listing-bytes", make_bytes, check_bytes, share=160),
    Entry("program-json", make_program_json, check_program_json, share=160),
    Entry("sketch", make_sketch, check_sketch, share=80),
)

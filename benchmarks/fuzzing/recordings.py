"""Recorded calls: what processes leave that end at any moment, damaged in any way."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from random import Random

from anc.data.tasks.data import Given
from fuzzing.data import function, right, written
from fuzzing.entry import Entry, Parts, same
from fuzzing.examine import fault_of_message
from fuzzing.mutate import NUMBERS, mutated_bytes, mutated_json, mutated_text


def make_recorded(random: Random) -> Parts:
    calls = [
        [
            random.randrange(45),
            [random.randrange(45) for _ in range(random.randint(0, 4))],
            random.randrange(45),
        ]
        for _ in range(random.randint(0, 5))
    ]
    calls = [mutated_json(random, call, 1) if random.random() < 0.2 else call for call in calls]
    lines = "\n".join(map(json.dumps, calls)) + "\n"
    journal = "".join(json.dumps([k, k + 1, call]) + "\n" for k, call in enumerate(calls))
    about = {sha256(lines.encode()).hexdigest(): {"seen": len(calls), "merged": []}}
    count = json.dumps(mutated_json(random, about) if random.random() < 0.5 else about)
    parts = {"calls": lines, "count": count, "journal": journal}
    for name in parts:
        if random.random() < 0.3:
            parts[name] = mutated_text(random, parts[name], NUMBERS)
        if random.random() < 0.1:
            parts[name] = mutated_bytes(
                random, parts[name].encode("utf-8", "replace").decode("latin-1")
            )
    if random.random() < 0.3:
        parts[random.choice(list(parts))] = ""
    return parts


def check_recorded(parts: Parts) -> bool:
    """What fits of recorded calls are right cases; a torn or foreign file is refused."""
    loaded = function()
    files = {
        "calls.jsonl": "calls",
        "calls.jsonl.count": "count",
        "calls.jsonl.1-ab.part": "journal",
    }
    for name, part in files.items():
        Path(name).unlink(missing_ok=True)
        if parts[part]:
            written(name, parts[part])
    given = Given.in_file("calls.jsonl", loaded.call, loaded.real_call)
    cases = given.cases(loaded.program)
    right(cases, loaded.program, 40)
    same("note", fault_of_message(given.note or "none"), "")
    return bool(cases)


ENTRIES = (Entry("recorded-calls", make_recorded, check_recorded, share=150),)

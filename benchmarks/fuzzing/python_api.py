"""What `import anc` offers, called with anything: right answers, or an AncError."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np

import anc
from anc.data import programs
from anc.machine.exact import Stop, run
from anc.machine.tapes import fill
from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.listings_made import any_listing, listing
from fuzzing.machines_made import edge_tape
from fuzzing.mutate import NUMBERS, VALUES, mutated_json

# Of each function: its arguments, each with values that it may well be given.
CALLS: dict[str, dict[str, tuple[Any, ...]]] = {
    "run": {
        "program": ("access", "swap", "memory 5; var x = READ(0); WRITE(1, x); STOP()"),
        "tape": ([3, 1, 2, 3, 4], [1], [0] * 10),
        "memory": (None, None, 10, 20),
        "machine": ("exact",),
        "max_steps": (100, 10_000),
    },
    "trace": {
        "program": ("access", "swap"),
        "tape": ([3, 1, 2, 3, 4], [1]),
        "memory": (None, 10, 12),
        "max_steps": (1, 100),
    },
    "compile": {
        "text": ("var x = READ(0); WRITE(1, x); STOP()", "STOP()", "memory 3; STOP()"),
        "memory": (None, 5, 20),
        "spare": (0, 3),
    },
    "soften": {
        "program": ("access", "swap"),
        "M": (None, 12),
        "sharpness": (5.0, 1),
        "seed": (0, 7),
    },
    "load": {"where": ("access", "nowhere.anc")},
    "score": {"what": ("access",), "cell": (None, 0, 3), "soft": (False, True)},
    "layer": {
        "program": ("memory 5; var x = READ(0); WRITE(1, x); STOP()",),
        "inputs": ([0], 0, "0:2", [0, 3]),
        "output": (1, [1, 2], "1"),
        "mode": ("exact", "soft"),
        "values": (None, 3),
        "unstopped": ("refuse", "drop"),
    },
}


def make_call(random: Random) -> Parts:
    """A call with one or two arguments that are not what they should be."""
    name = random.choice(list(CALLS))
    arguments = {
        key: random.choice(values) for key, values in CALLS[name].items() if random.random() < 0.8
    }
    for _ in range(random.choice((0, 1, 1, 2))):
        key = random.choice(list(CALLS[name]))
        texts = [any_listing(random), *NUMBERS[:6], *programs.names()]
        arguments[key] = random.choice((*VALUES, *texts))
        if isinstance(arguments[key], list) and random.random() < 0.5:
            arguments[key] = mutated_json(random, arguments[key], 2)
    return {"name": name, "arguments": json.dumps(arguments)}


def check_call(parts: Parts) -> bool:
    """What is accepted is right; what is refused is refused with an AncError."""
    try:
        arguments = json.loads(parts["arguments"])
    except ValueError:
        raise AncError("no arguments") from None
    name = parts["name"]
    if name not in CALLS or not isinstance(arguments, dict) or set(arguments) - set(CALLS[name]):
        raise AncError("no such call")
    if any(
        key not in arguments for key in list(CALLS[name])[: 2 if name in ("run", "trace") else 1]
    ):
        raise AncError("an argument is missing")
    found = getattr(anc, name)(**arguments)
    if name == "run":
        _is_right(arguments, found)
    return True


def _is_right(arguments: dict[str, Any], found: Any) -> None:
    """The tape of `anc.run` is the exact machine's."""
    cells = arguments["tape"]
    if any(isinstance(cell, bool) or not isinstance(cell, int) for cell in cells):
        raise Wrong(f"cells that are no numbers are accepted: {cells}")
    if arguments.get("machine", "exact") != "exact":
        return
    text, memory = arguments["program"], arguments.get("memory")
    program = anc.load(text) if text in programs.names() else anc.compile(text, memory)
    tape = fill(cells, memory or program.memory)
    wanted = run(program, tape, arguments.get("max_steps", 10_000))
    same("anc.run", (found.tape, found.steps, found.stop), (wanted.tape, wanted.steps, wanted.stop))


# -- filling and objectives -------------------------------------------------------------------


def make_fill(random: Random) -> Parts:
    text = listing(random, 5, holes=0.15)
    while "?" not in text:
        text = listing(random, 5, holes=0.15)
    hidden = text
    while "?" in hidden:  # a program that may be what was meant
        begin = hidden.index("?")
        rest = hidden[begin + 1 :]
        end = rest.index(")") + 1 if rest.startswith(" in (") else 0
        hidden = hidden[:begin] + random.choice(("ADD", "INC", "1", "x")) + rest[end:]
    cases = []
    for _ in range(random.randint(1, 6)):
        tape = list(edge_tape(random, 5))
        try:
            after = list(run(anc.compile(hidden, 5), tape, 50).tape)
        except AncError:
            after = list(edge_tape(random, 5))
        cases.append({"input": tape, "output": after})
    if random.random() < 0.3:
        cases = mutated_json(random, cases, 1)
    return {"sketch": text, "cases": json.dumps(cases)}


def check_fill(parts: Parts) -> bool:
    """A filling that is called right is right on all cases, and determined choices are counted right."""
    try:
        cases = json.loads(parts["cases"])
    except ValueError:
        raise AncError("no cases") from None
    found = anc.fill(parts["sketch"], cases, budget=0.1, method="search", max_steps=60)
    str(found)
    wrong = 0
    for case in cases:
        done = run(found.program, fill(case["input"], 5), 60)
        mask = case.get("mask") or [1] * 5
        pairs = zip(done.tape, fill(case["output"], 5), [*mask, *[0] * 5], strict=False)
        wrong += done.stop is not Stop.STOPPED or any(a != b for a, b, counts in pairs if counts)
    same("wrong cases of a filling", found.wrong_cases, wrong)
    same("whether it is right", found.is_right, wrong == 0)
    return found.is_right


def make_objective(random: Random) -> Parts:
    M = random.choice((3, 5))
    parts = {"generic": _writing(random, M, random.randrange(M)), "score": _writing(random, M, 0)}
    tapes = [list(edge_tape(random, M)) for _ in range(6)]
    if random.random() < 0.2:
        tapes = mutated_json(random, tapes, 1)
    return parts | {"tapes": json.dumps(tapes), "maximise": random.choice(("", "yes"))}


def _writing(random: Random, M: int, cell: int) -> str:
    """A listing that computes something and writes it."""
    ops = random.choices(("ADD", "SUB", "MIN", "MAX"), k=random.randint(0, M - 3 if M > 3 else 0))
    rows = [f"x = {op}(x, {random.choice(('x', 'y', random.randrange(M)))})" for op in ops]
    first = f"memory {M}; var x = {random.randrange(M)}; var y = {random.randrange(M)}"
    read = f"x = READ({random.choice(('y', random.randrange(M)))})"
    return "; ".join([first, read, *rows, f"WRITE({cell}, x)", "STOP()"])


def check_objective(parts: Parts) -> bool:
    """The scores that a search goes by are those of the score's program on the exact machine."""
    from anc.adaptation.objectives.objective import Objective
    from anc.data.tasks.data import Given

    generic, score = anc.compile(parts["generic"]), anc.compile(parts["score"])
    M = generic.memory
    try:
        tapes = json.loads(parts["tapes"])
    except ValueError:
        raise AncError("no tapes") from None
    if M is None or not isinstance(tapes, list):
        raise AncError("no memory")
    inputs = np.array(Given.listed(tapes).inputs(M, unanswered=True), np.uint16).reshape(-1, M)
    wanted = Objective.of(score, None, bool(parts["maximise"]), M)
    wanted.check(generic, inputs, 200)
    judged = wanted.judged(generic, inputs, 200)
    for tape, value, valid in zip(inputs.tolist(), judged.scores, judged.valid, strict=True):
        final = run(generic, tape, 200)
        same("valid", bool(valid), final.stop is Stop.STOPPED)
        if valid:
            last = run(score, final.tape, 10_000)
            same("score", (float(value), last.stop), (float(last.tape[0]), Stop.STOPPED))
    return True


def warm() -> None:
    check_objective(make_objective(Random(1)))


ENTRIES = (
    Entry("api-call", make_call, check_call, share=80, seconds=20),
    Entry("fill", make_fill, check_fill, share=10, seconds=20, tested=2),
    Entry("objective", make_objective, check_objective, share=50, seconds=20),
)

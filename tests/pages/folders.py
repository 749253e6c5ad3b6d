"""Small folders of every kind that a report can be about."""

import json
from dataclasses import asdict

from click.testing import CliRunner

from anc.commands.main import app
from anc.data.programs import source
from anc.training.distributed.table1 import TABLE1

ADAPTED = """memory 20
var k = 1
var p = 0
k = READ(k)
p = READ(p)
k = ADD(k, k)
k = DEC(k)
p = ADD(p, k)
k = READ(p)
p = READ(2)
WRITE(p, k)
STOP()
"""
PROVED = """memory 20
var v = 1
v = READ(v)
v = ADD(v, v)
v = ADD(v, 2)
v = READ(v)
WRITE(2, v)
STOP()
"""
UNPROVED = """memory 20
var v = 0
v = READ(8)
WRITE(2, v)
STOP()
"""
COUNTEREXAMPLE = [3, 1, 2, 5, 6, 0, *[0] * 14]
EXAMPLE = [3, 3, 2, 5, 9, 7, 8, 9, 7, 0, 4]


def training_folder(path, seeds=3, iterations=150):
    options = [f"--seeds={seeds}", f"--iterations={iterations}", "--settings=published"]
    done = CliRunner().invoke(app, ["train", "access", *options, "-o", str(path)])
    assert done.exit_code in (0, 1), done.output
    return path


def adapt_folder(path, **changes):
    """A result from before there were two answers."""
    path.mkdir(parents=True, exist_ok=True)
    proof = {"how": "SMT", "reason": "all inputs", "seconds": 1.5, "counterexample": None}
    result = {
        "steps_generic": 13.88,
        "steps_adapted": 9,
        "cases_tested": 1000,
        "correct": True,
        "method": "annealing",
        "verdict": "proved",
        "proof": proof,
        "precondition": ["tape[0] < 18", "tape[3] == tape[0] + 2"],
        "seconds": 61.5,
        "found": [
            {"method": "gradient descent", "seconds": 20.1, "steps": 11.5},
            {"method": "annealing", "seconds": 3.2, "steps": 12.1},
            {"method": "annealing", "seconds": 14, "steps": 9},
        ],
        "soft": {"steps": 10, "confidence": 0.97, "type": 1},
        "example_tape": EXAMPLE,
        "memory": 20,
    }
    (path / "result.json").write_text(json.dumps(result | changes))
    (path / "generic.anc").write_text(source("listk").text)
    (path / "adapted.anc").write_text(ADAPTED)
    return path


def two_answers_folder(path, trust="proof", **changes):
    """A proved answer, and a faster one that is refuted; `trust` says which of them is adapted.anc."""
    files = ["adapted.anc", "unproved.anc"] if trust == "proof" else ["proved.anc", "adapted.anc"]
    facts = ["tape[0] == 3", "tape[2] == 2", "1 <= tape[1] <= 6", "tape[tape[0] + 2] == 7"]
    proof = {"how": "exhaustive", "walked": 1200, "reason": "", "seconds": 1.2}
    support = {
        "held": 78,
        "fresh": 80,
        "at_least": 0.9233,
        "accepts": [*EXAMPLE, *[0] * 9],
        "rejects": [3, 6, 2, 5, 1, 0, *[0] * 13, 4],
    }
    reason = "cell 2 is 0, the generic program makes it 6"
    proved = {"steps": 6, "file": files[0], "method": "enumerate", "verdict": "proved"}
    proved |= proof | {"precondition": facts, "support": support}
    unproved = {
        "steps": 3,
        "file": files[1],
        "method": "plans",
        "verdict": "refuted",
        "reason": reason,
        "counterexample": COUNTEREXAMPLE,
        "fresh": 1000,
        "wrong_at_most": 0.00299,
    }
    first = proved if trust == "proof" else unproved
    evidence = proof if trust == "proof" else proof | {"reason": reason}
    result = {
        "trust": trust,
        "cases_tested": 1000,
        "steps_adapted": first["steps"],
        "method": first["method"],
        "verdict": first["verdict"],
        "proof": evidence | {"counterexample": first.get("counterexample")},
        "precondition": first.get("precondition", []),
        "support": first.get("support"),
        "proved": None if first is proved else proved,
        "unproved": unproved,
    }
    adapt_folder(path, **(result | changes))
    (path / files[0]).write_text(PROVED)
    (path / files[1]).write_text(UNPROVED)
    return path


ATTEMPTS = {"first_try_successes": 30, "first_try_interval": [0.22, 0.4], "restarts": 9}


def table1_folder(path, attempts=True):
    path.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "task": task,
            "seeds": 100,
            "generic": row.generic,
            "learned_best": None if task == "sort" else row.learned - 1,
            "learned_median": None if task == "sort" else row.learned,
            "success_rate": 0.0 if task == "sort" else 0.5,
            "interval": [0.0, 0.04] if task == "sort" else [0.4, 0.6],
            "seconds": 12.5,
        }
        | (ATTEMPTS if attempts else {})
        for task, row in TABLE1.items()
    ]
    paper = {task: asdict(row) for task, row in TABLE1.items()}
    table = {"settings": "ours", "command": "anc table1", "rows": rows, "paper": paper}
    (path / "table1.json").write_text(json.dumps(table))
    return path

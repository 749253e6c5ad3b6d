"""Small folders of every kind that a report can be about."""

import json
from dataclasses import asdict

from click.testing import CliRunner

from anc.cli.train import command as train
from anc.experiments.paper import TABLE1
from anc.programs import source

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
EXAMPLE = [3, 3, 2, 5, 9, 7, 8, 9, 7, 0, 4]


def training_folder(path, seeds=3, iterations=150):
    options = [f"--seeds={seeds}", f"--iterations={iterations}", "--settings=published"]
    done = CliRunner().invoke(train, ["access", *options, "-o", str(path)])
    assert done.exit_code in (0, 1), done.output
    return path


def adapt_folder(path, **changes):
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


def table1_folder(path):
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
        for task, row in TABLE1.items()
    ]
    paper = {task: asdict(row) for task, row in TABLE1.items()}
    table = {"settings": "ours", "command": "anc table1", "rows": rows, "paper": paper}
    (path / "table1.json").write_text(json.dumps(table))
    return path

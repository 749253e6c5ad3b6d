"""What adaptation finds with a fixed amount of work, before and after a change of the code.

    python benchmarks/frozen.py -o before.json
    python benchmarks/frozen.py -o after.json --against before.json

All programs of the suite and all tasks are adapted with `--evaluations`, which gives the same result on
any machine. A refactoring must reproduce it; a change of the search is judged by steps, verdicts and
processor time. Each adaptation is a process of its own; those that the output file has are not repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from judging import POOL, TEST, entry_of
from suite import entries

from anc.adaptation.adapt import adapt
from anc.data import tasks
from anc.support.job import Job
from anc.training.problem import from_task

Row = dict[str, Any]
ANSWERS = ("steps_adapted", "verdict", "precondition", "unproved")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--evaluations", type=int, default=1_000_000)
    parser.add_argument("--only", help="names, with commas between them")
    parser.add_argument("-o", "--output", type=Path, default=Path("frozen.json"))
    parser.add_argument("--against", type=Path, help="the file of an earlier run")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one, options.evaluations)))
        return
    rows = json.loads(options.output.read_text()) if options.output.exists() else {}
    before = json.loads(options.against.read_text()) if options.against else {}
    for name in options.only.split(",") if options.only else names():
        if name not in rows:
            words = ["--one", name, "--evaluations", str(options.evaluations)]
            done = subprocess.run(
                [sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True, check=True
            )
            rows[name] = json.loads(done.stdout.splitlines()[-1])
            options.output.write_text(json.dumps(rows, indent=1))
        print(shown(name, rows[name], before.get(name)), flush=True)
    both = [name for name in rows if name in before]
    now, then = (sum(each[name]["cpu"] for name in both) for each in (rows, before))
    if both:
        print(f"{len(both)} compared: {then:.0f} s of a core before, {now:.0f} s now")


def names() -> list[str]:
    return [entry.name for entry in entries()] + [task.name for task in tasks.all_tasks()]


def measured(name: str, evaluations: int) -> Row:
    """Adapt one program; its result without times, and the processor time."""
    if name in {task.name for task in tasks.all_tasks()}:
        problem = from_task(tasks.get(name), seed=0)
    else:
        problem = entry_of(name).problem(0, POOL, TEST)
    result = adapt(problem, Job(evaluations=evaluations))
    return {"cpu": round(sum(os.times()[:4]), 2), "result": timeless(result.to_dict())}


def timeless(found: Any) -> Any:
    """The same without what tells of the machine or the moment."""
    if isinstance(found, list):
        return [timeless(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {key: timeless(each) for key, each in found.items() if "seconds" not in key}


def shown(name: str, row: Row, before: Row | None) -> str:
    now = row["result"]
    text = f"{name:<22} {now['steps_adapted']:8.2f} {now['verdict']:<8} {row['cpu']:6.1f} s"
    if before is None or before["result"] == now:
        return text + ("   the same" if before else "")
    then = before["result"]
    keys = [key for key in now if now[key] != then.get(key)]
    if not any(key in ANSWERS for key in keys):
        return f"{text}   the same answers; different: {', '.join(keys)}"
    return f"{text}   before: {then['steps_adapted']:.2f} {then['verdict']}; different: {', '.join(keys)}"


if __name__ == "__main__":
    main()

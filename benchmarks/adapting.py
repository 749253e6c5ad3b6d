"""What each method of adaptation finds: success rates, steps, seconds and verdicts per task.

    python benchmarks/adapting.py --tasks access,listk --seeds 10 --methods all --budget 60 -o out

One line of JSON per run goes to OUT/runs.jsonl as soon as it is there; runs that are there already are
not done again, so an interrupted benchmark goes on where it was. The table ends as OUT/table.md.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from statistics import mean, median

from anc import tasks
from anc.adaptation.adapt import METHODS, adapt
from anc.experiments.intervals import wilson
from anc.learning.problem import from_task

# best known programs, in iterations (steps + 1)
KNOWN = {"access": 4, "swap": 6, "listk": 7, "addition": 6, "sort": 8, "increment": 23}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", default=",".join(KNOWN))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--methods", default="all")
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"))
    options = parser.parse_args()
    names = options.tasks.split(",")
    if options.tasks == "others":
        names = [task.name for task in tasks.all_tasks() if task.name not in KNOWN]
    options.output.mkdir(parents=True, exist_ok=True)
    log = options.output / "runs.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    seen = {(run["problem"], run["asked"], run["seed"], run["budget"]) for run in done}
    for seed in range(options.seeds):
        for name in names:
            for method in options.methods.split(","):
                assert method in METHODS, method
                if (name, method, seed, options.budget) in seen:
                    continue
                problem = from_task(tasks.get(name), seed=seed)
                run = adapt(problem, options.budget, method, seed).to_dict()
                run |= {"asked": method, "seed": seed, "budget": options.budget}
                best = min(run["found"], key=lambda f: (f["steps"], f["seconds"]), default=None)
                run["seconds_to_best"] = best["seconds"] if best else None
                with log.open("a") as stream:
                    stream.write(json.dumps(run) + "\n")
                done.append(run)
                print(
                    f"{name:<12} {method:<10} seed {seed}: {run['steps_generic'] + 1:7.2f} ->"
                    f" {run['steps_adapted'] + 1:6.2f} iterations, {run['verdict']},"
                    f" {run['seconds']:.1f} s",
                    flush=True,
                )
    text = table(done)
    (options.output / "table.md").write_text(text)
    print(f"\n{os.cpu_count()} cores\n\n{text}")


def table(runs: list[dict]) -> str:
    """Means over the runs of each task and method, in iterations (steps + 1)."""
    head = "| task | method | runs | right and faster | 95 % interval | generic | adapted: best | median |"
    head += " reached the best known | proved | seconds to the best | seconds in all |"
    lines = [head, "|" + "---|" * (head.count("|") - 1)]
    for name in dict.fromkeys(run["problem"] for run in runs):
        for method in METHODS:
            rows = [r for r in runs if r["problem"] == name and r["asked"] == method]
            if not rows:
                continue
            won = [r for r in rows if r["improved"]]
            low, high = wilson(len(won), len(rows))
            steps = [r["steps_adapted"] + 1 for r in won]
            known = KNOWN.get(name)
            reached = "-" if known is None else sum(s <= known + 1e-9 for s in steps)
            to_best = [r["seconds_to_best"] for r in won if r["seconds_to_best"] is not None]
            cells = [
                name,
                method,
                len(rows),
                f"{len(won) / len(rows):.0%}",
                f"{low:.0%} to {high:.0%}",
                f"{mean(r['steps_generic'] for r in rows) + 1:.2f}",
                f"{min(steps):.2f}" if steps else "-",
                f"{median(steps):.2f}" if steps else "-",
                reached,
                sum(r["verdict"] == "proved" for r in won),
                f"{median(to_best):.1f}" if to_best else "-",
                f"{median(r['seconds'] for r in rows):.1f}",
            ]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

"""What each method of adaptation finds: success rates, steps, seconds and verdicts per task.

    python benchmarks/adapting.py --tasks access,listk --seeds 10 --methods all --budget 60 -o out
    python benchmarks/adapting.py --suite --seeds 3 --budget 60 -o out-suite

With `--suite` the programs of benchmarks/suite are adapted instead of the paper's tasks (`--tasks`
then names some of them, or is `open` or `held-out`), and both answers of each run are judged.
One line of JSON per run goes to OUT/runs.jsonl as soon as it is there; runs that are there already are
not done again, so an interrupted benchmark goes on where it was. The table ends as OUT/table.md.
Every run is a process of its own; `--jobs N` does N at a time, each on `--cores` cores of its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median
from threading import Lock

from judging import judged_run, suite_table
from suite import entries

from anc.adaptation.adapt import METHODS, adapt
from anc.adaptation.select_answers import Asked
from anc.data import tasks
from anc.support.job import Job
from anc.training.problem import from_task
from anc.training.result import wilson

# best known programs, in iterations (steps + 1)
KNOWN = {"access": 4, "swap": 6, "listk": 7, "addition": 6, "sort": 8, "increment": 23}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks")
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--methods", default="all")
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("-o", "--output", type=Path, default=Path("out"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--one", nargs=4, metavar=("TASK", "METHOD", "SEED", "BUDGET"))
    options = parser.parse_args()
    if options.one:
        name, method, seed, budget = options.one
        do_it = judged_run if options.suite else one_run
        print(json.dumps(do_it(name, method, int(seed), float(budget))))
        return
    names = suite_names(options.tasks) if options.suite else task_names(options.tasks)
    options.output.mkdir(parents=True, exist_ok=True)
    log = options.output / "runs.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    seen = {
        (run.get("entry", run.get("problem")), run["asked"], run["seed"], run["budget"])
        for run in done
    }
    places: queue.Queue[set[int]] = queue.Queue()
    available = sorted(os.sched_getaffinity(0))
    for job in range(options.jobs):
        places.put(set(available[job * options.cores : (job + 1) * options.cores]))
    lock = Lock()

    def do(plan: tuple[int, str, str]) -> None:
        seed, method, name = plan
        cores = places.get()
        words = [name, method, str(seed), str(options.budget)]
        finished = subprocess.run(
            [sys.executable, __file__, *(["--suite"] * options.suite), "--one", *words],
            env=os.environ | {"NUMBA_NUM_THREADS": str(options.cores)},
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
            capture_output=True,
            text=True,
        )
        places.put(cores)
        if finished.returncode:
            print(f"{name} {method} seed {seed} failed:\n{finished.stderr}", flush=True)
            return
        run = json.loads(finished.stdout.splitlines()[-1])
        with lock:
            done.append(run)
            with log.open("a") as stream:
                stream.write(json.dumps(run) + "\n")
            print(suite_line(run) if options.suite else task_line(run), flush=True)

    plans = itertools.product(range(options.seeds), options.methods.split(","), names)
    wanted = [p for p in plans if (p[2], p[1], p[0], options.budget) not in seen]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(do, wanted))
    text = suite_table(done) if options.suite else table(done)
    (options.output / "table.md").write_text(text)
    print(f"\n{options.jobs} runs at a time, {options.cores} cores each\n\n{text}")


def task_names(asked: str | None) -> list[str]:
    if asked == "others":
        return [task.name for task in tasks.all_tasks() if task.name not in KNOWN]
    return asked.split(",") if asked else list(KNOWN)


def suite_names(asked: str | None) -> list[str]:
    some = {None: None, "open": False, "held-out": True}
    if asked in some:
        return [entry.name for entry in entries(some[asked])]
    return asked.split(",") if asked else []


def task_line(run: dict) -> str:
    return (
        f"{run['problem']:<12} {run['asked']:<10} seed {run['seed']}: {run['steps_generic'] + 1:7.2f} ->"
        f" {run['steps_adapted'] + 1:6.2f} iterations, {run['verdict']}, {run['seconds']:.1f} s"
    )


def suite_line(run: dict) -> str:
    other = f"{run['unproved']['steps']:6.1f}" if run["unproved"] else "     -"
    return (
        f"{run['entry']:<22} {run['asked']:<8} seed {run['seed']}: generic {run['generic']:7.1f},"
        f" reference {run['reference']:6.1f}, proved {run['proved']['steps']:6.1f}"
        f"{' (generic)' if run['proved']['is_generic'] else ''},"
        f" unproved {other}, {run['seconds']:.1f} s"
    )


def one_run(name: str, method: str, seed: int, budget: float) -> dict:
    """Adapt a task once; the result as plain data."""
    run = adapt(from_task(tasks.get(name), seed=seed), Job(budget), Asked(method, seed)).to_dict()
    best = min(run["found"], key=lambda f: (f["steps"], f["seconds"]), default=None)
    run["seconds_to_best"] = best["seconds"] if best else None
    return run | {"asked": method, "seed": seed, "budget": budget}


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

"""What it costs to train in parts that are kept: tables and sweeps against another version of anc.

    python benchmarks/parts.py --against ../older/src --seeds 100

Each command runs in a process of its own, those of both versions in turn, and so does the same command
again, which finds everything kept. CPU seconds include all processes; on a busy machine they say more.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent.parent / "src"
GRID = "rate = [0.03, 0.1, 0.3]\nefficiency = [0.03, 0.1, 0.3]\niterations = 200\n"


def measured(source: Path, words: list[str], folder: str) -> tuple[float, float]:
    """Seconds and CPU seconds of a command of the anc in this folder of sources."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(source.resolve())}
    subprocess.run(
        [sys.executable, "-m", "anc", "-q", *words], env=environment, cwd=folder,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begin, spent


def compare(name: str, words: list[str], against: Path | None, rounds: int) -> None:
    """A row for each way of running a command."""
    ways = {"here": (HERE, []), "here, --jobs 1": (HERE, ["--jobs", "1"])}
    if against is not None:
        ways = {str(against): (against, []), **ways}
    for number in range(rounds):
        for way, (source, more) in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "grid.toml").write_text(GRID)
                seconds, spent = measured(source, [*words, *more], folder)
                row = f"| {name} | {way} | {number} | {seconds:.1f} | {spent:.1f} |"
                if source is HERE and not more:
                    again, spent_again = measured(source, words, folder)
                    row += f" {again:.1f} | {spent_again:.1f} |"
                print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the folder src of another version")
    parser.add_argument("--seeds", default="100")
    parser.add_argument("--settings", default="published")
    parser.add_argument("--tasks", default="access,increment,swap,listk,addition,sort")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print("| command | version | round | seconds | CPU seconds | again: seconds | CPU seconds |")
    print("|---|---|---|---|---|---|---|")
    table = ["table1", "--seeds", options.seeds, "--settings", options.settings]
    compare("table1", [*table, "--tasks", options.tasks], options.against, options.rounds)
    sweep = ["sweep", "listk", "--grid", "grid.toml", "--seeds", "20"]
    compare("sweep", sweep, options.against, options.rounds)


if __name__ == "__main__":
    main()

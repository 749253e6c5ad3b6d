"""Adapt the solutions of the puzzles, and print what is found and proved.

    python benchmarks/puzzles                       # all of them, 60 seconds each
    python benchmarks/puzzles --only runs,stairs --budget 30
    python benchmarks/puzzles --evaluations 2000000 -o puzzles.json

The columns are the mean steps of the plain solution, of the proved answer (on how many held-out cases it is
wrong, of those that it covers), and of a faster answer without a proof (on how many it is wrong).
Those with a star are held out.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from puzzles import puzzles, rows, shown
from puzzles.table import totals


def main() -> None:
    parser = argparse.ArgumentParser(description="Adapt the solutions of the puzzles.")
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--open", action="store_true", help="without those that are held out")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for each")
    parser.add_argument("--evaluations", type=int, help="work for each, instead of seconds")
    parser.add_argument("-o", "--output", type=Path, help="a JSON file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in options.only.split(",") if name]
    chosen = [p for p in puzzles(not options.open) if not names or p.name in names]
    done = []
    for row in rows(chosen, options.budget, options.evaluations):
        done.append(row)
        print(shown(row), flush=True)
        if options.output:
            options.output.write_text(json.dumps([each.to_dict() for each in done], indent=1))
    print(totals(done))


if __name__ == "__main__":
    main()

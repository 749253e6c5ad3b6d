"""How good the best program is after so many seconds: quartiles over the runs of each method.

    python benchmarks/adapting.py --methods all,search,gradient,specialise --seeds 2 -o out
    python benchmarks/anytime.py out/runs.jsonl [--figure anytime.svg]

A run counts with its best program's steps in parts of the generic program's, so that short and long
programs weigh the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

TIMES = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0)


def curve(run: dict, times: np.ndarray) -> np.ndarray:
    """The best steps at each time, in parts of the generic program's."""
    generic = run.get("steps_generic", run.get("generic"))
    found = [
        f if isinstance(f, list) else [f["method"], f["seconds"], f["steps"]] for f in run["found"]
    ]
    best = [min([s for _, t, s in found if t <= time] + [generic]) for time in times]
    return np.array(best) / generic


def quartiles(runs: list[dict], times: np.ndarray) -> np.ndarray:
    """(3, times): the lower quartile, the median and the upper quartile."""
    return np.percentile([curve(run, times) for run in runs], (25, 50, 75), axis=0)


def by_method(runs: list[dict]) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for run in runs:
        found.setdefault(run["asked"], []).append(run)
    return found


def table(runs: list[dict]) -> str:
    """One row for each method: median (lower to upper quartile) of the steps left, in per cent."""
    rows = ["| method | runs | " + " | ".join(f"{t:g} s" for t in TIMES) + " |"]
    rows.append("|---" * (len(TIMES) + 2) + "|")
    for method, some in by_method(runs).items():
        low, middle, high = 100 * quartiles(some, np.array(TIMES))
        cells = [f"{m:.0f} ({a:.0f} to {b:.0f})" for a, m, b in zip(low, middle, high, strict=True)]
        rows.append(f"| {method} | {len(some)} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def figure(runs: list[dict], path: Path) -> None:
    """Medians as lines, quartiles as bands, on a logarithmic axis of seconds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    times = np.geomspace(0.05, 60, 200)
    _, axes = pyplot.subplots(figsize=(8, 4))
    for method, some in by_method(runs).items():
        low, middle, high = 100 * quartiles(some, times)
        (line,) = axes.plot(
            times, middle, label=f"{method} ({len(some)} runs)", drawstyle="steps-post"
        )
        axes.fill_between(times, low, high, color=line.get_color(), alpha=0.15, step="post")
    axes.set(
        xscale="log", xlabel="seconds", ylabel="steps, % of the generic program's", ylim=(0, 105)
    )
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.spines[["top", "right"]].set_visible(False)
    pyplot.tight_layout()
    pyplot.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "runs", type=Path, nargs="+", help="files that benchmarks/adapting.py wrote"
    )
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    runs = [json.loads(line) for path in options.runs for line in path.read_text().splitlines()]
    print(table(runs))
    if options.figure is not None:
        figure(runs, options.figure)


if __name__ == "__main__":
    main()

"""Which claims the prover decides in time, how, and how long it takes.

    python benchmarks/proofs.py -o before.json
    python benchmarks/proofs.py -o after.json --against before.json

Each claim (`proof_lists.py`, `proof_loops.py`, `proof_shapes.py`, `proof_operations.py`, the tasks) says what its
verdict should be; a wrong one ends the benchmark with an error. `--only words,sum` takes the claims whose names
contain one of these.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from proof_claims import entries
from proof_entry import Entry

from anc.proof import prove

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each claim")
    parser.add_argument("--only", default="", help="parts of names, with commas between them")
    parser.add_argument("-o", "--output", type=Path, help="a JSON file")
    parser.add_argument("--against", type=Path, help="the JSON file of an earlier run")
    options = parser.parse_args()
    earlier = {row["name"]: row for row in _rows(options.against)} if options.against else {}
    rows = []
    for entry in chosen(options.only):
        rows.append(measure(entry, options.seconds))
        print(shown(rows[-1], earlier.get(rows[-1]["name"])), flush=True)
    print("\n" + totals("now", rows))
    if earlier:
        print(totals("before", [earlier[row["name"]] for row in rows if row["name"] in earlier]))
    if options.output:
        options.output.write_text(json.dumps({"seconds": options.seconds, "rows": rows}, indent=1))
    wrong = [row["name"] for row in rows if row["verdict"] not in (row["expected"], "unknown")]
    if wrong:
        sys.exit(f"WRONG VERDICTS: {', '.join(wrong)}")


def _rows(path: Path) -> list[Row]:
    return json.loads(path.read_text())["rows"]


def chosen(only: str) -> list[Entry]:
    """The claims whose name contains one of some words; numbers tell equal names apart."""
    found = []
    for entry in entries():
        name = f"{entry.name} (M={entry.M})"
        if any(part in name for part in only.split(",")):
            found.append(Entry(name, entry.M, entry.expected, entry.make))
    return found


def measure(entry: Entry, seconds: float) -> Row:
    """The verdict on one claim, as a row of the table."""
    found = prove(entry.make(), seconds)
    return {
        "name": entry.name,
        "M": entry.M,
        "expected": entry.expected,
        "verdict": found.outcome.value,
        "how": found.how,
        "walked": found.walked,
        "seconds": round(found.seconds, 3),
        "reason": found.reason,
    }


def shown(row: Row, earlier: Row | None = None) -> str:
    text = (
        f"{row['name']:<36} {row['expected']:<8} {row['verdict']:<8} {row['how']:<10}"
        f" {row['walked']:>7,} {row['seconds']:>8.2f} s"
    )
    if earlier:
        text += f"   before: {earlier['verdict']:<8} {earlier['seconds']:>8.2f} s"
    return text if row["verdict"] == row["expected"] else f"{text}   {row['reason']}"


def totals(name: str, rows: list[Row]) -> str:
    decided = [row for row in rows if row["verdict"] == row["expected"]]
    seconds = sum(row["seconds"] for row in rows)
    slowest = max((row["seconds"] for row in decided), default=0.0)
    return (
        f"{name}: {len(decided)} of {len(rows)} decided, {seconds:.1f} s in all,"
        f" the slowest that was decided took {slowest:.2f} s"
    )


if __name__ == "__main__":
    main()

"""What recording costs a call: the mean over many calls, and for the first and the later ones apart.

python benchmarks/recording.py [CALLS]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import anc


def function(values: list[int], limit: int) -> int:
    return limit


def nanoseconds(call, calls: int) -> float:
    values = [3, 9, 1, 4, 1, 5, 9, 2]
    begin = perf_counter()
    for _ in range(calls):
        call(values, 2)
    return (perf_counter() - begin) / calls * 1e9


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.jsonl"
        recorded = anc.record(function, path)
        plain = nanoseconds(function, calls)
        first = nanoseconds(recorded, 10_000)
        later = nanoseconds(recorded, calls - 10_000)
        begin = perf_counter()
        recorded.recorder.save()
        saved = perf_counter() - begin
        mean = (first * 10_000 + later * (calls - 10_000)) / calls
        print(f"{calls:,} calls of a function that takes {plain:.0f} ns, a sample of 10,000")
        print(f"  the first 10,000 calls   {first - plain:8.0f} ns more each")
        print(f"  the others               {later - plain:8.0f} ns more each")
        print(f"  all of them              {mean - plain:8.0f} ns more each")
        print(f"  saving the sample at the end: {saved:.2f} s, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

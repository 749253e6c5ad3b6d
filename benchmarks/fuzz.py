"""A fuzzer: hostile inputs into every way in, and every answer compared with the exact machine.

    python benchmarks/fuzz.py                         a minute of all entry points, with two processes
    python benchmarks/fuzz.py --inputs 1000000 --seconds 1e9 --jobs 16 --keep failures
    python benchmarks/fuzz.py --only listing,facts    some of them
    python benchmarks/fuzz.py --from 500000           go on where another run ended
    python benchmarks/fuzz.py --repeat listing/0/17   one input again, with its traceback

Exit status: 0 nothing was found, 1 something was.
"""
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Before anything is imported that would look: as many processes as cores, with one thread each.
for _threads in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

from fuzzing.entry import Entry
from fuzzing.examine import FAILED, examine
from fuzzing.families import FAMILIES, chosen_entries
from fuzzing.report import Report
from fuzzing.workers import Plan, run, scratch_folder

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    arguments = _arguments()
    if arguments.list:
        for entry in chosen_entries(""):
            print(f"{entry.name:<24} share {entry.share}")
        return 0
    if arguments.repeat:
        name, seed, number = arguments.repeat.rsplit("/", 2)
        (entry,) = chosen_entries(name)
        return _again(entry, entry.input(int(seed), int(number)))
    if arguments.replay:
        failure = json.loads(arguments.replay.read_text())
        (entry,) = chosen_entries(failure["entry"])
        return _again(entry, failure["parts"])
    entries = chosen_entries(arguments.only)
    last = arguments.first + (arguments.inputs or sys.maxsize // 2)
    plan = Plan(entries, arguments.seed, arguments.first, last, arguments.seconds, arguments.jobs)
    report, begun = Report(folder=arguments.keep), time.monotonic()
    for number in _SIGNALS:
        signal.signal(number, _interrupt)
    try:
        run(plan, report, lambda text: print(text, file=sys.stderr, flush=True))
    except KeyboardInterrupt:
        print("interrupted; this is what was seen so far", file=sys.stderr)
    seconds = time.monotonic() - begun
    print(report.table())
    print(f"\n{report.total:,} inputs in {seconds:,.0f} s with {arguments.jobs} processes")
    for fault in report.faults():
        print(fault)
    if arguments.json:
        about = {"seed": arguments.seed, "seconds": seconds, "jobs": arguments.jobs}
        arguments.json.write_text(report.to_json(**about))
    return 1 if report.failures else 0


def _interrupt(number: int, frame: object) -> NoReturn:
    """End with a report; whoever wants an end often says so twice."""
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _again(entry: Entry, parts: dict[str, str]) -> int:
    """Try one input here and show all about it."""
    for name, text in parts.items():
        print(f"--- {name}", *map(ascii, text.split("\n")), sep="\n")
    with scratch_folder():
        if entry.warm is not None:
            entry.warm()
        outcome = examine(entry, parts)
    print(f"--- {outcome.what} {outcome.kind}\n{outcome.detail}")
    return 1 if outcome.what == FAILED else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="end after so many seconds")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first input's place")
    only = f"families ({', '.join(FAMILIES)}) or entries, with commas"
    parser.add_argument("--only", default="", metavar="NAME,...", help=only)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep failures as files here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report here, too")
    parser.add_argument("--repeat", metavar="NAME/SEED/NUMBER", help="try one input again")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try a kept failure again")
    parser.add_argument("--list", action="store_true", help="list the entries")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

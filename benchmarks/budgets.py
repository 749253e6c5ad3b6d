"""Whether `anc adapt` keeps its budgets of time and memory, as whoever waits for it sees it.

    python benchmarks/budgets.py                                # everything: two hours on an idle machine
    python benchmarks/budgets.py --budgets 2,5 --every 3        # every third program, with short budgets
    python benchmarks/budgets.py --only gcd,listk,sum-2048      # some of them, by name

The programs of the suite, the paper's tasks and Python functions with memories of 64 to 8,192 cells are
adapted through the command line, one after the other. Time is the wall's, from before the process starts
to after it has ended; it may be the budget and a tenth, or two seconds more if that is longer. Memory is
what the process and all of its children hold together, looked at many times in a second; it may be the
--memory-limit and what the libraries take by themselves. A first call, which may compile, does not
count. On a machine with other work the numbers are too large: `worked` says how long the cores worked.
Ends with the status 1 if a limit was passed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from suite import entries

from anc.data.programs import names

BUDGETS = (2.0, 5.0, 20.0, 60.0)
SIZES = (64, 256, 1024, 2048, 4096, 8192)
CASES = 600  # of each program of the suite, and of each function
LIMIT = "4GB"
LIBRARIES = 2**30  # bytes that all processes together hold before they do anything
LOOK = 0.05  # seconds between two looks at what is held
FUNCTIONS = {
    "sum": (
        "values: Annotated[list[int], anc.Size(30)], limit: int",
        "    return sum(v > limit for v in values)\n",
        lambda random: [[random.randrange(60) for _ in range(30)], random.choice((40, 50))],
    ),
    "gcd": (
        "a: int, b: int",
        "    while b:\n        a, b = b, a % b\n    return a\n",
        lambda random: [random.choice((12, 24, 60)), random.randrange(1, 60)],
    ),
    "find": (
        "values: Annotated[list[int], anc.Size(20)], wanted: int",
        "    for i, v in enumerate(values):\n        if v == wanted:\n            return i\n    return 20\n",
        lambda random: [sorted(random.sample(range(40), 20)), random.randrange(40)],
    ),
}


@dataclass(frozen=True)
class Subject:
    """What is adapted, as words for the command line."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """What one adaptation took."""

    subject: Subject
    budget: float
    seconds: float
    worked: float  # seconds of all cores
    most: int  # bytes, of the process and its children together
    status: int

    @property
    def beyond(self) -> float:
        """Seconds beyond what it may take."""
        return self.seconds - max(1.1 * self.budget, self.budget + 2.0)

    def passes(self, memory: int) -> bool:
        return self.beyond > 0 or self.most > memory + LIBRARIES or self.status not in (0, 1)

    def row(self, memory: int) -> str:
        over = self.seconds - self.budget
        return (
            f"| {self.subject.name} | {self.budget:g} | {self.seconds:.1f} | {over:+.1f} |"
            f" {self.worked:.1f} | {self.most / 2**30:.2f} | {self.status} |"
            f" {'**too much**' if self.passes(memory) else ''} |"
        )


HEAD = (
    "| program | budget, s | took, s | over, s | worked, s | held, GiB | status | |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
)


def subjects(folder: Path, sizes: Sequence[int]) -> Iterator[Subject]:
    """The tasks, the suite, and functions with memories of these sizes; their files go into a folder."""
    for name in names():
        yield Subject(name, (name,))
    for entry in entries():
        rows = [
            {"input": case.input, "output": case.output, "mask": list(map(int, case.mask))}
            for case in entry.cases(CASES, 0)
        ]
        data = _written(folder / f"{entry.name}.jsonl", rows)
        yield Subject(entry.name, (str(entry.folder / f"{entry.name}.anc"), "--data", data))
    for size in sizes:
        for name, (parameters, body, draw) in FUNCTIONS.items():
            file = folder / f"{name}_{size}.py"
            file.write_text(
                f"from typing import Annotated\n\nimport anc\n\n\n@anc.function(memory={size})\n"
                f"def {name}_({parameters}) -> int:\n{body}"
            )
            random = Random(size)
            data = _written(folder / f"{name}-{size}.jsonl", [draw(random) for _ in range(CASES)])
            yield Subject(f"{name}-{size}", (f"{file}:{name}_", "--data", data))


def _written(path: Path, rows: Sequence[object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def measured(subject: Subject, budget: float, limit: str, folder: Path) -> Measured:
    """Adapt it in a process of its own, and look at what it holds meanwhile."""
    words = ["adapt", *subject.words, "--budget", f"{budget:g}s", "--memory-limit", limit, "-q"]
    words += ["-o", str(folder / "result"), "--force"]
    before, began = os.times(), time.monotonic()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(
            [sys.executable, "-m", "anc", *words], stdout=nowhere, stderr=nowhere
        )
        most = 0
        while process.poll() is None:
            most = max(most, held(process.pid))
            time.sleep(LOOK)
    seconds, after = time.monotonic() - began, os.times()
    worked = after.children_user + after.children_system
    worked -= before.children_user + before.children_system
    return Measured(subject, budget, seconds, worked, most, process.returncode)


def held(process: int) -> int:
    """Bytes that a process and all of its children hold; 0 where the system does not say."""
    total = 0
    try:
        total = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        total *= os.sysconf("SC_PAGE_SIZE")
        for task in Path(f"/proc/{process}/task").iterdir():
            total += sum(held(int(child)) for child in (task / "children").read_text().split())
    except (OSError, ValueError, IndexError):  # it has just ended
        pass
    return total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budgets", default=",".join(f"{b:g}" for b in BUDGETS))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--every", type=int, default=1, help="only every n-th program")
    parser.add_argument("--first", type=int, default=0, help="... beginning with this one")
    parser.add_argument("--only", help="names, with commas between them")
    parser.add_argument("--limit", default=LIMIT, help="the --memory-limit of each")
    options = parser.parse_args()
    from anc.support.limits import MEMORY_LIMIT

    memory, only = MEMORY_LIMIT.check(options.limit), (options.only or "").split(",")
    found: list[Measured] = []
    with tempfile.TemporaryDirectory() as name:
        chosen = list(subjects(Path(name), [int(size) for size in options.sizes.split(",")]))
        if options.only:
            chosen = [subject for subject in chosen if subject.name in only]
        chosen = chosen[options.first :: options.every]
        for size in (64, 1024):  # whatever has to be compiled
            small = next(s for s in subjects(Path(name), [size]) if s.name == f"sum-{size}")
            measured(small, 10.0, options.limit, Path(name))
        measured(
            Subject("listk", ("listk",)), 10.0, options.limit, Path(name)
        )  # gradient descent, too
        print(HEAD)
        for budget in map(float, options.budgets.split(",")):
            for subject in chosen:
                found.append(measured(subject, budget, options.limit, Path(name)))
                print(found[-1].row(memory), flush=True)
    worst = max(found, key=lambda each: each.beyond)
    largest = max(found, key=lambda each: each.most)
    passed = [each for each in found if each.passes(memory)]
    print(f"\n{len(passed)} of {len(found)} took more time or memory than they may")
    print(
        f"the longest beyond its budget: {worst.subject.name}, {worst.seconds:.1f} s of {worst.budget:g}"
    )
    print(f"the most memory: {largest.subject.name}, {largest.most / 2**30:.2f} GiB")
    sys.exit(1 if passed else 0)


if __name__ == "__main__":
    main()

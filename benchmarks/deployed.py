"""What saved steps are worth where programs are deployed, in ns: the tables of docs/nanoseconds.md.

    python benchmarks/deployed.py [SECONDS] [NAME ...]

Without names all are measured; `functions`, `unseen` and `tasks` are names, too. Each of the six tasks of the
paper, and of the functions of `functions.py`, `everyday.py` and `unseen.py`, is
adapted for so many seconds (15) to its biased inputs, and what comes out is called on such inputs in
the same run. Of a task: the generic program, the adapted one behind its guard, and the adapted one
alone, which nobody should deploy but which says what the guard costs. Tasks change a tape; a copy of
it is included in all times alike and taken off again. Of a function: what it is compared with is in
`deployed_functions.py`. C is compiled with -O2; times are the least of several rounds, so compare
those of a row. What is slower than what was there before is bold.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from math import exp, log
from pathlib import Path
from random import Random
from time import perf_counter
from types import ModuleType
from typing import Any

import deployed_functions
from everyday import EVERYDAY
from functions import FUNCTIONS
from rivals import compiled_by_mypyc, rivals
from unseen import UNSEEN

import anc
from anc.adaptation.result import Adapted
from anc.codegen.c import cell_type
from anc.codegen.c_text import c_function
from anc.codegen.python_text import python_function
from anc.codegen.signature import Fallback
from anc.data import tasks

TASKS = ("increment", "access", "swap", "listk", "addition", "sort")
TAPES = 200
ROUNDS = 35  # many and short: on a busy machine few are undisturbed
KINDS = ("generic", "guarded", "adapted")
CLOSE, LEAST = 0.05, 0.3  # a smaller part, and fewer ns, are within the error of a run

Times = dict[str, float]
TASK_HEAD = (
    *("task", "steps", "facts"),
    *(f"{language}: {kind}" for language in ("Python", "C") for kind in ("before", *KINDS[1:])),
)
FUNCTION_COLUMNS = (
    *("original", "guarded", "original, others", "guarded, others"),
    *("numba", "mypyc", "lru_cache", "C: before", "C: guarded", "C: by hand"),
)
FUNCTION_HEAD = ("function", "steps", "deployed", "accepted", *FUNCTION_COLUMNS)
RACES = {  # what is deployed, and what it should be faster than; the first is what was there before
    "guarded": ("original", "numba", "mypyc", "lru_cache"),
    "guarded, others": ("original, others",),
    "C: guarded": ("C: by hand", "C: before"),
}


def functions(write: Callable[..., list[str]], result: Adapted) -> dict[str, list[str]]:
    """The generic program, the adapted one behind its guard, and the adapted one alone."""
    problem, M, says = result.problem, result.problem.M, ["-"]
    program, facts = result.program, result.facts
    return {
        "generic": write(problem.program, M, "generic", says),
        "guarded": write(program, M, "guarded", says, facts, Fallback("generic")),
        "adapted": write(program, M, "adapted", says),
    }


def python_times(result: Adapted, tapes: Sequence[tuple[int, ...]]) -> dict[str, float]:
    """Nanoseconds for a call."""
    space: dict = {"copied": lambda tape: None}
    for lines in functions(python_function, result).values():
        exec("\n".join(lines), space)
    rounds = max(1, 800 // len(tapes))
    found: dict[str, float] = {}
    for _ in range(ROUNDS):
        for kind in ("copied", *KINDS):
            call = space[kind]
            begin = perf_counter()
            for _ in range(rounds):
                for tape in tapes:
                    call(list(tape))
            took = (perf_counter() - begin) / rounds / len(tapes) * 1e9
            found[kind] = min(found.get(kind, took), took)
    return {kind: found[kind] - found["copied"] for kind in KINDS}


MAIN = """
static double now(void) {{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}}
static void copied(CELL *tape) {{ (void)tape; }}
typedef void function(CELL *);
int main(void) {{
    function *volatile calls[] = {{copied, generic, guarded, adapted}};
    double least[4] = {{1e30, 1e30, 1e30, 1e30}};
    static CELL tape[{M}];
    for (int round = 0; round < {rounds}; round++) {{
        for (int kind = 0; kind < 4; kind++) {{
            function *call = calls[kind];
            double begin = now();
            for (int again = 0; again < 200; again++) {{
                for (int i = 0; i < {n}; i++) {{
                    memcpy(tape, tapes[i], sizeof tape);
                    call(tape);
                }}
            }}
            double took = (now() - begin) / 200 / {n};
            if (took < least[kind]) least[kind] = took;
        }}
    }}
    for (int kind = 1; kind < 4; kind++) printf("%f\\n", least[kind] - least[0]);
    return 0;
}}
"""


def c_times(result: Adapted, tapes: Sequence[tuple[int, ...]]) -> dict[str, float] | None:
    """The same in C, called through pointers that the compiler cannot see through."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    M = result.problem.M
    names = ("assert", "stdint", "stdio", "string", "time")
    unit = ["#define _POSIX_C_SOURCE 200809L", *(f"#include <{name}.h>" for name in names)]
    unit.append(f"typedef {cell_type(M)} CELL;")
    for lines in functions(c_function, result).values():
        unit += lines
    rows = ",".join("{" + ",".join(map(str, tape)) + "}" for tape in tapes)
    unit.append(f"static const CELL tapes[{len(tapes)}][{M}] = {{{rows}}};")
    unit.append(MAIN.format(M=M, n=len(tapes), rounds=ROUNDS))
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "unit.c", Path(folder) / "unit"
        source.write_text("\n".join(unit))
        command = [compiler, "-std=c11", "-O2", "-DNDEBUG", str(source), "-o", str(binary)]
        subprocess.run(command, check=True)
        output = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    return dict(zip(KINDS, map(float, output.split()), strict=True))


def is_less(one: float, other: float) -> bool:
    """Whether a time is less than another by more than can be chance."""
    return one < (1 - CLOSE) * other and one < other - LEAST


def cell(times: Times, kind: str, before: str | None) -> str:
    if kind not in times:
        return "–"
    text = f"{times[kind]:.1f}" if kind.startswith("C:") else f"{times[kind]:.0f}"
    is_slower = before is not None and before in times and is_less(times[before], times[kind])
    return f"**{text}**" if is_slower else text


def show(*texts: str) -> None:
    print(f"| {' | '.join(texts)} |", flush=True)


def steps(result: Adapted) -> tuple[str, str]:
    if not result.improved:
        return f"{result.steps_generic:.1f}", "nothing found"
    return f"{result.steps_generic:.1f} → {result.steps_adapted:.1f}", f"{len(result.facts)}"


def measure_task(name: str, seconds: float) -> None:
    result = anc.adapt(name, budget=seconds, method="search")
    tapes = [case.input for case in tasks.get(name).draw(True, TAPES, seed=0)]
    by_language = {"Python": python_times(result, tapes), "C": c_times(result, tapes) or {}}
    times = {
        f"{language}: {'before' if kind == KINDS[0] else kind}": ns
        for language, found in by_language.items()
        for kind, ns in found.items()
    }
    before = {f"{language}: guarded": f"{language}: before" for language in by_language}
    show(name, *steps(result), *(cell(times, kind, before.get(kind)) for kind in TASK_HEAD[3:]))


def measure_function(
    function: Any, draw: Callable[[Random], tuple[Any, ...]], seconds: float, natively: ModuleType
) -> Times:
    """The row of a function; all times in it."""
    result = anc.adapt(function, draw, budget=seconds, method="search")
    calls = deployed_functions.calls_of(function, draw, result)
    others = rivals(function, natively, calls.accepted)
    times = deployed_functions.python_times(function, result, calls, others)
    times |= deployed_functions.c_times(function, result, calls)
    before = {kind: others[0] for kind, others in RACES.items()}
    cells = (cell(times, kind, before.get(kind)) for kind in FUNCTION_COLUMNS)
    deployed = "–" if result.deployed is None or result.is_withheld else result.deployed.kind
    accepted = f"{calls.share:.0%}" if "guarded" in times else "–"
    show(function.name, steps(result)[0], deployed, accepted, *cells)
    return times


def races(rows: Sequence[Times]) -> None:
    """How often what is deployed is faster than something else, and what an empty call takes."""
    print()
    for deployed, others in RACES.items():
        for other in others:
            both = [times for times in rows if deployed in times and other in times]
            faster = sum(is_less(times[deployed], times[other]) for times in both)
            slower = sum(is_less(times[other], times[deployed]) for times in both)
            print(f"- {deployed} / {other}: {faster} faster, {slower} slower, of {len(both)}")
    for deployed, other in (("guarded", "original"), ("C: guarded", "C: by hand")):
        ratios = [
            times[other] / times.get(deployed, times[other]) for times in rows if other in times
        ]
        faster = sum(deployed in times and is_less(times[deployed], times[other]) for times in rows)
        slower = sum(deployed in times and is_less(times[other], times[deployed]) for times in rows)
        mean = exp(sum(map(log, ratios)) / max(1, len(ratios)))
        print(
            f"- {deployed}: {faster} of {len(rows)} faster than {other}, {slower} slower, the others as fast;"
            f" geometric mean {mean:.2f} times as fast, where nothing is deployed 1"
        )
    for kind in ("empty", "C: empty"):
        found = [times[kind] for times in rows if kind in times]
        print(f"- {kind}: {min(found, default=0.0):.1f} ns")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 15.0
    chosen = sys.argv[2:]
    python = sys.version.split()[0]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {python}")
    print(f"{seconds:g} s of search each; ns a call")
    named = [name for name in TASKS if not chosen or name in chosen or "tasks" in chosen]
    if named:
        print()
        show(*TASK_HEAD)
        show(*["---"] * len(TASK_HEAD))
    for name in named:
        measure_task(name, seconds)
    lists = ((FUNCTIONS, "functions"), (EVERYDAY, "functions"), (UNSEEN, "unseen"))
    every = [
        f for fs, word in lists for f, _ in fs if not chosen or word in chosen or f.name in chosen
    ]
    if every:
        with tempfile.TemporaryDirectory() as folder:
            natively = compiled_by_mypyc(every, Path(folder))
    rows: list[Times] = []
    for functions, _ in lists:
        known = [(f, draw) for f, draw in functions if f in every]
        if known:
            print()
            show(*FUNCTION_HEAD)
            show(*["---"] * len(FUNCTION_HEAD))
            rows += [measure_function(f, draw, seconds, natively) for f, draw in known]
    if rows:
        races(rows)
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

"""What saved steps are worth where programs are deployed: generic and adapted C and Python, in ns.

    python benchmarks/deployed.py [SECONDS] [NAME ...]

Each of the six tasks of the paper, and of the functions of `functions.py`, is adapted for so many
seconds (5) to its biased inputs, and what comes out is called on such inputs in the same run: the
generic program, the adapted one behind its guard, and the adapted one alone, which nobody should
deploy but which says what the guard costs. C is compiled with -O2; times are the least of several
rounds. Tasks change a tape; a copy of it is included in all times alike and taken off again. Of the
functions see `deployed_functions.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import deployed_functions
from functions import FUNCTIONS

import anc
from anc import tasks
from anc.adaptation.result import Adapted
from anc.emit.c import cell_type
from anc.emit.c_text import c_function
from anc.emit.python_text import python_function
from anc.emit.signature import Fallback

TASKS = ("increment", "access", "swap", "listk", "addition", "sort")
TAPES = 200
ROUNDS = 35  # many and short: on a busy machine few are undisturbed
KINDS = ("generic", "guarded", "adapted")
SHORTEST = 0.5  # ns: less cannot be measured in this way


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


def row(name: str, times: dict[str, float]) -> str:
    gain = max(times["generic"], SHORTEST) / max(times["guarded"], SHORTEST)
    if gain >= 1:
        words = f"{gain:5.1f} times as fast"
    elif times.get("adapted", times["generic"]) < times["generic"]:
        words = "THE CHECK COSTS MORE THAN THE PROGRAM SAVES"
    else:
        words = "FEWER STEPS, BUT NOT LESS TIME"
    numbers = "".join(f"{times[kind]:10.1f}" if kind in times else " " * 10 for kind in KINDS)
    return f"  {name:<7}{numbers}   {words}"


def show(name: str, result: Adapted, python: dict[str, float], c: dict[str, float] | None) -> None:
    steps = f"{result.steps_generic:.1f} steps -> {result.steps_adapted:.1f}"
    print(f"{name}: {steps}, {len(result.facts)} facts, {result.verdict.outcome.value}")
    print(row("Python", python))
    print("  no C compiler" if c is None else row("C", c), flush=True)


def measure_task(name: str, seconds: float) -> None:
    result = anc.adapt(name, budget=seconds, method="search")
    tapes = [case.input for case in tasks.get(name).draw(True, TAPES, seed=0)]
    show(name, result, python_times(result, tapes), c_times(result, tapes))


def measure_function(
    function: Any, draw: Callable[[Random], tuple[Any, ...]], seconds: float
) -> None:
    result = anc.adapt(function, draw, budget=seconds, method="search")
    if not result.improved:
        print(f"{function.name}: nothing faster was proved in {seconds:g} s", flush=True)
        return
    random = Random("calls")
    calls = [draw(random) for _ in range(TAPES)]
    with tempfile.TemporaryDirectory() as place:
        result.save(Path(place), write_anyway=True)
        known = function, result, Path(place), calls
        show(
            function.name,
            result,
            deployed_functions.python_times(*known),
            deployed_functions.c_times(*known),
        )


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    chosen = sys.argv[2:]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {seconds:g} s of search each")
    print(f"{'ns a call':<9}" + "".join(f"{kind:>10}" for kind in KINDS))
    for name in TASKS:
        if not chosen or name in chosen:
            measure_task(name, seconds)
    for function, draw in FUNCTIONS:
        if not chosen or function.name in chosen:
            measure_function(function, draw, seconds)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

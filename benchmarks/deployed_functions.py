"""How long calls of functions take before and after they are adapted: Python and C, in ns.

Python: the function as it was written, `adapted.py` as `anc adapt -o` writes it, and the adapted
program alone. C: the program that the function was compiled to, `adapted.h`, and the adapted program
alone, with no check but that its arguments fit. All are called with the same arguments; what an empty
function takes is taken off.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from anc.adaptation.result import Adapted
from anc.emit import Parameter
from anc.emit.c_text import c_function
from anc.emit.functions import signature_of
from anc.emit.python_text import python_function

KINDS = ("generic", "guarded", "adapted")
ROUNDS = 35  # many and short: on a busy machine few are undisturbed
CALLS = 800  # in a round of Python

Times = dict[str, float]


def python_times(
    function: Any, result: Adapted, folder: Path, calls: Sequence[tuple[Any, ...]]
) -> Times:
    """Nanoseconds for a call of each kind."""
    deployed: dict[str, Any] = {}
    exec((folder / "adapted.py").read_text(), deployed)
    alone: dict[str, Any] = {}
    signature = signature_of(function, result.program)
    known = result.program, function.M, "f", ["-"], result.facts, None, signature
    exec("\n".join(python_function(*known)), alone)
    exec(f"def empty({', '.join(function.names)}): pass", alone)
    kinds: dict[str, Callable[..., Any]] = {
        "empty": alone["empty"],
        "generic": function.python,
        "guarded": deployed[function.name],
        "adapted": alone["f"],
    }
    for arguments in calls:
        assert len({int(kinds[kind](*arguments)) for kind in KINDS}) == 1, arguments
    rounds = max(1, CALLS // len(calls))
    found: Times = {}
    for _ in range(ROUNDS):
        for kind, call in kinds.items():
            begin = perf_counter()
            for _ in range(rounds):
                for arguments in calls:
                    call(*arguments)
            took = (perf_counter() - begin) / rounds / len(calls) * 1e9
            found[kind] = min(found.get(kind, took), took)
    return {kind: found[kind] - found["empty"] for kind in KINDS}


MAIN = """
static double now(void) {{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}}
static int32_t call_empty(const int32_t *row) {{ return row[0]; }}
static int32_t call_generic(const int32_t *row) {{ return generic({passed}); }}
static int32_t call_guarded(const int32_t *row) {{ return {name}({passed}); }}
static int32_t call_adapted(const int32_t *row) {{ return adapted({passed}); }}
typedef int32_t function(const int32_t *);
int main(void) {{
    function *volatile calls[] = {{call_empty, call_generic, call_guarded, call_adapted}};
    double least[4] = {{1e30, 1e30, 1e30, 1e30}};
    volatile int32_t sink = 0;
    for (int i = 0; i < {n}; i++) {{
        if (call_generic(rows[i]) != call_guarded(rows[i])) return 1;
        if (call_generic(rows[i]) != call_adapted(rows[i])) return 1;
    }}
    for (int round = 0; round < {rounds}; round++) {{
        for (int kind = 0; kind < 4; kind++) {{
            function *call = calls[kind];
            double begin = now();
            for (int again = 0; again < 200; again++) {{
                for (int i = 0; i < {n}; i++) sink = call(rows[i]);
            }}
            double took = (now() - begin) / 200 / {n};
            if (took < least[kind]) least[kind] = took;
        }}
    }}
    (void)sink;
    for (int kind = 1; kind < 4; kind++) printf("%f\\n", least[kind] - least[0]);
    return 0;
}}
"""


def c_times(
    function: Any, result: Adapted, folder: Path, calls: Sequence[tuple[Any, ...]]
) -> Times | None:
    """The same in C, called through pointers that the compiler cannot see through."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    signature, M = signature_of(function, function.program, result.program), function.M
    assert signature is not None  # the functions have arguments
    unit = ["#define _POSIX_C_SOURCE 200809L", "#include <stdio.h>", "#include <time.h>"]
    unit.append((folder / "adapted.h").read_text())
    unit += c_function(function.program, M, "generic", ["-"], (), None, signature)
    unit += c_function(result.program, M, "adapted", ["-"], (), None, signature)
    cells = function.layout.cells
    rows = [function.tape(*arguments)[:cells] for arguments in calls]
    text = ",".join("{" + ",".join(map(str, row)) + "}" for row in rows)
    unit.append(f"static const int32_t rows[{len(rows)}][{cells}] = {{{text}}};")
    passed = ", ".join(word for p in signature.parameters for word in _passed(p))
    unit.append(MAIN.format(n=len(rows), rounds=ROUNDS, passed=passed, name=function.name))
    with tempfile.TemporaryDirectory() as place:
        source, binary = Path(place) / "unit.c", Path(place) / "unit"
        source.write_text("\n".join(unit))
        command = [compiler, "-std=c11", "-O2", "-DNDEBUG", str(source), "-o", str(binary)]
        subprocess.run(command, check=True)
        output = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    return dict(zip(KINDS, map(float, output.split()), strict=True))


def _passed(p: Parameter) -> list[str]:
    if p.size is None:
        return [f"row[{p.cell}]"]
    return [f"row + {p.cell}"] + ([] if p.length is None else [f"row[{p.length}]"])

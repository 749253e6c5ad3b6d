"""The speed of guarded functions in C: compiled here, and run on the calls of the test cases."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anc.codegen.names import identifier
from anc.python.layout import Parameter
from anc.python.originals import changes_lists

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted

_COMPILERS = ("gcc", "cc", "clang")
_CALLS = 200  # most calls in a round
_ROUNDS = 5  # runs of each program, in turn
_LONGEST = 20.0  # seconds for a compiler, or a run

_MAIN = """
static double now(void) {{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}}
static int32_t once(const int32_t *row) {{ return {name}({arguments}); }}
int main(void) {{
    int32_t (*volatile call)(const int32_t *) = once;
    volatile int32_t sink = 0;
    double least = 1e30;
    for (int i = 0; i < {n}; i++) {{
        if (call(rows[i]) != right[i]) return 1;
    }}
    for (int round = 0; round < 20; round++) {{
        double begin = now();
        for (int again = 0; again < 50; again++) {{
            for (int i = 0; i < {n}; i++) sink = call(rows[i]);
        }}
        double took = (now() - begin) / 50 / {n};
        if (took < least) least = took;
    }}
    (void)sink;
    printf("%f\\n", least);
    return 0;
}}
"""


def nanoseconds_in_c(result: Adapted, headers: Sequence[str]) -> list[float] | None:
    """Mean nanoseconds of a call, for the function in each header; None if they cannot be measured.

    Infinite for one that does not compile, or does not return what it should on the calls that are measured.
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    function = result.problem.function
    if compiler is None or function is None or function.layout.tape is not None:
        return None
    result_cell = function.layout.result
    if changes_lists(function) or result_cell is None:
        return None
    cells = function.layout.cells
    rows = [case.input[:cells] for case in result.problem.test[:_CALLS]]
    text = ",".join("{" + ",".join(map(str, row)) + "}" for row in rows)
    arguments = ", ".join(word for p in function.layout.parameters for word in _passed(p))
    main = _MAIN.format(name=identifier(function.name), arguments=arguments, n=len(rows))
    before = ["#define _POSIX_C_SOURCE 200809L", "#include <stdio.h>", "#include <time.h>"]
    data = f"static const int32_t rows[{len(rows)}][{cells}] = {{{text}}};"
    right = [case.output[result_cell] for case in result.problem.test[:_CALLS]]
    data += f"\nstatic const int32_t right[] = {{{', '.join(map(str, right))}}};"
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for number, header in enumerate(headers):
            source, program = Path(folder) / f"{number}.c", Path(folder) / f"{number}"
            source.write_text("\n".join([*before, header, data, main]))
            command = [compiler, "-std=c11", "-O2", "-DNDEBUG", str(source), "-o", str(program)]
            programs.append(program)
            _output(command)
        least = [float("inf")] * len(headers)
        for _ in range(_ROUNDS):
            for number, program in enumerate(programs):
                took = _output([str(program)])
                if took is not None:
                    least[number] = min(least[number], float(took))
    return None if min(least) == float("inf") else least


def _output(command: Sequence[str]) -> str | None:
    """What a command prints; None if it fails, or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _passed(p: Parameter) -> list[str]:
    """The words of an argument in a row of cells."""
    if p.size is None:
        return [f"row[{p.cell}]"]
    return [f"row + {p.cell}"] + ([] if p.length is None else [f"row[{p.length}]"])

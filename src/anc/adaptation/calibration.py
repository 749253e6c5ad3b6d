"""Calibration: what an instruction costs on this machine, in emitted Python and C.

Each instruction is measured in a program of many equal units, such as ``tape[64] = tape[0] + tape[3]``, which anc
emits as for any other program. What a unit takes beyond its READs and WRITE is the price of the instruction. Where
the output is 0 or 1, it is half of the price as a value and half of that as the condition of a jump.
"""

from __future__ import annotations

import platform
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from anc.codegen.c_text import c_function
from anc.codegen.python_text import python_function
from anc.compiler import compile_source
from anc.data.costs import GRID, PYTHON, C, CostTable, shipped
from anc.isa import WIDE, Effect, Instruction
from anc.language import Source
from anc.program import Program
from anc.proof import Fact, parse_fact
from anc.support.diagnostics import AncError

M, UNITS, RESULTS = 128, 16, 64  # cells, units of a program, the first cell of the results
LARGEST = 7  # value of an operand: no product leaves the memory
TAPES = 64
TAPES_IN_C = 1024  # a processor learns the branches of fewer
ROUNDS = 5  # at least; the fastest counts
CALLS = 40_000  # of a C function in a round
IN_C = 0.3  # of the budget
OPTIONS = ("-std=c11", "-O2", "-fno-tree-vectorize")  # equal units are no vectors
Times = Mapping[str, float]  # nanoseconds of a call, by the name of a program


@dataclass(frozen=True)
class Calibration:
    """The measured tables by language, and why one is missing."""

    tables: Mapping[str, CostTable]
    missing: str = ""
    file: str | None = None  # where they are

    def to_dict(self) -> dict[str, Any]:
        """The tables as a file of `anc calibrate` holds them, the shipped ones, and where they are."""
        both = {language: shipped(language).to_dict() for language in (PYTHON, C)}
        return self.content | {"shipped": both, "missing": self.missing, "file": self.file}

    @property
    def content(self) -> dict[str, Any]:
        return {language: table.to_dict() for language, table in self.tables.items()}

    def __str__(self) -> str:
        columns = {language: dict(table.weights) for language, table in self.tables.items()}
        both = {language: dict(shipped(language).weights) for language in (PYTHON, C)}
        heads = [f"{each:>8} {'shipped':>8}" for each in (PYTHON, C)]
        rows = [f"{'ns':<6}{'   '.join(heads)}"]
        for name in WIDE.names:
            cells = [
                f"{_cell(columns.get(language, {}).get(name))} {_cell(both[language].get(name))}"
                for language in (PYTHON, C)
            ]
            rows.append(f"{name:<6}{'   '.join(cells)}")
        rows += [f"{each}: {table.measured}" for each, table in self.tables.items()]
        return "\n".join(rows + ([self.missing] if self.missing else []))


def _cell(weight: float | None) -> str:
    return f"{'-' if weight is None else f'{weight:.2f}':>8}"


def calibrated(budget: float) -> Calibration:
    """Measure both languages in about this many seconds."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    share = 1 - IN_C if compiler else 1.0
    python = f"Python {platform.python_version()}, {platform.machine()}"
    tables = {PYTHON: _table(PYTHON, python, measured_in_python(share * budget))}
    if compiler is None:
        return Calibration(tables, "C: no C compiler was found (cc, gcc or clang)")
    try:
        found = measured_in_c(compiler, IN_C * budget)
    except (OSError, subprocess.SubprocessError, ValueError) as problem:
        return Calibration(tables, f"C: {Path(compiler).name} failed: {str(problem)[:200]}")
    measured = f"{Path(compiler).name} {' '.join(OPTIONS)}, {platform.machine()}"
    return Calibration(tables | {C: _table(C, measured, found)})


# -- the programs --------------------------------------------------------------


def _is_test(row: Instruction) -> bool:
    """Whether all outputs are 0 or 1."""
    few = range(LARGEST + 1)
    return all(row.output(a, b, M) < 2 for a in few for b in few)


def measured_rows() -> list[Instruction]:
    return [row for row in WIDE if row.effect is Effect.NONE and row.operands]


def _unit(kind: str, i: int) -> list[str]:
    """The lines of a unit: an instruction on two cells, or one of the programs to compare with.

    With a `?` behind its name, the instruction is the condition of a jump.
    """
    j, write = (5 * i + 3) % UNITS, f"WRITE({RESULTS + i}, "
    if kind == "WRITE":
        return [f"{write}1)"]
    lines = [f"var a{i} = READ({i})"]
    if kind == "READ":
        return [*lines, f"{write}a{i})"]
    if kind == "JEZ":
        return [*lines, f"JEZ(a{i}, after{i})", f"{write}1)", f"after{i}:"]
    op = kind.removesuffix("?")
    if WIDE[op].operands == 1:
        return [*lines, f"var r{i} = {op}(a{i})", f"{write}r{i})"]
    lines += [f"var b{i} = READ({j})", f"var r{i} = {op}(a{i}, b{i})"]
    if op != kind:
        return [*lines, f"JEZ(r{i}, after{i})", f"{write}1)", f"after{i}:"]
    return [*lines, f"{write}r{i})"]


@cache
def programs() -> dict[str, Program]:
    """A program for each instruction that is measured; `STOP` does nothing."""
    tests = (f"{row.name}?" for row in measured_rows() if _is_test(row))
    kinds = ("WRITE", "READ", "JEZ", *(row.name for row in measured_rows()), *tests)
    units = {"STOP": [], **{kind: [_unit(kind, i) for i in range(UNITS)] for kind in kinds}}
    head = f"instructions wide\nmemory {M}\n"
    texts = {
        kind: head + "\n".join(line for unit in some for line in unit) + "\nSTOP()\n"
        for kind, some in units.items()
    }
    return {kind: compile_source(Source(text)).program for kind, text in texts.items()}


def _facts() -> list[Fact]:
    """Operands are small, and divisors are not 0, as adapted functions mostly know."""
    return [parse_fact(f"1 <= tape[{cell}] <= {LARGEST}", M) for cell in range(UNITS)]


def _tapes(kind: str) -> list[list[int]]:
    """Random tapes; where a cell decides a jump, every fourth is not 0."""
    rng = random.Random(kind)
    least, most = (-2, 1) if kind == "JEZ" else (1, LARGEST)
    return [
        [max(0, rng.randint(least, most)) if cell < UNITS else 0 for cell in range(M)]
        for _ in range(TAPES)
    ]


def _facts_of(kind: str) -> list[Fact]:
    return [] if kind == "JEZ" else _facts()


# -- measuring -------------------------------------------------------------------


def measured_in_python(budget: float) -> Times:
    """The nanoseconds of a call of each program, as the fastest of several rounds."""
    functions: dict[str, Callable[[list[int]], None]] = {}
    for kind, program in programs().items():
        space: dict[str, Any] = {}
        exec("\n".join(python_function(program, M, "f", [kind], _facts_of(kind))), space)
        functions[kind] = space["f"]
    tapes = {kind: _tapes(kind) for kind in functions}
    best, ends, rounds = dict.fromkeys(functions, float("inf")), perf_counter() + budget, 0
    while rounds < ROUNDS or perf_counter() < ends:
        rounds += 1
        for kind, function in functions.items():
            begin = perf_counter()
            for tape in tapes[kind]:
                function(tape)
            best[kind] = min(best[kind], (perf_counter() - begin) / TAPES)
    return {kind: 1e9 * seconds for kind, seconds in best.items()}


def measured_in_c(compiler: str, budget: float) -> Times:
    """The same in C, by one program that is compiled and run."""
    functions, calls = list[str](), list[str]()
    for kind, program in programs().items():
        name = f"f{len(calls)}"
        functions += c_function(program, M, name, [kind], _facts_of(kind))
        calls.append(f'    {{"{kind}", {name}, {int(kind == "JEZ")}}},')
    text = _MAIN.format(
        functions="\n".join(functions), calls="\n".join(calls), M=M, tapes=TAPES_IN_C,
        rounds=max(ROUNDS, int(budget * 25)), times=CALLS // TAPES_IN_C, units=UNITS,
        largest=LARGEST,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "calibrate.c", Path(folder) / "calibrate"
        source.write_text(text)
        words = [compiler, *OPTIONS, str(source), "-o", str(made)]
        subprocess.run(words, check=True, capture_output=True, timeout=60)
        run = [str(made)]
        told = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60).stdout
    rows = (line.split() for line in told.splitlines())
    return {kind: float(number) for kind, number in rows}


_MAIN = """#include <stdint.h>
#include <stdio.h>
#include <time.h>

{functions}

static struct {{
    const char *name;
    void (*volatile call)(uint8_t *);
    int jumps;
}} all[] = {{
{calls}
}};
static uint8_t tapes[{tapes}][{M}];

int main(void) {{
    uint32_t random = 1;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {{
        double best = 1e30;
        for (int tape = 0; tape < {tapes}; tape++) {{
            for (int cell = 0; cell < {units}; cell++) {{
                random = random * 1664525u + 1013904223u;
                uint32_t drawn = random >> 16;
                tapes[tape][cell] = all[i].jumps ? drawn % 4 == 0 : 1 + drawn % {largest};
            }}
        }}
        for (int round = 0; round < {rounds}; round++) {{
            clock_t begin = clock();
            for (int n = 0; n < {times}; n++) {{
                for (int tape = 0; tape < {tapes}; tape++) {{
                    all[i].call(tapes[tape]);
                }}
            }}
            double taken = (double)(clock() - begin) / CLOCKS_PER_SEC;
            best = taken < best ? taken : best;
        }}
        printf("%s %f\\n", all[i].name, 1e9 * best / {times} / {tapes});
    }}
    return 0;
}}
"""


# -- the prices ----------------------------------------------------------------------


def _table(language: str, measured: str, times: Times) -> CostTable:
    """The prices that the times of the programs show, on the grid of weights."""
    unit = {kind: (taken - times["STOP"]) / UNITS for kind, taken in times.items()}
    write = unit["WRITE"]
    read = unit["READ"] - write
    paid = {"WRITE": write, "READ": read, "JEZ": unit["JEZ"] - read - write * _share("JEZ")}
    for row in measured_rows():
        price = unit[row.name] - row.operands * read - write
        if _is_test(row):
            rest = row.operands * read + paid["JEZ"] + write * _share(row.name)
            price = (max(price, 0.0) + max(unit[f"{row.name}?"] - rest, 0.0)) / 2
        paid[row.name] = price
    least = min((price for price in paid.values() if price > 0), default=0.0)
    if paid["ADD"] <= 0 or least <= 0:
        raise AncError(
            f"the times for {language} make no sense, the machine may be too busy", "try again"
        )
    # What vanishes in the emitted code, and what is lost in noise, is half of the cheapest.
    found = {name: paid.get(name, 0.0) for name in WIDE.names}
    weights = {name: max(price, least / 2) for name, price in found.items()}
    on_grid = {name: max(1, round(price * GRID)) / GRID for name, price in weights.items()}
    return CostTable(language, "ns", tuple(on_grid.items()), measured)


def _share(kind: str) -> float:
    """How often the WRITE behind the jump of a unit is executed."""
    tapes, row = _tapes(kind), WIDE[kind]
    pairs = [(tape[i], tape[(5 * i + 3) % UNITS]) for tape in tapes for i in range(UNITS)]
    if kind == "JEZ":
        return sum(a != 0 for a, _ in pairs) / len(pairs)
    return sum(row.output(a, b, M) != 0 for a, b in pairs) / len(pairs)

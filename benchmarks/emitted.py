"""Emitted C and Python against the exact machine on many random programs and tapes.

    python benchmarks/emitted.py [PROGRAMS] [SEED]

The C is compiled with all warnings as errors and run with the sanitizers for undefined behaviour and
addresses. The tests do the same with fewer programs.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from codegen.emitted import COMPILER, any_program, c_output, c_unit, finished_runs, python_run

from anc.codegen import to_python
from anc.codegen.c_text import c_function
from anc.isa import PAPER, WIDE

MEMORIES = (2, 3, 5, 7, 10, 16, 24, 40)
TAPES = 4
UNIT = 200  # programs in one file of C


def main() -> None:
    programs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = sys.argv[2] if len(sys.argv) > 2 else "0"
    counted: Counter[str] = Counter()
    for begin in range(0, programs, UNIT):
        unit = []
        for number in range(begin, min(begin + UNIT, programs)):
            random = Random(f"{seed}/{number}")
            instructions = (PAPER, WIDE)[number % 2]
            program = any_program(random, random.choice(MEMORIES), instructions)
            M = max(program.memory or 0, program.smallest_memory)
            if random.random() < 0.1:
                M = random.choice((256, 300))
            elif random.random() < 0.03:
                M = random.choice((65_521, 65_536))
            runs = finished_runs(program, M, random, TAPES)
            text = to_python(program, M, f"f{number}")
            runs = runs[: 1 if M > 1000 else TAPES]  # a tape is text in C
            for tape, run in runs:
                assert python_run(text, f"f{number}", tape) == (run.tape, run.stop), (number, tape)
                counted[run.stop.value] += 1
            unit.append((f"f{number}", M, c_function(program, M, f"f{number}", ["-"]), runs))
            counted["with a dispatch loop" if "line = " in text else "structured"] += 1
        if COMPILER is not None:
            with tempfile.TemporaryDirectory() as folder:
                level = "-O0" if begin // UNIT % 8 else "-O2"  # with -O2 there are more warnings
                different = c_output(c_unit(unit), Path(folder), level, "-DNDEBUG")
                assert different == "", different
        print(f"\r{begin + len(unit):,} programs", end="", file=sys.stderr, flush=True)
    runs_in_all = counted["stopped"] + counted["past-end"]
    print(f"\n{programs:,} programs, {runs_in_all:,} runs: Python and C end as the machine does")
    for words, count in sorted(counted.items()):
        print(f"  {count:8,} {words}")


if __name__ == "__main__":
    main()

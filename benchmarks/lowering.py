"""The paper's programs written in Python against the listings written by hand: lines and steps.

    python benchmarks/lowering.py

Mean steps are over a task's own generic cases; every function must leave the tape that its listing leaves.
"""

from __future__ import annotations

from pathlib import Path

from anc.data import programs, tasks
from anc.language.source import read_source
from anc.machine.exact import run
from anc.program import Program
from anc.python.function import read
from anc.python.source import parse

FUNCTIONS = Path(__file__).parent / "python_programs" / "thirteen.py"
CASES, SEED, LIMIT = 200, 3, 100_000


def mean_steps(program: Program, name: str, number: int) -> float:
    """Over cases that the program must get right."""
    cases = tasks.get(name).draw(False, number, SEED)
    steps = 0
    for case in cases:
        done = run(program, case.input, LIMIT)
        wrong = [c for c in range(case.M) if case.mask[c] and done.tape[c] != case.output[c]]
        assert not wrong, (name, case.input, wrong)
        steps += done.steps
    return steps / len(cases)


def row(name: str, program: Program, number: int = CASES) -> tuple[str, int, int, float, float]:
    """Name, lines and steps: by hand, from Python."""
    by_hand = tasks.get(name).program
    steps = mean_steps(by_hand, name, number), mean_steps(program, name, number)
    return name, by_hand.L, program.L, *steps


def table(number: int = CASES) -> list[tuple[str, int, int, float, float]]:
    module = parse(read_source(FUNCTIONS))
    return [
        row(name, read(module, module.functions[name]).program, number) for name in programs.names()
    ]


def main() -> None:
    print(f"{'':12} {'lines':>15} {'steps':>19}")
    print(f"{'':12} {'hand':>7} {'Python':>7} {'hand':>9} {'Python':>9}")
    for name, hand_lines, lines, hand_steps, steps in table():
        more = " more" if lines > hand_lines or steps > hand_steps else ""
        print(f"{name:12} {hand_lines:7} {lines:7} {hand_steps:9.2f} {steps:9.2f}{more}")


if __name__ == "__main__":
    main()

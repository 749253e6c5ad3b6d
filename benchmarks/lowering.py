"""Code from Python: lines and steps against listings written by hand, and of one instruction set against another.

    python benchmarks/lowering.py [adapted [EVALUATIONS]]

The paper's programs written in Python, on the paper's instructions, against their listings: mean steps are over a
task's own generic cases, and every function must leave the tape that its listing leaves. Then all functions of
`functions.py`, `everyday.py` and `python_programs`, on the paper's instructions against the wide ones: mean steps are
over biased calls, or a task's generic cases, and both programs must leave the same tape. *Exact* is the number of
lines of the program with all checks, which proofs compare with.

`adapted` adapts each of them instead, in both sets, to its biased calls (a task's own cases), with a fixed amount of
work (60,000 evaluations): lines and mean steps before, mean steps of the proved answer (`-` where nothing faster is
proved), and the processor seconds of the search; proofs run beside it, in processes of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from everyday import EVERYDAY
from functions import FUNCTIONS

import anc
from anc import isa
from anc.data import programs, tasks
from anc.language.source import read_source
from anc.machine.exact import run
from anc.program import Program
from anc.python.function import Function, read
from anc.python.source import parse
from anc.support.diagnostics import AncError

THIRTEEN = Path(__file__).parent / "python_programs" / "thirteen.py"
CASES, SEED, LIMIT = 200, 3, 100_000


def thirteen(instructions: isa.InstructionSet) -> dict[str, Function]:
    module = parse(read_source(THIRTEEN))
    return {
        name: read(module, module.functions[name], instructions=instructions)
        for name in programs.names()
    }


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
    found = thirteen(isa.PAPER)
    return [row(name, found[name].program, number) for name in programs.names()]


# -- the paper's instructions against the wide ones ---------------------------------------


Sets = tuple[tuple[int, float, int | None], ...]  # lines, mean steps, lines of the exact program


def both(function: Function, tapes: Sequence[Sequence[int]]) -> Sets:
    """For each set; both programs must leave the same tapes."""
    known = [function.with_instructions(each) for each in (isa.PAPER, isa.WIDE)]
    done = [[run(each.program, tape, LIMIT) for tape in tapes] for each in known]
    assert [each.tape for each in done[0]] == [each.tape for each in done[1]], function.name
    return tuple(
        (each.program.L, sum(one.steps for one in runs) / len(runs), _exact_lines(each))
        for each, runs in zip(known, done, strict=True)
    )


def _exact_lines(function: Function) -> int | None:
    try:
        return function.exact.L
    except AncError:  # too long for this memory
        return None


def sets(number: int = CASES) -> Iterator[tuple[str, Sets]]:
    for function, draw in (*FUNCTIONS, *EVERYDAY):
        random = Random(SEED)
        yield function.name, both(function, [function.tape(*draw(random)) for _ in range(number)])
    for name, function in thirteen(isa.WIDE).items():
        cases = tasks.get(name).draw(False, number, SEED)
        yield name, both(function, [case.input for case in cases])


# -- adapted, in both sets -----------------------------------------------------------------


def calls_of_all(number: int) -> Iterator[tuple[Function, list[Sequence[Any]]]]:
    """Each function, and calls to adapt it to."""
    for function, draw in (*FUNCTIONS, *EVERYDAY):
        random = Random(SEED)
        yield function, [draw(random) for _ in range(number)]
    for name, function in thirteen(isa.WIDE).items():
        cases = tasks.get(name).draw(True, number, SEED)
        yield function, [function.layout.arguments_of(case.input) for case in cases]


def adapted(function: Function, calls: list[Sequence[Any]], evaluations: int) -> str:
    """Lines and steps, steps of the proved answer, and processor seconds of the search."""
    began = process_time()
    try:
        result = anc.adapt(function, calls, evaluations=evaluations, method="search")
    except AncError:
        return f"{function.program.L:6} {'refused':>26}"
    spent = process_time() - began
    is_better = result.improved and result.verdict.proved
    after = f"{result.steps_adapted:8.2f}" if is_better else f"{'-':>8}"
    return f"{function.program.L:6} {result.steps_generic:9.2f} {after} {spent:7.1f}"


def compare_adapted(evaluations: int) -> None:
    print(f"{evaluations:,} evaluations each")
    head = f"{'lines':>6} {'steps':>9} {'proved':>8} {'seconds':>7}"
    print(f"{'':14} {head} {head}")
    adapted(*next(calls_of_all(CASES)), 1_000)  # machine code is compiled before anything counts
    for function, calls in calls_of_all(CASES):
        sets = (function.with_instructions(each) for each in (isa.PAPER, isa.WIDE))
        cells = " ".join(adapted(each, calls, evaluations) for each in sets)
        print(f"{function.name:14} {cells}", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["adapted"]:
        compare_adapted(int((sys.argv[2:] or ["60000"])[0]))
        return
    print(f"{'':14} {'lines':>15} {'steps':>19}")
    print(f"{'':14} {'hand':>7} {'Python':>7} {'hand':>9} {'Python':>9}")
    for name, hand_lines, lines, hand_steps, steps in table():
        more = " more" if lines > hand_lines or steps > hand_steps else ""
        print(f"{name:14} {hand_lines:7} {lines:7} {hand_steps:9.2f} {steps:9.2f}{more}")
    print(f"\n{'':14} {'lines':>13} {'steps':>19} {'exact':>13}")
    print(f"{'':14} {'paper':>6} {'wide':>6} {'paper':>9} {'wide':>9} {'paper':>6} {'wide':>6}")
    for name, (old, new) in sets():
        exact = [str(each[2] or "-") for each in (old, new)]
        print(
            f"{name:14} {old[0]:6} {new[0]:6} {old[1]:9.2f} {new[1]:9.2f} {exact[0]:>6} {exact[1]:>6}"
        )


if __name__ == "__main__":
    main()

"""Machine steps per second of the batched exact machine, warm, on one core.

python benchmarks/batch_machine.py [task ...]
"""

from __future__ import annotations

import sys
import time

from anc import programs, tasks
from anc.machine.batch import encode, evaluate_many, pack_cases

SECONDS = 0.5
ROUNDS = 5
CASES = 2_000
COPIES = 20


def steps_per_second(name: str) -> float:
    """The best of a few rounds of running copies of the generic program on biased cases."""
    task = tasks.get(name)
    distinct = pack_cases(task.draw(True, CASES, seed=0))
    cases = distinct.choose([number % len(distinct) for number in range(CASES)])
    copies = [encode(task.program)] * COPIES
    evaluate_many(copies, cases, task.longest_run)
    best = 0.0
    for _ in range(ROUNDS):
        steps, begin = 0, time.perf_counter()
        while (seconds := time.perf_counter() - begin) < SECONDS / ROUNDS:
            steps += int(evaluate_many(copies, cases, task.longest_run).steps.sum())
        best = max(best, steps / seconds)
    return best


def main() -> None:
    for name in sys.argv[1:] or programs.names():
        print(f"{name:<12} {steps_per_second(name) / 1e6:7.0f} million steps per second")


if __name__ == "__main__":
    main()

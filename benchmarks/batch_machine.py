"""Machine steps per second of the batched exact machine, warm, on one core.

python benchmarks/batch_machine.py [task ...]
"""

from __future__ import annotations

import sys
import time

from anc.data import programs, tasks
from anc.isa import PAPER
from anc.machine.batch import Rules, evaluate_many
from anc.machine.encoded import Cases, encode

SECONDS = 0.5
ROUNDS = 5
CASES = 20_000
COPIES = 2


def steps_per_second(name: str) -> float:
    """The best of a few rounds of running copies of the generic program on biased cases."""
    task = tasks.get(name)
    distinct = Cases.distinct(task.draw(True, CASES, seed=0))
    cases = distinct.choose([number % distinct.C for number in range(CASES)])
    copies = [encode(task.program)] * COPIES
    rules = Rules.of(PAPER, task.M, 5_000)
    evaluate_many(copies, cases, rules)
    best = 0.0
    for _ in range(ROUNDS):
        steps, begin = 0, time.perf_counter()
        while (seconds := time.perf_counter() - begin) < SECONDS / ROUNDS:
            steps += int(evaluate_many(copies, cases, rules).steps.sum())
        best = max(best, steps / seconds)
    return best


def main() -> None:
    for name in sys.argv[1:] or programs.names():
        print(f"{name:<12} {steps_per_second(name) / 1e6:7.0f} million steps per second")


if __name__ == "__main__":
    main()

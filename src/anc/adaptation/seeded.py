"""The process that adapts with one seed, for an adaptation with several.

It reads one pickled `Order` from its standard input; whatever comes there afterwards asks it to stop, and
with the end of the input it ends. It writes pickles to its standard output: `Progress` now and then, then the result.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from typing import Any

from anc import resources
from anc.job import Job
from anc.learning.problem import Problem
from anc.processes import answer

_EVERY = 0.2  # seconds between two words about progress


@dataclass(frozen=True)
class Order:
    """What to adapt, with which settings of `adapt`, and on which cores (none: on any)."""

    problem: Problem
    settings: Mapping[str, Any]
    seed: int
    cores: tuple[int, ...]
    memory: int | None = None  # bytes that it may take, with the processes that work for it


@dataclass(frozen=True)
class Progress:
    """What is being done, and the mean steps of the best program so far."""

    doing: str
    steps: float | None


def main() -> None:
    """Do one order over standard input and output."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write between the answers
    order: Order = pickle.load(sys.stdin.buffer)
    if order.cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, order.cores)
    stop, told, writing = Event(), 0.0, Lock()

    def send(message: object) -> None:
        with writing:
            pickle.dump(message, answers)
            answers.flush()

    def tell(doing: str, steps: float | None) -> None:
        nonlocal told
        if time.monotonic() - told > _EVERY:
            told = time.monotonic()
            send(Progress(doing, steps))

    def listen() -> None:
        while sys.stdin.buffer.read(1):
            stop.set()
        os._exit(0)  # who started this process is gone

    Thread(target=listen, daemon=True).start()
    send(answer(lambda: _done(order, tell, stop)))


def _done(order: Order, tell: Callable[[str, float | None], None], stop: Event) -> object:
    from anc.adaptation.adapt import adapt

    settings = dict(order.settings)
    budget, evaluations, command = map(settings.pop, ("budget", "evaluations", "command"))
    job = Job(budget, evaluations, None, tell, stop.is_set, command)
    with resources.bounded(order.memory):
        result = adapt(order.problem, job, seed=order.seed, **settings)
    return replace(result, problem=replace(result.problem, more=None))

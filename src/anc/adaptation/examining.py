"""The process that examines programs for an adaptation.

It reads pickles from its standard input and writes pickles to its standard output: a `Question` says
which program all others are compared with, an `Order` asks for the evidence of one. Where work is counted,
it says now and then how far it has come.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

from anc import resources
from anc.adaptation.evidence import Evidence, Samples, examine
from anc.clock import PER_SECOND, Time
from anc.program import Program
from anc.verify import Fact
from anc.verify.verdict import error_in, unknown

_SLACK = 1.25  # times the memory of a proof: what it holds is looked at first
_OFTEN = PER_SECOND / 10  # evaluations between two words about how far it has come


@dataclass(frozen=True)
class Question:
    """What stays the same while a program is adapted."""

    generic: Program
    samples: Samples
    assumed: tuple[Fact, ...]
    exact: Program | None = None


@dataclass(frozen=True)
class Order:
    """A program to be examined, and for how many seconds at most, or for how much work, as seconds."""

    program: Program
    seconds: float
    counts_work: bool = False
    memory: int | None = None  # bytes that it may take


@dataclass(frozen=True)
class Reached:
    """How much work of an order is done; once more before its answer."""

    evaluations: float


def serve(requests: SimpleQueue[Question | Order], answers: BinaryIO) -> None:
    """Answer every order about the latest question."""
    question: Question | None = None
    while True:
        request = requests.get()
        if isinstance(request, Question):
            question = request
            with suppress(Exception):  # which comes again when it matters
                _ = question.samples.facts  # mined before the first order comes
            continue
        assert question is not None

        def say(message: Evidence | Reached) -> None:
            pickle.dump(message, answers)
            answers.flush()

        time = _Told(request.counts_work, say=say)
        answer = _answer(question, request, time)
        say(Reached(time.evaluations))
        say(answer)


@dataclass
class _Told(Time):
    """A time that others are told of."""

    say: Callable[[Reached], None] = lambda reached: None
    said: float = 0.0

    def did(self, evaluations: float) -> None:
        super().did(evaluations)
        if self.counts_work and self.evaluations - self.said >= _OFTEN:
            self.said = self.evaluations
            self.say(Reached(self.evaluations))


def _answer(question: Question, order: Order, time: Time) -> Evidence:
    try:
        with resources.bounded(order.memory):
            if order.memory is not None:  # what is asked for in one go
                resources.refuse_beyond(int(_SLACK * order.memory))
            evidence = examine(
                question.generic, order.program, question.samples, question.assumed, order.seconds,
                question.exact, time=time,
            )  # fmt: skip
            is_open = not (evidence.verdict.proved or evidence.verdict.refuted)
            if is_open and resources.was_full():
                return Evidence(unknown(resources.why_full()))
            return evidence
    except (MemoryError, resources.NotEnough):
        return Evidence(unknown(resources.lacking(order.memory)))
    except Exception as problem:
        return Evidence(unknown(error_in(problem)))
    finally:
        resources.refuse_beyond(None)


def listen(stream: BinaryIO, requests: SimpleQueue[Question | Order]) -> None:
    """Pass requests on; when who makes them is gone, this process ends, whatever it is doing."""
    try:
        while True:
            requests.put(pickle.load(stream))
    finally:
        os._exit(0)


def main() -> None:
    """Serve over standard input and output, to the end of the process that started this one."""
    requests: SimpleQueue[Question | Order] = SimpleQueue()
    Thread(target=listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    own_output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write between the answers
    serve(requests, own_output)

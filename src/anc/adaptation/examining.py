"""The process that examines programs for an adaptation.

It reads pickles from its standard input and writes pickles to its standard output: a `Question` says
which program all others are compared with, an `Order` asks for the evidence of one.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO

from anc.adaptation.evidence import Evidence, Samples, examine
from anc.program import Program
from anc.verify import Fact


@dataclass(frozen=True)
class Question:
    """What stays the same while a program is adapted."""

    generic: Program
    samples: Samples
    assumed: tuple[Fact, ...]
    exact: Program | None = None


@dataclass(frozen=True)
class Order:
    """A program to be examined, and for how many seconds at most."""

    program: Program
    seconds: float


@dataclass(frozen=True)
class Failure:
    """An error that should not have happened, as text."""

    text: str


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
        pickle.dump(_answer(question, request), answers)
        answers.flush()


def _answer(question: Question, order: Order) -> Evidence | Failure:
    try:
        return examine(
            question.generic, order.program, question.samples, question.assumed, order.seconds,
            question.exact,
        )  # fmt: skip
    except Exception:
        return Failure(traceback.format_exc())


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

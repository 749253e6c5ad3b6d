"""The process that trains chunks for another one, one after the other.

It reads pickles from its standard input: the numbers of the cores that it may use, then chunks; anything
else asks it to stop what it does. With the end of the input it ends. It writes pickles to its standard
output: a `Standing` now and then, and an `Outcome` for each chunk.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from queue import SimpleQueue
from threading import Event, Thread

from anc.processes import answer

_EVERY = 0.2  # seconds between two words about progress


def main() -> None:
    """Train what comes over standard input."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write between the answers
    cores = pickle.load(sys.stdin.buffer)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)  # before numba counts them
    from anc.learning.training import Progress
    from anc.spread.chunk import Chunk
    from anc.spread.on import Standing

    waiting: SimpleQueue[Chunk] = SimpleQueue()
    stop = Event()

    def listen() -> None:
        try:
            while True:
                message = pickle.load(sys.stdin.buffer)
                if isinstance(message, Chunk):
                    waiting.put(message)
                else:
                    stop.set()
        finally:
            os._exit(0)  # who started this process is gone

    def send(message: object) -> None:
        pickle.dump(message, answers)
        answers.flush()

    Thread(target=listen, daemon=True).start()
    while True:
        chunk, told = waiting.get(), 0.0

        def tell(progress: Progress) -> None:
            nonlocal told
            if time.monotonic() - told > _EVERY:
                told = time.monotonic()
                send(Standing.of(chunk, progress))  # noqa: B023

        send(answer(lambda: chunk.run(stop.is_set, tell)))  # noqa: B023

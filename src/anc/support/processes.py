"""Worker processes: they run orders for this process, report progress, and end with it.

Process  a process that runs one order after the other with one function
Thread   the same in this process, for work on a device
Pool     several workers that share orders

Messages of a worker are passed to `heard` in a separate thread: progress, `Done` (or an error) for each
order, and `Gone` when the worker ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from anc.support.diagnostics import AncError

_LOOK = 0.1  # seconds between two checks for a stop request
_EVERY = 0.2  # seconds between two progress messages
_GONE = 1.0  # seconds for a process to exit after closing its output
_LACKING = ("SIGKILL", "SIGABRT", "SIGSEGV")

# The parent notices that no answer comes and reports it; a traceback would not help the user.
_START = """
import os, sys
if {cores} and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {cores})  # before numba counts them
try:
    from anc.support.processes import serve
    from {module} import {name} as work
except Exception:
    if os.environ.get("ANC_DEBUG"):
        raise
    sys.exit(1)
serve(work)
"""

Order = TypeVar("Order")
Heard = Callable[[object], None]


@dataclass(frozen=True)
class Done:
    """The value of a completed order."""

    value: Any


class WorkerFailure(Exception):
    """An unexpected error, as text."""


@dataclass(frozen=True)
class Gone:
    """The worker ended, during an order or between orders."""

    how: str


class _Wish(Enum):
    STOP = "end what you do with what you have"
    LEAVE = "end when all orders are done"


def answer(work: Callable[[], object]) -> object:
    """The value of some work, or the error, to be sent to the parent process."""
    try:
        return work()
    except AncError as problem:
        return problem
    except Exception:
        return WorkerFailure(traceback.format_exc())


class Boss:
    """The parent process, as the work sees it."""

    def __init__(self, say: Callable[[object], None], every: float = _EVERY) -> None:
        self.say, self.every, self.told = say, every, 0.0
        self.stop = threading.Event()
        self.about: Any = None  # state that the work keeps between orders

    def tell(self, progress: object) -> None:
        """Report progress, unless a report was made a moment ago."""
        if time.monotonic() - self.told > self.every:
            self.told = time.monotonic()
            self.say(progress)

    def asked_to_stop(self) -> bool:
        return self.stop.is_set()


Work = Callable[[Any, Boss], object]


def serve(work: Work) -> None:
    """Run as a worker: read pickled orders from standard input, write pickled answers to standard output.

    It exits when its input is closed, because then the parent process is gone.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write between the answers
    writing, orders = threading.Lock(), SimpleQueue[object]()

    def say(message: object) -> None:
        with writing:
            pickle.dump(message, answers)
            answers.flush()

    boss = Boss(say)

    def listen() -> None:
        try:
            while True:
                message = pickle.load(sys.stdin.buffer)
                if message is _Wish.STOP:
                    boss.stop.set()
                else:
                    orders.put(message)
        finally:
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while (order := orders.get()) is not _Wish.LEAVE:
        boss.told = 0.0
        say(answer(lambda: Done(work(order, boss))))
    os._exit(0)


class Process:
    """A process that runs orders with a function of a module, pinned to some cores (none: to no cores)."""

    def __init__(self, work: Work, heard: Heard, cores: tuple[int, ...] = ()) -> None:
        self.heard = heard
        self.popen = started(_START.format(module=work.__module__, name=work.__name__, cores=cores))
        self._messages: SimpleQueue[object] = SimpleQueue()
        for each in (self._listen, self._write):
            threading.Thread(target=each, daemon=True).start()

    def send(self, order: object) -> None:
        """Queue an order; never waits, even if the process is still starting."""
        self._messages.put(order)

    def stop(self) -> None:
        """Request a stop: finish the current order with what there is."""
        self.send(_Wish.STOP)

    def leave(self) -> None:
        """Let the process exit when its orders are done."""
        self.send(_Wish.LEAVE)

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self.send(None)
        self.popen.kill()
        self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _write(self) -> None:
        assert self.popen.stdin is not None
        with suppress(OSError, ValueError):  # the process is gone; `_listen` reports it
            while (message := self._messages.get()) is not None:
                try:
                    data = pickle.dumps(message)
                except Exception:
                    self.heard(WorkerFailure(traceback.format_exc()))
                    continue
                self.popen.stdin.write(data)
                self.popen.stdin.flush()

    def _listen(self) -> None:
        assert self.popen.stdout is not None
        with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
            while True:
                self.heard(pickle.load(self.popen.stdout))
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(_GONE)
        self.heard(Gone(_how_it_ended(self.popen.returncode)))


class Thread:
    """A worker thread in this process; errors are sent like answers."""

    def __init__(self, work: Work, heard: Heard) -> None:
        self.boss, self._orders = Boss(heard, every=0.0), SimpleQueue[object]()
        self._thread = threading.Thread(target=self._live, args=(work, heard), daemon=True)
        self._thread.start()

    def _live(self, work: Work, heard: Heard) -> None:
        while (order := self._orders.get()) is not None:
            try:
                heard(Done(work(order, self.boss)))
            except BaseException as problem:  # raised again in the caller's thread
                heard(problem)

    def send(self, order: object) -> None:
        self._orders.put(order)

    def stop(self) -> None:
        self.boss.stop.set()

    def end(self) -> None:
        self.stop()
        self.send(None)
        self._thread.join()


Worker = Process | Thread


class Pool(Generic[Order]):
    """Workers that share a queue of orders: a free worker takes the next one.

    `start` starts the worker of a slot. If a worker ends, its order is tried again, `tries` times in
    all. `least` orders are started even after a stop request. `named` describes an order in error
    messages.
    """

    def __init__(
        self,
        start: Callable[[int, Heard], Worker],
        count: int,
        named: Callable[[Order], str],
        tries: int = 1,
        least: int = 0,
    ) -> None:
        self.start, self.named, self.tries, self.least = start, named, tries, least
        self.said: SimpleQueue[tuple[int, object]] = SimpleQueue()
        self.workers = [self._started(place) for place in range(count)]
        self.at_work: dict[int, Order] = {}  # by slot
        self.left: dict[int, int] = {}  # remaining tries of the orders at work
        self.is_stopping, self.begun = False, 0

    def _started(self, place: int) -> Worker:
        return self.start(place, lambda message: self.said.put((place, message)))

    def run(
        self, orders: Iterable[Order], asked_to_stop: Callable[[], bool]
    ) -> Iterator[tuple[Order, object] | None]:
        """The messages about each order: progress, and finally `Done` or `Gone`.

        Yields None when there is no message for a moment. After a stop request no more orders are
        started, and the running ones are asked to stop. Errors of an order are raised.
        """
        self.waiting = [(order, self.tries) for order in orders]  # with the remaining tries
        try:
            while True:
                if asked_to_stop() and not self.is_stopping:
                    self._stop()
                self._hand_out()
                if not self.at_work:
                    return
                try:
                    place, message = self.said.get(timeout=_LOOK)
                except Empty:
                    yield None
                else:
                    yield from self._heard(place, message)
        finally:
            for worker in self.workers:
                worker.end()

    def _stop(self) -> None:
        self.is_stopping = True
        self.waiting = self.waiting[: max(0, self.least - self.begun)]
        for worker in self.workers:
            worker.stop()

    def _hand_out(self) -> None:
        for place, worker in enumerate(self.workers):
            if place not in self.at_work and self.waiting:
                self.at_work[place], self.left[place] = self.waiting.pop(0)
                self.begun += 1
                worker.send(self.at_work[place])

    def _heard(self, place: int, message: object) -> Iterator[tuple[Order, object]]:
        order = self.at_work.get(place)
        if isinstance(message, Gone):
            self.workers[place].end()
            if not self.is_stopping or self.waiting:
                self.workers[place] = self._started(place)
        if order is None:
            return
        if isinstance(message, WorkerFailure):
            raise RuntimeError(f"{self.named(order)} failed:\n{message}")
        if isinstance(message, BaseException):
            raise message
        if isinstance(message, Done | Gone):
            del self.at_work[place]
        if isinstance(message, Gone) and self.left[place] > 1 and not self.is_stopping:
            self.waiting.insert(0, (order, self.left[place] - 1))
        else:
            yield order, message


def cores_of(place: int, each: int) -> tuple[int, ...]:
    """The cores of a slot, a fixed number for each; none where processes cannot be pinned."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    mine = sorted(os.sched_getaffinity(0))
    first = place * each % len(mine)
    return tuple(mine[first : first + each])


def started(code: str) -> subprocess.Popen[bytes]:
    """A process that runs Python code, with pipes for orders and answers."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        # sets must iterate in the same order in every process
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"},
        cwd=_folder(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # a Ctrl-C in the terminal goes to the parent alone
    )


def _folder() -> str:
    """The current folder, or one that exists: Python does not start in a removed folder."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def _how_it_ended(status: int | None) -> str:
    """A description of how a process ended that should not have."""
    if status is None or status >= 0:
        return f"it ended with the status {status or 0}"
    name = signal.Signals(-status).name
    lack = "; that is how it ends where memory runs out" if name in _LACKING else ""
    return f"{name} ended it{lack}"

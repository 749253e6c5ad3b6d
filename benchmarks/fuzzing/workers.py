"""Several processes that try inputs, and one that watches them.

A worker takes every n-th input and ends one that takes too long by itself where Python runs; where it
is held in compiled code, the watching process ends the worker, notes the input, and starts another one
behind it. The same happens to a worker that dies or takes too much memory.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fuzzing.entry import Entry
from fuzzing.examine import FAILED, Late, examine
from fuzzing.minimise import minimised
from fuzzing.report import Counts, Failure, Report
from fuzzing.schedule import Schedule

_MEMORY = 4 << 30  # bytes that a worker may really use
_ADDRESSES = 64 << 30  # ... and ask for: what asks for more is refused at once
_WARMING = 900.0  # seconds: kernels are compiled the first time
_PATIENCE = 4  # times the seconds of work that an input may take, because others share the machine
_GRACE = 2.0  # seconds after that, or after the end, in which a worker may end an input itself
_MINIMISING = 5.0  # seconds for one failure
_ONES = 3  # failures of one kind that a worker minimises
_FORK = multiprocessing.get_context("fork")  # a worker has imported all that its parent has
COUNTED = tuple(field.name for field in fields(Counts))


@dataclass(frozen=True)
class Plan:
    """What is to be done: inputs from `first` up to `last`, until `seconds` are over, all in all."""

    entries: Sequence[Entry]
    seed: int
    first: int
    last: int
    seconds: float
    jobs: int


class Mark:
    """What a worker does, for the one who watches, in memory that both share.

    The place in the schedule, until when it may be there, and the counts of every entry: they survive
    the worker.
    """

    def __init__(self, entries: int) -> None:
        self.place = _FORK.RawValue("q", -1)
        self.until = _FORK.RawValue("d", time.monotonic() + _WARMING)
        self.counts = _FORK.RawArray("d", entries * len(COUNTED))

    def set(self, place: int, seconds: float) -> None:
        self.until.value = time.monotonic() + _PATIENCE * seconds + _GRACE
        self.place.value = place

    def count(self, entry: int, what: str, number: float = 1) -> None:
        self.counts[entry * len(COUNTED) + COUNTED.index(what)] += number

    def counted(self, entries: Sequence[Entry]) -> dict[str, Counts]:
        n = len(COUNTED)
        rows = [self.counts[k * n : (k + 1) * n] for k in range(len(entries))]
        return {e.name: Counts(*row) for e, row in zip(entries, rows, strict=True) if any(row)}


class Worker:
    """One process at the inputs first, first + step, ..., with a folder of its own in this one."""

    def __init__(self, plan: Plan, first: int, end: float, folder: str) -> None:
        self.plan, self.first, self.end = plan, first, end
        self.mark = Mark(len(plan.entries))
        self.told, telling = _FORK.Pipe(duplex=False)
        arguments = (plan, first, end, folder, self.mark, telling)
        self.process = _FORK.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        telling.close()

    def messages(self) -> list[tuple[str, Any]]:
        """All that it has told; ends with ("gone", None) when it is."""
        found = []
        try:
            while self.told.poll():
                found.append(self.told.recv())
        except (EOFError, OSError):
            found.append(("gone", None))
        return found

    def fault(self) -> str:
        """What the worker must be ended for."""
        if time.monotonic() > self.mark.until.value:
            return "hang: outside of Python"
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return ""
        return "memory: too much of it" if pages * resource.getpagesize() > _MEMORY else ""

    def ended(self, at_once: bool) -> object:
        """The exit status of the process, which ends now."""
        if not at_once:
            self.process.join(_GRACE)
        self.process.kill()
        self.process.join()
        return self.process.exitcode


def run(plan: Plan, report: Report, tell: Any = print) -> None:
    """Try all inputs of a plan; what happened goes into the report, also when it is interrupted."""
    end = time.monotonic() + plan.seconds
    workers: list[Worker] = []
    with tempfile.TemporaryDirectory("", "fuzz-", _memory(), ignore_cleanup_errors=True) as folder:
        try:
            _watch(plan, report, tell, workers, end, folder)
        finally:
            for worker in workers:  # what they are at is not counted
                worker.ended(at_once=True)
                for what, value in worker.messages():
                    if what == "failure":
                        report.add_failure(value)
                report.add_counts(worker.mark.counted(plan.entries))


def _watch(
    plan: Plan, report: Report, tell: Any, workers: list[Worker], end: float, folder: str
) -> None:
    """Until all workers have come to their end, or the time is over."""
    schedule = Schedule(plan.entries)
    waiting = [plan.first + k for k in range(plan.jobs)]
    # the first fills the caches of all others
    workers.append(Worker(plan, waiting.pop(0), end, folder))
    shown = time.monotonic()
    while workers and time.monotonic() < end + _GRACE:
        time.sleep(0.05)
        for worker in list(workers):
            gone, fault = False, worker.fault()
            for what, value in worker.messages():
                if what == "failure":
                    if report.add_failure(value):
                        tell(f"{value.entry}: {value.kind}\n  {value.command}")
                elif what == "warm":
                    while waiting:
                        workers.append(Worker(plan, waiting.pop(0), end, folder))
                else:
                    gone = True
            if not gone and not fault:
                continue
            place, status = worker.mark.place.value, worker.ended(at_once=bool(fault))
            workers.remove(worker)
            report.add_counts(worker.mark.counted(plan.entries))
            if fault or status != 0:
                _note(report, schedule, plan, place, fault or f"died: exit status {status}", tell)
                if place >= 0:
                    workers.append(Worker(plan, place + plan.jobs, end, folder))
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            now = [w.mark.counted(plan.entries).values() for w in workers]
            total = report.total + sum(counts.inputs for found in now for counts in found)
            tell(f"{total:,.0f} inputs, {len(report.failures)} kinds of failures")


def _note(report: Report, schedule: Schedule, plan: Plan, place: int, kind: str, tell: Any) -> None:
    """An input that its worker did not survive."""
    if place < 0:
        tell("a worker did not become ready")
        report.add_failure(Failure("start", plan.seed, 0, kind, ""))
        return
    entry, number = schedule.at(place)
    failure = Failure(entry.name, plan.seed, number, kind, "", entry.input(plan.seed, number))
    report.add_counts({entry.name: Counts(1, 0.0, 0, 0, 1)})
    if report.add_failure(failure):
        tell(f"{failure.entry}: {kind}\n  {failure.command}")


def work(plan: Plan, first: int, end: float, folder: str, mark: Mark, telling: Connection) -> None:
    """Try every n-th input, and tell."""
    for number in (signal.SIGINT, signal.SIGTERM):  # who watches ends this one, too
        signal.signal(number, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    with scratch_folder(folder):
        for entry in plan.entries:
            if entry.warm is not None:
                entry.warm()
        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, resource.RLIM_INFINITY))
        if first == plan.first:
            telling.send(("warm", None))
        _work(plan, first, end, mark, telling)
    telling.close()


def _work(plan: Plan, first: int, end: float, mark: Mark, telling: Connection) -> None:
    schedule = Schedule(plan.entries)
    numbers = {entry.name: number for number, entry in enumerate(plan.entries)}
    seen: dict[tuple[str, str], int] = {}
    for place in range(first, plan.last, plan.jobs):
        if time.monotonic() > end:
            break
        entry, number = schedule.at(place)
        mark.set(place, entry.seconds)
        parts, begun = entry.input(plan.seed, number), _cpu()
        outcome = examine(entry, parts)
        for what, count in (("inputs", 1), ("seconds", _cpu() - begun), (outcome.what, 1)):
            mark.count(numbers[entry.name], what, count)
        if outcome.what == FAILED:
            kind = entry.name, outcome.kind
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] <= _ONES and not outcome.kind.startswith("hang"):
                mark.set(place, _MINIMISING + entry.seconds)
                parts = shortest(entry, parts, outcome.kind, end)
            detail = outcome.detail[-4000:]
            told = Failure(entry.name, plan.seed, number, outcome.kind, detail, parts)
            telling.send(("failure", told))


def _cpu() -> float:
    """Seconds that this process and what it started have worked: others may share the machine."""
    return sum(os.times()[:4])


def shortest(entry: Entry, parts: dict[str, str], kind: str, end: float) -> dict[str, str]:
    """As little of an input as fails in the same way, as far as that is found before the end."""
    end = min(end, time.monotonic() + _MINIMISING)

    def fails(less: dict[str, str]) -> bool:
        left = max(0.01, end - time.monotonic())
        try:
            return examine(entry, less, min(left, entry.seconds)).kind == kind
        except Late:
            return False

    return minimised(parts, fails, end - time.monotonic())


def _memory() -> str | None:
    """Where files are kept in memory."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class scratch_folder(tempfile.TemporaryDirectory):
    """An empty folder to work in, in this one, or in memory where that can be had."""

    def __init__(self, place: str | None = None) -> None:
        super().__init__(prefix="fuzz-", dir=place or _memory(), ignore_cleanup_errors=True)

    def __enter__(self) -> str:
        self.before = os.getcwd()
        os.chdir(self.name)
        return self.name

    def __exit__(self, *problem: Any) -> None:
        os.chdir(self.before)
        super().__exit__(*problem)

"""Examinations beside the search: another process proves while this one goes on searching.

The process is started once and kept for the next adaptation, for starting it takes most of a second.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Thread

from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.examining import Failure, Order, Question
from anc.program import Program
from anc.verify import Fact
from anc.verify.verdict import unknown

AT_A_TIME = 2
_LOOK = 0.05  # seconds between two looks at whether somebody asked to stop
_GRACE = 10.0  # seconds beyond its time after which an examination is given up

_SERVE = "from anc.adaptation.examining import main; main()"

_Answer = Evidence | Failure | None  # None: the process is gone


class _Process:
    """A process that examines, and what it has answered."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # a Ctrl-C in the terminal is for the process that started it
        )
        self.answers: SimpleQueue[_Answer] = SimpleQueue()
        self.question: Question | None = None
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                self.answers.put(pickle.load(self.process.stdout))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self.answers.put(None)

    def ask(self, question: Question) -> None:
        """What orders are about from now on; the process gets ready for them."""
        if question is not self.question:
            self.question = question
            self.send(question)

    def send(self, message: Question | Order) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):  # it is gone; `answers` tells
            pickle.dump(message, self.process.stdin)
            self.process.stdin.flush()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()


_idle: list[_Process] = []


def get_ready() -> None:
    """Start a process that will be there when somebody wants to examine something."""
    if not _idle:
        _idle.append(_Process())


def _end_all() -> None:
    while _idle:
        _idle.pop().end()


atexit.register(_end_all)


@dataclass
class _Examination:
    """A program that is being examined."""

    process: _Process
    latest: float  # when it is given up

    @property
    def is_over(self) -> bool:
        return not self.process.answers.empty() or time.monotonic() > self.latest


class Examiner:
    """Examines programs against one generic program, a few at a time, while other work goes on."""

    def __init__(
        self,
        generic: Program,
        samples: Samples,
        assumed: Sequence[Fact],
        exact: Program | None = None,
    ) -> None:
        self.question = Question(generic, samples, tuple(assumed), exact)
        self.at_work: dict[Program, _Examination] = {}
        self.free = [self._process()]  # what is there already answers sooner

    def learn_from(self, samples: Samples) -> None:
        """Examine what comes next with these samples."""
        self.question = replace(self.question, samples=samples)
        for process in self.free:
            process.ask(self.question)

    def _process(self) -> _Process:
        process = _idle.pop() if _idle else _Process()
        if not process.answers.empty():  # it ended while nobody needed it
            process.end()
            return self._process()
        process.ask(self.question)
        return process

    @property
    def has_room(self) -> bool:
        return len(self.at_work) < AT_A_TIME

    def begin(self, program: Program, seconds: float) -> None:
        """Start examining a program."""
        process = self.free.pop() if self.free else self._process()
        process.send(Order(program, seconds))
        self.at_work[program] = _Examination(process, time.monotonic() + seconds + _GRACE)

    def give_up(self, program: Program) -> None:
        """End an examination; nothing will be heard of it."""
        self.at_work.pop(program).process.end()

    def has_news(self) -> bool:
        """Whether an examination has come to its end."""
        return any(each.is_over for each in self.at_work.values())

    def news(self) -> dict[Program, Evidence]:
        """The programs that were examined since the last time, with their evidence."""
        over = [program for program, each in self.at_work.items() if each.is_over]
        return {program: self._answer(self.at_work.pop(program).process) for program in over}

    def _answer(self, process: _Process) -> Evidence:
        answer = None if process.answers.empty() else process.answers.get()
        if isinstance(answer, Failure):
            raise RuntimeError(f"an examination failed:\n{answer.text}")
        if answer is None:
            process.end()
            return Evidence(unknown("the process that looked for a proof did not answer"))
        process.ask(self.question)
        self.free.append(process)
        return answer

    def wait(self, may_go_on: Callable[[], bool]) -> None:
        """Until there are news, or nobody may wait any longer."""
        while self.at_work and not self.has_news() and may_go_on():
            time.sleep(_LOOK)

    def close(self) -> None:
        """Keep free processes for the next one, and end those that are still busy."""
        for program in list(self.at_work):
            self.give_up(program)
        _idle.extend(self.free)
        self.free.clear()

"""Examinations beside the search: another process proves while this one goes on searching.

The process is started once and kept for the next adaptation, for starting it takes most of a second. Where
work is counted instead of seconds, an examination ends when the search has done as much work since it
began; whoever is faster waits for the other. So it does not matter how many cores there are.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue

from anc.adaptation.evidence import Evidence, Samples, examine
from anc.program import Program
from anc.proof import Fact
from anc.proof.verdict import error_in, unknown
from anc.support import resources
from anc.support.clock import ENDLESS, PER_SECOND, Clock, Time
from anc.support.processes import Boss, Done, Gone, Process

AT_A_TIME = 2
_BASE = 200 * 2**20  # bytes that such a process holds before it does anything
_FEWEST = 64 * 2**20  # ... and may take at least
_SLACK = 1.25  # times the memory of a proof: what it holds is looked at first
_LOOK = 0.05  # seconds between two looks at whether somebody asked to stop
_OFTEN = 0.005  # ... or at how far another process has come
_GRACE = 10.0  # seconds beyond its time after which an examination is given up
_TOLD = PER_SECOND / 10  # evaluations between two words about how far an examination is


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


# -- in the other process ----------------------------------------------------------------


def examined(request: Question | Order, boss: Boss) -> Evidence | None:
    """The evidence of an order, by the latest question; that one is only got ready for.

    Where work is counted, it says now and then how much is done, and once more before it answers.
    """
    if isinstance(request, Question):
        boss.about = request
        with suppress(Exception):  # which comes again when it matters
            _ = request.samples.facts  # mined before the first order comes
        return None
    time = _Told(request.counts_work, say=boss.say)
    evidence = _evidence(boss.about, request, time)
    boss.say(time.evaluations)
    return evidence


@dataclass
class _Told(Time):
    """A time that others are told of."""

    say: Callable[[float], None] = lambda reached: None
    said: float = 0.0

    def did(self, evaluations: float) -> None:
        super().did(evaluations)
        if self.counts_work and self.evaluations - self.said >= _TOLD:
            self.said = self.evaluations
            self.say(self.evaluations)


def _evidence(question: Question, order: Order, time: Time) -> Evidence:
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


# -- beside the search -------------------------------------------------------------------


class _Examining(Process):
    """A process that examines, and what it has answered."""

    def __init__(self) -> None:
        self.answers: SimpleQueue[Evidence | Gone] = SimpleQueue()
        self.question: Question | None = None
        self.reached = 0.0  # evaluations of the present order
        super().__init__(examined, self._hear)

    def _hear(self, message: object) -> None:
        if isinstance(message, float):
            self.reached = message
        elif not isinstance(message, Done):
            self.answers.put(message if isinstance(message, Gone) else Gone(str(message)))
        elif message.value is not None:
            self.answers.put(message.value)

    def ask(self, question: Question) -> None:
        """What orders are about from now on; the process gets ready for them."""
        if question is not self.question:
            self.question = question
            self.send(question)


_idle: list[_Examining] = []


def memory_of_each() -> int | None:
    """How much each process may take, of what this one and its processes may; None: that is not known."""
    half = resources.part_of_bound(0.5)
    return None if half is None else max(_FEWEST, half // AT_A_TIME - _BASE)


def get_ready() -> None:
    """Start a process that will be there when somebody wants to examine something."""
    if not _idle:
        _idle.append(_Examining())


def _end_all() -> None:
    while _idle:
        _idle.pop().end()


atexit.register(_end_all)


@dataclass
class _Examination:
    """A program that is being examined."""

    process: _Examining
    latest: float  # when it is given up
    begun: float  # how much work had been done then

    @property
    def answered(self) -> bool:
        return not self.process.answers.empty()

    @property
    def reached(self) -> float:
        """How much work will have been done by the search when it has come so far."""
        return self.begun + self.process.reached


class Examiner:
    """Examines programs against one generic program, a few at a time, while other work goes on."""

    def __init__(
        self,
        generic: Program,
        samples: Samples,
        assumed: Sequence[Fact],
        exact: Program | None = None,
        clock: Clock = ENDLESS,
        memory: int | None = None,
    ) -> None:
        self.clock, self.memory = clock, memory
        self.question = Question(generic, samples, tuple(assumed), exact)
        self.at_work: dict[Program, _Examination] = {}
        self.free = [self._process()]  # what is there already answers sooner

    def learn_from(self, samples: Samples) -> None:
        """Examine what comes next with these samples."""
        self.question = replace(self.question, samples=samples)
        for process in self.free:
            process.ask(self.question)

    def _process(self) -> _Examining:
        process = _idle.pop() if _idle else _Examining()
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
        process.reached = 0.0
        process.send(Order(program, seconds, self.clock.counts_work, self.memory))
        latest = time.monotonic() + seconds + _GRACE
        self.at_work[program] = _Examination(process, latest, self.clock.time.evaluations)

    def give_up(self, program: Program) -> None:
        """End an examination; nothing will be heard of it."""
        self.at_work.pop(program).process.end()

    def has_news(self) -> bool:
        """Whether an examination has come to its end."""
        return any(map(self._is_over, self.at_work.values()))

    def _is_over(self, each: _Examination) -> bool:
        if not self.clock.counts_work:
            return each.answered or time.monotonic() > each.latest
        now = self.clock.time.evaluations
        while not each.answered and each.reached <= now:
            if self.clock.asked_to_stop():
                return False
            time.sleep(_OFTEN)
        return each.answered and each.reached <= now

    def news(self) -> dict[Program, Evidence]:
        """The programs that were examined since the last time, with their evidence."""
        over = [program for program, each in self.at_work.items() if self._is_over(each)]
        return {program: self._answer(self.at_work.pop(program).process) for program in over}

    def _answer(self, process: _Examining) -> Evidence:
        answer = Gone("") if process.answers.empty() else process.answers.get()
        if isinstance(answer, Gone):
            process.end()
            how = f": {answer.how}" if answer.how else " in time"
            return Evidence(unknown(f"the process that looked for a proof did not answer{how}"))
        process.ask(self.question)
        self.free.append(process)
        return answer

    def wait(self, may_go_on: Callable[[], bool]) -> None:
        """Until there are news, or nobody may wait any longer."""
        while self.at_work and not self.has_news() and may_go_on():
            if self.clock.counts_work:
                self._go_on()
            else:
                time.sleep(_LOOK)
                self.clock.did(_LOOK * PER_SECOND)  # as if the search had done it

    def _go_on(self) -> None:
        """Nobody else works: the first examination to end is all that work has to be done for."""
        end = (self.clock.begin + self.clock.budget) * PER_SECOND
        states = [(each.answered, each.reached) for each in self.at_work.values()]
        answered, reached = min(states, key=lambda state: state[1])
        if answered or reached > end:
            # one more than there is: all is over
            self.clock.time.evaluations = reached if reached <= end else end + 1
        else:
            time.sleep(_OFTEN)

    def close(self) -> None:
        """Keep free processes for the next one, and end those that are still busy."""
        for program in list(self.at_work):
            self.give_up(program)
        _idle.extend(self.free)
        self.free.clear()

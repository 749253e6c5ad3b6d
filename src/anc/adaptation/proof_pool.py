"""The proof pool: worker processes that prove programs while the search goes on.

A worker is reused by the next adaptation, because starting one takes most of a second. If the budget is in
evaluations, a proof job ends when the search has done as much work as the job since the job began; whichever is
ahead waits for the other. The result therefore does not depend on the number of cores.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue

from anc.adaptation.evidence import Evidence, Samples, find_evidence
from anc.program import Program
from anc.proof import Fact
from anc.proof.verdict import error_in, unknown
from anc.support import resources
from anc.support.clock import ENDLESS, PER_SECOND, Clock, Time
from anc.support.processes import Boss, Done, Gone, Process

AT_A_TIME = 2
_BASE = 200 * 2**20  # bytes that an idle worker holds
_FEWEST = 64 * 2**20  # the least memory limit of a proof, in bytes
_SLACK = 1.25  # a single allocation may be this many times the memory limit of a proof
_LOOK = 0.05  # seconds between two checks for a stop request
_OFTEN = 0.005  # seconds between two checks of a worker's progress
_GRACE = 10.0  # seconds after its time limit at which a proof job is abandoned
_TOLD = PER_SECOND / 10  # evaluations between two progress messages


@dataclass(frozen=True)
class Question:
    """What all proof jobs of an adaptation share."""

    generic: Program
    samples: Samples
    assumed: tuple[Fact, ...]
    exact: Program | None = None


@dataclass(frozen=True)
class ProofOrder:
    """A proof job: the program, and its budget in seconds, or in work expressed as seconds."""

    program: Program
    seconds: float
    counts_work: bool = False
    memory: int | None = None  # limit in bytes
    quick: bool = False  # with hardly any facts


# -- in the worker -----------------------------------------------------------------------


def evidence_for(request: Question | ProofOrder, boss: Boss) -> Evidence | None:
    """Answer an order with evidence, under the latest question; a question only prepares the worker.

    If work is counted, progress is reported regularly, and once more before the answer.
    """
    if isinstance(request, Question):
        boss.about = request
        with suppress(Exception):  # raised again by the first order
            _ = request.samples.facts  # mined before the first order arrives
        return None
    time = _Told(request.counts_work, say=boss.say)
    evidence = _evidence(boss.about, request, time)
    boss.say(time.evaluations)
    return evidence


@dataclass
class _Told(Time):
    """A time that reports its progress."""

    say: Callable[[float], None] = lambda reached: None
    said: float = 0.0

    def did(self, evaluations: float) -> None:
        super().did(evaluations)
        if self.counts_work and self.evaluations - self.said >= _TOLD:
            self.said = self.evaluations
            self.say(self.evaluations)


def _evidence(question: Question, order: ProofOrder, time: Time) -> Evidence:
    try:
        with resources.bounded(order.memory):
            if order.memory is not None:
                resources.refuse_beyond(int(_SLACK * order.memory))
            evidence = find_evidence(
                question.generic, order.program, question.samples, question.assumed, order.seconds,
                question.exact, time=time, quick=order.quick,
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


# -- alongside the search ----------------------------------------------------------------


class _Prover(Process):
    """A worker process, the job that it works on, and its answers."""

    def __init__(self) -> None:
        self.answers: SimpleQueue[Evidence | Gone] = SimpleQueue()
        self.question: Question | None = None
        self.done = self.begun = 0.0  # evaluations of the job, and of the search before it
        self.latest = 0.0  # when the job is abandoned
        super().__init__(evidence_for, self._hear)

    def _hear(self, message: object) -> None:
        if isinstance(message, float):
            self.done = message
        elif not isinstance(message, Done):
            self.answers.put(message if isinstance(message, Gone) else Gone(str(message)))
        elif message.value is not None:
            self.answers.put(message.value)

    def ask(self, question: Question) -> None:
        """Set the question of the orders that follow; the worker prepares for them."""
        if question is not self.question:
            self.question = question
            self.send(question)

    def begin(self, order: ProofOrder, begun: float) -> None:
        self.done, self.begun = 0.0, begun
        self.latest = time.monotonic() + order.seconds + _GRACE
        self.send(order)

    @property
    def answered(self) -> bool:
        return not self.answers.empty()

    @property
    def reached(self) -> float:
        """The work of the search at which it has done as much as the job."""
        return self.begun + self.done


_idle: list[_Prover] = []


def memory_of_each() -> int | None:
    """The memory limit of each worker, in bytes; None: the memory of this machine is not known."""
    half = resources.part_of_bound(0.5)
    return None if half is None else max(_FEWEST, half // AT_A_TIME - _BASE)


def get_ready() -> None:
    """Start a worker for the first proof job."""
    if not _idle:
        _idle.append(_Prover())


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()


class ProofPool:
    """Proves programs against one generic program, a few at a time, alongside other work."""

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
        self.at_work: dict[Program, _Prover] = {}
        self.free = [self._process()]  # a worker that is ready answers sooner

    def learn_from(self, samples: Samples) -> None:
        """Use these samples for the jobs that follow."""
        self.question = replace(self.question, samples=samples)
        for process in self.free:
            process.ask(self.question)

    def _process(self) -> _Prover:
        process = _idle.pop() if _idle else _Prover()
        if process.answered:  # it ended while it was idle
            process.end()
            return self._process()
        process.ask(self.question)
        return process

    @property
    def has_room(self) -> bool:
        return len(self.at_work) < AT_A_TIME

    def begin(self, program: Program, seconds: float, quick: bool = False) -> None:
        """Begin to prove a program."""
        self.at_work[program] = process = self.free.pop() if self.free else self._process()
        order = ProofOrder(program, seconds, self.clock.counts_work, self.memory, quick)
        process.begin(order, self.clock.time.evaluations)

    def give_up(self, program: Program) -> None:
        """Abandon a proof job."""
        self.at_work.pop(program).end()

    def has_news(self) -> bool:
        """Whether a proof job has ended."""
        return any(map(self._is_over, self.at_work.values()))

    def _is_over(self, process: _Prover) -> bool:
        if not self.clock.counts_work:
            return process.answered or time.monotonic() > process.latest
        now = self.clock.time.evaluations
        while not process.answered and process.reached <= now:
            if self.clock.asked_to_stop():
                return False
            time.sleep(_OFTEN)
        return process.answered and process.reached <= now

    def news(self) -> dict[Program, Evidence]:
        """The evidence of the jobs that ended since the last call, by program."""
        over = [program for program, process in self.at_work.items() if self._is_over(process)]
        return {program: self._answer(self.at_work.pop(program)) for program in over}

    def _answer(self, process: _Prover) -> Evidence:
        answer = process.answers.get() if process.answered else Gone("")
        if isinstance(answer, Gone):
            process.end()
            how = f": {answer.how}" if answer.how else " in time"
            return Evidence(unknown(f"the proof process did not answer{how}"))
        process.ask(self.question)
        self.free.append(process)
        return answer

    def wait(self, may_go_on: Callable[[], bool]) -> None:
        """Wait until a proof job ends, or until there is no time left."""
        while self.at_work and not self.has_news() and may_go_on():
            if self.clock.counts_work:
                self._go_on()
            else:
                time.sleep(_LOOK)
                self.clock.did(_LOOK * PER_SECOND)  # as if the search had done it

    def _go_on(self) -> None:
        """Advance the clock to the end of the first proof job: nothing else does any work."""
        end = (self.clock.begin + self.clock.budget) * PER_SECOND
        states = [(process.answered, process.reached) for process in self.at_work.values()]
        answered, reached = min(states, key=lambda state: state[1])
        if answered or reached > end:
            # past the end of the budget
            self.clock.time.evaluations = reached if reached <= end else end + 1
        else:
            time.sleep(_OFTEN)

    def close(self) -> None:
        """Return idle workers for later use, and end those that are still busy."""
        for program in list(self.at_work):
            self.give_up(program)
        _idle.extend(self.free)
        self.free.clear()

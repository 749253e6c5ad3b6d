"""A crew: copies of this process, each of which works on a part of one proof.

Whoever has work that waits while a core is idle makes a copy of itself (`os.fork`). The copy knows all
that was known at that moment, terms and solver included, so that nothing has to be sent to it; it does
its part, gives away parts of that where cores are idle again, and says what it found. Nothing is copied
before a proof has lasted for a while.

Everything is proved only if every part says so. A part that ends without a word (it was killed, or is far
beyond its time) leaves the proof undecided. A tape that settles the claim lies in memory that all
share: everybody sees it and stops.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from anc import resources
from anc.clock import Clock
from anc.ending import SIGNALS
from anc.verify.between import Board, Marks

_WARM = 0.5  # seconds that a proof has lasted before it is shared
_WAITED = 0.2  # seconds that work has waited before it is given away
_OFTEN = 0.02  # seconds between two looks at whether a core is idle
_LOOK = 50  # milliseconds between two looks at whether all is over, while others work
_GRACE = 1.0  # seconds beyond its time after which a copy is given up
LOST = "a process that worked on a part of the proof was lost"
SETTLED = "a tape settles the claim"

Cells = tuple[int, ...]


@dataclass
class Findings:
    """What came of a part: how far it went, a tape on which the generic program fails, why it gave up.

    `cut` counts runs of the generic program that were not followed to their end.
    """

    walked: int = 0
    compared: int = 0
    cut: int = 0
    outside: Cells | None = None
    reason: str | None = None

    def add(self, other: Findings) -> None:
        self.walked += other.walked
        self.compared += other.compared
        self.cut += other.cut
        self.outside = self.outside or other.outside
        self.reason = self.reason or other.reason


Job = Callable[[], Findings]
Divide = Callable[[float], Job | None]  # what has waited since then, as a part of its own


@dataclass
class _Copy:
    """A copy of this process, and the pipe in which it says what it found."""

    pid: int
    answers: int


class _Copied(BaseException):
    """This process is a copy: it forgets what the other one was doing, and begins with its part."""

    def __init__(self, job: Job, parent: int, answer: int) -> None:
        super().__init__()
        self.job, self.parent, self.answer = job, parent, answer


class Crew:
    """The processes that work on one proof, `cores` at a time; it has lasted for some seconds."""

    def __init__(self, cores: int, clock: Clock, M: int, lasted: float) -> None:
        can_copy = hasattr(os, "fork") and sys.platform != "darwin"
        self.cores = cores if can_copy else 1
        self.asked_to_stop = clock.asked_to_stop
        self.clock = Clock(clock.left, lambda: clock.asked_to_stop() or self.called_off, clock.time)
        self.copies: list[_Copy] = []
        self.kept: list[Job] = []  # parts for which no copy could be made
        self.parent: int | None = None  # of a copy; it waits for what is written here:
        self.answer: int | None = None
        self.next_look = time.monotonic() + max(0.0, _WARM - lasted)
        self.board = Board(M)  # for a tape that settles the claim

    def lead(self, job: Job) -> Findings:
        """Do a job, and parts of it in other processes while cores are idle; what came of it all."""
        self.idle = Marks(self.cores - 1)  # as many as there are idle cores
        self.turn = Marks(1)  # who takes it may write on the board
        first = os.getpid()
        try:
            return self._all_of(job)
        except _Copied as begun:
            self._live(begun)
        finally:
            if os.getpid() != first:
                os._exit(1)  # whatever happens, a copy never goes on where the first process was
            self._end_copies()
            self.idle.close()
            self.turn.close()

    def _all_of(self, job: Job) -> Findings:
        """What came of a job, and of the parts of it that were given away.

        Parts were given away from the end: if one is not decided, what comes after it has never counted.
        """
        found = job()
        while self.kept and found.reason is None:
            found.add(self.kept.pop()())
        self.idle.put_back()
        for copy in reversed(self.copies):
            if found.reason is None:
                found.add(Findings(reason=SETTLED) if self.called_off else self._answer(copy))
        return found

    # -- a tape that settles the claim -----------------------------------------------

    @property
    def called_off(self) -> bool:
        """Whether there is nothing left to do: the claim is settled, or nobody waits for the answer."""
        return self.board.is_written or self.parent not in (None, os.getppid())

    def call_off(self, tape: Cells) -> None:
        """This tape settles the claim: everybody may stop."""
        if self.turn.take():
            self.board.write(tape)

    @property
    def settling(self) -> Cells | None:
        """The tape that settles the claim, if one does."""
        return self.board.tape

    # -- copies ------------------------------------------------------------------------

    @property
    def is_copy(self) -> bool:
        return self.parent is not None

    def share(self, divide: Divide) -> None:
        """Give a part of what waits to a copy of this process, if a core is idle.

        In the copy this call does not return.
        """
        if self.cores == 1:
            return
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + _OFTEN
        if not self.idle.take():
            return
        job = divide(now - _WAITED)
        if job is None:
            self.idle.put_back()
        else:
            self._copy(job)

    def _copy(self, job: Job) -> None:
        answers, answer = os.pipe()
        parent = os.getpid()
        held = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # of threads: a copy computes, and needs none of them
                pid = os.fork()
            if pid == 0:
                os.close(answers)
                raise _Copied(job, parent, answer)
            os.close(answer)
            self.copies.append(_Copy(pid, answers))
            self._found_group(pid)
        except OSError:
            self.kept.append(job)
            self.idle.put_back()
            os.close(answers)
            os.close(answer)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    def _found_group(self, pid: int) -> None:
        """A copy that the first process makes, and all copies of that one, can be ended together."""
        if not self.is_copy:
            with suppress(OSError):  # both sides do it, for either may be the first
                os.setpgid(pid, pid)

    def _live(self, begun: _Copied) -> NoReturn:
        """Be a copy, and a copy of that one, ... to the end."""
        while True:
            try:
                self._be_copy(begun.job, begun.parent, begun.answer)
                os._exit(0)
            except _Copied as again:
                begun = again

    def _be_copy(self, job: Job, parent: int, answer: int) -> None:
        """Do a part and say what came of it."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        self._found_group(0)
        for pipe in (self.answer, *(copy.answers for copy in self.copies)):
            if pipe is not None:  # who made this copy has it, too
                os.close(pipe)
        self.copies, self.kept, self.parent, self.answer = [], [], parent, answer
        resources.bound_from_now(resources.part_of_bound(1 / self.cores))
        found = self._all_of(job)
        self._end_copies()
        with os.fdopen(answer, "wb") as said:
            pickle.dump(found, said)

    def _answer(self, copy: _Copy) -> Findings:
        """What a copy says, once it has; it must not be far beyond its time."""
        said = b""
        late = time.monotonic() + self.clock.left + _GRACE
        news = select.poll()
        news.register(copy.answers)
        while not self.called_off:
            if news.poll(_LOOK):
                more = os.read(copy.answers, 1 << 16)
                if not more:
                    break
                said += more
            elif self.asked_to_stop() or time.monotonic() > late:
                return Findings(reason="the time is over")
        try:
            return pickle.loads(said)
        except (EOFError, pickle.UnpicklingError):
            return Findings(reason=LOST)

    def _end_copies(self) -> None:
        kill = os.kill if self.is_copy else os.killpg
        while self.copies:
            copy = self.copies.pop()
            with suppress(OSError):  # it has ended; until it is waited for, its number is its own
                kill(copy.pid, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(copy.pid, 0)
            os.close(copy.answers)

"""Verdicts: proved, refuted with a counter-example, or unknown with the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from anc.support.diagnostics import plain, shortened

_LONG = 200  # characters of an error


class Outcome(Enum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def error_in(problem: Exception) -> str:
    """Why a proof ended without a verdict: it is undecided, or it failed with an error."""
    if isinstance(problem, Undecided):
        return str(problem)
    words = ": ".join(filter(None, (type(problem).__name__, shortened(plain(problem), _LONG))))
    return f"the proof failed ({words})"


class Undecided(Exception):
    """A proof ends without a verdict; the message is the reason, `walked` the progress."""

    def __init__(self, reason: str, walked: int = 0) -> None:
        super().__init__(reason)
        self.walked = walked


@dataclass(frozen=True)
class Verdict:
    """The outcome for a claim, and the method that found it.

    `how` is "exhaustive" (`walked` tapes; cells that no run reads do not count), "paths" (`walked`
    paths through both programs, each settled by the solver), "induction" (`walked` transitions between
    cut points), "calls" (`walked` calls of the function itself) or "test" (`walked` single tapes).
    `tape` is the counter-example of a refutation, always replayed on the exact machine; with an unknown
    verdict it is a tape on which the generic program itself does not stop. `reason` says what is
    wrong, what is missing, or what a proof covers. A proof covers runs of any length; a *partial* one
    says nothing about tapes on which the generic program never stops.
    """

    outcome: Outcome
    how: str = ""
    walked: int = 0
    tape: tuple[int, ...] | None = None
    reason: str = ""
    seconds: float = 0.0
    partial: bool = False

    @property
    def proved(self) -> bool:
        return self.outcome is Outcome.PROVED

    @property
    def refuted(self) -> bool:
        return self.outcome is Outcome.REFUTED

    @property
    def counterexample(self) -> tuple[int, ...] | None:
        """The tape that refutes the claim, if one does."""
        return self.tape if self.refuted else None

    def after(self, seconds: float) -> Verdict:
        """The same verdict with the time that the proof took."""
        return replace(self, seconds=seconds)

    @property
    def statement(self) -> str:
        """One line without the time, such as ``proved: 7 paths``."""
        if self.proved or not self.reason:
            return f"{self.outcome.value}: {', '.join(filter(None, (self._work, self.reason)))}"
        return self._because(self._work)

    def _because(self, *work: str) -> str:
        """Why there is no proof, with the work behind it in brackets."""
        known = ", ".join(filter(None, work))
        return f"{self.outcome.value}: {self.reason}{f' ({known})' if known else ''}"

    @property
    def _work(self) -> str:
        """What was done, such as ``7 paths``."""
        if self.how not in COUNTED:
            return ""
        return f"{self.walked:,} {COUNTED[self.how]}{'' if self.walked == 1 else 's'}"

    def __str__(self) -> str:
        """Such as ``proved: 7 paths in 0.1 s``.

        >>> print(Verdict(Outcome.PROVED, "paths", 7, seconds=0.1))
        proved: 7 paths in 0.1 s
        """
        text = f"{self.statement}{',' if self.reason else ''} in {self.seconds:.1f} s"
        if self.reason and not self.proved:
            text = self._because(self._work, f"{self.seconds:.1f} s")
        if self.tape is not None:
            text += f"\n  tape: {' '.join(map(str, self.tape))}"
        return text


COUNTED = {
    "exhaustive": "tape",
    "paths": "path",
    "test": "test",
    "induction": "transition",
    "calls": "call",
}


def proved(how: str, walked: int, reason: str = "", partial: bool = False) -> Verdict:
    where = (reason, "wherever the generic program stops" if partial else "")
    reason = ", ".join(filter(None, where))
    return Verdict(Outcome.PROVED, how, walked, reason=reason, partial=partial)


def refuted(how: str, walked: int, tape: tuple[int, ...], reason: str) -> Verdict:
    return Verdict(Outcome.REFUTED, how, walked, tape, reason)


def unknown(
    reason: str, how: str = "", walked: int = 0, tape: tuple[int, ...] | None = None
) -> Verdict:
    return Verdict(Outcome.UNKNOWN, how, walked, tape, reason)

"""Verdict: proved, refuted with a counter-example, or unknown with the reason."""

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
    """Why a proof ended: what is undecided, or an error, which costs this proof and nothing else."""
    if isinstance(problem, Undecided):
        return str(problem)
    words = ": ".join(filter(None, (type(problem).__name__, shortened(plain(problem), _LONG))))
    return f"the proof failed ({words})"


class Undecided(Exception):
    """The solver or the clock gave up; the message says which, `walked` how far it went."""

    def __init__(self, reason: str, walked: int = 0) -> None:
        super().__init__(reason)
        self.walked = walked


@dataclass(frozen=True)
class Verdict:
    """What is known of a claim, and how it was found out.

    `how` is "exhaustive" (`walked` tapes, alike in every cell that no run reads), "paths" (`walked`
    paths through both programs, each settled by the solver), "induction" (`walked` ways between places in
    loops) or "test" (single tapes).
    `tape` is the counter-example of a refutation, always replayed on the exact machine; of an unknown
    verdict it is a tape on which the generic program itself does not stop. `reason` says what is
    wrong, what is missing, or how far a proof goes. A proof is one of all runs, however long they are;
    a *partial* one says nothing of tapes on which the generic program never stops.
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
        """The same verdict, with the time that it took."""
        return replace(self, seconds=seconds)

    @property
    def statement(self) -> str:
        """One line, whatever time it took: such as ``proved: 7 paths``."""
        parts = []
        if self.how in COUNTED:
            noun = COUNTED[self.how]
            parts.append(f"{self.walked:,} {noun}{'' if self.walked == 1 else 's'}")
        if self.reason:
            parts.append(self.reason)
        return f"{self.outcome.value}: {', '.join(parts)}"

    def __str__(self) -> str:
        """Such as ``proved: 7 paths in 0.1 s``.

        >>> print(Verdict(Outcome.PROVED, "paths", 7, seconds=0.1))
        proved: 7 paths in 0.1 s
        """
        text = f"{self.statement}{',' if self.reason else ''} in {self.seconds:.1f} s"
        if self.tape is not None:
            text += f"\n  tape: {' '.join(map(str, self.tape))}"
        return text


COUNTED = {"exhaustive": "tape", "paths": "path", "test": "test", "induction": "way"}


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

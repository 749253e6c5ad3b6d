"""The answers that a result.json tells of: a proved one, and perhaps a faster one without a proof.

Its top level speaks of the answer in adapted.anc, and `unproved` (or, where samples are trusted,
`proved`) of the other one. A result from before there were two has its top level only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.adaptation import shown
from anc.adaptation.worth import Worth

PROVED, UNPROVED = "proved", "unproved"
_COUNTED = {  # what a proof walked
    "exhaustive": "tape",
    "paths": "path",
    "induction": "way",
    "test": "test",
}
_NOTHING_FOUND = "none"  # the method of a result that is the generic program itself


@dataclass(frozen=True)
class Support:
    """How often a precondition held, and a tape on each side of it; of a Python function, a call."""

    held: int
    fresh: int
    at_least: float
    accepts: tuple[int, ...] | None
    rejects: tuple[int, ...] | None
    accepts_call: str = ""
    rejects_call: str = ""
    candidates: int = 1

    def __str__(self) -> str:
        if not self.fresh:
            return "there is no fresh case to say how often that will be"
        return shown.held(self.held, self.fresh, self.at_least, self.candidates)


@dataclass(frozen=True)
class ShownAnswer:
    """One answer, as pages and notebooks show it."""

    which: str  # PROVED or UNPROVED
    file: str
    steps: float | None  # None: nothing was found
    cost: float | None  # what it is compared by: its steps, unless other weights were given
    method: str
    verdict: str  # "proved", "refuted" or "unknown"
    grounds: str  # of the verdict: what was walked, how long it took
    reason: str  # what is wrong, what is missing, or how far a proof goes
    counterexample: tuple[int, ...] | None
    precondition: tuple[str, ...]
    conditions: Mapping[str, str]  # its facts as people read them: of a function, of its arguments
    support: Support | None
    tested: str  # what the fresh cases say, in words
    counterexample_call: str = ""  # of a function

    @property
    def is_generic(self) -> bool:
        """Whether it is no other program than the one to adapt."""
        return self.method == _NOTHING_FOUND or self.steps is None


def answers_of(result: Mapping[str, Any]) -> tuple[ShownAnswer, ...]:
    """The proved answer first, then the one without a proof, as far as there are any."""
    proof = result["proof"]
    which = PROVED if result["verdict"] == "proved" else UNPROVED
    other = UNPROVED if which == PROVED else PROVED
    first = (
        dict(result) | {"seconds": None} | proof
    )  # the search took seconds, and so did the proof
    first |= {"file": "adapted.anc", "steps": result["steps_adapted"]}
    first |= {"cost": result.get("cost_adapted")}
    if which == UNPROVED and result.get(UNPROVED):
        first |= result[UNPROVED]
    words = (result.get("function") or {}).get("words")
    answers = {which: _answer(which, first, words)}
    if result.get(other):
        answers[other] = _answer(other, result[other], words)
    return tuple(answers[each] for each in (PROVED, UNPROVED) if each in answers)


def worth_of(result: Mapping[str, Any]) -> Worth | None:
    """What it is worth as a function of Python; None where nothing was measured."""
    told = (result.get("function") or {}).get("worth")
    return None if told is None else Worth.from_dict(told)


def _answer(
    which: str, told: Mapping[str, Any], words: Mapping[str, str] | None = None
) -> ShownAnswer:
    """`words` are those of facts about a function; a fact without any can be broken by no caller."""
    support = told.get("support")
    facts = tuple(map(str, told.get("precondition") or ()))
    cost = told["steps"] if told.get("cost") is None else told["cost"]
    return ShownAnswer(
        which=which,
        file=Path(str(told["file"])).name,  # a file of that folder, and no other
        steps=None if told["steps"] is None else float(told["steps"]),
        cost=None if cost is None else float(cost),
        method=str(told.get("method") or ""),
        verdict=str(told["verdict"]),
        grounds=_grounds(told),
        reason=str(told.get("reason") or ""),
        counterexample=_tape(told.get("counterexample")),
        precondition=facts,
        conditions={f: f for f in facts}
        if words is None
        else {f: words[f] for f in facts if f in words},
        support=Support(
            int(support["held"]),
            int(support["fresh"]),
            float(support["at_least"]),
            _tape(support.get("accepts")),
            _tape(support.get("rejects")),
            str(support.get("accepts_call") or ""),
            str(support.get("rejects_call") or ""),
            _candidates(support),
        )
        if support
        else None,
        tested=_tested(told),
        counterexample_call=str(told.get("counterexample_call") or ""),
    )


def _candidates(told: Mapping[str, Any]) -> int:
    """How many had been tried on the fresh cases; older results do not say."""
    return int(told.get("candidates") or 1)


def _tape(cells: list[int] | None) -> tuple[int, ...] | None:
    return tuple(cells) if cells else None


def _grounds(told: Mapping[str, Any]) -> str:
    """Such as ``120 tapes in 1.2 s``."""
    how, walked, seconds = told.get("how"), told.get("walked"), told.get("seconds")
    if not how:
        return ""
    noun = _COUNTED.get(how)
    words = str(how) if noun is None or not walked else f"{walked:,} {noun}{'s' * (walked != 1)}"
    return words if seconds is None else f"{words} in {seconds:.1f} s"


def _tested(told: Mapping[str, Any]) -> str:
    fresh, share = told.get("fresh"), told.get("wrong_at_most")
    if share is not None:
        return shown.tested(int(fresh or 0), share, _candidates(told))
    if "wrong_at_most" in told or 0 in (fresh, told.get("cases_tested")):
        return "no fresh case was left to test it on"
    cases = told.get("cases_tested")
    if cases is None:
        return ""
    kind = "fresh" if "trust" in told else "test"
    return f"{cases} {kind} cases" + (", all right" if told.get("correct", True) is True else "")

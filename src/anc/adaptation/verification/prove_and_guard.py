"""Proved guards: a guarded program is written only if the adapted one is proved wherever its check passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anc.adaptation.verification.pair import Pair
from anc.adaptation.verification.report import Verified, verify_pair
from anc.codegen import guarded_c, guarded_python
from anc.codegen.functions import function_in_c, function_in_python
from anc.program import Program
from anc.proof.guards import Guarded, guard
from anc.support.clock import Clock
from anc.support.diagnostics import AncError, ranges
from anc.support.files import write_atomically

_TAPES = 200  # cases on which a guard's cost is measured


@dataclass(frozen=True)
class Guard:
    """A guarded program with its proof; `program` is None if there is none, for `reason`."""

    verified: Verified
    guarded: Guarded
    allowed: bool

    @property
    def program(self) -> Program | None:
        return self.guarded.program

    @property
    def text(self) -> str:
        """Its listing."""
        if self.program is None:
            raise AncError(f"there is no guarded program: {self.reason}")
        return self.guarded.text

    @property
    def reason(self) -> str:
        return self.guarded.reason

    def in_python(self, name: str | None = None) -> str:
        """The same as a Python function."""
        self._check()
        pair = self.verified.pair
        if pair.function is not None:
            return function_in_python(pair.function, pair.adapted, pair.facts, self._says())
        known = pair.bodies[0], pair.adapted, pair.facts, pair.M
        return guarded_python(*known, name or "program", self._says())

    def in_c(self, name: str | None = None) -> str:
        """The same as a C header."""
        self._check()
        pair = self.verified.pair
        if pair.function is not None:
            tapes = [case.input for case in pair.cases]
            return function_in_c(pair.function, pair.adapted, pair.facts, self._says(), tapes)
        known = pair.bodies[0], pair.adapted, pair.facts, pair.M
        return guarded_c(*known, name or "program", self._says(), counts=pair.mask)

    def save(self, path: str | Path) -> None:
        """Write it as a listing (.anc) or a function (.py, .h)."""
        write_atomically(Path(path), self.as_file(Path(path)).encode())

    def as_file(self, path: Path) -> str:
        """The text of a file of this name."""
        check_suffix(path)
        if path.suffix == ".anc":
            return self.text
        return (self.in_python if path.suffix == ".py" else self.in_c)(path.stem)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        return self.verified.to_dict() | {
            "guarded": None if self.program is None else self.guarded.text,
            "check_lines": self.guarded.check_lines,
            "check_steps": self.guarded.check_steps and self.guarded.check_steps[0],
            "refused": self.reason or None,
        }

    def __str__(self) -> str:
        return str(self.guarded)

    def _check(self) -> None:
        if not self.allowed:
            raise AncError(f"there is no guarded function: {self.reason}")

    def _says(self) -> list[str]:
        pair = self.verified.pair
        some = f"Only these cells of the result count: {ranges(pair.counts)}."
        return [f"{self.verified.statement}.", *([] if all(pair.mask) or pair.function else [some])]


def check_suffix(path: Path) -> None:
    """Refuse a name with an unknown suffix."""
    if path.suffix not in (".anc", ".py", ".h"):
        raise AncError(
            f"cannot tell what to write to {path.name!r}",
            help="name a .anc (listing), .py or .h file",
        )


def guard_pair(
    pair: Pair,
    seconds: float = 60.0,
    allow_unknown: bool = False,
    asked_to_stop: Callable[[], bool] = lambda: False,
) -> Guard:
    """Prove that the adapted program is right wherever the facts hold, and guard it by these facts.

    A refuted program is never guarded; one that is neither proved nor refuted only with `allow_unknown`.
    """
    _check_seen(pair)
    if pair.function is not None and not pair.function.wrap:
        # a deployed function must detect where it has no answer
        pair = replace(pair, adapted=pair.bodies[1], strict=True)
    clock = Clock(seconds, asked_to_stop)
    verified = verify_pair(pair, seconds, asked_to_stop)
    if not _suffices(verified, allow_unknown):
        what = "wrong" if verified.refuted else "not proved to be right"
        reason = f"the adapted program is {what} where the check passes"
        return Guard(verified, Guarded(None, reason=reason), False)
    if pair.of_calls:  # callers of a function cannot break these facts, users of a listing can
        anywhere = verify_pair(replace(pair, of_calls=()), clock.left, asked_to_stop)
        if not _suffices(anywhere, allow_unknown):
            reason = "a listing would be wrong on tapes that no call produces: write it as a .py or .h file"
            return Guard(verified, Guarded(None, reason=reason), True)
    tapes = [case.input for case in pair.cases[:_TAPES]]
    made = guard(pair.bodies[0], pair.adapted, pair.facts, pair.M, tapes, pair.max_steps)
    return Guard(verified, made, True)


def _suffices(verified: Verified, allow_unknown: bool) -> bool:
    return verified.proved or (allow_unknown and not verified.refuted)


def _check_seen(pair: Pair) -> None:
    """Refuse a pair that leaves out a cell which the caller of a function sees."""
    if pair.function is None:
        return
    seen = pair.function.layout.counts
    missing = set(range(pair.M) if seen is None else seen) - set(pair.counts)
    if missing:
        raise AncError(
            f"cell {min(missing)} does not count, but whoever calls '{pair.function.name}' sees it",
            help="all that a caller sees must be right in what is deployed",
        )

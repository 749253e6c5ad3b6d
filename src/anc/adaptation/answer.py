"""An answer: a program, and what the tests and the proof say of where it is right."""

from __future__ import annotations

from dataclasses import dataclass

from anc.adaptation import shown
from anc.preconditions import at_least, at_most
from anc.program import Program
from anc.verify import Fact, Verdict


@dataclass(frozen=True)
class Answer:
    """A program, what it takes on the test cases, and what is known of where it is right.

    `fresh` are the distinct test cases that nothing has looked at; on `held` of them its facts hold,
    and on all of them it is right. `weighed` is what it costs there, if that is not its steps. It was
    the n-th of the `candidates` that were tried on these cases, and none before it may have passed.
    """

    program: Program
    method: str
    steps: float
    verdict: Verdict
    facts: tuple[Fact, ...]
    rejected: tuple[int, ...] | None
    fresh: int
    held: int
    weighed: float | None = None
    candidates: int = 1

    @property
    def cost(self) -> float:
        """What answers are compared by."""
        return self.steps if self.weighed is None else self.weighed

    @property
    def precondition(self) -> tuple[str, ...]:
        """When the verdict holds, in words."""
        return tuple(fact.text for fact in self.facts)

    @property
    def wrong_at_most(self) -> float | None:
        """The highest share of wrong results that the fresh cases leave plausible; None: there are none."""
        return at_most(0, self.fresh, self.candidates) if self.fresh else None

    @property
    def held_at_least(self) -> float:
        """The lowest share of inputs with its facts that the fresh cases leave plausible."""
        return at_least(self.held, self.fresh, self.candidates)

    @property
    def tested(self) -> str:
        """What the tests say, in words."""
        if self.wrong_at_most is None:
            return "no fresh case was left to test it on"
        return shown.tested(self.fresh, self.wrong_at_most, self.candidates)

    @property
    def support(self) -> str:
        """How often the precondition will hold, in words."""
        if not self.fresh:
            return "no fresh case is left to say how often that will be"
        return f"which {shown.held(self.held, self.fresh, self.held_at_least, self.candidates)}"

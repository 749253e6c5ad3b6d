"""The best fillings known so far, whoever found them and whatever judges them."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from anc.clock import Clock
from anc.holes.sketch import Filling


class Verdict(Protocol):
    """What a judge says about a filling; of two, the smaller is better."""

    @property
    def grade(self) -> tuple[float, ...]:
        """How good it is: fillings of one grade might stand for each other."""

    @property
    def rank(self) -> tuple[float, ...]:
        """The grade, and then what decides between equals."""

    @property
    def is_right(self) -> bool:
        """Whether nothing can be better."""


V = TypeVar("V", bound=Verdict, covariant=True)


class Judge(Protocol[V]):
    """Whatever judges fillings: cases that say what is right, or a score."""

    def judged(self, filling: Filling) -> V: ...


W = TypeVar("W", bound=Verdict)


class Answers(Generic[W]):
    """Fillings with as good a grade as any known one, each with the method that found it."""

    def __init__(self, judge: Judge[W]) -> None:
        self.judge = judge
        self.good: dict[Filling, tuple[W, str]] = {}
        self.clock = Clock(float("inf"))
        # seconds (or work, where the clock counts that), and the grade from then on
        self.history: list[tuple[float, tuple[float, ...]]] = []

    def begin_now(self, clock: Clock) -> None:
        """Let the time count from now: what is known already was there at the beginning."""
        self.clock = clock
        self.history = [(0.0, grade) for _, grade in self.history[-1:]]

    def offer(self, filling: Filling | None, method: str) -> None:
        """Keep a filling that is as good as the best ones, and forget those that are worse."""
        if filling is None or filling in self.good:
            return
        judged = self.judge.judged(filling)
        if self.good and judged.grade > self.grade:
            return
        if self.good and judged.grade < self.grade:
            self.good.clear()
        if not self.history or judged.grade < self.history[-1][1]:
            self.history.append((self.clock.seconds, judged.grade))
        self.good[filling] = judged, method

    @property
    def best(self) -> Filling:
        """The best rank among them, then the choices that were named first."""
        return min(self.good, key=lambda filling: (self.good[filling][0].rank, filling))

    @property
    def grade(self) -> tuple[float, ...]:
        """The grade of the best."""
        return next(judged.grade for judged, _ in self.good.values())

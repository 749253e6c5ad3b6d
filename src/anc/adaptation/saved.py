"""The record of an adaptation in result.json and --json, which pages, displays and warm starts read.

The top level describes the answer in adapted.anc, and `unproved` (or `proved`, if samples are trusted) the other
one. Results from before there were two answers have only the top level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from anc.adaptation.worth import Worth
from anc.compiler import to_text
from anc.machine.weights import Weights
from anc.proof.verdict import COUNTED
from anc.support.limits import MEMORY
from anc.support.records import Share, Tape, added, record_of, stored, unsaved, within

if TYPE_CHECKING:
    from anc.adaptation.deployment import Deployed
    from anc.adaptation.evidence import Dropped
    from anc.adaptation.result import Adapted, Answer
    from anc.search.cost import Cost

PROVED, UNPROVED = "proved", "unproved"
WHAT = "a result of anc adapt"
_NOTHING_FOUND = "none"  # the method of the generic program itself
_NO_FRESH = "no held-out case was left to test it on"
# the keys of the answer that is not on the top level
_OF_PROVED = (
    "steps", "cost", "file", "program", "method", "verdict", "how", "walked", "reason", "seconds",
    "precondition", "support",
)  # fmt: skip
_OF_UNPROVED = (
    "steps", "cost", "file", "program", "method", "verdict", "reason", "counterexample",
    "counterexample_call", "fresh", "candidates", "wrong_at_most",
)  # fmt: skip


def tested(fresh: int, at_most: float, candidates: int = 1) -> str:
    """The number of held-out cases, all of them right, and the bound for other inputs."""
    unit = 10 ** (math.floor(math.log10(max(100 * at_most, 1e-9))) - 1)
    share = math.ceil(100 * at_most / unit - 1e-6) * unit  # rounded up
    return (
        f"0 wrong of {fresh} held-out cases{_tried(candidates)}: at most {share:.2g} % of such inputs at"
        " 95 % confidence"
    )


def held(on: int, fresh: int, at_least: float, candidates: int = 1) -> str:
    """The number of held-out cases on which a precondition held, and the bound for other inputs."""
    share = math.floor(1000 * at_least + 1e-6) / 10  # rounded down
    return (
        f"held on {on} of {fresh} held-out cases{_tried(candidates)}: at least {share:g} % of such"
        " inputs at 95 % confidence"
    )


def _tried(candidates: int) -> str:
    """How many candidates were tried on the same cases, if several."""
    return f", on which {candidates} candidates were tried" if candidates > 1 else ""


@dataclass(frozen=True, kw_only=True)
class Support:
    """How often a precondition held, with a tape (and call) that it accepts and one that it rejects."""

    held: int
    fresh: int
    candidates: int = 1  # missing in older results
    at_least: Share = stored(digits=4)
    accepts: Tape | None = None
    rejects: Tape | None = None
    accepts_call: str | None = None
    rejects_call: str | None = None

    def __str__(self) -> str:
        if not self.fresh:
            return "there is no held-out case to say how often that will be"
        return held(self.held, self.fresh, self.at_least, self.candidates)


@dataclass(frozen=True, kw_only=True)
class ProofRecord:
    """The proof attempt for the first answer."""

    how: str = ""
    walked: int = 0
    reason: str = ""  # what is wrong, what is missing, or the scope of the proof
    seconds: float | None = stored(digits=3, default=None)
    counterexample: Tape | None = None


@dataclass(frozen=True, kw_only=True)
class SavedAnswer(ProofRecord):
    """One answer, with the evidence of where it is right."""

    steps: float | None = stored(digits=4)  # None if nothing was found
    cost: float | None = stored(digits=4, default=None)  # if answers are not compared by steps
    file: str
    program: str | None = None
    method: str = ""
    verdict: str  # "proved", "refuted" or "unknown"
    precondition: tuple[str, ...] = ()
    support: Support | None = None
    counterexample_call: str | None = None
    fresh: int | None = None
    candidates: int = 1
    wrong_at_most: Share | None = stored(digits=5, default=None)
    cases_tested: str = ""  # the text for an answer without a bound for wrong results
    which: str = ""  # PROVED or UNPROVED
    conditions: Mapping[str, str] = field(default_factory=dict)  # its facts, in words

    @property
    def is_generic(self) -> bool:
        """Whether it is the generic program itself."""
        return self.method == _NOTHING_FOUND or self.steps is None

    @property
    def compared_by(self) -> float | None:
        """Its cost: its steps, unless weights were given."""
        return self.steps if self.cost is None else self.cost

    @property
    def grounds(self) -> str:
        """Such as ``120 tapes in 1.2 s``."""
        if not self.how:
            return ""
        noun, n = COUNTED.get(self.how), self.walked
        words = self.how if noun is None or not n else f"{n:,} {noun}{'s' * (n != 1)}"
        return words if self.seconds is None else f"{words} in {self.seconds:.1f} s"

    @property
    def tested(self) -> str:
        """The result of the tests, in words."""
        if self.wrong_at_most is not None:
            return tested(self.fresh or 0, self.wrong_at_most, self.candidates)
        return _NO_FRESH if self.fresh == 0 else self.cases_tested


@dataclass(frozen=True, kw_only=True)
class SavedTable:
    """A look-up table: the ranges of its cells, (cell, least, greatest), and its numbers row by row.

    `sets` are the cells that have only some values of their range: (cell, value, value, ...).
    """

    result: int  # the cell whose number is looked up
    ranges: tuple[Tape, ...] = ()
    numbers: Tape = ()
    sets: tuple[Tape, ...] | None = added()

    @property
    def values(self) -> dict[int, Sequence[int]]:
        """The values of each cell, in the order of the rows."""
        known = {cell: range(low, high + 1) for cell, low, high in self.ranges}
        return known | {cell: values for cell, *values in self.sets or ()}


@dataclass(frozen=True, kw_only=True)
class SavedDeployed:
    """What is deployed in Python: an answer, whose listing is told unless it is the first one, or a table."""

    kind: str
    program: str | None = None
    verdict: str
    precondition: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # the same, in terms of the arguments
    table: SavedTable | None = None


@dataclass(frozen=True, kw_only=True)
class SavedFunction:
    """A Python function: facts in terms of its arguments, the text of adapted.py, and its measured speed.

    A fact that no call can break has no words.
    """

    name: str = ""
    wrap: bool = False
    words: Mapping[str, str] | None = None
    python: str | None = None
    worth: Worth | None = None
    deployed: SavedDeployed | None = added()


@dataclass(frozen=True, kw_only=True)
class SavedCost:
    """The table of weights: its word, the unit, a hash of the weights."""

    table: str
    unit: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class SavedFound:
    """An improvement: its method and time, mean steps and mean cost."""

    method: str
    seconds: float = stored(digits=3)
    steps: float = stored(digits=4)
    cost: float | None = stored(digits=4, default=None)


@dataclass(frozen=True, kw_only=True)
class SavedDropped(SavedFound):
    """A rejected candidate; its steps and its cost are means over the samples."""

    seed: int | None = None
    lines: int
    why: str
    reason: str
    counterexample: Tape | None = None
    counterexample_call: str | None = None
    program: str


@dataclass(frozen=True, kw_only=True)
class SeedResult:
    """The result of one of several seeds."""

    seed: int
    is_best: bool = stored(key="best")  # whether the first answer is from this seed
    steps_proved: float | None = stored(digits=4, default=None)
    cost_proved: float = stored(digits=4)
    steps_unproved: float | None = stored(digits=4, default=None)
    cost_unproved: float | None = stored(digits=4, default=None)
    method: str = ""
    seconds: float = stored(digits=2)
    stop: str


@dataclass(frozen=True, kw_only=True)
class SavedTradeOff:
    """A program on the Pareto front of steps and lines."""

    steps: float = stored(digits=4)
    lines: int
    program: str


@dataclass(frozen=True, kw_only=True)
class Soft:
    """The best soft program: right on the held-out cases, and faster than the exact ones."""

    steps: float = stored(digits=4)
    confidence: Share = stored(digits=4)
    weights: Weights = unsaved()


@dataclass(frozen=True, kw_only=True)
class SavedAdaptation:
    """The whole record of an adaptation; programs are listings."""

    problem: str = ""
    memory: Annotated[int, within(MEMORY)] | None = None
    counts: Tape | None = None
    function: SavedFunction | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    improved: bool = False
    trust: str = ""
    steps_generic: float = stored(digits=4)
    steps_adapted: float | None = stored(digits=4, default=None)
    weights: Mapping[str, float] | None = None
    cost_generic: float | None = stored(digits=4, default=None)
    cost_adapted: float | None = stored(digits=4, default=None)
    cases_tested: int | None = None
    cases_to_report_on: Mapping[str, int] | None = None
    cases_tried: int = 0
    method: str = ""
    program: str | None = None
    generic: str | None = None
    guarded: str | None = None
    verdict: str
    proof: ProofRecord
    precondition: tuple[str, ...] = ()
    support: Support | None = None
    proved: SavedAnswer | None = stored(only=_OF_PROVED, default=None)
    unproved: SavedAnswer | None = stored(only=_OF_UNPROVED, default=None)
    guard: str = ""
    found: tuple[SavedFound, ...]
    candidates: int = 0
    dropped: tuple[SavedDropped, ...] = ()
    seeds: tuple[SeedResult, ...] = ()
    trade_off: tuple[SavedTradeOff, ...] = ()
    soft: Soft | None = None
    example_tape: Tape | None = None
    notes: tuple[str, ...] = ()
    lines: int | None = None
    registers: int | None = None
    seconds: float | None = stored(digits=2, default=None)
    evaluations: int | None = None
    stop: str = ""

    @property
    def unit(self) -> str:
        """The unit by which programs are compared."""
        if self.minimised is not None:
            return f"{self.minimised.unit} ({self.minimised.table})"
        return "cost" if self.weights else "steps"

    @property
    def minimised(self) -> SavedCost | None:
        """The table of weights, as provenance names it; None where steps were minimised, or weights alone."""
        told = self.provenance.get("cost")
        if not isinstance(told, Mapping) or set(told) != {each.name for each in fields(SavedCost)}:
            return None
        return SavedCost(**{key: str(value) for key, value in told.items()})

    @property
    def cost(self) -> Cost:
        """What was minimised."""
        from anc.search.cost import Cost

        weights = dict(self.weights or {})
        lines, registers = weights.pop("lines", 0.0), weights.pop("registers", 0.0)
        cost, table = Cost(tuple(weights.items()), lines, registers), self.minimised
        return cost if table is None else replace(cost, **vars(table))

    @property
    def generic_cost(self) -> float:
        """The cost of the generic program, in this unit."""
        is_weighed = self.weights and self.cost_generic is not None
        return self.cost_generic if is_weighed else self.steps_generic  # type: ignore[return-value]

    @property
    def worth(self) -> Worth | None:
        """The measured speed in Python; None if nothing was measured."""
        return None if self.function is None else self.function.worth

    @property
    def python(self) -> str | None:
        """The text of adapted.py."""
        return None if self.function is None else self.function.python

    @property
    def first(self) -> SavedAnswer:
        """The answer in adapted.anc."""
        is_proved, kind = self.verdict == PROVED, "held-out" if self.trust else "test"
        words = "" if self.cases_tested is None else f"{self.cases_tested} {kind} cases, all right"
        answer = SavedAnswer(
            **vars(self.proof),
            steps=self.steps_adapted, cost=self.cost_adapted, file="adapted.anc",
            program=self.program, method=self.method, verdict=self.verdict,
            precondition=self.precondition, support=self.support,
            cases_tested=words if self.cases_tested != 0 else _NO_FRESH,
        )  # fmt: skip
        other = self.unproved
        if is_proved or other is None:
            return answer
        names = "file", "fresh", "candidates", "wrong_at_most", "counterexample_call"
        return replace(answer, **{name: getattr(other, name) for name in names})

    @cached_property
    def answers(self) -> tuple[SavedAnswer, ...]:
        """The proved answer, then the unproved one, as far as they exist."""
        first = PROVED if self.verdict == PROVED else UNPROVED
        told = {PROVED: self.proved, UNPROVED: self.unproved} | {first: self.first}
        words = None if self.function is None else self.function.words
        return tuple(
            replace(
                answer,
                which=which,
                file=Path(answer.file).name,  # a file of this folder only
                conditions={
                    fact: fact if words is None else words[fact]
                    for fact in answer.precondition
                    if words is None or fact in words
                },
            )
            for which, answer in told.items()
            if answer is not None
        )


def saved_of(result: Adapted) -> SavedAdaptation:
    """The record of a result."""
    problem, answer, other = result.problem, result.answer, result.unproved
    guarded, function = result.guarded.program, problem.function
    is_other = answer is other
    return record_of(
        SavedAdaptation,
        result,
        problem=problem.name,
        memory=problem.M,
        counts=result.counted,
        function=function
        and record_of(
            SavedFunction,
            function,
            words=result.conditions(answer) | result.conditions(result.proved),
            python=result.python,
            worth=result.worth,
            deployed=result.deployed and _deployed(result, result.deployed),
        ),
        provenance=result.made,
        weights=result.cost.named_weights or None,
        cases_to_report_on={
            "all": len(problem.test),
            "looked_at": problem.looked_at_before,
            "repeats": problem.repeats,
            "fresh": len(problem.fresh),
        },
        cases_tried=result.tried,
        program=to_text(answer.program),
        generic=problem.text,
        guarded=None if guarded is None else to_text(guarded),
        verdict=answer.verdict.outcome.value,
        proof=record_of(ProofRecord, answer.verdict, **_known(result, answer.verdict)),
        support=_support(result, answer),
        proved=_answer(result, result.proved, "proved.anc", _OF_PROVED) if is_other else None,
        unproved=other
        and _answer(result, other, "adapted.anc" if is_other else "unproved.anc", _OF_UNPROVED),
        guard=str(result.guarded),
        found=tuple(record_of(SavedFound, found) for found in result.found),
        dropped=tuple(_dropped(result, dropped) for dropped in result.dropped),
        trade_off=tuple(
            record_of(SavedTradeOff, f, lines=f.program.L, program=to_text(f.program))
            for f in result.trade_off
        ),
        soft=result.soft and record_of(Soft, result.soft),
        example_tape=problem.test[0].input,
        lines=result.program.L,
        registers=result.program.R,
    )  # fmt: skip


def _deployed(result: Adapted, deployed: Deployed) -> SavedDeployed:
    answer, table, function = deployed.answer, deployed.table, result.problem.function
    is_other = table is None and answer is not result.answer
    return SavedDeployed(
        kind=deployed.kind,
        program=to_text(answer.program) if is_other else None,
        verdict=answer.verdict.statement,
        precondition=answer.precondition,
        words=tuple(result.conditions(answer).values()),
        table=None
        if table is None or function is None
        else SavedTable(
            result=function.layout.result or 0,
            ranges=table.ranges,
            numbers=tuple(table.numbers),
            sets=table.sets or None,
        ),
    )


def _known(result: Adapted, verdict: Any) -> dict[str, Any]:
    """The reason and the counter-example of a verdict."""
    return {"reason": result.in_words(verdict.reason), "counterexample": verdict.tape or None}


def _answer(result: Adapted, answer: Answer, file: str, keys: tuple[str, ...]) -> SavedAnswer:
    """The record of the answer that is not on the top level, with only the keys that are written."""
    verdict, tape = answer.verdict, answer.verdict.counterexample or None
    known = {key: getattr(verdict, key, None) for key in keys}
    known |= {key: getattr(answer, key) for key in keys if hasattr(answer, key)}
    known |= {
        "file": file,
        "program": to_text(answer.program),
        "verdict": verdict.outcome.value,
        "reason": result.in_words(verdict.reason),
        "support": _support(result, answer),
        "counterexample": tape,
        "counterexample_call": result.call_of(tape),
    }
    return record_of(SavedAnswer, None, **{key: known[key] for key in keys})


def _dropped(result: Adapted, dropped: Dropped) -> SavedDropped:
    found, tape = dropped.found, dropped.counterexample or None
    return record_of(
        SavedDropped,
        found,
        seed=dropped.seed,
        lines=found.program.L,
        why=dropped.why.value,
        reason=result.in_words(dropped.reason),
        counterexample=tape,
        counterexample_call=result.call_of(tape),
        program=to_text(found.program),
    )


def _support(result: Adapted, answer: Answer) -> Support | None:
    """The support of an answer's precondition; None if it has none."""
    if not answer.facts:
        return None
    accepts, rejects = result.accepted_by(answer.facts) or None, result.rejected_by(answer) or None
    return record_of(
        Support,
        answer,
        at_least=answer.held_at_least,
        accepts=accepts,
        rejects=rejects,
        accepts_call=result.call_of(accepts),
        rejects_call=result.call_of(rejects),
    )

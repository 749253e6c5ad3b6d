"""The result of an adaptation: an answer with a proof, and possibly a faster one without.

An answer is a program with the evidence of tests and proofs of where it is right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from anc.adaptation.evidence import Dropped, Samples, counted_cells
from anc.adaptation.saved import SavedAdaptation, SeedResult, Soft, held, saved_of, tested
from anc.adaptation.worth import Worth
from anc.codegen.functions import fits_in_c
from anc.codegen.signature import values_of
from anc.machine.files import save_weights
from anc.machine.weights import Weights
from anc.program import Program
from anc.proof import Fact, Verdict
from anc.proof.guards import Guarded
from anc.proof.preconditions import at_least, at_most
from anc.search import STEPS, Cost, Found
from anc.support import folders
from anc.support.records import plain_record
from anc.training.problem import Problem

if TYPE_CHECKING:
    from anc.adaptation.deployment import Deployed
    from anc.python.function import Function


@dataclass(frozen=True)
class Answer:
    """An answer: a program, its mean steps on the test cases, and the evidence of where it is right.

    `fresh` is the number of distinct held-out test cases; the program is right on all of them, and its facts hold
    on `held` of them. `weighed` is its cost there, if the cost is not its steps. `candidates` programs were tried
    on these cases, up to and including this one; earlier ones may have passed.
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
        """The cost by which answers are compared."""
        return self.steps if self.weighed is None else self.weighed

    @property
    def precondition(self) -> tuple[str, ...]:
        """The facts under which the verdict holds, in words."""
        return tuple(fact.text for fact in self.facts)

    @property
    def wrong_at_most(self) -> float | None:
        """Upper bound for the share of wrong results at 95 % confidence; None without held-out cases."""
        return at_most(0, self.fresh, self.candidates) if self.fresh else None

    @property
    def held_at_least(self) -> float:
        """Lower bound for the share of inputs on which its facts hold, at 95 % confidence."""
        return at_least(self.held, self.fresh, self.candidates)

    @property
    def tested(self) -> str:
        """The result of the tests, in words."""
        if self.wrong_at_most is None:
            return "no held-out case was left to test it on"
        return tested(self.fresh, self.wrong_at_most, self.candidates)

    @property
    def support(self) -> str:
        """How often the precondition holds, in words."""
        if not self.fresh:
            return "no held-out case is left to say how often that will be"
        return f"which {held(self.held, self.fresh, self.held_at_least, self.candidates)}"


@dataclass(frozen=True)
class Adapted(folders.Result):
    """The result of an adaptation; `proved` is the generic program if nothing faster was proved.

    `unproved` is a faster program that is right on all samples and held-out cases. The properties describe the
    trusted answer: the proved one, or the unproved one if `trust` is "samples".
    """

    kind: ClassVar[folders.ResultKind] = folders.ADAPTATION
    problem: Problem
    proved: Answer
    unproved: Answer | None
    trust: str
    steps_generic: float  # mean over the test cases
    guarded: Guarded
    found: tuple[Found, ...]  # every improvement
    trade_off: tuple[Found, ...]  # the Pareto front of steps and lines
    soft: Soft | None  # a soft program that is faster than the exact ones
    weights: Weights | None  # of the program, if gradient descent found it
    notes: tuple[str, ...]
    seconds: float
    stop: str
    tried: int = 0  # extra cases that answers were tested on; none is a test case
    evaluations: int | None = (
        None  # done, if the budget was in evaluations; times are then work in seconds
    )
    cost: Cost = STEPS  # by which answers are compared
    weighed_generic: float | None = None  # cost of the generic program, if it is not its steps
    dropped: tuple[Dropped, ...] = ()  # rejected candidates
    candidates: int = 0  # number tried on the test cases
    seeds: tuple[SeedResult, ...] = ()  # if there were several
    also_proved: tuple[Answer, ...] = ()  # other programs with a proof, cheapest first
    trusts_types: bool = False  # whether what is deployed leaves out the checks of types
    made: Mapping[str, Any] = field(default_factory=dict)  # seed, budget, version, command, ...

    @property
    def answer(self) -> Answer:
        return self.unproved if self.trust == "samples" and self.unproved else self.proved

    @property
    def program(self) -> Program:
        return self.answer.program

    @property
    def method(self) -> str:
        return self.answer.method

    @property
    def steps_adapted(self) -> float:
        return self.answer.steps

    @property
    def verdict(self) -> Verdict:
        return self.answer.verdict

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts under which the program is proved; empty without a proof."""
        return self.answer.facts

    @property
    def precondition(self) -> tuple[str, ...]:
        return self.answer.precondition

    @property
    def cases_tested(self) -> int:
        return self.answer.fresh

    @property
    def counts(self) -> tuple[bool, ...]:
        """The mask of the cells in which the trusted answer must agree with the generic program."""
        return counted_cells(Samples.of(self.problem.looked_at).cases)

    @property
    def counted(self) -> tuple[int, ...]:
        """Their numbers."""
        return tuple(cell for cell, does in enumerate(self.counts) if does)

    @property
    def cost_generic(self) -> float:
        """The cost of the generic program: its steps, unless weights were given."""
        return self.steps_generic if self.weighed_generic is None else self.weighed_generic

    @property
    def cost_adapted(self) -> float:
        return self.answer.cost

    @property
    def improved(self) -> bool:
        """Whether the trusted answer costs less than the generic program."""
        return self.cost_adapted < self.cost_generic

    @property
    def name_in_files(self) -> str:
        """The name of the written function."""
        function = self.problem.function
        return Path(self.problem.name).name.split(".")[0] if function is None else function.name

    @cached_property
    def may_be_deployed(self) -> list[Deployed]:
        """The proved answers that are faster on the machine, and a look-up table."""
        from anc.adaptation.deployment import candidates

        return candidates(self)

    @cached_property
    def deployed(self) -> Deployed | None:
        """The fastest of these in Python; None if nothing is proved."""
        from anc.adaptation.deployment import fastest

        return fastest(self.may_be_deployed)

    @property
    def python(self) -> str | None:
        """The text of adapted.py."""
        return None if self.deployed is None else self.deployed.python

    @cached_property
    def c(self) -> str | None:
        """The text of adapted.h, with the fastest in C."""
        from anc.adaptation.deployment import fastest_in_c

        function = self.problem.function
        if function is not None and not fits_in_c(function):
            return None
        return fastest_in_c(self, self.may_be_deployed)

    @property
    def worth(self) -> Worth | None:
        """The measured speed of what is deployed in Python."""
        return None if self.deployed is None else self.deployed.worth

    @property
    def is_withheld(self) -> bool:
        """Whether adapted.py is withheld because the user's function would not become faster."""
        is_function = self.problem.function is not None
        return is_function and self.worth is not None and not self.worth.is_faster

    @cached_property
    def saved(self) -> SavedAdaptation:
        return saved_of(self)

    def to_dict(self) -> dict[str, Any]:
        return plain_record(self.saved)

    def files(self, write_anyway: bool = False) -> dict[str, str]:
        from anc.adaptation.texts import files_of

        return files_of(self, write_anyway)

    def write(self, folder: Path, write_anyway: bool = False) -> None:
        """Write all files, and result.json last."""
        if self.weights is not None:
            save_weights(self.weights, folder / "weights.safetensors")
        if self.soft is not None:
            save_weights(self.soft.weights, folder / "soft.safetensors")
        folders.write_result(folder, self.files(write_anyway), self)

    def save(self, folder: Path | str, force: bool = False, write_anyway: bool = False) -> None:
        """Save the result in a folder, replacing an older adaptation; with `force`, replacing anything.

        A Python function that would not become faster is written only with `write_anyway`.
        """
        write = partial(self.write, write_anyway=write_anyway)
        folders.save_whole(write, folder, self.kind, force)

    def __str__(self) -> str:
        from anc.adaptation.texts import report

        return report(self)

    @property
    def accepted(self) -> tuple[int, ...] | None:
        """The tape of a test case that the precondition accepts."""
        return self.accepted_by(self.facts)

    def accepted_by(self, facts: tuple[Fact, ...]) -> tuple[int, ...] | None:
        """The tape of a test case on which the facts hold."""
        for case in self.problem.test:
            if all(fact.holds(case.input) for fact in facts):
                return case.input
        return None

    def rejected_by(self, answer: Answer) -> tuple[int, ...] | None:
        """A tape that the precondition of an answer rejects; for a Python function, the tape of a call.

        A tape that no call produces, such as one with a number in the cell of the result, is no example.
        """
        function, tape = self.problem.function, answer.rejected
        if function is None or tape is None:
            return tape
        tape = function.tape(*function.layout.arguments_of(tape))
        return None if all(fact.holds(tape) for fact in answer.facts) else tape

    def conditions(self, answer: Answer) -> dict[str, str]:
        """The precondition of an answer in words, by its facts.

        For a Python function, it is in terms of its arguments, without facts that no call can break.
        """
        function = self.problem.function
        if function is None:
            return {fact.text: fact.text for fact in answer.facts}
        always = function.unused()
        for p in function.layout.parameters:
            if p.length is not None:  # cells after the end of the list
                most = max(values_of(p.length, answer.facts, function.M), default=0)
                always |= dict.fromkeys(p.cells[most:], 0)
        facts = [fact for fact in answer.facts if _can_be_broken(fact, function, always)]
        return {fact.text: function.in_words(fact.text) for fact in facts}

    def in_words(self, reason: str) -> str:
        """A reason, with cells in terms of the arguments of a Python function."""
        function = self.problem.function
        if function is None:
            return reason
        return re.sub(r"\bcell (\d+)\b", lambda m: function.cell_in_words(int(m[1])), reason)

    def told(self, verdict: Verdict) -> str:
        """A verdict in words; for a Python function, with a call instead of a tape."""
        if self.problem.function is None:
            return str(verdict)
        text = str(replace(verdict, tape=None, reason=self.in_words(verdict.reason)))
        call = self.call_of(verdict.tape)
        return text if call is None else f"{text}\n  call: {call}"

    def call_of(self, tape: tuple[int, ...] | None) -> str | None:
        """The call of a Python function that a tape represents."""
        function = self.problem.function
        return None if function is None or tape is None else function.call_text(tape)


def _can_be_broken(fact: Fact, function: Function, always: dict[int, int]) -> bool:
    """Whether some call breaks a fact; True and False are 1 and 0.

    `always` are cells whose values are the same in every call.
    """
    truths = {cell for p in function.layout.parameters if p.truths for cell in p.cells}
    if len(fact.cells) == 1 and fact.cells <= truths and not fact.pointers:
        return not all(fact.holds({cell: n}) for cell in fact.cells for n in (0, 1))
    return fact.judge(always, function.M) is not True

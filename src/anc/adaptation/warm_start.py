"""Warm start: a search begins with the programs of an earlier result for the same program.

These programs are offered first, and the earlier answer is proved again, so that the new result is no worse on the
same cases. Nothing is trusted: programs must be right on the samples, and the facts of a proof must hold on all
of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anc.adaptation.evidence import MAX_STEPS, Evidence, Samples, Why, counted_cells
from anc.adaptation.objectives.result import program_in
from anc.adaptation.saved import PROVED, SavedAdaptation
from anc.isa import PAPER, InstructionSet
from anc.program import Program
from anc.proof import Claim, Fact, parse_fact, prove
from anc.proof.preconditions.support import holding
from anc.search import STEPS, Cost, Search
from anc.support.diagnostics import AncError
from anc.support.folders import METHOD, earlier_result
from anc.training.problem import Problem

_LONGER = 2.0  # times the seconds of the earlier proof, because the machine may be busy
_LEAST = 5.0
_WHAT = "a result of anc adapt that says what is right"  # not one for an objective


@dataclass(frozen=True)
class EarlierProof:
    """An earlier proof: the program, its facts, a tape that they reject, and the seconds that it took."""

    program: Program
    facts: tuple[str, ...]
    rejected: tuple[int, ...] | None
    seconds: float


@dataclass(frozen=True)
class Earlier:
    """An earlier result: its programs, its proof, and how many candidates it tried on its test cases."""

    name: str
    M: int
    generic: Program
    programs: tuple[Program, ...]
    proof: EarlierProof | None
    candidates: int = 0
    seed: int | None = None  # that chose its test cases
    cost: Cost = STEPS  # what it minimised

    @staticmethod
    def read(start: Any, instructions: InstructionSet = PAPER) -> Earlier:
        """Read an earlier result from its folder, or from the result itself."""
        told, name = earlier_result(start, SavedAdaptation, "anc adapt", _WHAT)
        M, first = told.memory, told.proved or told.first
        if told.generic is None or M is None:
            raise AncError(
                f"{name} was written before results contained programs",
                help="adapt once more without it, and start from that result",
            )
        others = [each for each in told.dropped if each.why != Why.WRONG.value]
        texts = [each.program for each in (first, told.first, told.unproved or first)]
        texts += [each.program for each in others]
        programs = [program_in(text, M, instructions) for text in texts if text is not None]
        proof = None
        if first.verdict == PROVED and not first.is_generic:
            rejected = None if first.support is None else first.support.rejects
            proof = EarlierProof(programs[0], first.precondition, rejected, first.seconds or 0.0)
        generic, seed = program_in(told.generic, M, instructions), told.provenance.get("seed")
        return Earlier(
            name,
            M,
            generic,
            tuple(dict.fromkeys(program for program in programs if program != generic)),
            proof,
            told.candidates,
            seed if isinstance(seed, int) else None,
            told.cost,
        )

    def check(self, problem: Problem) -> None:
        """Refuse a result about another program."""
        same = self.M == problem.M and self.generic == program_in(
            problem.text, problem.M, problem.program.instructions
        )
        if not same:
            raise AncError(
                f"{self.name} is about another program than '{problem.name}', or another memory"
                f" ({self.M} cells, here {problem.M})",
                help="start from a result for the same generic program",
            )

    def seen_by(self, seed: int) -> str:
        """A warning if the earlier search may have seen cases that are held out with this seed."""
        if self.seed in (None, seed):
            return ""
        return (
            f"with seed {self.seed} the earlier result held out other cases: it may have seen"
            f" some that are held out here; --seed {self.seed} avoids that"
        )

    def offer_to(self, search: Search) -> None:
        """Offer the programs to a search, the best last, so that each of them is recorded."""
        ranked = sorted(self.programs, key=lambda program: search.score(program).cost, reverse=True)
        search.offer(ranked, METHOD)

    def proved_again(
        self, problem: Problem, samples: Samples, assumed: Sequence[Fact], most: float = math.inf
    ) -> dict[Program, Evidence]:
        """Prove the earlier answer again, under the same facts if they hold here, in at `most` these seconds."""
        proof = self.proof
        if proof is None:
            return {}
        facts = tuple(dict.fromkeys([*assumed, *(parse_fact(f, self.M) for f in proof.facts)]))
        if not holding(facts, samples.inputs).all():
            return {}
        mask = counted_cells(samples.cases)
        target, is_strict = problem.exact or problem.program, problem.exact is not None
        examples = tuple(case.input for case in samples.cases[:100])
        seconds = min(most, max(_LEAST, _LONGER * proof.seconds))
        for partial in (False,) if is_strict else (False, True):
            claim = Claim(
                target, proof.program, self.M, mask, facts, MAX_STEPS, partial, is_strict, examples
            )
            verdict = prove(claim, seconds)
            if verdict.proved:
                tape = proof.rejected
                rejected = None if tape is None or all(f.holds(tape) for f in facts) else tape
                return {proof.program: Evidence(verdict, facts, rejected)}
        return {}

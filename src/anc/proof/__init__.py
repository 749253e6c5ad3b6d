"""Equivalence proofs: does the adapted program do what the generic one does, and on which tapes?

A claim goes in: two programs, the cells that count, and a precondition. A verdict comes out: proved, refuted
with a counter-example, or unknown with the reason.

    test_on     a program on cases
    prove       every tape that satisfies the precondition, by symbolic execution, enumeration or induction
    parse_fact  facts that users state

The solver is loaded only when a proof needs it.
"""

from __future__ import annotations

from anc.proof.claim import Claim, TestReport, test_on
from anc.proof.facts import Fact
from anc.proof.parser import parse_fact
from anc.proof.prove import prove
from anc.proof.verdict import Outcome, Verdict

__all__ = [
    "Claim",
    "Fact",
    "Outcome",
    "TestReport",
    "Verdict",
    "parse_fact",
    "prove",
    "test_on",
]

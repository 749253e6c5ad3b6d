"""Verification: is the adapted program right, on which tapes, and how do we know?

    test_on     a program on cases
    prove       for every tape that satisfies a precondition: by paths, by a walk over all of them, or by induction
    parse_fact  facts that users state

The solver is only loaded when a proof needs it.
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

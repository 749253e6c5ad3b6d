"""Verification: is the adapted program right, on which tapes, and how do we know?

    test_on     a program on cases
    prove       for every tape that satisfies a precondition: by paths, by a walk over all of them, or by induction
    parse_fact  facts that users state

The solver is only loaded when a proof needs it.
"""

from __future__ import annotations

from anc.verify.claim import Claim, TestReport, test_on
from anc.verify.facts import Fact
from anc.verify.parser import parse_fact
from anc.verify.prove import prove
from anc.verify.verdict import Outcome, Verdict

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

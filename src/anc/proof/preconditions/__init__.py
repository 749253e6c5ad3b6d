"""Preconditions: when is an adapted program right? Facts that the samples support and the proof needs.

    mine              candidate facts that hold on all samples
    prove_with_least  a proof under as few facts as possible, learning new ones where the mined do not suffice
    prove_quickly     a proof for all runs that stop, with hardly any facts
    at_least, at_most confidence bounds: how often a precondition will hold, or a program be right

Samples and a claim come in; a verdict and the facts under which it holds go out. Nothing here has to be
trusted: it only chooses the facts under which `anc.proof` then proves the claim.
"""

from __future__ import annotations

from anc.proof.preconditions.infer_precondition import (
    Precondition,
    prove_quickly,
    prove_with_least,
)
from anc.proof.preconditions.mining import mine
from anc.proof.preconditions.support import at_least, at_most, cases_needed

"""Preconditions: when is an adapted program right? Facts that samples support and a proof needs.

    mine              readable facts that hold on all samples
    prove_with_least  a proof under as few facts as it can, learning some where the mined are too few
    at_least, at_most how often such facts will hold, or a program be right, on inputs to come

Nothing here has to be trusted: what is learnt only chooses what `anc.verify` then proves.
"""

from __future__ import annotations

from anc.proof.preconditions.confidence import at_least, at_most, cases_needed
from anc.proof.preconditions.infer_precondition import Precondition, prove_with_least
from anc.proof.preconditions.mining import mine

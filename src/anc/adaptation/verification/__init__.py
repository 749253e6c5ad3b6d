"""Verification and guarding: proofs about a pair of programs, without any search.

In come two programs, or a folder of `anc adapt`, with facts and cases; out comes a verdict with its witness, or a
guarded program that is written only after the proof.
"""

from anc.adaptation.verification.pair import given_pair
from anc.adaptation.verification.prove_and_guard import Guard, guard_pair
from anc.adaptation.verification.report import Verified, verify_pair

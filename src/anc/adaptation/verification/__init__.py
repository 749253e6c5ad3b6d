"""Proofs that are asked for by themselves: two programs compared, and guards that are proved first."""

from anc.adaptation.verification.pair import given_pair
from anc.adaptation.verification.prove_and_guard import Guard, guard_pair
from anc.adaptation.verification.report import Verified, verify_pair

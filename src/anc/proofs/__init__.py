"""Proofs that are asked for by themselves: two programs compared, and guards that are proved first."""

from anc.proofs.given import given_pair
from anc.proofs.guarding import Guard, guard_pair
from anc.proofs.verified import Verified, verify_pair

"""Guards: one program that checks the facts first, and runs the generic program where they fail."""

from anc.proof.guards.guard import Guarded, guard

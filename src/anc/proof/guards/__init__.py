"""Guards: one program that checks a precondition and falls back to the generic program.

The two programs and the facts come in; a guarded program, or the reason why there is none, goes out.
"""

from anc.proof.guards.guard import Guarded, guard

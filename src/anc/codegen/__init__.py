"""Programs as functions that people can paste into a project: Python, or a header of C11.

    to_python, to_c            any program
    guarded_python, guarded_c  an adapted program behind a check of its precondition

blocks, folding   commands become statements, values stand where they are used
ranges            sums that cannot wrap around need no modulo
structure         jumps become while, if, break and continue; or an honest dispatch loop
called            a function of arguments works on a tape that is made of them, or on variables alone
printer           statements become lines, in Python and in C
facts             preconditions as expressions
"""

from __future__ import annotations

from anc.codegen.functions import guarded_c, guarded_python, to_c, to_python
from anc.codegen.signature import Fallback, Parameter, Signature

__all__ = [
    "Fallback",
    "Parameter",
    "Signature",
    "guarded_c",
    "guarded_python",
    "to_c",
    "to_python",
]

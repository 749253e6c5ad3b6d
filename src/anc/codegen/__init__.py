"""Code generation: programs become functions of Python, or headers of C11.

It takes a program, and for an adapted one also its precondition and the original function. It returns
source text that needs nothing from anc. An adapted function checks its precondition and its arguments,
and calls the original if the check fails.

    to_python, to_c            any program
    guarded_python, guarded_c  an adapted program with its guard

blocks, folding   lines become basic blocks of statements, with values inlined
ranges            value ranges, which show that a sum needs no modulo
structure         control flow becomes while, if, break and continue, or a dispatch loop
called            functions of arguments, on a tape or on variables alone
printer           statements become lines of Python or C
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

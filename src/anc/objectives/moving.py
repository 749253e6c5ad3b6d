"""One random move of a program, compiled so that Python can ask for it."""

from __future__ import annotations

from anc.machine.compiled import lean
from anc.search.moves import propose


@lean
def move(program, guide, rng, chances):
    """Change an encoded program in place; whether that changed anything."""
    return propose(program, guide, rng, chances)

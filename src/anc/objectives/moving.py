"""Random moves of a program, and what they must leave alone, compiled so that Python can ask for them."""

from __future__ import annotations

from anc.machine.compiled import lean
from anc.search.chain import keeps
from anc.search.moves import propose


@lean
def move(program, guide, rng, chances):
    """Change an encoded program in place; whether that changed anything."""
    return propose(program, guide, rng, chances)


@lean
def leaves_alone(program, kept):
    """Whether an encoded program still has all frozen lines."""
    return keeps(program, kept)

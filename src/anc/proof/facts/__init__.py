"""Facts: what is known of an input tape, such as ``tape[0] == 3`` or ``sorted(tape[1:5])``.

A fact is a record of terms and of other facts, from a text (`anc.proof.parser`) or found in samples
(`anc.proof.preconditions`). It says on which tapes it holds, prints itself, and is translated by others:
for the solver, into program lines, Python and C.
"""

from __future__ import annotations

from anc.proof.facts.bounded_quantifiers import (
    NOTHING,
    Along,
    Count,
    OfList,
    Steps,
    Stepwise,
    how_often,
)
from anc.proof.facts.conjuncts import conjuncts, merged, moved, numbers_in
from anc.proof.facts.logic import And, Fact, Implies, Joined, Not, Or
from anc.proof.facts.relations import (
    COMPARE,
    MIRRORED,
    OPPOSITE,
    Comparison,
    Relation,
    Remainder,
    compare,
    divisible,
    remainder,
)
from anc.proof.facts.sets import (
    Different,
    Member,
    Several,
    Sorted,
    different,
    in_order,
    member,
    spelt,
)
from anc.proof.facts.terms import At, Columns, Index, Known, Sum, Tape, at, cell, index, times

"""Facts: what is known of an input tape, such as ``tape[0] == 3`` or ``sorted(tape[1:5])``.

terms      the numbers that facts speak of, in plain integers
logic      what every fact can do; not, and, or, implies
relations  comparisons and remainders
sets       facts about several terms: one of few words, in order, all different
along      facts about a list as far as it goes
count      how many elements of a list satisfy something
parts      facts taken apart and put together, and said of other cells
"""

from __future__ import annotations

from anc.proof.facts.bounded_quantifiers import Along, OfList, Steps, Stepwise
from anc.proof.facts.conjuncts import conjuncts, merged, moved, numbers_in
from anc.proof.facts.count import Count, how_often
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

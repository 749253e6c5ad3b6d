"""Facts: what is known of an input tape, such as ``tape[0] == 3`` or ``sorted(tape[1:5])``.

terms      the numbers that facts speak of, in plain integers
relations  comparisons and remainders
sets       facts about several terms: one of few words, in order, all different
along      facts about a list as far as it goes
count      how many elements of a list satisfy something
each       what is said of each number of a list
logic      what every fact can do; not, and, or, implies
parts      facts taken apart and put together
"""

from __future__ import annotations

from anc.verify.facts.along import Along, OfList, Steps, Stepwise
from anc.verify.facts.count import Count, how_often
from anc.verify.facts.each import about_one_cell
from anc.verify.facts.logic import And, Fact, Implies, Joined, Not, Or
from anc.verify.facts.parts import conjuncts, merged
from anc.verify.facts.relations import (
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
from anc.verify.facts.sets import Different, Member, Several, Sorted, different, in_order, member
from anc.verify.facts.terms import At, Index, Known, Sum, Tape, at, cell, index, times

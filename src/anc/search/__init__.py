"""Exact search over programs: cheaper ones that are right on all given cases.

A program and cases come in. Several methods (cleaning, partial evaluation, synthesis from observed values,
specialisation of traces, enumeration, annealing) share a budget; the best program of each size goes out.
"""

from anc.search.chain import NO_GUIDES, Guides
from anc.search.clean import clean, clean_observed, constant_cells, specialise
from anc.search.cost import STEPS, Cost, score
from anc.search.jit_warmup import prepare
from anc.search.portfolio import EVERY_METHOD
from anc.search.result import BestSoFar, Found, SearchEnd, SearchSettings
from anc.search.search import Search

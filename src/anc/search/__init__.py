"""Exact search: the cheapest program that is right on all cases.

In come a program and cases; out come right programs, each cheaper than the one before. The methods are cleaning,
specialisation, loop unrolling, decision trees, traces, enumeration and simulated annealing.
"""

from anc.search.chain import NO_GUIDES, Guides
from anc.search.clean import clean, clean_observed, constant_cells, specialise
from anc.search.cost import STEPS, Cost, score
from anc.search.jit_warmup import prepare
from anc.search.portfolio import EVERY_METHOD
from anc.search.result import Found, SearchEnd, SearchSettings
from anc.search.search import Search

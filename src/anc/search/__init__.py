"""Exact search over programs: cleaning, specialisation, enumeration, annealing."""

from anc.search.clean import clean, clean_observed
from anc.search.cost import STEPS, Cost, score
from anc.search.guides import NO_GUIDES, Guides
from anc.search.result import Found, SearchEnd, SearchProgress, SearchResult
from anc.search.search import EVERY_METHOD, Search, SearchSettings, improve
from anc.search.specialise import constant_cells, specialise
from anc.search.warm import prepare

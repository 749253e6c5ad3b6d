"""Exact search over programs: cleaning, specialisation, enumeration, annealing."""

from anc.search.clean import clean, clean_observed
from anc.search.cost import STEPS, Cost, score
from anc.search.guides import NO_GUIDES, Guides, Proposals
from anc.search.search import EVERY_METHOD, Found, Progress, SearchResult, StopReason, improve
from anc.search.specialise import Specialised, constant_cells, specialise
from anc.search.warm import prepare

__all__ = [
    "EVERY_METHOD",
    "NO_GUIDES",
    "STEPS",
    "Cost",
    "Found",
    "Guides",
    "Progress",
    "Proposals",
    "SearchResult",
    "Specialised",
    "StopReason",
    "clean",
    "clean_observed",
    "constant_cells",
    "improve",
    "prepare",
    "score",
    "specialise",
]

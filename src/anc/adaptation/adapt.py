"""Adaptation, the whole method in one function.

Gradient descent trains a population of soft programs and hands its hardened members and its learnt
distributions to an exact search; the search (cleaning, specialisation, enumeration, annealing) looks
for the cheapest program that is right on the cases; what it finds is tested on held-out cases and
proved equal to the generic program under facts that hold on all the samples. A counter-example goes
back into the cases, and the search goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from anc.adaptation.evidence import Evidence, examine
from anc.adaptation.gradient import NOTHING_LEARNT, Learnt, learn, prepare_training
from anc.adaptation.result import Adapted, conclude
from anc.learning.problem import Problem
from anc.search import EVERY_METHOD, STEPS, Cost, Found, Guides, SearchSettings, improve, prepare
from anc.search.result import SearchProgress, SearchResult
from anc.tasks.cases import Case
from anc.verify import Fact
from anc.verify.clock import Clock

SEARCHES = {  # what the exact search may do for each method of adaptation
    "all": EVERY_METHOD,
    "search": EVERY_METHOD,
    "gradient": ("guide", "observed"),
    "specialise": ("clean", "specialise", "observed"),
}
METHODS = tuple(SEARCHES)
WITH_GRADIENT = ("all", "gradient")
GRADIENT_SHARE = 0.25  # of the budget
SEARCH_SHARE = 0.8  # the search ends here; the rest is for proofs
PATIENCE = 0.35  # the search also ends when it found nothing better for about this share of it
LONG = 15  # mean steps: a shorter program has less left to gain and is given less patience
CASES = 100  # that the search looks at; others are held out

Tell = Callable[[str, float | None], None]  # what is being done, best mean steps so far


def adapt(
    problem: Problem,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    assumed: Sequence[Fact] = (),
    cost: Cost = STEPS,
    trade_off: bool = False,
    tell: Tell = lambda doing, steps: None,
    asked_to_stop: Callable[[], bool] = lambda: False,
) -> Adapted:
    """The best exact program that the budget (in seconds) allows, with evidence of where it is right.

    With `trade_off`, also the curve between steps and lines: programs that no other beats in both.
    """
    tell("compiling, once for this installation", None)
    prepare()
    if method in WITH_GRADIENT:
        prepare_training(problem)
    clock = Clock(budget, asked_to_stop)
    cases = list(dict.fromkeys(problem.pool))[:CASES]
    held_out = problem.validation + problem.confirmation
    settings = SearchSettings(seed, cost=cost, methods=SEARCHES[method], front=trade_off)
    learnt = _learn(problem, method, clock, seed, tell)
    history: list[Found] = []

    def examined(found: Found) -> Evidence:
        return examine(problem.program, found.program, held_out, assumed, clock)

    while True:
        before = clock.seconds
        guides = Guides(learnt.programs + tuple(f.program for f in history), learnt.proposals)
        search = _search(problem, cases, replace(settings, guides=guides), clock, tell)
        history += [
            replace(found, seconds=before + found.seconds)
            for found in search.found
            if found.program != problem.program
        ]
        tell("proof", search.best.steps)
        evidence = examined(search.best)
        if evidence.counterexample is None or clock.until(SEARCH_SHARE) <= 0:
            break
        cases.append(evidence.counterexample)
    earlier = (  # fastest first, and examined only if they are asked for
        (found, examined(found))
        for found in sorted(history, key=lambda found: found.cost)
        if found.program != search.best.program and clock.left > 0
    )
    candidates = chain([(search.best, evidence)], earlier)
    return conclude(problem, candidates, history, learnt, search.front, clock)


def _learn(problem: Problem, method: str, clock: Clock, seed: int, tell: Tell) -> Learnt:
    if method not in WITH_GRADIENT:
        return NOTHING_LEARNT
    share = SEARCH_SHARE if method == "gradient" else GRADIENT_SHARE
    return learn(problem, clock, share, seed, lambda words: tell(f"gradient, {words}", None))


def _search(
    problem: Problem, cases: Sequence[Case], settings: SearchSettings, clock: Clock, tell: Tell
) -> SearchResult:
    """Exact search until its share of the budget is gone or nothing better comes for a while."""
    newest = [float("inf"), clock.seconds]

    def on_progress(progress: SearchProgress) -> None:
        if progress.best.cost < newest[0]:
            newest[:] = [progress.best.cost, clock.seconds]
        tell(progress.method, progress.best.steps)

    def is_enough() -> bool:
        patience = PATIENCE * clock.budget * min(1.5, max(0.3, newest[0] / LONG))
        return clock.asked_to_stop() or clock.seconds - newest[1] > patience

    settings = replace(settings, budget=clock.until(SEARCH_SHARE))
    return improve(problem.program, cases, problem.M, settings, on_progress, is_enough)

"""Exact search: the best program that is right on all given cases, by several methods in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from anc.diagnostics import AncError
from anc.machine.cases import Cases
from anc.program import Program
from anc.search.anneal import CHAINS, Annealer
from anc.search.clean import clean, clean_observed
from anc.search.cost import STEPS, Cost, Score, score
from anc.search.enumerate import enumerate_programs
from anc.search.guides import NO_GUIDES, Guides
from anc.search.jump_table import jump_tables
from anc.search.result import Found, SearchEnd, SearchProgress, SearchResult, front_of
from anc.search.specialise import constant_cells, specialise
from anc.tasks.cases import Case

DEFAULT_EVALUATIONS = 4_000_000
ROUND = 400_000  # evaluations of one chain in one round
ENUMERATION_SHARE = 0.4  # of the time budget, at most
EVERY_METHOD = ("guide", "clean", "specialise", "observed", "enumerate", "jump table", "anneal")
EXAMPLES_OF_TABLES = 400
MENDING = 150_000  # evaluations for each jump table in a round, and the rounds
MENDING_ROUNDS = 2
ENUMERATION_CHECKS = 60  # without a time budget: so many times two million candidates


@dataclass(frozen=True)
class SearchSettings:
    """How to search: what a program costs, the methods, and how long.

    A search ends after `budget` seconds or so many `evaluations` of annealing. Without a budget the
    result depends on the seed and the evaluations only.
    `front` asks for the trade-off between steps and lines.
    """

    seed: int = 0
    budget: float | None = None
    evaluations: int | None = None
    guides: Guides = NO_GUIDES
    cost: Cost = STEPS
    methods: Sequence[str] = EVERY_METHOD
    threads: int | None = None
    front: bool = False


DEFAULT = SearchSettings()


def improve(
    program: Program,
    cases: Sequence[Case],
    M: int,
    settings: SearchSettings = DEFAULT,
    on_progress: Callable[[SearchProgress], None] = lambda progress: None,
    asked_to_stop: Callable[[], bool] = lambda: False,
) -> SearchResult:
    """The cheapest program found that is right on all cases; the program itself is right on them.

    The search also ends when `asked_to_stop` (an Event's `is_set`, say) answers yes; Ctrl-C keeps the
    best.
    """
    search = _Search(program, cases, M, settings, on_progress, asked_to_stop)
    try:
        for name in EVERY_METHOD:
            if name in settings.methods:
                search.method = name
                getattr(search, name.replace(" ", "_"))()
    except _Enough:
        pass
    except KeyboardInterrupt:
        search.end = SearchEnd.INTERRUPTED
    return search.result()


class _Enough(Exception):
    """The search's end has come."""


class _Search:
    """What the methods share: the cases, the best so far, the clock."""

    def __init__(
        self,
        program: Program,
        given: Sequence[Case],
        M: int,
        settings: SearchSettings,
        on_progress: Callable[[SearchProgress], None],
        asked_to_stop: Callable[[], bool],
    ) -> None:
        if not given:
            raise AncError("a search needs at least one case")
        if any(case.M != M for case in given):
            raise AncError(f"a case's tape does not have {M} cells")
        program.check_fits(M)
        self.program, self.M, self.settings = program, M, settings
        self.on_progress, self.asked_to_stop = on_progress, asked_to_stop
        self.begin, self.told = time.perf_counter(), 0.0
        self.found: list[Found] = []
        self.all_right: dict[Program, Found] = {}
        self.method, self.end = "generic", SearchEnd.DONE
        self.annealer: Annealer | None = None
        self.cases = Cases.distinct(given)
        self.limit = 100_000
        generic = self.score(program)
        if not generic.right:
            raise AncError(
                "the program itself is not right on all cases",
                "check the cases' outputs, or raise the limit on steps",
            )
        self.limit = int(max(50, 4 * generic.steps))
        if not self.score(program).right:
            self.limit = 100_000
        self.keep(program, generic)

    # -- the best so far --------------------------------------------------------

    @property
    def best(self) -> Found:
        return self.found[-1]

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begin

    def score(self, program: Program) -> Score:
        return score(program, self.cases, self.limit, self.settings.cost)

    def offer(self, programs: Iterable[Program]) -> None:
        """Take programs that are right and better than the best."""
        for program in programs:
            if program.smallest_memory <= self.M:
                self.keep(program, self.score(program))

    def keep(self, program: Program, scored: Score) -> None:
        if not scored.right:
            return
        found = Found(program, scored.cost, scored.steps, self.method, self.seconds)
        self.all_right.setdefault(program, found)
        if not self.found or found.rank < self.best.rank:
            self.found.append(found)

    def tidied(self, programs: Iterable[Program]) -> list[Program]:
        """Programs with their cleaned forms."""
        result = []
        for program in programs:
            observed = clean_observed(program, self.cases, self.limit)
            result += [program, clean(program, self.M)]
            result += [] if observed is None else [observed]
        return result

    # -- the methods, in the order of EVERY_METHOD -------------------------------

    def guide(self) -> None:
        self.offer(self.settings.guides.programs)

    def clean(self) -> None:
        self.offer([clean(self.program, self.M)])

    def specialise(self) -> None:
        self.offer([specialise(self.program, constant_cells(self.cases), self.M)])

    def observed(self) -> None:
        self.offer(self.tidied(list(self.all_right)))

    def enumerate(self) -> None:
        budget, checks = self.settings.budget, 0

        def keep_going() -> bool:
            nonlocal checks
            checks += 1
            self.tick()
            if budget is None:
                return checks < ENUMERATION_CHECKS
            return self.seconds < ENUMERATION_SHARE * budget

        constants = sorted({1, 2, *(v for v in self.program.registers if v is not None)})
        for found in enumerate_programs(self.cases, self.best.steps, keep_going, constants):
            self.offer([found])
            self.tick()

    def jump_table(self) -> None:
        """Jump tables are wrong for a few cases at first; a short annealing mends some of them."""
        examples = self.cases.choose(range(min(EXAMPLES_OF_TABLES, self.cases.C)))
        tables = jump_tables(examples, self.cases, self.best.steps)
        if not tables:
            return
        mender = Annealer(
            tables, self.cases, self.limit, self.settings.seed, cost=self.settings.cost,
            chains=len(tables), round_size=MENDING, threads=self.settings.threads, only_cool=True,
        )  # fmt: skip
        for _ in range(MENDING_ROUNDS):
            mender.round(self.may_go_on)
            self.tick()
        mended = [program for _, program in mender.by_length()]
        self.offer([*tables, *self.tidied(mended)])

    def anneal(self) -> None:
        settings = self.settings
        evaluations, round_size, rounds = settings.evaluations, ROUND, None
        if evaluations is None and settings.budget is None:
            evaluations = DEFAULT_EVALUATIONS
        if evaluations is not None:
            rounds = max(1, -(-evaluations // (CHAINS * ROUND)))
            round_size = max(1, evaluations // (CHAINS * rounds))
        starts = [self.program, *(found.program for found in self.found[:0:-1])]
        weights = (0.0, 1.0, 0.0, 3.0) if settings.front else (0.0,)
        annealer = self.annealer = Annealer(
            starts, self.cases, self.limit, settings.seed, settings.guides, settings.cost,
            round_size=round_size, threads=settings.threads, line_weights=weights,
        )  # fmt: skip
        while rounds is None or annealer.rounds_done < rounds:
            finished = annealer.round(self.may_go_on)
            self.offer(self.tidied(self.annealed(annealer)))
            self.tick()
            if not finished:
                return

    def annealed(self, annealer: Annealer) -> list[Program]:
        if self.settings.front:
            return [program for _, program in annealer.by_length()]
        best = annealer.best()
        return [best[1]] if best is not None else []

    # -- the clock --------------------------------------------------------------

    def tick(self) -> None:
        """Tell of progress; end the search if it is time to."""
        if not self.may_go_on():
            raise _Enough

    def may_go_on(self) -> bool:
        now, budget = self.seconds, self.settings.budget
        if now - self.told > 0.1:
            self.told = now
            self.on_progress(SearchProgress(self.method, self.best))
        if self.asked_to_stop():
            self.end = SearchEnd.STOPPED
        elif budget is not None and now >= budget:
            self.end = SearchEnd.BUDGET
        return self.end is SearchEnd.DONE

    def result(self) -> SearchResult:
        if self.annealer is not None:  # an interrupted round has found something too
            self.offer(self.tidied(self.annealed(self.annealer)))
        front = front_of(self.all_right.values()) if self.settings.front else ()
        return SearchResult(self.best, tuple(self.found), self.end, front)
